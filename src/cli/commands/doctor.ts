/**
 * `nearfield doctor` reports what this machine offers, whether it computes right and how fast, and what to
 * install.
 */
import { Command } from "commander";
import {
  Device,
  InvalidInputError,
  inspectMachine,
  isNearfieldError,
  kneighbors,
  reduce,
  scan,
  selfTest,
} from "../../node.ts";
import type { AdapterReport, MachineReport } from "../../node.ts";
import { adviceFor } from "../doctor/advice.ts";
import { hostFacts } from "../doctor/host.ts";
import { CHECKS, exitCodes, statusOf } from "../doctor/report.ts";
import type { BackendReport, DoctorReport } from "../doctor/report.ts";
import { doctorText } from "../doctor/text.ts";
import { hasColor } from "../color.ts";
import { packageVersion } from "../files.ts";
import {
  backendOption,
  checkBackend,
  gpuOption,
  matrixUnitsOf,
  matrixUnitsOption,
} from "../options/shared.ts";
import type { OnOff } from "../options/shared.ts";
import { writeStdout } from "../output.ts";
import { noProgress, progressOn } from "../progress.ts";
import type { ProgressDisplay } from "../progress.ts";
import { visibleData } from "../visible.ts";

interface DoctorOptions {
  readonly backend: "auto" | "gpu" | "cpu";
  readonly gpu?: number;
  readonly matrixUnits?: OnOff;
  readonly json?: boolean;
}

const help = `
Every backend does seeded work (k nearest neighbours, prefix sums, minima, bytes up and back), and its answers are compared in
every bit with plain float64 loops. Rates are of arrays in main memory to arrays in main memory, after a run not counted.

Exit codes: 0 a backend works and none failed, with or without a GPU; 1 none of the kind asked for is there;
70 a self-test failed. With --json the fields are those of docs/doctor.md; fields are only ever added.

Examples:
  nearfield doctor
  nearfield doctor --backend gpu --gpu 1
  nearfield doctor --json > report.json`;

export function doctorCommand(signal: AbortSignal): Command {
  return new Command("doctor")
    .description(
      "Says what this machine offers, tests every backend against float64 loops, and says what to install.",
    )
    .addOption(backendOption("what to test: auto is the CPU and all GPUs"))
    .addOption(gpuOption("test only this GPU, numbered as in the other commands (default: all)"))
    .addOption(matrixUnitsOption())
    .option("--json", "print the whole report as JSON")
    .showHelpAfterError("(nearfield doctor --help shows every option)")
    .addHelpText("after", help)
    .action((options: DoctorOptions) => doctor(options, signal));
}

async function doctor(options: DoctorOptions, signal: AbortSignal): Promise<void> {
  checkBackend(options);
  const progress = progressOn(process.stderr, noProgress);
  const machine = await inspectMachine();
  const backends: BackendReport[] = [];
  try {
    for (const target of targetsOf(options, machine))
      backends.push(await testBackend(target, matrixUnitsOf(options.matrixUnits), signal, progress));
  } finally {
    progress.clear();
  }
  const host = hostFacts();
  const advice = adviceFor(host, machine, backends, options.backend !== "cpu");
  const report: DoctorReport = {
    status: statusOf(backends),
    nearfield: packageVersion(),
    host,
    machine,
    backends,
    advice,
  };
  const color = hasColor(process.stdout);
  await writeStdout(`${options.json ? jsonText(report) : doctorText(visibleData(report), color)}\n`);
  process.exitCode = exitCodes[report.status];
}

/** Returns the report as JSON with all of its fields: a value that is undefined becomes null. */
function jsonText(report: DoctorReport): string {
  return JSON.stringify(report, (_, value: unknown) => (value === undefined ? null : value));
}

/** A device under test is the CPU where it is undefined, otherwise an adapter. */
type TestedDevice = AdapterReport | undefined;

/**
 * Returns no target where a GPU is asked for and there is no GPU.
 * @throws InvalidInputError for a GPU that is not among those of the machine
 */
function targetsOf({ backend, gpu }: DoctorOptions, { adapters }: MachineReport): TestedDevice[] {
  if (gpu !== undefined && adapters.length > 0 && !adapters[gpu]) {
    const known = adapters.map((each) => `${each.gpu}: ${each.name}`).join("; ");
    throw new InvalidInputError(`there is no GPU ${gpu}; the GPUs are: ${known}`);
  }
  return [
    ...(backend === "gpu" || gpu !== undefined ? [] : [undefined]),
    ...(backend === "cpu" ? [] : adapters.filter((each) => gpu === undefined || each.gpu === gpu)),
  ];
}

async function testBackend(
  adapter: TestedDevice,
  matrixUnits: boolean | undefined,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<BackendReport> {
  const backend = adapter ? "gpu" : "cpu";
  const gpu = adapter?.gpu ?? null;
  const untested = { backend, gpu, traits: null, checks: [] } as const;
  let device: Device;
  try {
    device = await Device.create({ backend, gpu: adapter?.gpu, matrixUnits });
  } catch (error) {
    signal.throwIfAborted();
    const status = isNearfieldError(error, "Unavailable") ? "unavailable" : "failed";
    return { ...untested, name: adapter?.name ?? "CPU", status, reason: String(error) };
  }
  try {
    let done = 0;
    const phase = `testing ${adapter?.name ?? "the CPU"}`;
    const onCheck = () => progress.show({ phase, unit: "check", done: done++, total: CHECKS });
    const result = await selfTest(device, { kneighbors, scan, reduce }, { signal, onCheck });
    return { ...untested, name: device.info.name, reason: null, ...result };
  } finally {
    device.dispose();
  }
}
