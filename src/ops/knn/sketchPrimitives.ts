/** These are the primitives of sketches, which only CPUs have. */
import { primitive } from "../../runtime/primitive.ts";
import type {
  KnnSketchBinding,
  KnnSketchedFilterBinding,
  KnnSketchedFilterParams,
  KnnSketchParams,
} from "./contract/sketch.ts";

const cpu = () => import("./cpu/kernels.ts");

export const knnSketchedFilter = primitive<KnnSketchedFilterParams, KnnSketchedFilterBinding>({
  name: "knn.sketchedFilter",
  cpu: async () => (await cpu()).filterOnCpu,
});

export const knnSketch = primitive<KnnSketchParams, KnnSketchBinding>({
  name: "knn.sketch",
  cpu: async () => (await cpu()).sketchOnCpu,
});
