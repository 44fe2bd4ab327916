/**
 * The header of a model file, member by member: whatever stands in place of one, is missing or is added, the
 * file is refused with the member's place, or the model predicts as before.
 */
import { describe, expect, it } from "vitest";
import {
  InvalidInputError,
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
  loadModel,
  saveModel,
} from "../../../dist/node.js";
import type { Rows } from "../../../dist/node.js";
import { headerOf, withHeader } from "./modelFileBytes.ts";
import { device, random, useDevice } from "./modelFileDevice.ts";

useDevice();

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Path = readonly (string | number)[];

/** What may stand in place of a member. */
const oddities: readonly Json[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 1e300, 2 ** 53, "", "x", "constructor", "__proto__", "0"],
  ...[[], [null], ["x", null], [["x", null]], {}, { x: 1 }, { length: 1 }, [[[[]]]]],
  ...["-0", "NaN", "Infinity", "-Infinity", "x", 7, null].map((odd): Json => ({ $number: odd })),
];

/** Members that may be absent: a model without them is another one. */
const optional = [
  /^options\.(?!features$)\w+$/,
  /^options\.kernel\.\w+$/,
  /^train\.(kinds|gaps)$/,
  /^train\.columns\.\d+\.type$/,
  /^preparation\.\d+\.options\.\w+$/,
  /^preparation\.\d+\.columns\.\d+$/,
  /^preparation\.\d+$/,
  /^notes\./,
];

const saved = {
  "a pipeline of a table": async () => {
    const table = Table.fromColumns({
      x: [1, 2, null, 4, 2.5],
      z: [0.5, -0, 1, 2, 9],
      hue: ["red", null, "red", "blue", "blue"],
      kind: ["a", "b", "b", "c", "a"],
    }).withTypes({ x: "real", hue: "binominal" });
    const steps = [
      new ReplaceMissingValues({ by: "average" }),
      new Normalize({ method: "range", min: -1, max: 2, allowNegative: false }),
    ];
    const estimator = new KNeighborsClassifier({
      ...{ nNeighbors: 2, weights: "distance", metric: "mixed_euclidean", precision: "float64" },
      ...{ features: ["z", "x", "hue"], columnWeights: [1, 0.5, 2], missing: "skip", device },
    });
    const model = await new Pipeline(steps, estimator).fit(table, "kind");
    return { bytes: saveModel(model, { made: { for: ["tests", NaN] } }), queries: table };
  },
  "a classifier of a matrix": async () => {
    const train = { data: Float32Array.of(1, 5, 2, 2, 9, 1), rows: 3, cols: 2 };
    const model = new KNeighborsClassifier({ nNeighbors: 2, metric: "minkowski", p: Infinity, device });
    return { bytes: saveModel(await model.fit(train, ["u", "v", "u"])), queries: [[1, 4]] };
  },
  "a regressor with a kernel": async () => {
    const model = new KNeighborsRegressor({
      ...{ nNeighbors: 1, compat: "rapidminer", metric: "rapidminer:KernelEuclideanDistance", device },
      kernel: { type: "polynomial", degree: 2, shift: -0 },
    });
    return { bytes: saveModel(await model.fit([[1], [2], [9]], [5, 6, 7])), queries: [[8]] };
  },
} satisfies Record<string, () => Promise<{ bytes: Uint8Array; queries: Rows }>>;

describe.each(Object.entries(saved))("the header of %s", (_, make) => {
  it("is refused with the place of a member of another type, or predicts as before", async () => {
    const { bytes, queries } = await make();
    const header = JSON.parse(headerOf(bytes)) as Json;
    const before = await outcome(bytes, queries);
    expect(before).not.toBeInstanceOf(Error);
    let refused = 0;
    for (const path of pathsOf(header)) {
      const own = at(header, path);
      for (const oddity of oddities) {
        const found = await outcome(
          withHeader(bytes, JSON.stringify(changed(header, path, oddity))),
          queries,
        );
        const said = `${path.join(".")} = ${JSON.stringify(oddity)}: ${String(found)}`;
        if (found instanceof Error) {
          expect(found, said).toBeInstanceOf(InvalidInputError);
          refused++;
        } else if (kindOf(oddity) !== kindOf(own)) expect(found, said).toEqual(before);
      }
    }
    expect(refused).toBeGreaterThan(500);
  });

  it("is refused where a member is missing, unless that may be absent", async () => {
    const { bytes, queries } = await make();
    const header = JSON.parse(headerOf(bytes)) as Json;
    for (const path of pathsOf(header)) {
      const found = await outcome(
        withHeader(bytes, JSON.stringify(changed(header, path, undefined))),
        queries,
      );
      const name = path.join(".");
      if (optional.some((each) => each.test(name))) {
        if (found instanceof Error) expect(found, name).toBeInstanceOf(InvalidInputError);
      } else expect(found, name).toBeInstanceOf(InvalidInputError);
    }
  });

  it("is refused where a member is added, but for the notes", async () => {
    const { bytes, queries } = await make();
    const header = JSON.parse(headerOf(bytes)) as Json;
    const before = await outcome(bytes, queries);
    for (const path of [[], ...pathsOf(header)]) {
      const holder = at(header, path);
      if (typeof holder !== "object" || holder === null || path[0] === "notes" || "$number" in holder)
        continue;
      for (const name of ["device", "tiles", "constructor", "__proto__"]) {
        const more = Array.isArray(holder) ? [...holder, name] : withMember(holder, name);
        const found = await outcome(withHeader(bytes, JSON.stringify(changed(header, path, more))), queries);
        const said = `${path.join(".")} + ${name}`;
        // A text more in a dictionary, or a class more, is one that no row has.
        if (found instanceof Error || !Array.isArray(holder))
          expect(found, said).toBeInstanceOf(InvalidInputError);
        else expect(found, said).toEqual(before);
      }
    }
  });

  it("ends in no error of ours with several such changes at once", async () => {
    const { bytes, queries } = await make();
    const header = JSON.parse(headerOf(bytes)) as Json;
    for (let run = 0; run < 500; run++) {
      let made = header;
      for (let left = random.int(2, 5); left > 0; left--)
        made = changed(made, random.pick(pathsOf(made)), random.pick([...oddities, undefined]));
      const found = await outcome(withHeader(bytes, JSON.stringify(made)), queries);
      if (found instanceof Error) expect(found, JSON.stringify(made)).toBeInstanceOf(InvalidInputError);
    }
  });
});

/** What the model of a file predicts, or the error. */
async function outcome(bytes: Uint8Array, queries: Rows): Promise<unknown> {
  try {
    const { pipeline } = await loadModel(bytes, { device });
    try {
      return Array.from(await pipeline.predict(queries));
    } finally {
      pipeline.dispose();
    }
  } catch (error) {
    return error;
  }
}

function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value);
  return keys.flatMap((key) => {
    const inner = [...path, key];
    return [inner, ...pathsOf((value as Record<string | number, Json>)[key], inner)];
  });
}

function at(value: Json, path: Path): Json {
  return path.reduce((inner, key) => (inner as Record<string | number, Json>)[key], value);
}

/** @param by undefined takes the member away */
function changed(value: Json, path: Path, by: Json | undefined): Json {
  if (path.length === 0) return by ?? null;
  const [last] = path.slice(-1);
  const copy = structuredClone(value);
  const holder = at(copy, path.slice(0, -1));
  if (by !== undefined) Object.defineProperty(holder, last, { value: by });
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder as object, last);
  return copy;
}

/** JSON.stringify writes `__proto__` where it is a member of its own. */
function withMember(holder: { [name: string]: Json }, name: string): Json {
  return Object.fromEntries([...Object.entries(holder), [name, 1]]);
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "list";
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return "$number" in value ? "number" : "object";
}
