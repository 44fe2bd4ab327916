/**
 * The JSON Schema says of each member by itself what the checks say: a value of a parameter fits the one when
 * it fits the other. The validator here knows the keywords that the schema uses, and refuses others.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operators, parseProcess, processSchema } from "../../../dist/graph/index.js";
import type { ParameterValue } from "../../../dist/graph/index.js";
import { migrated, migrations } from "../../../src/graph/document/migrate.ts";
import type { JsonObject } from "../../../src/graph/document/json.ts";
import { PROCESS_FORMAT } from "../../../src/graph/document/document.ts";
import { soundProcess } from "./draw.ts";
import { penguins } from "./penguins.ts";

type Schema = Readonly<Record<string, unknown>>;

const silent = ["$schema", "title", "description", "default"];
const lengthOf = (value: unknown) => (value as unknown[]).length;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A keyword holds of every value that it is not about, as the standard has it. */
const keywords: Readonly<Record<string, (rule: never, value: unknown, schema: Schema) => boolean>> = {
  type: (rule: string, value) =>
    ({
      object: isObject(value),
      array: Array.isArray(value),
      integer: Number.isInteger(value),
      number: typeof value === "number",
      string: typeof value === "string",
      boolean: typeof value === "boolean",
    })[rule] === true,
  const: (rule: unknown, value) => rule === value,
  enum: (rule: unknown[], value) => rule.includes(value),
  pattern: (rule: string, value) => typeof value !== "string" || new RegExp(rule, "u").test(value),
  minimum: (rule: number, value) => typeof value !== "number" || value >= rule,
  maximum: (rule: number, value) => typeof value !== "number" || value <= rule,
  exclusiveMinimum: (rule: number, value) => typeof value !== "number" || value > rule,
  items: (rule: Schema, value) => !Array.isArray(value) || value.every((item) => fits(rule, item)),
  minItems: (rule: number, value) => !Array.isArray(value) || lengthOf(value) >= rule,
  maxItems: (rule: number, value) => !Array.isArray(value) || lengthOf(value) <= rule,
  required: (rule: string[], value) => !isObject(value) || rule.every((name) => Object.hasOwn(value, name)),
  maxProperties: (rule: number, value) => !isObject(value) || Object.keys(value).length <= rule,
  propertyNames: (rule: Schema, value) =>
    !isObject(value) || Object.keys(value).every((name) => fits(rule, name)),
  properties: (rule: Record<string, Schema>, value) =>
    !isObject(value) ||
    Object.entries(rule).every(([name, each]) => !Object.hasOwn(value, name) || fits(each, value[name])),
  additionalProperties: (rule: Schema | false, value, { properties = {} }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, each]) => Object.hasOwn(properties as object, name) || (rule !== false && fits(rule, each)),
    ),
  anyOf: (rule: Schema[], value) => rule.some((each) => fits(each, value)),
};

function fits(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    if (silent.includes(keyword)) return true;
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`the schema uses ${keyword}, which this test does not know`);
    return check(rule as never, value, schema);
  });
}

const schema = processSchema() as Schema;

const values: fc.Arbitrary<ParameterValue> = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -2, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 3 }),
  fc.constantFrom(
    "a.csv",
    "../a",
    "a/..",
    "a//b",
    "/a",
    "C:a",
    "a:b",
    ".a",
    "..a/b",
    "a/",
    "a\\b",
    "a\u0001",
  ),
  fc.constantFrom(
    ...operators.flatMap(({ parameters }) => parameters.flatMap(({ choices = [] }) => choices)),
  ),
  fc.array(fc.oneof(fc.string({ maxLength: 2 }), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    maxLength: 10,
  }),
  fc.array(fc.double({ noNaN: true, min: 0, max: 1 }), { maxLength: 10 }),
  fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }),
);

describe("the JSON Schema", () => {
  it("holds of every sound process, as plain JSON", () => {
    expect(fits(schema, JSON.parse(penguins))).toBe(true);
    fc.assert(fc.property(soundProcess, (process) => fits(schema, JSON.parse(JSON.stringify(process)))));
  });

  it.each(
    operators.flatMap(({ id, parameters }) => parameters.map((each) => [id, each.name, each] as const)),
  )("takes for %s.%s what the checks take", (_, __, parameter) => {
    fc.assert(
      fc.property(values, (value) => {
        expect(fits(parameter.schema as Schema, value), JSON.stringify(value)).toBe(
          parameter.fault(value) === undefined,
        );
      }),
    );
  });

  it.each([
    ["an unknown operator", '{"nearfield": 1, "nodes": {"a": {"operator": "knnn"}}}'],
    ["an unknown member", '{"nearfield": 1, "nodes": {}, "nodse": {}}'],
    ["code", '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "script": "1"}}}'],
    ["a hostile name", '{"nearfield": 1, "nodes": {"__proto__": {"operator": "knn"}}}'],
    ["a missing input", '{"nearfield": 1, "nodes": {"a": {"operator": "performance"}}}'],
    ["a missing parameter", '{"nearfield": 1, "nodes": {"a": {"operator": "readTable"}}}'],
    [
      "a wire without output",
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "inputs": {"train": "b"}}}}',
    ],
    ["another format", '{"nearfield": 2, "nodes": {}}'],
    ["no nodes", '{"nearfield": 1}'],
  ])("refuses %s", (_, text) => {
    expect(fits(schema, JSON.parse(text))).toBe(false);
  });
});

describe("migrations", () => {
  const rename: (from: string, to: string) => (root: JsonObject) => JsonObject = (from, to) => (root) =>
    new Map([...root].map(([name, value]) => [name === from ? to : name, value]));

  it("lead from each format to the present one", () => {
    expect(migrations.length).toBe(PROCESS_FORMAT - 1);
  });

  it("are applied from the file's format on, in their order, and the format is the last one's", () => {
    const steps = [rename("a", "b"), rename("b", "c")];
    const at = (format: number, member: string) =>
      Object.fromEntries(
        migrated(
          new Map<string, number>([
            ["nearfield", format],
            [member, 7],
          ]),
          format,
          steps,
        ),
      );
    expect(at(1, "a")).toEqual({ nearfield: 3, c: 7 });
    expect(at(2, "b")).toEqual({ nearfield: 3, c: 7 });
    expect(at(3, "c")).toEqual({ nearfield: 3, c: 7 });
    expect(at(3, "a")).toEqual({ nearfield: 3, a: 7 });
  });

  it("begin with format 1: there was none before", () => {
    expect(() => parseProcess('{"nearfield": 0, "nodes": {}}')).toThrow("the format is 0, expected 1");
    expect(() => parseProcess('{"nearfield": 0.5, "nodes": {}}')).toThrow("the format is 0.5, expected 1");
  });
});
