/** An operator of RapidMiner becomes this: nodes without their wires, and which port is which. */
import type { ParameterValue } from "../document/document.ts";

/** This is a node of the process to be, without its wires. */
export interface Made {
  readonly operator: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

export interface Translation {
  /** It has one node, or several that follow each other by their tables. */
  readonly nodes: readonly Made[];
  /** Each port of RapidMiner is this input of the first node. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Each port is this output of the last node. */
  readonly outputs: Readonly<Record<string, string>>;
  /** These ports hand on what came in, by the port that it came in. */
  readonly through?: Readonly<Record<string, string>>;
}
