/**
 * The primitives that backends implement, by name. What each promises, with parameters, bindings, shapes and ties, stands in
 * a file of its own under primitives/; how, in kernels/ (WGSL) and cpu/ under the same stem.
 */
import type { KnnCarryBinding, KnnCarryParams } from "./primitives/carry.ts";
import type { CompactBinding, CompactParams } from "./primitives/compact.ts";
import type { HistogramBinding, HistogramParams } from "./primitives/histogram.ts";
import type { KnnFilterBinding, KnnFilterParams } from "./primitives/knn.ts";
import type { KnnMixedFilterParams } from "./primitives/mixed.ts";
import type { KnnPowerFilterParams } from "./primitives/power.ts";
import type { KnnPrepareBinding, KnnPrepareParams } from "./primitives/prepare.ts";
import type { KnnRefineBinding, KnnRefineParams } from "./primitives/refine.ts";
import type { KnnReplayBinding, KnnReplayParams } from "./primitives/replay.ts";
import type { KnnSeedBinding, KnnSeedParams } from "./primitives/seed.ts";
import type { ReduceBinding, ReduceParams } from "./primitives/reduce.ts";
import type { RunLengthBinding, RunLengthParams } from "./primitives/runLength.ts";
import type { ScanBinding, ScanParams } from "./primitives/scan.ts";
import type { SelectBinding, SelectParams } from "./primitives/select.ts";
import type {
  KnnSketchBinding,
  KnnSketchedFilterBinding,
  KnnSketchedFilterParams,
  KnnSketchParams,
} from "./primitives/sketch.ts";
import type {
  KnnTreeBinding,
  KnnTreeFilterBinding,
  KnnTreeFilterParams,
  KnnTreeParams,
} from "./primitives/tree.ts";
import type { UniqueBinding, UniqueParams } from "./primitives/unique.ts";

export * from "./primitives/carry.ts";
export * from "./primitives/compact.ts";
export * from "./primitives/element.ts";
export * from "./primitives/histogram.ts";
export * from "./primitives/knn.ts";
export * from "./primitives/mixed.ts";
export * from "./primitives/power.ts";
export * from "./primitives/prepare.ts";
export * from "./primitives/reduce.ts";
export * from "./primitives/refine.ts";
export * from "./primitives/replay.ts";
export * from "./primitives/runLength.ts";
export * from "./primitives/scan.ts";
export * from "./primitives/seed.ts";
export * from "./primitives/select.ts";
export * from "./primitives/sketch.ts";
export * from "./primitives/tree.ts";
export * from "./primitives/unique.ts";

interface Primitives {
  "knn.carry": { readonly params: KnnCarryParams; readonly bindings: KnnCarryBinding };
  "knn.filter": { readonly params: KnnFilterParams; readonly bindings: KnnFilterBinding };
  "knn.mixedFilter": { readonly params: KnnMixedFilterParams; readonly bindings: KnnFilterBinding };
  "knn.powerFilter": { readonly params: KnnPowerFilterParams; readonly bindings: KnnFilterBinding };
  "knn.prepare": { readonly params: KnnPrepareParams; readonly bindings: KnnPrepareBinding };
  "knn.refine": { readonly params: KnnRefineParams; readonly bindings: KnnRefineBinding };
  "knn.replay": { readonly params: KnnReplayParams; readonly bindings: KnnReplayBinding };
  "knn.seed": { readonly params: KnnSeedParams; readonly bindings: KnnSeedBinding };
  "knn.sketch": { readonly params: KnnSketchParams; readonly bindings: KnnSketchBinding };
  "knn.sketchedFilter": {
    readonly params: KnnSketchedFilterParams;
    readonly bindings: KnnSketchedFilterBinding;
  };
  "knn.tree": { readonly params: KnnTreeParams; readonly bindings: KnnTreeBinding };
  "knn.treeFilter": { readonly params: KnnTreeFilterParams; readonly bindings: KnnTreeFilterBinding };
  compact: { readonly params: CompactParams; readonly bindings: CompactBinding };
  histogram: { readonly params: HistogramParams; readonly bindings: HistogramBinding };
  reduce: { readonly params: ReduceParams; readonly bindings: ReduceBinding };
  runLength: { readonly params: RunLengthParams; readonly bindings: RunLengthBinding };
  scan: { readonly params: ScanParams; readonly bindings: ScanBinding };
  select: { readonly params: SelectParams; readonly bindings: SelectBinding };
  unique: { readonly params: UniqueParams; readonly bindings: UniqueBinding };
}

export type PrimitiveName = keyof Primitives;
export type ParamsOf<Name extends PrimitiveName> = Primitives[Name]["params"];
export type BindingOf<Name extends PrimitiveName> = Primitives[Name]["bindings"];

/** Runs one primitive; bindings name buffers of the segment or the session. `work` is in multiply-adds. */
export type PrimitiveStep = {
  [Name in PrimitiveName]: {
    readonly kind: "run";
    readonly primitive: Name;
    readonly params: ParamsOf<Name>;
    readonly bindings: Readonly<Partial<Record<BindingOf<Name>, string>>>;
    readonly work: number;
  };
}[PrimitiveName];
