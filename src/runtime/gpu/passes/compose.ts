/**
 * This module makes one shader text out of a constant WGSL body, the snippets it uses and a generated
 * prelude, which declares everything that varies: constants, type aliases, the struct behind `params` and the
 * storage bindings. Bodies have no holes; each says in its first comment which of these globals it expects.
 * The composed text is the cache key of its pipeline.
 *
 * A body may write its entry point in short; the text that follows becomes the rest of `main`:
 *
 *     @each_workgroup(params.rows)      an item for each workgroup; those past the last item return
 *     fn main(row: u32, lane: u32) {
 *
 *     @each_lane(params.count)          an item for each lane; those past the last item return
 *     fn main(at: u32) {
 *
 * Without a count the body looks itself where items end. Workgroups have THREADS lanes.
 */
import { assert } from "../../../core/errors.ts";
import { linear_group } from "../collectives/wgsl.generated.ts";

export type ConstantValue = number | boolean;

/**
 * It is a member of `params`; the same list makes the WGSL struct and the bytes, so that they cannot
 * disagree.
 */
export type UniformField = UniformScalar | UniformArray;

export type UniformScalar = readonly [name: string, type: "u32" | "i32" | "f32", value: number];

/**
 * It is an array of vectors, four numbers each: every 16 bytes of a uniform begin a vector. Its length is
 * part of the shader's text.
 */
export type UniformArray = readonly [
  name: string,
  type: "vec4u" | "vec4i" | "vec4f",
  values: readonly number[],
];

export interface Binding {
  readonly name: string;
  readonly access: "read" | "read_write";
  /** It is a WGSL type, such as "array<vec4f>". */
  readonly type: string;
}

export interface ShaderParts {
  /** They are WGSL texts, from wgsl.generated.ts. */
  readonly body: string;
  readonly snippets?: readonly string[];
  /** Directives come before everything else, such as "enable subgroups". */
  readonly directives?: readonly string[];
  /** Whole numbers become u32, which is all that bodies use constants for. */
  readonly constants?: Readonly<Record<string, ConstantValue>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly uniforms: readonly UniformField[];
  readonly bindings: readonly Binding[];
}

/**
 * Composes the text. `params` is @binding(0); the storage bindings follow in their order. Equal parts get the
 * same string, so that engines hash it once, however often a pass is made of them.
 */
export function compose(parts: ShaderParts): string {
  const { body, snippets = [] } = parts;
  const start = prelude(parts);
  const composed = [body, ...snippets, start].reduce(following, texts);
  return (composed.text ??= join(start, snippets, body));
}

/** This holds the texts that were composed, by the pieces they begin with. */
interface Composed extends Map<string, Composed> {
  text?: string;
}

const texts: Composed = new Map<string, Composed>();

function following(composed: Composed, piece: string): Composed {
  if (!composed.has(piece)) composed.set(piece, new Map<string, Composed>());
  return composed.get(piece)!;
}

function join(start: string, snippets: readonly string[], short: string): string {
  const body = short.replace(SHORT_ENTRY, writtenOut);
  const numbering = body.includes("linearGroup(") ? [linear_group] : [];
  return [start, ...numbering, ...snippets, body].join("\n");
}

/**
 * Matches an entry point in short: the kind of item, their count, and what `main` calls an item and a lane.
 */
const SHORT_ENTRY = /@each_(workgroup|lane)(?:\((.+)\))?\s+fn main\((\w+): ?u32(?:, ?(\w+): ?u32)?\) ?\{/;

function writtenOut(_: string, kind: string, count: string | undefined, item: string, lane = "lane"): string {
  const number = `linearGroup(groupId, groupCounts)${kind === "lane" ? ` * THREADS + ${lane}` : ""}`;
  const guard = count ? `if (${item} >= ${count}) { return; }\n` : "";
  return `@compute @workgroup_size(THREADS)
fn main(
@builtin(workgroup_id) groupId: vec3u,
@builtin(num_workgroups) groupCounts: vec3u,
@builtin(local_invocation_index) ${lane}: u32,
) {
let ${item} = ${number};
${guard}`;
}

export function prelude(parts: ShaderParts): string {
  const { directives = [], constants = {}, aliases = {}, uniforms, bindings } = parts;
  const lines = [
    ...directives.map((directive) => `${directive};`),
    ...Object.entries(constants).map(([name, value]) => `const ${name}: ${constant(value)};`),
    ...Object.entries(aliases).map(([name, type]) => `alias ${name} = ${type};`),
    `struct Params { ${uniforms.map(member).join(", ")} }`,
    `@group(0) @binding(0) var<uniform> params: Params;`,
    ...bindings.map(
      ({ name, access, type }, at) =>
        `@group(0) @binding(${at + 1}) var<storage, ${access}> ${name}: ${type};`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function member(field: UniformField): string {
  const [name, type] = field;
  return isArray(field) ? `${name}: array<${type}, ${field[2].length / 4}>` : `${name}: ${type}`;
}

function isArray(field: UniformField): field is UniformArray {
  return typeof field[2] !== "number";
}

/**
 * Packs the members of `params` into 32-bit words, in order: the struct's layout, in which arrays begin at
 * multiples of four words.
 */
export function packUniforms(fields: readonly UniformField[]): readonly number[] {
  const view = new DataView(new ArrayBuffer(4));
  const words: number[] = [];
  const push = (value: number, isFloat: boolean): void => {
    if (isFloat) view.setFloat32(0, value);
    else view.setUint32(0, value);
    words.push(view.getUint32(0));
  };
  for (const field of fields) {
    if (!isArray(field)) {
      push(field[2], field[1] === "f32");
      continue;
    }
    const [name, type, values] = field;
    assert(
      values.length > 0 && values.length % 4 === 0,
      `${values.length} values of ${name} make no vectors`,
    );
    while (words.length % 4 > 0) words.push(0);
    for (const value of values) push(value, type === "vec4f");
  }
  return words;
}

function constant(value: ConstantValue): string {
  return typeof value === "boolean" ? `bool = ${value}` : `u32 = ${value}u`;
}
