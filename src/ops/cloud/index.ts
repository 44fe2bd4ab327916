/** Exports the room of point clouds. */
export { PointCloud } from "./pointCloud.ts";
export type { CloudRadiusOptions, NearestOptions, PointCloudOptions } from "./pointCloud.ts";
