/**
 * Options of the commands that do what operators do are made of the parameters of those operators: the same
 * object says help, default and check of both. What is the command line's own stands here with the reason.
 */
import type { Option } from "commander";
import { describe, expect, it } from "vitest";
import { classifyCommand } from "../../../dist/cli/commands/classify.js";
import { convolveCommand } from "../../../dist/cli/commands/convolve.js";
import { histogramCommand } from "../../../dist/cli/commands/histogram.js";
import { predictCommand } from "../../../dist/cli/commands/predict.js";
import { regressCommand } from "../../../dist/cli/commands/regress.js";
import { searchCommand } from "../../../dist/cli/commands/search.js";
import { sortCommand } from "../../../dist/cli/commands/sort.js";
import { ParameterOption } from "../../../dist/cli/options/parameter.js";
import { entries } from "../../../dist/graph/catalogue/catalogue.js";
import { setParameter } from "../../../dist/graph/index.js";
import {
  kernelParameters as kernelNames,
  kernelTypes,
  resolveKernel,
} from "../../../src/distance/measures/kernels.ts";
import { kernelParameters } from "../../../src/graph/parameters/measure.ts";

const { signal } = new AbortController();
const commands = [
  ...[classifyCommand, regressCommand, predictCommand, searchCommand],
  ...[convolveCommand, sortCommand, histogramCommand],
].map((make) => make(signal));

const FILE = "a file, where a process has an operator that reads or writes one";
const RUN = "how it runs, which changes no result";
const SAID = "what is told, and where";

/** The options that no operator has, each with its reason. */
const own: Readonly<Record<string, string>> = {
  "--train": FILE,
  "--test": FILE,
  "--queries": FILE,
  "--model": FILE,
  "--save-model": FILE,
  "--out": FILE,
  "--report": FILE,
  "--format": "of --out, where Write Table goes by the extension",
  "--force": FILE,
  "--backend": RUN,
  "--gpu": RUN,
  "--threads": RUN,
  "--memory": RUN,
  "--device-memory": RUN,
  "--matrix-units": RUN,
  "--explain": SAID,
  "--json": SAID,
  "--quiet": SAID,
  "--confidence": "of the result's columns, which Select Columns chooses",
  "--cv-out": FILE,
  "--group": "of the folds, which Cross Validation draws without groups",
  "--sample-weight": "of measures, in which rows of a process count alike",
  "--importance": "of columns: no operator measures it",
  "--degrees": "of places, which no operator turns into radians",
  "--column": "of a file, which Read Signal says, or Select Columns",
  "--argsort": "an output of Sort",
  "--technique": RUN,
  "--float32": "of convolve, whose sums of floats a process makes in float64",
  "--carry": "columns beside each pair, which Neighbour Rows puts there",
  "--exclude-self": "of two files of the same rows, where a process wires one table",
  "--id": "ignored, and read as text: Set Role and Read Table say one each",
};

interface Shared {
  readonly command: string;
  readonly option: ParameterOption;
}

/** The operators' parameters that are this very object, as "knn.k". */
function pathsOf(parameter: unknown): string[] {
  return entries.flatMap(({ id, described }) =>
    Object.keys(described).flatMap((name) => (described[name] === parameter ? [`${id}.${name}`] : [])),
  );
}

/** Options of the command line alone may be described with the operators' parameters. */
const isShared = (option: Option): option is ParameterOption =>
  option instanceof ParameterOption && option.parameters.some((each) => pathsOf(each).length > 0);

const shared = commands.flatMap((command): Shared[] =>
  command.options.flatMap((option) => (isShared(option) ? [{ command: command.name(), option }] : [])),
);

describe("the options of the commands that do what operators do", () => {
  it("are parameters of the catalogue, or listed as the command line's own", () => {
    const others = new Set(
      commands.flatMap(({ options }) =>
        options.filter((each) => !isShared(each)).map(({ long }) => String(long)),
      ),
    );
    expect([...others].sort()).toEqual(Object.keys(own).sort());
    expect(shared.length).toBeGreaterThan(50);
  });

  it.each(shared)("$command $option.flags says what an operator says", ({ option }) => {
    const { parameters, description, negate } = option;
    for (const parameter of parameters) expect(pathsOf(parameter)).not.toEqual([]);
    const [{ says, not }] = parameters;
    expect(description).toContain(negate ? not : says);
    expect(description).not.toBe("");
  });
});

/** Texts that some parameter refuses, and some that all would take. */
const texts = [
  ...["", " ", "0", "-1", "1", "1.5", "1e1", "0x10", "seven", "inf", "NaN", "281474976710656", "+7"],
  ...['"a', 'a,"b, c"', "a,,b", "tab", "blanks", ";;", "auto", "none", "uniform", "Z", ",", "csv"],
];

/** Where a text is refused the rule, else the value. */
function outcomeOf(read: () => unknown): { readonly rule: string } | { readonly value: unknown } {
  try {
    return { value: read() };
  } catch (error) {
    return { rule: (error as Error).message };
  }
}

describe("a value of an option and of --set", () => {
  // Edges of a command line may be infinite, which JSON has no number for; folds may be leave-one-out; a
  // metric is refused with the nearest names and a pointer to a list, which --set does not print.
  const single = shared.filter(
    ({ option }) =>
      option.parameters.length === 1 && option.parseArg && !/^--(edges|cv|metric)$/.test(String(option.long)),
  );

  it.each(single)("is refused alike: $command $option.flags", ({ option }) => {
    const [parameter] = option.parameters;
    for (const path of pathsOf(parameter)) {
      const [id, name] = path.split(".");
      const process = { nearfield: 1, nodes: { n: { operator: id } } } as const;
      for (const text of texts) {
        const { otherwise, default: usual } = parameter;
        // A command line leaves such an option out instead.
        if (otherwise !== undefined && text === usual) continue;
        const of = outcomeOf(() => option.parseArg!(text, undefined));
        const set = outcomeOf(() => setParameter(process, `n.${name}`, text).nodes.n.parameters![name]);
        if ("rule" in set && "rule" in of) {
          const [, rule] = /^n\.\w+: is .*?; (.*)$/s.exec(set.rule) ?? [];
          const without =
            otherwise === undefined ? rule : rule?.replace(`choices are ${String(usual)}, `, "choices are ");
          expect(of.rule, `${path} = ${text}`).toBe(`${without?.[0].toUpperCase()}${without?.slice(1)}.`);
        } else if (name === "missing") expect(set).toMatchObject({ value: expect.any(Array) as unknown });
        else
          expect(of, `${path} = ${text}`).toEqual(name === "p" && text === "inf" ? { value: Infinity } : set);
      }
    }
  });

  it("is refused by the catalogue where the library refuses it in --kernel", () => {
    const names = Object.keys(kernelParameters).filter((name) => name !== "kernel");
    expect(names.length).toBe(8);
    for (const path of names)
      for (const value of [-1, -0.5, 0, 0.5, 3, Infinity, NaN]) {
        const name = path.slice("kernel".length).replace(/^./, (letter) => letter.toLowerCase());
        const type = kernelTypes.find((each) => kernelNames[each].some((own) => own === name))!;
        const library = outcomeOf(() => resolveKernel({ type, [name]: value }));
        const { accepts } = kernelParameters[path as keyof typeof kernelParameters];
        expect(accepts(value), `${path} = ${value}`).toBe("value" in library);
      }
    expect(kernelParameters.kernel.choices).toEqual(kernelTypes);
  });
});
