/**
 * This module takes the fingerprint of a result, the SHA-256 of its canonical bytes, by which two people, or
 * two devices, can tell whether they have the same. Texts count, not the codes of a dictionary; members of
 * objects go by their names; every NaN is the same one; how a result was found (explanations) does not count.
 */
import { Yielder } from "../../core/async/yielding.ts";
import type { Matrix, NumericArray } from "../../core/matrix.ts";
import { MISSING_CODE, columnLength } from "../../table/index.ts";
import type { Column } from "../../table/index.ts";
import type { Pipeline } from "../../models/pipeline.ts";
import { columnOf } from "../values.ts";
import type { PortType, PortValues, TableValue } from "../values.ts";
import { Digest } from "./digest.ts";

/** Returns 64 hexadecimal digits. @throws the signal's reason */
export async function fingerprintOf(value: PortValues[PortType], signal?: AbortSignal): Promise<string> {
  const digest = new Digest();
  const yielder = new Yielder(signal);
  for (const bytes of bytesOf(contentOf(value))) {
    await digest.add(bytes);
    if (yielder.due) await yielder.next();
  }
  return digest.end();
}

/** Returns the part of a value that counts, as plain data. */
function contentOf(value: PortValues[PortType]): unknown {
  if ("table" in value) return ["table", tableContent(value)];
  if ("result" in value) {
    const { indices, distances, queries, k } = value.result;
    return ["neighbours", indices, distances, queries, k];
  }
  if ("points" in value) {
    const { points, names, attributes } = value;
    return ["cloud", names, matrixContent(points), attributes?.columns.map(columnContent) ?? []];
  }
  if ("matrix" in value) return ["matrix", matrixContent(value.matrix)];
  if ("histogram" in value) return ["histogram", value.histogram];
  if ("samples" in value) return ["signal", value.samples.constructor.name, value];
  if ("estimator" in value) return ["learner", value.steps, value.estimator];
  if (value.kind === "preparation") return ["preparation", value.steps.map((step) => step.toState())];
  if (value.kind === "estimator") return ["model", modelContent(value.pipeline), value.label];
  return ["performance", value];
}

function tableContent({ table, roles }: TableValue): unknown {
  const labels = ["label", "prediction"] as const;
  return [
    table.rows,
    table.columns.map(columnContent),
    labels.map((role) => columnOf(roles, role)),
    [...roles]
      .filter(([, role]) => role === "ignored")
      .map(([name]) => name)
      .sort(),
  ];
}

/** The type counts, since what is written depends on it. */
function matrixContent({ data, rows, cols }: Matrix): unknown {
  return [data.constructor.name, rows, cols, data];
}

/** Numbers the texts by first appearance, so that neither order nor unused texts of a dictionary count. */
function columnContent(column: Column): unknown {
  const { name, kind, type } = column;
  if (column.kind === "numeric") return [name, kind, type ?? "real", column.values];
  const numbers = new Map<number, number>();
  const codes = column.codes.map((code) => {
    if (code === MISSING_CODE) return code;
    const known = numbers.get(code) ?? numbers.size;
    numbers.set(code, known);
    return known;
  });
  const { values } = column.dictionary;
  return [
    name,
    kind,
    type ?? "polynominal",
    columnLength(column),
    [...numbers.keys()].map((code) => values[code]),
    codes,
  ];
}

/** Returns the rows and rules that predictions follow from; devices and their budgets do not change them. */
function modelContent({ applied, model }: Pipeline): unknown {
  const { trained, options } = model;
  const { device: _, ...rules } = options;
  const steps = applied.map((step) => step.toState());
  if (!("table" in trained)) return [steps, rules, trained.matrix];
  const { table, features, labels } = trained;
  const label = typeof labels === "string" ? [labels] : [];
  return [steps, rules, features, table.select([...features, ...label]).columns.map(columnContent), label];
}

const text = new TextEncoder();

/** Writes plain data so that different data are different bytes: each value begins with its kind and size. */
function* bytesOf(value: unknown): Generator<Uint8Array> {
  if (typeof value === "number") yield* tagged("n", numberBytes(Float64Array.of(value)));
  else if (typeof value === "string") yield* tagged("s", text.encode(value));
  else if (value instanceof Float64Array) {
    yield sizeBytes("f", value.length * 8);
    for (let at = 0; at < value.length; at += CHUNK) yield numberBytes(value.subarray(at, at + CHUNK));
  } else if (value instanceof Uint32Array) {
    yield sizeBytes("u", value.length * 4);
    for (let at = 0; at < value.length; at += CHUNK) yield wordBytes(value.subarray(at, at + CHUNK));
  } else if (ArrayBuffer.isView(value)) {
    const numbers = value as NumericArray;
    yield sizeBytes("f", numbers.length * 8);
    for (let at = 0; at < numbers.length; at += CHUNK)
      yield numberBytes(Float64Array.from(numbers.subarray(at, at + CHUNK)));
  } else if (Array.isArray(value)) {
    yield sizeBytes("l", value.length);
    for (const item of value) yield* bytesOf(item);
  } else if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    yield sizeBytes("o", members.length);
    for (const [name, member] of members) yield* bytesOf([name, member]);
  } else yield* tagged("c", text.encode(String(value)));
}

const CHUNK = 1 << 16;

function* tagged(kind: string, bytes: Uint8Array): Generator<Uint8Array> {
  yield sizeBytes(kind, bytes.length);
  yield bytes;
}

function sizeBytes(kind: string, size: number): Uint8Array {
  return text.encode(`${kind}${size}:`);
}

/** These are little-endian on every machine. */
function numberBytes(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 8);
  const view = new DataView(bytes.buffer);
  values.forEach((value, at) => {
    // Engines write any of the NaNs; this is the quiet one without a payload.
    if (Number.isNaN(value)) view.setUint32(at * 8 + 4, 0x7ff80000, true);
    else view.setFloat64(at * 8, value, true);
  });
  return bytes;
}

function wordBytes(values: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, at) => view.setUint32(at * 4, value, true));
  return bytes;
}
