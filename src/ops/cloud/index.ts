/** Exports the room of point clouds. */
export { chamferDistance, hausdorffDistance } from "./distances.ts";
export type { ChamferOptions, ChamferResult, HausdorffResult } from "./distances.ts";
export { removeDuplicatePoints } from "./duplicates.ts";
export type { DuplicatePointsOptions, DuplicatePointsResult } from "./duplicates.ts";
export { icp } from "./icp.ts";
export type { IcpOptions, IcpResult } from "./icp.ts";
export { estimateNormals } from "./normals.ts";
export type { NormalsOptions, NormalsResult } from "./normals.ts";
export { removeOutlierPoints } from "./outliers.ts";
export type { OutlierPointsOptions, OutlierPointsResult } from "./outliers.ts";
export { PointCloud } from "./pointCloud.ts";
export type { CloudRadiusOptions, NearestOptions, PointCloudOptions } from "./pointCloud.ts";
export { meanNearestDistance } from "./spacing.ts";
export type { CloudOptions } from "./withCloud.ts";
