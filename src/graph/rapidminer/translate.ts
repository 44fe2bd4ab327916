/**
 * These are the operators of RapidMiner that are known, by their keys, with their parameters and the names of
 * their ports. How they are wired is import.ts's business, and Cross Validation, which has operators within,
 * is in validation.ts.
 */
import { metricNames } from "../../distance/metric.ts";
import { kernelDefaults, kernelParameters, kernelTypes } from "../../distance/measures/kernels.ts";
import { quote } from "../document/json.ts";
import { translateReading } from "./reading.ts";
import { KERNEL_METRIC } from "../parameters/measure.ts";
import type { ParameterReader } from "./reader.ts";
import { setRole } from "./roles.ts";
import type { Made, Translation } from "./translation.ts";

type Translate = (own: ParameterReader) => Translation;

const rows = { "example set input": "table" };
const changed = { "example set output": "table" };
const original = { original: "example set input" };

/** Operators are translated by key; one without a translation stays as it is, and does not run. */
export const translations: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ["read_csv", (own) => ({ nodes: translateReading(own), inputs: {}, outputs: { output: "table" } })],
  ["set_role", setRole],
  ["select_attributes", selectAttributes],
  ["normalize", (own) => preparation(own, normalize(own))],
  ["replace_missing_values", (own) => preparation(own, replaceMissing(own))],
  ["split_data", splitData],
  ["k_nn", nearest],
  ["apply_model", applyModel],
  ["performance", (own) => performance(own, "auto")],
  ["performance_classification", (own) => performance(own, "classification")],
  ["performance_binominal_classification", (own) => performance(own, "classification")],
  ["performance_regression", (own) => performance(own, "regression")],
]);

/** Says which attributes are meant, where it is not all of them. */
function filtered(own: ParameterReader): readonly string[] | undefined {
  const type = own.text("attribute_filter_type", "all");
  const [single, subset] = [own.text("attribute", ""), own.text("attributes", "")];
  own.skip(
    ...["regular_expression", "use_except_expression", "except_regular_expression", "value_type"],
    ...["use_value_type_exception", "except_value_type", "block_type", "use_block_type_exception"],
    ...["except_block_type", "numeric_condition"],
  );
  if (type === "all") return undefined;
  if (type === "single") return [single];
  if (type === "subset") return subset.split("|").filter((name) => name !== "");
  own.lacks("attribute_filter_type", `is ${quote(type)}, which has no counterpart; all attributes are taken`);
  return undefined;
}

/** This marks a Select Columns whose special attributes import.ts has still to find. */
export const KEEPS_SPECIAL = "keepsSpecial";

function selectAttributes(own: ParameterReader): Translation {
  const columns = filtered(own);
  const leaveOut = own.flag("invert_selection", false);
  const special = own.flag("include_special_attributes", false);
  if (columns === undefined && leaveOut)
    own.lacks("invert_selection", "leaves no attribute; keep some, or remove the operator");
  const through =
    columns === undefined ? { ...original, "example set output": "example set input" } : original;
  const parameters = { columns: columns ?? [], leaveOut, ...(special ? {} : { [KEEPS_SPECIAL]: true }) };
  const nodes = columns === undefined ? [] : [{ operator: "selectColumns", parameters }];
  return { nodes, inputs: rows, outputs: changed, through };
}

function preparation(own: ParameterReader, node: Made): Translation {
  if (filtered(own) !== undefined)
    own.lacks("attribute_filter_type", "chooses attributes; all features are changed here");
  own.expect("invert_selection", "false");
  own.expect("include_special_attributes", "false");
  own.skip("create_view", "return_preprocessing_model");
  const outputs = { ...changed, "preprocessing model": "model" };
  return { nodes: [node], inputs: rows, outputs, through: original };
}

const methods = {
  "Z-transformation": "z",
  "range transformation": "range",
  "proportion transformation": "proportion",
  "interquartile range": "interquartile",
} as const;

function normalize(own: ParameterReader): Made {
  const names = Object.keys(methods) as (keyof typeof methods)[];
  const method = methods[own.choice("method", names, "Z-transformation") ?? "Z-transformation"];
  const [min, max] = [own.number("min", 0), own.number("max", 1)];
  const allowNegative = own.flag("allow_negative_values", false);
  return {
    operator: "normalize",
    parameters: {
      method,
      ...(method === "range" ? { min, max } : {}),
      ...(method === "proportion" ? { allowNegative } : {}),
      compat: "rapidminer",
    },
  };
}

function replaceMissing(own: ParameterReader): Made {
  const by = own.choice("default", ["none", "minimum", "maximum", "average", "zero", "value"], "average");
  const value = own.text("replenishment_value", "");
  if (own.list("columns").length > 0)
    own.lacks("columns", "fills single attributes in ways of their own; all are filled alike here");
  if (by === "none") own.lacks("default", "is none; Replace Missing Values fills all features");
  const chosen = by === undefined || by === "none" ? "average" : by;
  return { operator: "replaceMissing", parameters: { by: chosen, ...(chosen === "value" ? { value } : {}) } };
}

/** Reads how rows are drawn. @param usual the default of that operator */
export function samplingOf(own: ParameterReader, usual: (typeof samplings)[number]) {
  const sampling = own.choice("sampling_type", samplings, usual) ?? usual;
  const isLocal = own.flag("use_local_random_seed", false);
  const local = own.number("local_random_seed", 1992);
  if (sampling !== "linear sampling" && !isLocal)
    own.lacks(
      "use_local_random_seed",
      "is false: the numbers drawn depend there on what ran before; they are drawn here with the seed 2001, " +
        "so set a local seed there to draw the same rows",
    );
  return {
    sampling: sampling === "automatic" ? "auto" : (sampling.split(" ")[0] ?? ""),
    ...(isLocal && sampling !== "linear sampling" ? { seed: local } : {}),
  };
}

const samplings = ["linear sampling", "shuffled sampling", "stratified sampling", "automatic"] as const;

function splitData(own: ParameterReader): Translation {
  const given = own.list("partitions").map(([, ratio]) => Number(ratio));
  const fits = given.length >= 2 && given.length <= 8 && given.every((ratio) => ratio > 0);
  if (!fits)
    own.lacks(
      "partitions",
      `are ${quote(given.join(", "))}; two to eight above 0 can be had, 0.7 and 0.3 are taken`,
    );
  const ratios = fits ? given : [0.7, 0.3];
  const parts = ratios.map((_, at) => [`partition ${at + 1}`, `part${at + 1}`]);
  return {
    nodes: [{ operator: "splitData", parameters: { ratios, ...samplingOf(own, "automatic") } }],
    inputs: { "example set": "table" },
    outputs: Object.fromEntries(parts) as Record<string, string>,
  };
}

/** The value of measure_types says which parameter names the measure. */
const measures = {
  MixedMeasures: ["mixed_measure", "MixedEuclideanDistance"],
  NominalMeasures: ["nominal_measure", "NominalDistance"],
  NumericalMeasures: ["numerical_measure", "EuclideanDistance"],
  BregmanDivergences: ["divergence", "GeneralizedIDivergence"],
} as const;

const kernelKeys = Object.keys(kernelDefaults).map((name) => `kernel_${name}`);

/** Reads the kernel and its parameters; of others it says that they do nothing. */
function kernelOf(own: ParameterReader): Readonly<Record<string, string | number>> {
  const { type: usual, ...numbers } = kernelDefaults;
  const kernel = own.choice("kernel_type", kernelTypes, usual) ?? usual;
  const taken: readonly string[] = kernelParameters[kernel];
  const given = Object.entries(numbers).flatMap(([name, value]) => {
    const key = `kernel_${name}`;
    const found = own.number(key, value);
    if (found === value) return [];
    if (taken.includes(name)) return [[`kernel${name[0].toUpperCase()}${name.slice(1)}`, found]];
    own.note(key, `is ${found}, which the kernel ${kernel} leaves aside there as here`);
    return [];
  });
  return {
    ...(kernel === usual ? {} : { kernel }),
    ...(Object.fromEntries(given) as Record<string, number>),
  };
}

/** From this version on k is 5 and votes are weighted where a file says nothing. */
const NEW_DEFAULTS = [9, 1];

function nearest(own: ParameterReader): Translation {
  const [major = 0, minor = 0] = own.source.version.split(".").map(Number);
  const isOld = major < NEW_DEFAULTS[0] || (major === NEW_DEFAULTS[0] && minor < NEW_DEFAULTS[1]);
  for (const key of ["k", "weighted_vote"])
    if (isOld && own.source.version !== "" && !own.has(key))
      own.lacks(
        key,
        "is not in the file: RapidMiner takes 5 and true from 9.1 on, as here, and took 1 and false before",
      );
  const groups = Object.keys(measures) as (keyof typeof measures)[];
  const group = own.choice("measure_types", groups, "MixedMeasures") ?? "MixedMeasures";
  const [key, usual] = measures[group];
  const measure = own.text(key, usual);
  const metric = `rapidminer:${measure}`;
  if (!(metricNames as readonly string[]).includes(metric))
    own.lacks(key, `is ${quote(measure)}, which is no measure here`);
  own.skip(...Object.values(measures).map(([name]) => name), ...kernelKeys);
  const kernel = metric === KERNEL_METRIC ? kernelOf(own) : {};
  return {
    nodes: [
      {
        operator: "knn",
        parameters: {
          k: own.number("k", 5),
          metric,
          ...kernel,
          weights: own.flag("weighted_vote", true) ? "distance" : "uniform",
          compat: "rapidminer",
        },
      },
    ],
    inputs: { "training set": "train" },
    outputs: { model: "model" },
    through: { exampleSet: "training set" },
  };
}

function applyModel(own: ParameterReader): Translation {
  if (own.list("application_parameters").length > 0)
    own.lacks("application_parameters", "has entries; k-NN takes none");
  own.skip("create_view");
  return {
    nodes: [{ operator: "applyModel", parameters: {} }],
    inputs: { model: "model", "unlabelled data": "table" },
    outputs: { "labelled data": "table" },
    through: { model: "model" },
  };
}

/** Performance has these measures under RapidMiner's names, or they follow from one. */
const ofClasses = ["accuracy", "classification_error", "kappa"];
const ofNumbers = [
  ...["root_mean_squared_error", "squared_error", "absolute_error", "correlation", "squared_correlation"],
];
const known = { auto: [...ofClasses, ...ofNumbers], classification: ofClasses, regression: ofNumbers };

export function performance(
  own: ParameterReader,
  kind: "auto" | "classification" | "regression",
): Translation {
  own.skip("main_criterion", "comparator_class", "use_example_weights", "positive_class");
  own.expect("skip_undefined_labels", "true");
  if (own.list("class_weights").length > 0)
    own.lacks("class_weights", "has entries; classes weigh the same here");
  const asked = [...own.source.parameters].filter(([, value]) => value === "true" || value === "false");
  for (const [key, value] of asked) {
    own.skip(key);
    if (
      value === "true" &&
      !known[kind].includes(key) &&
      !["skip_undefined_labels", "use_example_weights"].includes(key)
    )
      own.lacks(key, "is a measure that Performance does not have");
  }
  return {
    nodes: [{ operator: "performance", parameters: kind === "auto" ? {} : { measures: kind } }],
    inputs: { "labelled data": "table" },
    outputs: { performance: "performance" },
    through: { "example set": "labelled data" },
  };
}
