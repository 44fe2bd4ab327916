/**
 * The primitives that backends implement, by name. What each promises, with parameters, bindings, shapes and ties, stands in
 * a file of its own under primitives/; how, in kernels/ (WGSL) and cpu/ under the same stem.
 */
import type { KnnCarryBinding, KnnCarryParams } from "../ops/knn/contract/carry.ts";
import type { CompactBinding, CompactParams } from "../ops/compact/contract/compact.ts";
import type { HistogramBinding, HistogramParams } from "../ops/histogram/contract.ts";
import type { KnnFilterBinding, KnnFilterParams } from "../ops/knn/contract/filter.ts";
import type { KnnMixedFilterParams } from "../distance/contract/mixed.ts";
import type { KnnPowerFilterParams } from "../distance/contract/power.ts";
import type { KnnPrepareBinding, KnnPrepareParams } from "../distance/contract/prepare.ts";
import type { KnnRefineBinding, KnnRefineParams } from "../distance/contract/refine.ts";
import type { KnnReplayBinding, KnnReplayParams } from "../ops/knn/contract/replay.ts";
import type { KnnSeedBinding, KnnSeedParams } from "../ops/knn/contract/seed.ts";
import type { ReduceBinding, ReduceParams } from "../ops/reduce/contract.ts";
import type { RunLengthBinding, RunLengthParams } from "../ops/compact/contract/runLength.ts";
import type { ScanBinding, ScanParams } from "../ops/scan/contract.ts";
import type { SelectBinding, SelectParams } from "../ops/select/contract.ts";
import type {
  KnnSketchBinding,
  KnnSketchedFilterBinding,
  KnnSketchedFilterParams,
  KnnSketchParams,
} from "../ops/knn/contract/sketch.ts";
import type {
  KnnTreeBinding,
  KnnTreeFilterBinding,
  KnnTreeFilterParams,
  KnnTreeParams,
} from "../ops/knn/contract/tree.ts";
import type { UniqueBinding, UniqueParams } from "../ops/compact/contract/unique.ts";

export * from "../ops/knn/contract/carry.ts";
export * from "../ops/compact/contract/compact.ts";
export * from "./element.ts";
export * from "../ops/histogram/contract.ts";
export * from "../ops/knn/contract/filter.ts";
export * from "../distance/contract/mixed.ts";
export * from "../distance/contract/power.ts";
export * from "../distance/contract/prepare.ts";
export * from "../ops/reduce/contract.ts";
export * from "../distance/contract/refine.ts";
export * from "../ops/knn/contract/replay.ts";
export * from "../ops/compact/contract/runLength.ts";
export * from "../ops/scan/contract.ts";
export * from "../ops/knn/contract/seed.ts";
export * from "../ops/select/contract.ts";
export * from "../ops/knn/contract/sketch.ts";
export * from "../ops/knn/contract/tree.ts";
export * from "../ops/compact/contract/unique.ts";

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
export type RunStep = {
  [Name in PrimitiveName]: {
    readonly kind: "run";
    readonly primitive: Name;
    readonly params: ParamsOf<Name>;
    readonly bindings: Readonly<Partial<Record<BindingOf<Name>, string>>>;
    readonly work: number;
  };
}[PrimitiveName];
