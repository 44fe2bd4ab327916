import type { ProcessDocument } from "../dist/graph/index.js";
import type { OperatorEntry } from "../dist/graph/catalogue/operator.js";

/** The text of docs/operators.md. */
export function operatorsPage(): Promise<string>;
/** The process with a node for the operator; undefined where there are no nodes to wire it to. */
export function exampleOf(entry: OperatorEntry): ProcessDocument | undefined;
/** What the checks find wrong with the example of an operator. */
export function problemsOf(
  process: ProcessDocument,
): readonly { readonly path: string; readonly message: string }[];
