/**
 * This module runs one segment: it walks its steps, gathers their commands in batches, submits a batch when
 * it is full, and waits so that few submits are on their way at a time. It decides nothing about what to
 * compute. All state of a run is in here, so that runs of several sessions may overlap; the queue keeps their
 * submits in order.
 */
import {
  type DownloadStep,
  type SegmentOptions,
  type Segment,
  type SegmentOutput,
  type Step,
  type UploadStep,
} from "../backend.ts";
import { checkBoundPart, checkPart, rowCount, sliceRows, type BufferUse, type Sources } from "../source.ts";
import { Yielder } from "../../core/async/yielding.ts";
import { unlessAborted } from "../../core/async/aborted.ts";
import { assert } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import type { Fetch } from "../../core/fetchable.ts";
import { bindingsOf, type RunStep } from "../primitive.ts";
import { Downloads, partOf } from "../downloads.ts";
import { compileAhead } from "./passes/ahead.ts";
import { kernelOf, loadKernels } from "./kernels.ts";
import type { BoundBuffer, BufferSet } from "./buffers.ts";
import { encodePasses, type PassBuffers } from "./passes/encode.ts";
import type { GpuMachine } from "./machine.ts";
import { passesPerSubmit, submitsInFlight } from "./pace.ts";
import { scoped } from "./scopes.ts";
import { usedBytes, type DownloadSlot, type UploadSlot } from "./staging.ts";
import { abandonBatch, emptyBatch, submitBatch } from "./submit.ts";

/** Other threads fill so many slots of a run at a time, and are asked from so many bytes on. */
const FETCHES = 4;
const LEAST_FETCHED = 2 ** 20;
/** At most so many bytes of a batch are written without a slot: to map one again takes longer. */
const MOST_WRITTEN = 2 ** 16;
/** Passes are kept with the steps of segments of at most so many steps, which may run again. */
const FEW_STEPS = 16;

/** A session has buffers that stay, and runs segments one after the other, or two of them overlap. */
export interface SessionState {
  readonly resident: BufferSet[];
  /** The last segment of this session that ended did so at this time, in milliseconds. */
  lastEnd: number;
}

export async function runSegment(
  machine: GpuMachine,
  session: SessionState,
  segment: Segment,
  sources: Sources,
  options: SegmentOptions,
): Promise<SegmentOutput> {
  options.signal?.throwIfAborted();
  await loadKernels(segment.steps);
  const own = await machine.pool.take(segment.label, segment.buffers);
  const buffers = new Map([...session.resident, own].flatMap(({ bindings }) => [...bindings]));
  const run = new GpuSegmentRun(machine, buffers, segment, sources, options);
  try {
    const started = performance.now();
    const output = await run.execute();
    // Where segments of a session overlap, each has the time after the one that began before it.
    const since = Math.max(started, session.lastEnd);
    session.lastEnd = performance.now();
    return { ...output, ms: session.lastEnd - since };
  } finally {
    run.end();
    own.release();
  }
}

class GpuSegmentRun {
  readonly #machine: GpuMachine;
  readonly #buffers: ReadonlyMap<string, BoundBuffer>;
  readonly #segment: Segment;
  readonly #sources: Sources;
  readonly #options: SegmentOptions;
  readonly #downloads: Downloads;
  #dispatches = 0;
  #compiled = false;
  #work = 0;
  readonly #inFlight: Promise<void>[] = [];
  /** These submits on their way compute. Uploads alone are limited by their slots, and may run far ahead. */
  readonly #computing: Promise<void>[] = [];
  readonly #yielder: Yielder;
  #batch = emptyBatch();
  /** This step is being run. */
  #at = 0;
  #ended = false;

  constructor(
    machine: GpuMachine,
    buffers: ReadonlyMap<string, BoundBuffer>,
    segment: Segment,
    sources: Sources,
    options: SegmentOptions,
  ) {
    this.#machine = machine;
    this.#buffers = buffers;
    this.#segment = segment;
    this.#sources = sources;
    this.#options = options;
    this.#downloads = new Downloads(options.targets);
    this.#yielder = new Yielder(options.signal);
  }

  async execute(): Promise<Omit<SegmentOutput, "ms">> {
    for (this.#at = 0; this.#at < this.#segment.steps.length; this.#at++)
      await this.#step(this.#segment.steps[this.#at]);
    await this.#submit();
    this.#options.onBusy?.();
    while (this.#inFlight.length > 0) await this.#wait(this.#inFlight.shift()!);
    return {
      ...this.#downloads.output,
      compiled: this.#compiled,
      dispatches: this.#dispatches,
      work: this.#work,
    };
  }

  /** Gives back what was not submitted and reports no more work. */
  end(): void {
    this.#ended = true;
    abandonBatch(this.#machine, this.#batch);
    this.#batch = emptyBatch();
  }

  #step(step: Step): Promise<void> | void {
    switch (step.kind) {
      case "upload":
        return this.#upload(step);
      case "clear": {
        const { buffer, size } = this.#buffer(step.buffer);
        this.#batch.commands.push((encoder) => encoder.clearBuffer(buffer, 0, size));
        return;
      }
      case "run":
        return this.#run(step);
      case "download":
        return this.#download(step);
    }
  }

  async #upload({ to, at = 0, source: name, part, rows }: UploadStep): Promise<void> {
    const source = this.#sources[name];
    assert(source, `${this.#segment.label} has no source "${name}"`);
    const { buffer, size } = this.#buffer(to);
    const rowBytes = source.rowBytes(part);
    const count = rowCount(rows);
    checkPart(size, { buffer: to, offset: at, bytes: rowBytes * count });
    const worthFetching = source.elsewhere === true || rowBytes * count >= LEAST_FETCHED;
    const fetch = this.#machine.owned && worthFetching ? source.fetcher?.(part, rows) : undefined;
    if (fetch) return this.#fetch(fetch, buffer, at, rowBytes * count);
    const bytes = rowBytes * count;
    if (this.#batch.commands.length === 0 && this.#batch.uploadedBytes + bytes <= MOST_WRITTEN) {
      const data = new Uint8Array(bytes);
      source.fill(part, rows, data);
      this.#batch.writes.push({ buffer, at, data });
      this.#batch.uploadedBytes += data.length;
      return;
    }
    for (let row = 0; row < count;) {
      const slot = await this.#uploadSlot(rowBytes);
      const offset = slot.used;
      const end = Math.min(count, row + Math.floor((slot.bytes.length - offset) / rowBytes));
      const bytes = (end - row) * rowBytes;
      source.fill(part, sliceRows(rows, row, end), slot.bytes.subarray(offset, offset + bytes));
      this.#copyFrom(slot, bytes, buffer, at + row * rowBytes);
      row = end;
      // Slots come back only in other events.
      if (this.#yielder.due) await this.#yielder.next();
    }
  }

  /**
   * Has other threads fill several slots at a time, which are submitted one by one. Waits for slots only
   * while it holds none.
   */
  async #fetch(fetch: Fetch, target: GPUBuffer, begin: number, bytes: number): Promise<void> {
    const { uploads } = this.#machine;
    const fetching: { slot: UploadSlot; at: number; size: number; fetched: Promise<void> }[] = [];
    let at = 0;
    const start = (slot: UploadSlot) => {
      const size = Math.min(slot.bytes.length, bytes - at);
      const fetched = uploads.filledBy(fetch(slot.bytes.subarray(0, size), at));
      fetched.catch(() => undefined);
      fetching.push({ slot, at, size, fetched });
      at += size;
    };
    try {
      while (at < bytes || fetching.length > 0) {
        while (at < bytes && fetching.length < FETCHES) {
          const slot = fetching.length > 0 ? this.#take(() => uploads.take(4)) : await this.#newUploadSlot(4);
          if (!slot) break;
          start(slot);
        }
        await this.#wait(fetching[0].fetched);
        const { slot, at: from, size } = fetching.shift()!;
        this.#batch.uploads.push(slot);
        this.#copyFrom(slot, size, target, begin + from);
        await this.#submit();
      }
    } finally {
      await Promise.all(fetching.map(({ slot, fetched }) => this.#giveBack(slot, fetched)));
    }
  }

  /** Returns a slot when it is filled; after an abort, which waits for nobody, it is replaced. */
  async #giveBack(slot: UploadSlot, fetched: Promise<void>): Promise<void> {
    const { uploads } = this.#machine;
    try {
      await this.#wait(fetched.catch(() => undefined));
      uploads.putBack(slot);
    } catch {
      uploads.replace(slot, fetched);
    }
  }

  /** Copies the next bytes of a slot to byte `at` of a buffer. */
  #copyFrom(slot: UploadSlot, bytes: number, target: GPUBuffer, at: number): void {
    const offset = slot.used;
    slot.used = roundUp(offset + bytes, 16);
    this.#batch.commands.push((encoder) =>
      encoder.copyBufferToBuffer(slot.buffer, offset, target, at, bytes),
    );
    this.#batch.uploadedBytes += bytes;
  }

  async #run(step: RunStep): Promise<void> {
    const { limits, limitsWithTraits, passesOf } = this.#machine;
    const kernel = kernelOf(step.primitive);
    let kept = passesOf.get(step);
    if (!kept) {
      const seen = kernel.wantsTraits?.(step.params) ? await this.#wait(limitsWithTraits()) : limits;
      kept = { passes: kernel.passes(step.params, seen), groups: [] };
      if (this.#segment.steps.length <= FEW_STEPS) passesOf.set(step, kept);
    }
    const { passes, groups } = kept;
    if (!this.#machine.pipelines.has(passes)) {
      if (!this.#compiled) void compileAhead(this.#machine, this.#segment.steps.slice(this.#at));
      this.#compiled = true;
      await this.#wait(this.#machine.pipelines.prepare(passes));
    }
    const batch = this.#batch;
    const bindings: PassBuffers = Object.fromEntries(
      bindingsOf(step).map(([binding, use]) => [binding, this.#bound(use)]),
    );
    batch.commands.push((encoder, tools) => encodePasses(encoder, passes, bindings, tools, groups));
    batch.passes += passes.length;
    batch.work += kernel.work?.(step.params) ?? 0;
    batch.cost += step.cost;
    if (batch.cost >= this.#machine.pace.quantum || batch.passes >= passesPerSubmit) await this.#submit();
  }

  async #download(step: DownloadStep): Promise<void> {
    const { from, bytes, begin = 0 } = step;
    const source = this.#buffer(from);
    checkPart(source.size, { buffer: from, offset: begin, bytes });
    const memory = this.#downloads.memoryOf(step);
    const { slotBytes } = this.#machine.downloads;
    for (let at = 0; at < bytes;) {
      const slot = await this.#downloadSlot();
      const offset = usedBytes(slot);
      const from = at;
      const size = Math.min(slotBytes - offset, bytes - from);
      this.#batch.commands.push((encoder) =>
        encoder.copyBufferToBuffer(source.buffer, begin + from, slot.buffer, offset, size),
      );
      slot.targets.push({ memory: partOf(memory, from, size), bytes: size });
      at += size;
    }
  }

  /**
   * Returns the batch's last slot where it has room for `bytes`, or else a new one. A batch with a full slot
   * is submitted first, so that the GPU copies while the next one is filled, and so that nobody waits for
   * slots while holding some.
   */
  async #uploadSlot(bytes: number): Promise<UploadSlot> {
    const last = this.#batch.uploads.at(-1);
    if (last && last.bytes.length - last.used >= bytes) return last;
    if (last) await this.#submit();
    const slot = await this.#newUploadSlot(bytes);
    this.#batch.uploads.push(slot);
    return slot;
  }

  /** Takes a slot that is no batch's yet. */
  #newUploadSlot(bytes: number): Promise<UploadSlot> {
    const { uploads } = this.#machine;
    return this.#claim(
      () => uploads.kept(bytes),
      () => uploads.take(bytes),
      () => uploads.freed(),
    );
  }

  /** Returns a slot with room for some bytes: the batch's last, or a new one. */
  async #downloadSlot(): Promise<DownloadSlot> {
    const { downloads } = this.#machine;
    const last = this.#batch.downloads.at(-1);
    if (last && usedBytes(last) < downloads.slotBytes) return last;
    const slot = await this.#claim(
      () => downloads.kept(),
      () => downloads.take(),
      () => {
        this.#options.onBusy?.();
        return downloads.freed();
      },
    );
    this.#batch.downloads.push(slot);
    return slot;
  }

  async #claim<Slot>(
    kept: () => Slot | undefined,
    take: () => Slot | undefined,
    freed: () => Promise<void>,
  ): Promise<Slot> {
    for (;;) {
      const slot = kept() ?? this.#take(take);
      if (slot) return slot;
      await this.#submit();
      await this.#wait(this.#machine.health.guard(freed()));
    }
  }

  /** Takes a slot. Faults that the device finds, as with a slot that had to be made, are the batch's. */
  #take<Slot>(take: () => Slot | undefined): Slot | undefined {
    const { value: slot, checked } = scoped(this.#machine.device, this.#segment.label, 0, take);
    checked.catch(() => undefined);
    this.#batch.checks.push(checked);
    return slot;
  }

  async #submit(): Promise<void> {
    if (this.#batch.commands.length + this.#batch.writes.length === 0) return;
    const computes = this.#batch.passes > 0;
    while (computes && this.#computing.length >= submitsInFlight) {
      this.#options.onBusy?.();
      await this.#wait(this.#computing.shift()!);
    }
    this.#options.signal?.throwIfAborted();
    const batch = this.#batch;
    this.#dispatches += batch.passes;
    this.#work += batch.work;
    const finished = submitBatch(this.#machine, this.#segment.label, batch, () => this.#over).then(() => {
      if (batch.cost > 0 && !this.#over) this.#options.onCost?.(batch.cost);
    });
    this.#batch = emptyBatch();
    finished.catch(() => undefined);
    this.#inFlight.push(finished);
    if (computes) this.#computing.push(finished);
  }

  /** Waits for the promise, unless the caller aborts first. */
  #wait<T>(promise: Promise<T>): Promise<T> {
    return unlessAborted(promise, this.#options.signal);
  }

  get #over(): boolean {
    return this.#ended || this.#options.signal?.aborted === true;
  }

  #bound(use: BufferUse): GPUBufferBinding {
    if (typeof use === "string") return this.#buffer(use);
    const { buffer, size } = this.#buffer(use.buffer);
    checkBoundPart(size, use);
    return { buffer, offset: use.offset, size: use.bytes };
  }

  #buffer(name: string): BoundBuffer {
    const buffer = this.#buffers.get(name);
    assert(buffer, `${this.#segment.label} has no buffer "${name}"`);
    return buffer;
  }
}
