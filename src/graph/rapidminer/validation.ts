/**
 * This module translates Cross Validation of RapidMiner, whose two subprocesses train and test. Here a
 * learner is trained as a whole within each fold, so they must come to one chain: preparation, then k-NN,
 * applied in the same order.
 */
import type { End, SourceOperator, Subprocess } from "./source.ts";

/** The operator has these keys in newer and in older versions. */
export const crossValidations: readonly string[] = [
  "concurrency:cross_validation",
  "cross_validation",
  "x_validation",
];

export interface Chain {
  readonly preparation: readonly SourceOperator[];
  readonly estimator: SourceOperator;
  readonly apply: SourceOperator;
  readonly performance: SourceOperator;
}

const preparations = ["normalize", "replace_missing_values"];

/** Returns the chain that the subprocesses come to, or what else is in them. */
export function chainOf([training, testing]: readonly Subprocess[]): Chain | string {
  if (training === undefined || testing === undefined) return "has no two subprocesses";
  const given = sourceOf(training, { operator: undefined, port: "model" });
  const isGrouped = given?.operator?.key === "group_models";
  const group = isGrouped ? given.operator : undefined;
  const grouped = group && training.wires.filter(({ to }) => to.operator === group.name);
  const models = grouped?.sort((a, b) => numberIn(a.to.port) - numberIn(b.to.port));
  const last = models?.at(-1);
  const estimator = last === undefined ? given?.operator : operatorAt(training, last.from);
  if (estimator?.key !== "k_nn") return "does not train k-NN";
  const preparation = trained(training, estimator);
  if (typeof preparation === "string") return preparation;

  const measured = testing.wires.find(
    ({ to }) => to.operator === undefined && /^(performance|averagable) 1$/.test(to.port),
  );
  const performance = measured && operatorAt(testing, measured.from);
  if (performance === undefined || !/^performance(_|$)/.test(performance.key))
    return "does not measure with a Performance operator";
  const apply = sourceOf(testing, { operator: performance.name, port: "labelled data" })?.operator;
  if (apply?.key !== "apply_model" || outerPort(testing, apply, "model") !== "model")
    return "does not measure what Apply Model predicts with the model of the training";
  const prepared = group === undefined ? tested(training, testing, apply) : [];
  const inGroup = models?.slice(0, -1).map(({ from }) => operatorAt(training, from)) ?? [];
  const applied = group === undefined ? prepared : [...inGroup, ...tested(training, testing, apply)];
  const isSame =
    applied.length === preparation.length && applied.every((each, at) => each === preparation[at]);
  if (!isSame)
    return "does not prepare the rows it tests as those it trains with: hand the preprocessing models through, and apply them first";
  const known = new Set([...preparation, estimator, apply, performance, ...(group ? [group] : [])]);
  const applies = (each: SourceOperator) => each.key === "apply_model" && each !== apply;
  const other = [...training.operators, ...testing.operators].find(
    (each) => each.isActive && !known.has(each) && each.key !== "multiply" && !applies(each),
  );
  return other === undefined
    ? { preparation, estimator, apply, performance }
    : `has ${other.name} within, which is no part of a chain of preparation and k-NN`;
}

/** Returns the steps that the training rows go through before k-NN, in their order. */
function trained(training: Subprocess, estimator: SourceOperator): SourceOperator[] | string {
  const steps: SourceOperator[] = [];
  for (let at = estimator, port = "training set"; ;) {
    const before = sourceOf(training, { operator: at.name, port });
    if (before === undefined) return `has nothing wired into ${at.name}`;
    if (before.operator === undefined) return steps;
    const isKnown = preparations.includes(before.operator.key) && before.port === "example set output";
    if (!isKnown || steps.includes(before.operator))
      return `trains with rows of ${before.operator.name}, which is no preparation that is known here`;
    steps.unshift(before.operator);
    [at, port] = [before.operator, "example set input"];
  }
}

/** Returns the steps of the training whose models are applied to the rows that are tested, in their order. */
function tested(
  training: Subprocess,
  testing: Subprocess,
  apply: SourceOperator,
): (SourceOperator | undefined)[] {
  const steps: (SourceOperator | undefined)[] = [];
  for (let at = apply; steps.length <= testing.operators.length;) {
    const before = sourceOf(testing, { operator: at.name, port: "unlabelled data" });
    if (before?.operator === undefined) return before === undefined ? [undefined] : steps;
    const port = outerPort(testing, before.operator, "model");
    const model = port && sourceOf(training, { operator: undefined, port });
    const isModel = model && model.port === "preprocessing model";
    steps.unshift(isModel ? model.operator : undefined);
    at = before.operator;
  }
  return [undefined];
}

/** Returns the port of the process around that is wired to a port of an operator. */
function outerPort(within: Subprocess, { name }: SourceOperator, port: string): string | undefined {
  const before = sourceOf(within, { operator: name, port });
  return before?.operator === undefined ? before?.port : undefined;
}

/** Returns where a wire comes from, through what only hands on. */
function sourceOf(
  within: Subprocess,
  to: End,
): { readonly operator: SourceOperator | undefined; readonly port: string } | undefined {
  let end = to;
  for (let left = within.operators.length; left >= 0; left--) {
    const wire = within.wires.find((each) => each.to.operator === end.operator && each.to.port === end.port);
    if (wire === undefined) return undefined;
    const { from } = wire;
    if (from.operator === undefined) return { operator: undefined, port: from.port };
    const operator = operatorAt(within, from);
    if (operator === undefined || !operator.isActive) return undefined;
    if (operator.key !== "multiply") return { operator, port: from.port };
    end = { operator: operator.name, port: "input" };
  }
  return undefined;
}

function operatorAt({ operators }: Subprocess, { operator }: End): SourceOperator | undefined {
  return operators.find(({ name }) => name === operator);
}

function numberIn(port: string): number {
  return Number(/\d+$/.exec(port)?.[0] ?? 0);
}
