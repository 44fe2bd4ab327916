/**
 * This module keeps the steps of a pipeline as they were when its model was fitted behind them, whatever they
 * learn afterwards. What a step learns is its own matter.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Table } from "../../table/table.ts";
import { isOurs, preparationOf } from "./fromState.ts";
import type { Preparation } from "./preparation.ts";

/** Returns the steps, or throws where one has learnt anew since and could not be copied. */
export type Snapshot = () => readonly Preparation[];

/** Pipelines have had a step learn so many times. */
const fits = new WeakMap<Preparation, number>();

/** Fits each step on what the steps before it made; returns what the last one makes. */
export function fitSteps(steps: readonly Preparation[], train: Table, columns: readonly string[]): Table {
  return steps.reduce((table, step) => {
    fits.set(step, timesOf(step) + 1);
    return step.fit(table, columns).transform(table);
  }, train);
}

/** Returns the steps as they are now, all of them fitted. */
export function snapshotOf(steps: readonly Preparation[]): Snapshot {
  const taken = steps.map(stepNow);
  return () => taken.map((step) => step());
}

/** Does what `snapshotOf` does; returns undefined where a step, perhaps not fitted yet, cannot be copied. */
export function snapshotIfFitted(steps: readonly Preparation[]): Snapshot | undefined {
  try {
    return snapshotOf(steps);
  } catch {
    return undefined;
  }
}

function stepNow(step: Preparation): () => Preparation {
  const copy = copyOf(step);
  if (copy) return () => copy;
  const times = timesOf(step);
  return () => {
    if (timesOf(step) === times) return step;
    throw new InvalidInputError(
      `the step ${step.constructor.name} has learnt for a fit that has not ended or that failed, which is ` +
        "not that of the model; wait for that fit, fit again, or give the step a method copy()",
    );
  };
}

/** Returns undefined for a class that has no copies. One that extends ours does not make its own. */
function copyOf(step: Preparation): Preparation | undefined {
  return isOurs(step) ? preparationOf(step.toState()) : step.copy?.();
}

function timesOf(step: Preparation): number {
  return fits.get(step) ?? 0;
}
