/** ICP moves one cloud onto another, by the library's icp. */
import { input, operator, output } from "../../catalogue/operator.ts";
import { measuresFacts } from "../../facts.ts";
import { icpParameters } from "../../parameters/clouds.ts";
import { plainTable } from "../../values.ts";
import { checkTogether } from "./clouds.ts";

export const icp = operator({
  id: "icp",
  version: 1,
  title: "ICP",
  group: "Clouds",
  says: "Moves a cloud onto another by the iterative closest point algorithm, point to point.",
  inputs: {
    cloud: input("PointCloud", "the points to move; they should lie roughly on the target"),
    target: input("PointCloud", "the points that stay"),
  },
  outputs: {
    cloud: output("PointCloud", "the points as moved, and what else is known of them"),
    transform: output("Matrix", "the motion: the rotation and, in the last column, the translation"),
    table: output("Table", "measure and value: error, pairs, iterations, and converged, 1 or 0"),
  },
  parameters: icpParameters,
  check: ({ cloud, target }, _, report) => {
    checkTogether(cloud, target, "target", report);
    const size = cloud.names && cloud.names.length + 1;
    return { cloud, transform: { rows: size, cols: size, prepared: [] }, table: measuresFacts };
  },
  run: async ({ cloud, target }, parameters, { device, signal }) => {
    const { icp: register } = await import("../../../ops/cloud/index.ts");
    const { iterations: maxIterations, tolerance, maxDistance, overlap } = parameters;
    const found = await register(cloud.points, target.points, {
      ...{ maxIterations, tolerance, maxDistance, overlap, device, signal },
    });
    const { transform, aligned, error, pairs, iterations, converged } = found;
    const size = cloud.points.cols + 1;
    const table = plainTable({
      measure: ["error", "pairs", "iterations", "converged"],
      value: [error, pairs, iterations, Number(converged)],
    });
    return {
      cloud: { ...cloud, points: aligned },
      transform: { matrix: { data: transform, rows: size, cols: size } },
      table,
    };
  },
});
