/**
 * This module says how much memory plans may ask of a GPU. It is pure and opens no device. WebGPU does not
 * tell how much memory there is, so the default is a guess from what it does tell: twice the largest binding,
 * between 512 MiB and 4 GiB; for an adapter in software, which takes the host's own memory, 512 MiB. Staging
 * buffers come on top: `stagingBytes` at most.
 */
import { clamp, roundDown } from "../../core/math.ts";

const MiB = 2 ** 20;
const leastBytes = 512 * MiB;
const mostBytes = 4096 * MiB;

/**
 * Uploads go through a ring of so many slots: enough that the host fills some while the GPU computes with
 * what came through others.
 */
export const uploadSlots = 12;
export const downloadSlots = 2;
const largestSlot = 8 * MiB;
const smallestSlot = 1536;
/**
 * A slot has this share of the budget; less of one that a user chose, so that all staging is a tenth of it.
 */
const slotShare = { guessed: 1 / 64, requested: 1 / 140 };

export interface BudgetInput {
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly software: boolean;
  /** The user asked for so many bytes, which hold whatever the limits are. */
  readonly requested?: number | undefined;
}

export interface Budget {
  /** All buffers of plans together may take so many bytes. */
  readonly budgetBytes: number;
  /** The largest single buffer has this many bytes. */
  readonly bufferBytes: number;
  /** One slot of the staging rings has this many bytes. */
  readonly slotBytes: number;
}

export function gpuBudget({
  maxStorageBufferBindingSize,
  maxBufferSize,
  software,
  requested,
}: BudgetInput): Budget {
  const bindable = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const guessed = software ? leastBytes : clamp(2 * bindable, leastBytes, mostBytes);
  const budgetBytes = roundDown(requested ?? guessed, 4);
  const share = requested === undefined ? slotShare.guessed : slotShare.requested;
  return {
    budgetBytes,
    bufferBytes: roundDown(Math.min(bindable, budgetBytes), 4),
    slotBytes: clamp(roundDown(budgetBytes * share, 256), smallestSlot, largestSlot),
  };
}

/**
 * Returns the budget after the driver refused `requestedBytes` while `aliveBytes` were in use: half of what
 * that would have been, and at most half of the old budget.
 */
export function budgetAfterRefusal(budgetBytes: number, aliveBytes: number, requestedBytes: number): number {
  return roundDown(Math.min(budgetBytes, aliveBytes + requestedBytes) / 2, 4);
}

export function stagingBytes({ slotBytes }: Budget): number {
  return (uploadSlots + downloadSlots) * slotBytes;
}
