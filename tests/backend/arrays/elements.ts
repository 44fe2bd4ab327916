/** Inputs and comparisons for the tests of array primitives. */
import type { Random } from "../../oracle/random.ts";
import type { Elements } from "../../oracle/scan.ts";
import type { Device } from "../../../dist/node.js";
import type { GpuBackend } from "../../../dist/runtime/gpu/backend.js";
import type { DeviceTraits } from "../../../dist/runtime/gpu/passes/pass.js";
import { sortPolicy } from "../../../dist/ops/sort/policy.js";
import { assumeTraits } from "../../../dist/runtime/gpu/traits.js";
import { hasSubgroups } from "../helpers.ts";

export type TypeName = "u32" | "i32" | "f32";
export const typeNames: readonly TypeName[] = ["u32", "i32", "f32"];

const constructors = { u32: Uint32Array, i32: Int32Array, f32: Float32Array } as const;

export const inputKinds = ["random", "ascending", "descending", "equal", "extreme", "hard"] as const;
export type InputKind = (typeof inputKinds)[number];

/**
 * "extreme" draws from the ends of the type and from zeros, "hard" also NaNs with odd bits and infinities.
 */
export function elementsOf(type: TypeName, kind: InputKind, count: number, random: Random): Elements {
  const array = new constructors[type](count);
  const words = new Uint32Array(array.buffer);
  const draw = {
    random: () => (type === "f32" ? random.normal() * 2 ** random.int(-8, 9) : random.bits()),
    ascending: (i: number) => i - (type === "u32" ? 0 : count / 2),
    descending: (i: number) => (type === "u32" ? count : count / 2) - i,
    equal: () => 3,
    extreme: () => random.pick(type === "f32" ? [0, -0, 1, -1] : [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]),
    hard: () => random.pick(type === "f32" ? [0, -0, 5, -5, Infinity, -Infinity] : [0, 2 ** 31, 2 ** 32 - 1]),
  }[kind];
  for (let i = 0; i < count; i++) {
    array[i] = draw(i);
    const isNaN = type === "f32" && kind === "hard" && random.uniform() < 0.5;
    if (isNaN) words[i] = random.pick([0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff]);
  }
  return array;
}

/**
 * What a self-test may find of a GPU, and so the variants of scans, which primitives built on scans share: in
 * one pass that waits or in blocks, with subgroups or without. The second is quickly compiled in software.
 */
export const scanVariants: readonly DeviceTraits[] = [
  { forwardProgress: true, subgroups: true },
  { forwardProgress: false, subgroups: true },
  { forwardProgress: true, subgroups: false },
  { forwardProgress: false, subgroups: false },
].filter(({ subgroups }) => hasSubgroups || !subgroups);

/** Has a device scan by that variant, if it is a GPU. */
export function assume(device: Device, traits: DeviceTraits): void {
  if (device.info.kind === "gpu") assumeTraits((device.backend as GpuBackend).device, traits);
}

const ownTiles = { ...sortPolicy };

/**
 * Has sorts on every GPU rank keys in so many groups of lanes with so many keys a lane, and lets subgroups of
 * any size vote; without arguments in tiles of their own. Software compiles few keys a lane soon.
 */
export function assumeTiles(groups?: number, item = 1, lanes = 32): void {
  const items = [item, item];
  const tiles =
    groups === undefined ? ownTiles : { marks: { groups, items, lanes }, subgroups: [{ groups, items }] };
  Object.assign(sortPolicy, ownTiles, tiles, { votes: [4, 8, 16, 32] });
}

/** Takes back what `assumeTiles` did, since test files may share modules. */
export function assumeNoTiles(): void {
  Object.assign(sortPolicy, ownTiles);
}

/**
 * The first place where arrays differ in a bit (NaN equals NaN), or by more than `bound` allows; undefined if
 * none.
 */
export function firstWrong(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  bound: (at: number) => number = () => 0,
): string | undefined {
  if (actual.length !== expected.length) return `${actual.length} elements instead of ${expected.length}`;
  for (let at = 0; at < expected.length; at++) {
    const [got, wanted] = [actual[at], expected[at]];
    if (Object.is(got, wanted) || Math.abs(got - wanted) <= bound(at)) continue;
    if (bound(at) > 0 && !Number.isFinite(wanted) && String(got) === String(wanted)) continue;
    return `element ${at}: ${got} instead of ${wanted}`;
  }
  return undefined;
}
