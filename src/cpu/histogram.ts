/**
 * `histogram` on the CPU: block after block through the WASM module on the main thread (local.ts says why), with the keys and
 * guesses of core/bins.ts. What it promises stands in core/primitives/histogram.ts.
 */
import { GUIDED } from "../core/bins.ts";
import { OUTSIDE, RANGE_WORDS, type HistogramParams } from "../core/primitives.ts";
import { wordsOf } from "./buffers.ts";
import { TYPES } from "./elements.ts";
import { BLOCK, COUNTERS, Turns, type LocalWasm } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runHistogram(
  params: HistogramParams,
  { input, edges, ranges, counts, outside }: RunArrays<"histogram">,
  { local, signal, onTask }: RunContext,
): Promise<void> {
  const { bins, rows, cols, perRow } = params;
  const wasm = await local();
  const turns = new Turns(signal);
  let reported = 0;
  for (let row = 0; row < rows; row++) {
    const set = perRow ? row : 0;
    const counter = new RowCounter(
      params,
      wasm,
      wordsOf(edges, set * bins, bins),
      wordsOf(ranges, set * RANGE_WORDS, RANGE_WORDS),
      wordsOf(counts, row * bins, bins),
      wordsOf(outside, row * OUTSIDE, OUTSIDE),
    );
    for (let column = 0; column < cols;) {
      // Others use the module when it is their turn: by then it has forgotten this row.
      counter.begin();
      do {
        const length = Math.min(BLOCK, cols - column);
        counter.count(wordsOf(input, row * cols + column, length));
        column += length;
      } while (column < cols && !turns.due);
      counter.end();
      const done = row * cols + column;
      if (!turns.due && done < rows * cols) continue;
      onTask((done - reported) / (rows * cols), 0);
      reported = done;
      if (done < rows * cols) await turns.next();
    }
  }
}

/** Counts stretches of one row. */
class RowCounter {
  readonly #type: number;
  readonly #wasm: LocalWasm;
  readonly #edges: Uint32Array;
  readonly #range: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #outside: Uint32Array;
  readonly #guided: boolean;

  constructor(
    { type }: HistogramParams,
    wasm: LocalWasm,
    edges: Uint32Array,
    range: Uint32Array,
    counts: Uint32Array,
    outside: Uint32Array,
  ) {
    this.#type = TYPES.indexOf(type);
    this.#wasm = wasm;
    this.#edges = edges;
    this.#range = range;
    this.#counts = counts;
    this.#outside = outside;
    const [guard] = new Float32Array(range.buffer, range.byteOffset + 16, 1);
    this.#guided = guard < GUIDED;
  }

  begin(): void {
    const { edges, range, counters, outside } = this.#wasm.bins;
    edges.words.set(this.#edges);
    range.words.set(this.#range);
    counters.words.fill(0, 0, COUNTERS * this.#counts.length);
    outside.words.fill(0);
  }

  count(elements: Uint32Array): void {
    const { kernels, block, words, bins } = this.#wasm;
    const { edges, range, counters, outside } = bins;
    words.set(elements);
    const count = this.#guided ? kernels.countGuided : kernels.countSearched;
    count(block, elements.length, this.#type, range.at, edges.at, counters.at, outside.at);
  }

  /** Adds what was counted since `begin`. */
  end(): void {
    const { kernels, bins } = this.#wasm;
    kernels.addCounters(bins.counters.at, this.#counts.length);
    addTo(this.#counts, bins.counters.words);
    addTo(this.#outside, bins.outside.words);
  }
}

function addTo(sums: Uint32Array, more: Uint32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] += more[i];
}
