/**
 * The report of `nearfield doctor` for people: short, aligned, each fact on its own line. --json has
 * everything else.
 */
import { bytesText } from "../format.ts";
import type { AdapterReport, MachineReport, SelfTestCheck, SelfTestRates } from "../../node.ts";
import type { Advice, BackendReport, DoctorReport } from "./report.ts";
import { painted } from "../color.ts";

/** The text of a line begins after so many columns. */
const INDENT = 14;
const LONGEST_LINE = 90;
/** These optional features of WebGPU matter to computations; the others are only counted. */
const computeFeatures = ["timestamp-query", "subgroups", "shader-f16"];

/** Returns the report as text. @param color adds terminal colours */
export function doctorText(report: DoctorReport, color: boolean): string {
  const { nearfield, host, machine, backends, advice } = report;
  const paint: Paint = (text, how) => painted(text, how, color);
  const width = Math.max(...backends.flatMap(({ checks }) => checks.map(({ job }) => job.length)), 0);
  const tests = (kind: "cpu" | "gpu", gpu: number | null) =>
    backends
      .filter((each) => each.backend === kind && each.gpu === gpu)
      .flatMap((each) => testLines(each, width, paint));
  return [
    `nearfield ${nearfield}, Node ${host.node}, ${host.platform} ${host.arch}`,
    "",
    ...cpuLines(machine),
    ...tests("cpu", null),
    "",
    ...machine.adapters.flatMap((adapter) => [...adapterLines(adapter), ...tests("gpu", adapter.gpu), ""]),
    ...(machine.adapters.length === 0 ? [line("GPU", "none"), ""] : []),
    ...advice.flatMap((each) => [...adviceLines(each, paint), ""]),
    verdictText(report, paint),
  ].join("\n");
}

type Paint = (text: string, how: "green" | "yellow" | "red") => string;

function line(name: string, text: string): string {
  return `${name.padEnd(INDENT)}${text}`;
}

function cpuLines({ threads, simd, relaxedSimd, sharedMemory, memory }: MachineReport): string[] {
  const yes = (has: boolean, what: string) => (has ? what : `no ${what}`);
  return [
    line("CPU", `${threads} ${threads === 1 ? "thread" : "threads"}`),
    line(
      "  WASM",
      [yes(simd, "SIMD"), yes(relaxedSimd, "relaxed SIMD"), yes(sharedMemory, "SharedArrayBuffer")].join(
        ", ",
      ),
    ),
    line("  memory", `up to ${bytesText(memory)}`),
  ];
}

function adapterLines(adapter: AdapterReport): string[] {
  const { gpu, name, software, vendor, architecture, device, features, limits, subgroupSizes } = adapter;
  const ids = [vendor, architecture, device].filter((part) => part !== "");
  const known = computeFeatures.filter((feature) => features.includes(feature));
  const others = features.length - known.length;
  const sizes = subgroupSizes && [...new Set([subgroupSizes.min, subgroupSizes.max])].join(" to ");
  return [
    line(`GPU ${gpu}`, `${name}${software ? " (software renderer, used only with --backend gpu)" : ""}`),
    ...(ids.length > 0 ? [line("  adapter", ids.join(", "))] : []),
    line(
      "  limits",
      `buffers ${bytesText(limits.maxBufferSize)}, bound ${bytesText(limits.maxStorageBufferBindingSize)}, ` +
        `constants ${bytesText(limits.maxUniformBufferBindingSize)}`,
    ),
    line(
      "  workgroups",
      `${limits.maxComputeInvocationsPerWorkgroup} invocations, ${bytesText(limits.maxComputeWorkgroupStorageSize)}, ` +
        (sizes === undefined ? "no subgroups" : `subgroups of ${sizes}`),
    ),
    line("  features", [...known, ...(others > 0 ? [`${others} more (--json)`] : [])].join(", ") || "none"),
  ];
}

function testLines(
  { reason, traits, checks, backend }: BackendReport,
  width: number,
  paint: Paint,
): string[] {
  const yes = (works: boolean) => (works ? "yes" : "no");
  const traitText = traits
    ? `forward progress ${yes(traits.forwardProgress)}, subgroups in order ${yes(traits.subgroups)}, ` +
      `matrix units of bytes ${yes(traits.byteMatrices === true)}`
    : "not tested";
  return [
    ...(backend === "gpu" && reason === null ? [line("  traits", traitText)] : []),
    ...(reason === null ? [] : [`  ${paint("FAILED  ", "red")}    ${reason}`]),
    ...checks.map((check) => checkLine(check, width, paint)),
  ];
}

function checkLine(
  { name, status, job, difference, rates }: SelfTestCheck,
  width: number,
  paint: Paint,
): string {
  const verdict = status === "ok" ? paint("OK      ", "green") : paint("FAILED  ", "red");
  return `  ${verdict}    ${name.padEnd(10)}${job.padEnd(width)}  ${difference ?? ratesText(rates)}`;
}

function ratesText({ pairs, flops, bytes, uploadBytes, readBackBytes }: SelfTestRates): string {
  const rate = (value: number | undefined, unit: string, prefix = "") =>
    value === undefined ? [] : [`${prefix}${scaled(value)}${unit}/s`];
  return [
    ...rate(pairs, " pairs"),
    ...(flops === undefined ? [] : [`${scaled(flops)}FLOP/s`]),
    ...rate(bytes, "B"),
    ...rate(uploadBytes, "B", "up "),
    ...rate(readBackBytes, "B", "back "),
  ].join(", ");
}

function adviceLines({ level, problem, remedy }: Advice, paint: Paint): string[] {
  const mark = paint(level.padEnd(INDENT), level === "problem" ? "red" : "yellow");
  const [first, ...more] = partsOf(remedy);
  return [`${mark}${problem}`, line("  remedy", first), ...more.map((part) => line("", part))];
}

/** Cuts long lines between alternatives, never within a command. */
function partsOf(remedy: string): string[] {
  return remedy.length <= LONGEST_LINE ? [remedy] : remedy.split("; ");
}

function verdictText({ status, backends }: DoctorReport, paint: Paint): string {
  const named = (wanted: BackendReport["status"]) =>
    backends
      .filter((each) => each.status === wanted)
      .map(({ gpu }) => (gpu === null ? "the CPU" : `GPU ${gpu}`))
      .join(", ");
  if (status === "ok") return `${paint("OK".padEnd(INDENT), "green")}equal to a float64 loop: ${named("ok")}`;
  if (status === "failed") return `${paint("FAILED".padEnd(INDENT), "red")}${named("failed")}`;
  return `${paint("FAILED".padEnd(INDENT), "red")}no backend of the requested kind`;
}

/** Writes a number with three digits and a power of 1000: "1.90 G". */
function scaled(value: number): string {
  // 999.6 M is 1.00 G in three digits.
  const rounded = Number(value.toPrecision(3));
  const power = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.max(rounded, 1)) / 3)));
  return `${(rounded / 1000 ** power).toPrecision(3)} ${["", "k", "M", "G", "T"][power]}`;
}
