/**
 * Opens the cloud that a single call searches, on the caller's device or on one of its own, and frees both
 * again. `PointCloud` itself is in pointCloud.ts.
 */
import { runYielding } from "../../core/async/yielding.ts";
import { makeMatrix, type Matrix, type MatrixLike } from "../../core/matrix.ts";
import type { OptionNames } from "../../core/options.ts";
import type { Device } from "../../runtime/device.ts";
import { deviceNames, type DeviceOptions } from "../../runtime/device.ts";
import type { Explanation } from "../../runtime/explain.ts";
import { withDevice } from "../../runtime/onArrays.ts";
import { PointCloud, type PointCloudOptions } from "./pointCloud.ts";

/**
 * Every call on point clouds takes these options.
 * @example
 * const options: CloudOptions = { backend: "cpu" };
 * (await hausdorffDistance([[0], [1]], [[0], [3]], options)).distance; // => 2
 */
export interface CloudOptions extends DeviceOptions {
  /**
   * This device is used and stays open. By default, calls without any device options share one; a call with
   * such options opens a device of its own and closes it again.
   */
  readonly device?: Device | undefined;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called after each search of a cloud, with how it was done. */
  readonly onExplanation?: ((explanation: Explanation) => void) | undefined;
}

export const cloudOptionNames: OptionNames<CloudOptions> = {
  ...deviceNames,
  device: 1,
  signal: 1,
  onExplanation: 1,
};

/** Returns the points in the library's own form, all of them finite. @param name how errors call them */
export function pointMatrix(points: MatrixLike, name: string, signal?: AbortSignal): Promise<Matrix> {
  return runYielding(makeMatrix(points, name, "error"), signal);
}

export function withCloud<T>(
  points: MatrixLike,
  options: CloudOptions & Pick<PointCloudOptions, "metric">,
  use: (cloud: PointCloud) => Promise<T>,
): Promise<T> {
  const { metric, signal, onExplanation } = options;
  return withDevice(options, async (device) => {
    const cloud = await PointCloud.create(points, { metric, device, signal, onExplanation });
    try {
      return await use(cloud);
    } finally {
      cloud.dispose();
    }
  });
}
