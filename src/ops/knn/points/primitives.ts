/** These are the primitives of point trees. */
import { primitive } from "../../../runtime/primitive.ts";
import type { NearestBinding, NearestParams, PointsBinding, PointTree } from "./contract.ts";

export const knnPoints = primitive<PointTree, PointsBinding>({
  name: "knn.points",
  cpu: async () => (await import("./build.ts")).pointsOnCpu,
});

export const knnNearest = primitive<NearestParams, NearestBinding>({
  name: "knn.nearest",
  cpu: async () => (await import("./nearest.ts")).nearestOnCpu,
});
