/** Exports the room of point clouds. */
export { chamferDistance, hausdorffDistance } from "./distances.ts";
export type { ChamferOptions, ChamferResult, CloudDistanceOptions, HausdorffResult } from "./distances.ts";
export { PointCloud } from "./pointCloud.ts";
export type { CloudRadiusOptions, NearestOptions, PointCloudOptions } from "./pointCloud.ts";
