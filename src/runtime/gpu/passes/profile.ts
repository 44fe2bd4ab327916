/**
 * This module tells how long each pass ran on the GPU, from timestamp queries, where the device has them and
 * profiling was asked for. Browsers round timestamps (often to 0.1 ms), so sums over many passes say more
 * than single spans.
 */
import type { PassTime } from "../../backend.ts";

/** One submit has these spans. */
export class Timestamps {
  readonly #labels: string[] = [];
  readonly #capacity: number;
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #readable: GPUBuffer;

  /** Makes the queries. @param capacity the most passes it will measure */
  constructor(device: GPUDevice, capacity: number) {
    this.#capacity = capacity;
    const size = capacity * 16;
    this.#queries = device.createQuerySet({ label: "spans", type: "timestamp", count: capacity * 2 });
    this.#resolved = device.createBuffer({
      label: "spans",
      size,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    this.#readable = device.createBuffer({
      label: "spans read back",
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  writes(label: string): GPUComputePassTimestampWrites {
    const at = this.#labels.push(label) - 1;
    if (at >= this.#capacity) throw new RangeError(`more than ${this.#capacity} passes in one submit`);
    return { querySet: this.#queries, beginningOfPassWriteIndex: 2 * at, endOfPassWriteIndex: 2 * at + 1 };
  }

  /** Resolves the queries; call it after the last pass of the submit. */
  resolve(encoder: GPUCommandEncoder): void {
    const count = this.#labels.length * 2;
    if (count === 0) return;
    encoder.resolveQuerySet(this.#queries, 0, count, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#readable, 0, count * 8);
  }

  /** Reads the spans; call it after the submit. It also frees everything. */
  async read(): Promise<PassTime[]> {
    try {
      if (this.#labels.length === 0) return [];
      await this.#readable.mapAsync(GPUMapMode.READ);
      const nanoseconds = new BigUint64Array(this.#readable.getMappedRange());
      return this.#labels.map((label, at) => ({
        label,
        ms: Number(nanoseconds[2 * at + 1] - nanoseconds[2 * at]) / 1e6,
      }));
    } finally {
      this.destroy();
    }
  }

  destroy(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
    this.#readable.destroy();
  }
}
