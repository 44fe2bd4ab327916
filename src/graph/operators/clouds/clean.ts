/** These operators leave points of a cloud out, by the library's calls of the same names. */
import type { Matrix } from "../../../core/matrix.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { duplicateParameters, outlierParameters } from "../../parameters/clouds.ts";
import type { PointCloudValue } from "../../values.ts";
import { checkRows } from "../neighbours/measure.ts";

export const removeDuplicates = operator({
  id: "removeDuplicates",
  version: 1,
  title: "Remove Duplicates",
  group: "Clouds",
  says: "Keeps each point that is farther than a tolerance from all that were kept before it.",
  inputs: { cloud: input("PointCloud", "the points, in the order in which they are kept") },
  outputs: { cloud: output("PointCloud", "the points that are kept, and what else is known of them") },
  parameters: duplicateParameters,
  check: ({ cloud }) => ({ cloud }),
  run: async ({ cloud }, { tolerance }, { signal }) => {
    const { removeDuplicatePoints } = await import("../../../ops/cloud/index.ts");
    return { cloud: thinned(cloud, await removeDuplicatePoints(cloud.points, { tolerance, signal })) };
  },
});

export const removeOutliers = operator({
  id: "removeOutliers",
  version: 1,
  title: "Remove Outliers",
  group: "Clouds",
  says: "Leaves out points whose mean distance to their neighbours is far above that of all, as PCL does.",
  inputs: { cloud: input("PointCloud", "the points") },
  outputs: { cloud: output("PointCloud", "the points that are kept, and what else is known of them") },
  parameters: outlierParameters,
  check: ({ cloud }, { k }, report) => {
    checkRows(k, cloud.rows === undefined ? undefined : cloud.rows - 1, "other points", report);
    return { cloud };
  },
  run: async ({ cloud }, { k, deviations }, { device, signal }) => {
    const { removeOutlierPoints } = await import("../../../ops/cloud/index.ts");
    const found = await removeOutlierPoints(cloud.points, { k, deviations, device, signal });
    return { cloud: thinned(cloud, found) };
  },
});

function thinned(
  { names, attributes }: PointCloudValue,
  { points, kept }: { readonly points: Matrix; readonly kept: Uint32Array },
): PointCloudValue {
  return { points, names, attributes: attributes?.take(kept) };
}
