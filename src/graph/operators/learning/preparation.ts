/**
 * Replace Missing Values and Normalize are steps that learn from rows. Each gives the rows it changed, the
 * fitted step as a model, and itself as a learner, which learns within folds.
 */
import { Normalize, ReplaceMissingValues } from "../../../models/preparation/index.ts";
import type { Preparation } from "../../../models/preparation/index.ts";
import { needs, operator, optionalInput, output } from "../../catalogue/operator.ts";
import type { GivenFacts } from "../../catalogue/operator.ts";
import type { LearnerFacts, TableFacts } from "../../facts.ts";
import { featureNames } from "../../features.ts";
import { normalizeParameters, replaceMissingParameters } from "../../parameters/learning.ts";
import type { LearnerValue, StepSpec, TableValue } from "../../values.ts";

const inputs = {
  table: optionalInput("Table", "the rows to learn from and to change"),
  before: optionalInput("Learner", "preparation that comes first in the learner"),
};

const outputs = {
  table: output("Table", "the rows, changed", needs("table")),
  model: output("Model", "what was learnt, for other rows", needs("table")),
  learner: output("Learner", "the step to be learnt elsewhere, behind those of before"),
};

export const replaceMissing = operator({
  id: "replaceMissing",
  version: 1,
  title: "Replace Missing Values",
  group: "Preparation",
  says: "Fills gaps of the features with a value learnt from the rows given.",
  inputs,
  outputs,
  parameters: replaceMissingParameters,
  check: (given, { by, value }, report, { likeness }) => {
    if (by === "value" && value === undefined)
      report("is missing; give the value to fill in", { parameter: "value" });
    if (by !== "value" && value !== undefined)
      report(`belongs to by = value, but by is ${by}; leave it out`, { parameter: "value" });
    return factsOf(given, "Replace Missing Values", likeness, report);
  },
  run: (given, { by, value }) => {
    const options = { by, ...(value === undefined ? {} : { value }) };
    return Promise.resolve(prepared(given, { step: "replaceMissing", options }));
  },
});

export const normalize = operator({
  id: "normalize",
  version: 1,
  title: "Normalize",
  group: "Preparation",
  says: "Brings numeric features to one scale, learnt from the rows given.",
  inputs,
  outputs,
  parameters: normalizeParameters,
  check: (given, { method, min, max, allowNegative }, report, { likeness }) => {
    for (const [name, value, usual] of [
      ["min", min, 0],
      ["max", max, 1],
    ] as const)
      if (method !== "range" && value !== usual)
        report(`belongs to method = range, but method is ${method}; leave it out`, { parameter: name });
    if (allowNegative && method !== "proportion")
      report(`belongs to method = proportion, but method is ${method}; leave it out`, {
        parameter: "allowNegative",
      });
    if (!(max > min)) report(`is ${max}; expected a number above min, which is ${min}`, { parameter: "max" });
    return factsOf(given, "Normalize", likeness, report);
  },
  run: (given, { compat: name, ...options }) =>
    Promise.resolve(
      prepared(given, {
        step: "normalize",
        options: { ...options, ...(name === "none" ? {} : { compat: name }) },
      }),
    ),
});

/** Makes a step that has learnt nothing yet. */
export function makeStep({ step, options }: StepSpec): Preparation {
  return step === "normalize" ? new Normalize(options) : new ReplaceMissingValues(options);
}

interface StepInputs<Table, Learner> {
  readonly table: Table | undefined;
  readonly before: Learner | undefined;
}

function prepared({ table: value, before }: StepInputs<TableValue, LearnerValue>, spec: StepSpec) {
  const learner: LearnerValue = { steps: [...(before?.steps ?? []), spec], estimator: undefined };
  if (value === undefined) return { learner };
  const { table, roles } = value;
  const step = makeStep(spec).fit(table, featureNames(value));
  return {
    table: { table: step.transform(table), roles },
    model: { kind: "preparation" as const, steps: [step] },
    learner,
  };
}

function factsOf(
  { table, before }: StepInputs<TableFacts, LearnerFacts>,
  title: string,
  likeness: GivenFacts["likeness"],
  report: (message: string, at: { readonly input: string }) => void,
) {
  if (before?.predicts === true)
    report("comes from a learner that predicts; expected preparation alone, such as normalize.learner", {
      input: "before",
    });
  const learner = { predicts: false };
  if (table === undefined) return { learner };
  const steps = [...table.prepared, { likeness, title }];
  return {
    table: { ...table, prepared: steps },
    model: { kind: "preparation" as const, prepared: steps },
    learner,
  };
}
