/** Parameters of comparing and reading: what they do, what they refuse, and that defaults do nothing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entries } from "../../../dist/graph/catalogue/catalogue.js";
import { checkProcess, planProcess, runProcess, setParameter } from "../../../dist/graph/index.js";
import type { ParameterValue, ProcessDocument, ProcessNode } from "../../../dist/graph/index.js";
import { Device, kneighbors, textSource } from "../../../dist/node.js";
import type { KernelOptions } from "../../../dist/node.js";

let device: Device;
beforeAll(async () => {
  device = await Device.create({ backend: "cpu", threads: 1 });
});
afterAll(() => device.dispose());

type Parameters = Readonly<Record<string, ParameterValue>>;

const csv = "x,y,z,kind\n0,0,1,a\n1,0,7,b\n0,3,2,a\n5,5,5,b\n";
const read: ProcessNode = { operator: "readTable", parameters: { file: "a.csv" } };
const roles = (parameters: Parameters): ProcessNode => ({
  operator: "setRole",
  inputs: { table: "read.table" },
  parameters,
});
const numbers = roles({ ignore: ["z", "kind"] });
const near = (parameters: Parameters): ProcessNode => ({
  operator: "nearestNeighbours",
  inputs: { train: "roles.table" },
  parameters,
});

async function outputsOf(nodes: ProcessDocument["nodes"], text = csv) {
  const { nodes: done } = await runProcess(
    { nearfield: 1, nodes },
    { device, open: () => textSource(text, "a.csv") },
  );
  const failed = done.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) throw failed.error;
  return done.map(({ outputs }) => outputs);
}

async function neighboursOf(parameters: Parameters) {
  const { neighbours } = (await outputsOf({ read, roles: numbers, near: near(parameters) }))[2];
  if (neighbours.type !== "Neighbours") throw new Error("no neighbours");
  return neighbours;
}

const rows = [
  [0, 0],
  [1, 0],
  [0, 3],
  [5, 5],
];

describe("Nearest Neighbours", () => {
  it.each<[Parameters, object]>([
    [
      { metric: "minkowski", p: 1.5 },
      { metric: "minkowski", p: 1.5 },
    ],
    [{ metric: "minkowski", p: "inf" }, { metric: "chebyshev" }],
    ...kernels(),
  ])("with %o finds what the library finds", async (parameters, options) => {
    const { value } = await neighboursOf({ k: 3, ...parameters });
    const found = await kneighbors(rows, rows, { k: 3, excludeSelf: true, backend: "cpu", ...options });
    expect(value.result.indices).toEqual(found.indices);
    expect(value.result.distances).toEqual(found.distances);
  });

  it("within a radius leaves out what is farther, in tables too", async () => {
    const { value } = await neighboursOf({ k: 2, radius: 3 });
    expect([...value.result.counts!]).toEqual([2, 1, 1, 0]);
    const nodes = { read, roles: numbers, near: near({ k: 2, radius: 3 }), write: write("near.neighbours") };
    expect(await written(nodes)).toBe("query,rank,index,distance\n0,0,1,1\n0,1,2,3\n1,0,0,1\n2,0,0,3\n");
    const none = { ...nodes, near: near({ k: 1, radius: 0 }) };
    expect(await written(none)).toBe("query,rank,index,distance\n");
  });

  it("finds rows themselves where they are not left out", async () => {
    const { value } = await neighboursOf({ k: 1, excludeSelf: false });
    expect([...value.result.indices]).toEqual([0, 1, 2, 3]);
  });
});

/** Each parameter of a kernel by itself, at a kernel that has it. */
function kernels(): [Parameters, object][] {
  const metric = "rapidminer:KernelEuclideanDistance";
  const cases: [Parameters, KernelOptions][] = [
    [{}, {}],
    [{ kernelGamma: 0.5 }, { gamma: 0.5 }],
    [
      { kernel: "epanechnikov", kernelSigma1: 40, kernelDegree: 2 },
      { type: "epanechnikov", sigma1: 40, degree: 2 },
    ],
    [
      { kernel: "gausian_combination", kernelSigma2: 3, kernelSigma3: 9 },
      { type: "gausian_combination", sigma2: 3, sigma3: 9 },
    ],
    [
      { kernel: "polynomial", kernelDegree: 2, kernelShift: 0 },
      { type: "polynomial", degree: 2, shift: 0 },
    ],
    [
      { kernel: "sigmoid", kernelA: 0.1, kernelB: 0.2 },
      { type: "sigmoid", a: 0.1, b: 0.2 },
    ],
  ];
  return cases.map(([parameters, kernel]) => [
    { metric, ...parameters },
    { metric, kernel },
  ]);
}

const write = (from: string): ProcessNode => ({
  operator: "writeTable",
  inputs: { table: from },
  parameters: { file: "out.csv" },
});

async function written(nodes: ProcessDocument["nodes"]): Promise<string> {
  let text = "";
  const options = {
    device,
    open: () => textSource(csv, "a.csv"),
    write: async (_: string, pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>) => {
      for await (const piece of pieces)
        text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
    },
  };
  const { nodes: done } = await runProcess({ nearfield: 1, nodes }, options);
  expect(done.flatMap(({ error }) => (error ? [error.message] : []))).toEqual([]);
  return text;
}

describe("Set Role", () => {
  it("compares the features that it is given alone, and those that were ignored before", async () => {
    const again: ProcessNode = {
      operator: "setRole",
      inputs: { table: "roles.table" },
      parameters: { features: ["y", "z"] },
    };
    const [, first, second] = await outputsOf({
      read,
      roles: roles({ label: "kind", features: ["x", "y"] }),
      again,
    });
    const of = (output: (typeof first)["table"]) => (output.type === "Table" ? [...output.value.roles] : []);
    expect(of(first.table)).toEqual([
      ["z", "ignored"],
      ["kind", "label"],
    ]);
    expect(of(second.table)).toEqual([
      ["kind", "label"],
      ["x", "ignored"],
    ]);
  });
});

describe("Read Table", () => {
  it("takes empty cells for missing, whatever else means that", async () => {
    const text = "x,y\n1,2\n,-\n";
    const missing = async (tokens: readonly string[]) => {
      const node = { operator: "readTable", parameters: { file: "a.csv", missing: tokens } };
      const { table } = (await outputsOf({ read: node }, text))[0];
      return table.type === "Table"
        ? table.value.table.columns.map(({ kind, valid }) => [kind, valid?.get(1)])
        : [];
    };
    expect(await missing(["-"])).toEqual([
      ["numeric", false],
      ["numeric", false],
    ]);
    expect(await missing(["", "-"])).toEqual(await missing(["-"]));
    expect(await missing([])).toEqual([
      ["numeric", false],
      ["nominal", undefined],
    ]);
  });
});

describe("a parameter", () => {
  const given = entries.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, default: usual }) =>
      usual === undefined ? [] : [[id, name, usual] as const],
    ),
  );

  it.each(given)("%s.%s gives the same key at its default as left out", (operator, name, usual) => {
    const keyOf = (node: ProcessNode) => planProcess({ nearfield: 1, nodes: { node } })[0].key;
    const other = keyOf({ operator, parameters: { [name]: "another" } });
    expect(keyOf({ operator, parameters: { [name]: usual as ParameterValue } })).toBe(keyOf({ operator }));
    expect(other).not.toBe(keyOf({ operator }));
  });

  it("at its default gives the same fingerprint as left out", async () => {
    const defaults = (id: string) =>
      Object.fromEntries(
        given.flatMap(([operator, name, usual]) =>
          operator === id ? [[name, usual as ParameterValue]] : [],
        ),
      );
    const train = roles({ label: "kind", ignore: ["z"] });
    const of = async (ofKnn: Parameters, ofNear: Parameters) => {
      const knn: ProcessNode = {
        operator: "knn",
        inputs: { train: "roles.table" },
        parameters: { ...ofKnn, k: 2 },
      };
      const outputs = await outputsOf({ read, roles: train, knn, near: near({ ...ofNear, k: 2 }) });
      return outputs.flatMap((each) => Object.values(each).map(({ fingerprint }) => fingerprint));
    };
    const all = await of(defaults("knn"), defaults("nearestNeighbours"));
    expect(all).toHaveLength(5);
    expect(all).toEqual(await of({}, {}));
    const metric = "rapidminer:KernelEuclideanDistance";
    const kernel = await neighboursOf({ ...defaults("nearestNeighbours"), k: 2, metric });
    expect(kernel.fingerprint).toBe((await neighboursOf({ k: 2, metric })).fingerprint);
  });

  it.each<[Parameters, string]>([
    [
      { kernel: "dot" },
      "kernel: belongs to rapidminer:KernelEuclideanDistance, but the metric is auto; set metric to",
    ],
    [
      { metric: "cosine", kernelA: 2 },
      "kernelA: belongs to rapidminer:KernelEuclideanDistance, but the metric is cosine",
    ],
    [
      { p: "inf" },
      "p: is the exponent of minkowski, but the metric is auto; set metric to minkowski, or leave p out",
    ],
    [
      { metric: "rapidminer:KernelEuclideanDistance", kernel: "polynomial", kernelDegree: 1001 },
      "kernelDegree: is 1001; expected at most 1000",
    ],
    [
      { metric: "rapidminer:KernelEuclideanDistance", kernel: "dot", kernelGamma: 2 },
      "kernelGamma: is gamma of the kernels radial and anova, but the kernel is dot; choose another kernel, or leave",
    ],
    [{ radius: -1 }, "radius: is -1; expected a number of at least 0"],
    [{ metric: "minkowski", p: 0 }, "p: is 0; expected a number above 0, or inf"],
  ])("%o is refused", (parameters, message) => {
    const nodes = { read, roles: numbers, near: near(parameters) };
    const [problem, ...others] = checkProcess({ nearfield: 1, nodes });
    expect(`${problem.path}: ${problem.message}`).toContain(`nodes.near.parameters.${message}`);
    expect(others).toEqual([]);
  });

  it.each<[Parameters, string]>([
    [{ label: "x", features: ["x"] }, 'column "x" is the label too; choose one'],
    [{ ignore: ["x"], features: ["y", "x"] }, 'column "x" is one of ignore too; choose one'],
    [{ features: [] }, "is empty; name a column"],
    [{}, "sets no role; give label or ignore a column, or name features"],
  ])("%o of Set Role is refused", (parameters, message) => {
    const problems = checkProcess({ nearfield: 1, nodes: { read, roles: roles(parameters) } });
    expect(problems.map((each) => each.message)).toEqual([message]);
  });

  it("excludeSelf is refused beside queries, about which it says nothing", () => {
    const node = { ...near({ excludeSelf: false }), inputs: { train: "roles.table", queries: "read.table" } };
    const [problem] = checkProcess({ nearfield: 1, nodes: { read, roles: numbers, near: node } });
    expect(problem.path).toBe("nodes.near.parameters.excludeSelf");
  });

  it("that is a list may hold commas, in quotes", () => {
    const process: ProcessDocument = { nearfield: 1, nodes: { roles: { operator: "setRole" } } };
    const set = (text: string) => setParameter(process, "roles.ignore", text).nodes.roles.parameters?.ignore;
    expect(set('a,"b, c","say ""x"""')).toEqual(["a", "b, c", 'say "x"']);
    for (const text of ['"a', "a,,b", ""]) expect(() => set(text), text).toThrow("roles.ignore: is");
  });
});
