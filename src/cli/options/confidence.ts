/** Declares the options that say which confidences of classes are written. */
import type { Command } from "commander";
import { InvalidInputError } from "../../core/errors.ts";
import { predictionParameters } from "../../graph/parameters/learning.ts";
import { choiceOption, negatedOption } from "./parameter.ts";

const confidenceNames = ["none", "top", "all"] as const;

export type Confidences = (typeof confidenceNames)[number];

/** A column for each of more classes would hide the rest of the file. */
const MANY_CLASSES = 20;

export interface ConfidenceFlags {
  readonly confidence?: Confidences;
  /** --no-confidences makes it false. */
  readonly confidences?: boolean;
}

/** Adds the options of which confidences are written. */
export function addConfidenceOptions(command: Command): Command {
  const help = `confidences to write (default: all of up to ${MANY_CLASSES} classes, of more that of the prediction)`;
  return command
    .addOption(choiceOption("--confidence <which>", help, confidenceNames))
    .addOption(negatedOption("--no-confidences", predictionParameters.confidences));
}

/** @throws InvalidInputError for options that contradict each other */
export function confidencesOf({ confidence, confidences }: ConfidenceFlags): Confidences | undefined {
  if (confidences !== false) return confidence;
  if (confidence === undefined || confidence === "none") return "none";
  throw new InvalidInputError(
    `--no-confidences leaves them out, but --confidence is ${confidence}; leave out one of them`,
  );
}

/** Returns which confidences are written where the user may not have said. */
export function confidencesFor(classes: number, wanted?: Confidences): Confidences {
  return wanted ?? (classes > MANY_CLASSES ? "top" : "all");
}
