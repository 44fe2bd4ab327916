/** The import of RapidMiner's processes: what each operator becomes, and what is said of the rest. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importRapidMiner, printProcess } from "../../../dist/graph/index.js";
import { rmp, subprocess } from "../../backend/models/rapidminerProcess.ts";
import type { RmpOperator } from "../../backend/models/rapidminerProcess.ts";

import { apply, imported, knn, performance, read, seeded } from "./rapidminerImports.ts";

describe("the seed's process", () => {
  const textOf = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)), "utf8");

  it("is the one beside it", async () => {
    const { process, left } = await importRapidMiner(textOf("seed.rmp"));
    expect(left).toEqual([]);
    expect(printProcess(process)).toBe(textOf("seed.json"));
  });
});

describe("an operator", () => {
  const one = async (operator: RmpOperator) => {
    const { nodes, left } = await imported([operator]);
    return { nodes: Object.values(nodes), left };
  };

  it.each<[string, RmpOperator, object]>([
    [
      "Read CSV",
      {
        name: "R",
        key: "read_csv",
        parameters: {
          ...{ csv_file: "in/a.csv", column_separators: "\\|", starting_row: 3, decimal_character: "," },
          ...{
            grouped_digits: true,
            grouping_character: ".",
            first_row_as_names: false,
            skip_comments: true,
          },
          ...{ comment_characters: "%", encoding: "windows-1252" },
        },
        lists: {
          data_set_meta_data_information: [
            ["0", "a.b.true.integer.attribute"],
            ["1", "c.false.real.attribute"],
            ["2", "when.true.date_time.attribute"],
            ["3", "kind.true.binominal.attribute"],
          ],
        },
      },
      {
        operator: "readTable",
        parameters: {
          ...{ file: "in/a.csv", delimiter: "|", skip: 2, decimal: ",", thousands: ".", header: false },
          ...{ comment: "%", encoding: "windows-1252", columns: ["a.b", "when", "kind"], numeric: ["a.b"] },
          ...{ dates: ["when"], nominal: ["kind"], missing: ["", "?"] },
        },
      },
    ],
    [
      "Set Role",
      {
        name: "S",
        key: "set_role",
        parameters: { attribute_name: "y", target_role: "label" },
        lists: { set_additional_roles: [["id", "id"]] },
      },
      { operator: "setRole", parameters: { label: "y", ignore: ["id"] } },
    ],
    [
      "Normalize",
      { name: "N", key: "normalize", parameters: { method: "range transformation", min: -1, max: 1 } },
      { operator: "normalize", parameters: { method: "range", min: -1, compat: "rapidminer" } },
    ],
    [
      "Normalize by its quartiles",
      {
        name: "N",
        key: "normalize",
        parameters: { method: "interquartile range", min: 5, create_view: true },
      },
      { operator: "normalize", parameters: { method: "interquartile", compat: "rapidminer" } },
    ],
    [
      "Replace Missing Values",
      {
        name: "F",
        key: "replace_missing_values",
        parameters: { default: "value", replenishment_value: "none" },
        lists: { columns: [] },
      },
      { operator: "replaceMissing", parameters: { by: "value", value: "none" } },
    ],
    [
      "Split Data",
      {
        name: "P",
        key: "split_data",
        parameters: { sampling_type: "shuffled sampling", ...seeded },
        lists: {
          partitions: [
            ["ratio", "0.8"],
            ["ratio", "0.2"],
          ],
        },
      },
      { operator: "splitData", parameters: { ratios: [0.8, 0.2], sampling: "shuffled", seed: 7 } },
    ],
    [
      "k-NN",
      { name: "K", key: "k_nn" },
      {
        operator: "knn",
        parameters: {
          metric: "rapidminer:MixedEuclideanDistance",
          weights: "distance",
          compat: "rapidminer",
        },
      },
    ],
    [
      "k-NN of a divergence",
      {
        name: "K",
        key: "k_nn",
        parameters: {
          ...{ k: 3, weighted_vote: false, measure_types: "BregmanDivergences", divergence: "KLDivergence" },
          ...{ kernel_gamma: 7 },
        },
      },
      {
        operator: "knn",
        parameters: { k: 3, metric: "rapidminer:KLDivergence", compat: "rapidminer" },
      },
    ],
    [
      "k-NN of a kernel",
      {
        name: "K",
        key: "k_nn",
        parameters: {
          ...{ measure_types: "NumericalMeasures", numerical_measure: "KernelEuclideanDistance" },
          ...{ kernel_type: "polynomial", kernel_degree: 2, kernel_shift: 1 },
        },
      },
      {
        operator: "knn",
        parameters: {
          ...{ metric: "rapidminer:KernelEuclideanDistance", kernel: "polynomial", kernelDegree: 2 },
          ...{ weights: "distance", compat: "rapidminer" },
        },
      },
    ],
    [
      "Performance",
      {
        name: "Q",
        key: "performance_regression",
        parameters: { root_mean_squared_error: true, main_criterion: "first" },
      },
      { operator: "performance", parameters: { measures: "regression" } },
    ],
  ])("%s becomes one here, and nothing is left out", async (_, operator, expected) => {
    const { nodes, left } = await one(operator);
    expect(left).toEqual([]);
    expect(nodes).toEqual([expected]);
  });

  it.each<[string, RmpOperator, string]>([
    [
      "a path outside",
      { name: "R", key: "read_csv", parameters: { csv_file: "C:\\data\\a.csv" } },
      'note: R (read_csv), csv_file: is "C:\\\\data\\\\a.csv", but a process reads below its folder: put a.csv beside it',
    ],
    [
      "a separator that is a pattern",
      { name: "R", key: "read_csv", parameters: { csv_file: "a.csv", column_separators: ",|;" } },
      'R (read_csv), column_separators: is the pattern ",|;"',
    ],
    [
      "a parameter that nobody knows",
      { ...knn, parameters: { turbo: true } },
      'k-NN (k_nn), turbo: is "true", which has no counterpart',
    ],
    [
      "a list that nobody knows",
      { ...knn, lists: { extra: [["a", "b"]] } },
      "k-NN (k_nn), extra: has 1 entries",
    ],
    [
      "a parameter that the kernel leaves aside",
      {
        ...knn,
        parameters: {
          measure_types: "NumericalMeasures",
          numerical_measure: "KernelEuclideanDistance",
          kernel_degree: 2,
        },
      },
      "note: k-NN (k_nn), kernel_degree: is 2, which the kernel radial leaves aside there as here",
    ],
    [
      "an old default",
      { ...knn, attributes: 'compatibility="5.3.015"', parameters: { k: 3 } },
      "k-NN (k_nn), weighted_vote: is not in the file",
    ],
    [
      "single attributes",
      { name: "N", key: "normalize", parameters: { attribute_filter_type: "single", attribute: "x" } },
      "N (normalize), attribute_filter_type: chooses attributes",
    ],
    [
      "another generator",
      {
        name: "P",
        key: "split_data",
        lists: {
          partitions: [
            ["ratio", "1"],
            ["ratio", "1"],
          ],
        },
      },
      "P (split_data), use_local_random_seed: is false",
    ],
    [
      "a measure",
      { ...performance, parameters: { accuracy: true, cross_entropy: true } },
      "Performance (performance_classification), cross_entropy: is a measure",
    ],
    [
      "a measure of an extension",
      { ...knn, parameters: { mixed_measure: "MyDistance" } },
      'k-NN (k_nn), mixed_measure: is "MyDistance", which is no measure here',
    ],
    [
      "a measure of numbers for classes",
      { ...performance, parameters: { root_mean_squared_error: true } },
      "Performance (performance_classification), root_mean_squared_error: is a measure",
    ],
    [
      "no number",
      { ...knn, parameters: { k: "many" } },
      'k-NN (k_nn), k: is "many", which is not a number; 5 is used',
    ],
    ["a breakpoint", { ...knn, attributes: 'breakpoints="after"' }, "note: k-NN (k_nn): has a breakpoint"],
    [
      "a macro",
      { ...knn, parameters: { k: "%{k}" } },
      'k-NN (k_nn), k: names the macro "%{k}", which the file gives no value',
    ],
    [
      "a disabled operator",
      { ...knn, attributes: 'activated="false"' },
      "note: k-NN (k_nn): is disabled, and left out",
    ],
    [
      "an operator that is not known",
      { name: "Bag", key: "bagging", inner: [subprocess([knn], [])] },
      'Bag (bagging): has no counterpart; it stands in the process as "rapidminer:bagging", which does not run, without the operators in it',
    ],
  ])("with %s is told of", async (_, operator, line) => {
    const { left } = await one(operator);
    expect(left).toContainEqual(expect.stringContaining(line));
  });
});

it("macros with a value are put in", async () => {
  const macros = "<macros><macro><key>k</key><value>9</value></macro></macros>";
  const { nodes, left } = await imported([{ ...knn, parameters: { k: "%{k}" } }], [], macros);
  expect({ k: nodes.kNN.parameters?.k, left }).toEqual({ k: 9, left: [] });
});

describe("wires", () => {
  it("go through what only hands on, and places are kept", async () => {
    const { process, nodes, left } = await imported(
      [
        { ...read, attributes: 'x="45" y="34"' },
        { name: "Multiply", key: "multiply" },
        { name: "N", key: "normalize" },
        { ...knn, attributes: 'x="313" y="136"' },
        apply,
        performance,
      ],
      [
        "Read CSV, output -> Multiply, input",
        "Multiply, output 1 -> N, example set input",
        "N, example set output -> k-NN, training set",
        "k-NN, model -> Apply Model, model",
        "N, original -> Apply Model, unlabelled data",
        "Apply Model, labelled data -> Performance, labelled data",
        "Performance, performance -> result 1",
      ],
    );
    expect(left).toEqual([]);
    expect(nodes.n.inputs).toEqual({ table: "readCSVSetRole.table" });
    expect(nodes.applyModel.inputs).toEqual({ model: "kNN.model", table: "readCSVSetRole.table" });
    expect(process.layout).toEqual({ readCSV: [48, 32], readCSVSetRole: [176, 32], kNN: [320, 144] });
  });

  it("from and to what is not here are told of", async () => {
    const { nodes, left } = await imported(
      [read, { ...knn, attributes: 'activated="false"' }, apply, { name: "Odd", key: "odd" }],
      [
        "Read CSV, output -> k-NN, training set",
        "k-NN, model -> Apply Model, model",
        "input 1 -> Apply Model, unlabelled data",
        "Read CSV, output -> Odd, example set input",
        "Odd, result 1 -> Read CSV, file",
      ],
    );
    expect(nodes.odd).toEqual({
      operator: "rapidminer:odd",
      inputs: { exampleSetInput: "readCSVSetRole.table" },
    });
    expect(left).toEqual(
      expect.arrayContaining([
        'Apply Model (apply_model): takes "k-NN, model" at its port "model", which does not exist here; wire model to something else',
        'Apply Model (apply_model): takes "the process, input 1" at its port "unlabelled data", which does not exist here; wire table to something else',
        'Read CSV (read_csv): takes "Odd" at its port "file", which has no counterpart',
      ]),
    );
  });

  it("of hostile names are those of no port", async () => {
    const hostile = ["constructor", "__proto__", "toString", "valueOf"];
    const wires = hostile.flatMap((port) => [
      `Read CSV, ${port} -> k-NN, ${port}`,
      `Odd, ${port} -> Odd, ${port}`,
    ]);
    const odd = { name: "Odd", key: "odd", parameters: { keepsSpecial: true } };
    const { nodes, left } = await imported([read, knn, odd], wires);
    expect(nodes.kNN.inputs).toBeUndefined();
    expect(Object.keys(nodes.odd.inputs ?? {}).sort()).toEqual([
      "constructor",
      "proto",
      "tostring",
      "valueof",
    ]);
    expect(left.filter((line) => line.startsWith("k-NN (k_nn): takes"))).toHaveLength(4);
  });

  it.each([
    [{ attributes: "x" }, { columns: ["x", "y"] }],
    [
      { attributes: "x|y", invert_selection: true },
      { columns: ["x"], leaveOut: true },
    ],
    [{ attributes: "x", include_special_attributes: true }, { columns: ["x"] }],
  ])("Select Attributes of %j keeps special attributes", async (given, parameters) => {
    const select = {
      name: "Select",
      key: "select_attributes",
      parameters: { attribute_filter_type: "subset", ...given },
    };
    const { nodes } = await imported([read, select], ["Read CSV, output -> Select, example set input"]);
    expect(nodes.select).toEqual({
      operator: "selectColumns",
      inputs: { table: "readCSVSetRole.table" },
      parameters,
    });
  });
});

describe("a file that is no process of RapidMiner", () => {
  const bomb =
    '<!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><process version="9">&b;</process>';
  it.each([
    ["is no XML", "process: {}", "is not XML"],
    ["does not end", '<process version="9">\n<operator', "old.rmp, line 2, column 10: is not XML"],
    ["is another XML", "<html></html>", "begins with <html>; expected a process of RapidMiner"],
    [
      "is of RapidMiner 4",
      '<process version="4.6"><operator name="Root" class="Process"/></process>',
      "RapidMiner 4 or older",
    ],
    ["is empty", "", "is not XML"],
    ["is an entity bomb", bomb, ""],
    ["has a DOCTYPE", '<!DOCTYPE process SYSTEM "file:///etc/passwd"><process/>', "has a DOCTYPE"],
    [
      "is deep",
      "<process>".repeat(100_000) + "</process>".repeat(100_000),
      "is nested deeper than 200 levels",
    ],
    ["is long", `<process>${" ".repeat(10_000_000)}</process>`, "has 10000019 characters"],
    [
      "has many operators",
      rmp(
        Array.from({ length: 1001 }, (_, at) => ({ name: `k${at}`, key: "k_nn" })),
        [],
      ),
      "has 1002 elements <operator>",
    ],
  ])("%s, and that is said", async (_, text, message) => {
    const begin = Date.now();
    const error: unknown = await importRapidMiner(text, "old.rmp").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ tag: "InvalidInput" });
    const said = (error as Error).message;
    expect(said).toContain(message);
    expect(said.length).toBeLessThan(300);
    expect(Date.now() - begin).toBeLessThan(5000);
  });

  it("may have hostile names, which become harmless ids", async () => {
    const { nodes, left } = await imported([
      { name: "__proto__", key: "constructor", parameters: { ["__proto__"]: "1", toString: "2" } },
      { name: "", key: "" },
      { name: "漢字", key: "k_nn" },
      { name: "x".repeat(100_000), key: "k_nn" },
    ]);
    expect(Object.keys(nodes).map((id) => id.slice(0, 60))).toEqual(
      expect.arrayContaining(["proto", "node", "node_2", "x".repeat(56)]),
    );
    expect(Math.max(...left.map(({ length }) => length))).toBeLessThan(400);
    expect(Object.prototype).not.toHaveProperty("operator");
  });
});
