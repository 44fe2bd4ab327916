/** `nearfield cloud NAME` runs one of the commands on point clouds, which are in cli/cloud/. */
import type { Command } from "commander";
import { chamferCommand, hausdorffCommand } from "../cloud/apart.ts";
import { duplicatesCommand, normalsCommand, outliersCommand } from "../cloud/clean.ts";
import { generateCommand } from "../cloud/generate.ts";
import { icpCommand } from "../cloud/icp.ts";
import { nearestCommand } from "../cloud/nearest.ts";
import { groupCommand } from "../group.ts";

export function cloudCommand(signal: AbortSignal): Command {
  const made = [
    ...[nearestCommand, chamferCommand, hausdorffCommand, icpCommand],
    ...[normalsCommand, outliersCommand, duplicatesCommand, generateCommand],
  ];
  const commands = made.map((make) => make(signal));
  const words = { one: "command of cloud", many: "commands of cloud" };
  return groupCommand("cloud", words, commands).description(
    "Works on points of one to three columns: nearest neighbours, how far clouds are apart, registration, normals, cleaning.",
  );
}
