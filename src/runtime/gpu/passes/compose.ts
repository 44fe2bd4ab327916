/**
 * One shader text out of a constant WGSL body, the snippets it uses and a generated prelude, which declares everything
 * that varies: constants, type aliases, the struct behind `params` and the storage bindings. Bodies have no holes; each
 * says in its first comment which of these globals it expects. The composed text is the cache key of its pipeline.
 */
export type ConstantValue = number | boolean;

/** A member of `params`; the same list makes the WGSL struct and the bytes, so that they cannot disagree. */
export type UniformField = readonly [name: string, type: "u32" | "i32" | "f32", value: number];

export interface Binding {
  readonly name: string;
  readonly access: "read" | "read_write";
  /** WGSL type, such as "array<vec4f>". */
  readonly type: string;
}

export interface ShaderParts {
  /** WGSL texts, from wgsl.generated.ts. */
  readonly body: string;
  readonly snippets?: readonly string[];
  /** Directives, which come before everything else, such as "enable subgroups". */
  readonly directives?: readonly string[];
  /** Whole numbers become u32, which is all that bodies use constants for. */
  readonly constants?: Readonly<Record<string, ConstantValue>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly uniforms: readonly UniformField[];
  readonly bindings: readonly Binding[];
}

/** `params` is @binding(0); the storage bindings follow in their order. */
export function compose(parts: ShaderParts): string {
  return [prelude(parts), ...(parts.snippets ?? []), parts.body].join("\n");
}

export function prelude(parts: ShaderParts): string {
  const { directives = [], constants = {}, aliases = {}, uniforms, bindings } = parts;
  const lines = [
    ...directives.map((directive) => `${directive};`),
    ...Object.entries(constants).map(([name, value]) => `const ${name}: ${constant(value)};`),
    ...Object.entries(aliases).map(([name, type]) => `alias ${name} = ${type};`),
    `struct Params { ${uniforms.map(([name, type]) => `${name}: ${type}`).join(", ")} }`,
    `@group(0) @binding(0) var<uniform> params: Params;`,
    ...bindings.map(
      ({ name, access, type }, at) =>
        `@group(0) @binding(${at + 1}) var<storage, ${access}> ${name}: ${type};`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** The members of `params` as 32-bit words, in order: the struct's layout, since all are scalars. */
export function packUniforms(fields: readonly UniformField[]): readonly number[] {
  const view = new DataView(new ArrayBuffer(4));
  return fields.map(([, type, value]) => {
    if (type === "f32") view.setFloat32(0, value);
    else view.setUint32(0, value);
    return view.getUint32(0);
  });
}

function constant(value: ConstantValue): string {
  return typeof value === "boolean" ? `bool = ${value}` : `u32 = ${value}u`;
}
