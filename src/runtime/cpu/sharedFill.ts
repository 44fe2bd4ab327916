/**
 * This is what a host source offers beside `fill` where workers may prepare its rows: the CPU backend asks
 * for it before it fills a buffer of shared memory itself.
 */
import type { HostSource, RowSet } from "../source.ts";
import type { Slice } from "./buffers.ts";
import type { Workers } from "./workers.ts";

export interface SharedFill extends HostSource {
  /**
   * Has workers write what `fill` writes, to shared memory.
   * @returns undefined, with nothing done, where `fill` takes no longer
   */
  fillShared(
    part: string,
    rows: RowSet,
    target: Slice,
    workers: Workers,
    signal: AbortSignal,
  ): Promise<void> | undefined;
}
