import type { Command } from "commander";
import type { OperatorEntry } from "../dist/graph/catalogue/operator.js";
import type { ProcessDocument } from "../dist/graph/index.js";

/** The commands whose options stand behind parameters, by what a person types. */
export function commandsOfOptions(): ReadonlyMap<string, Command>;
/** The pages by their names in docs/. */
export function operatorPages(): Promise<ReadonlyMap<string, string>>;
/** What is wrong with the pages of a folder, without one of docs/. */
export function stalePages(folder?: string): Promise<readonly string[]>;
/** The process with a node for the operator; undefined where there are no nodes to wire it to. */
export function exampleOf(entry: OperatorEntry): ProcessDocument | undefined;
/** A process of a node alone, with the nodes that it is wired to and those that they are. */
export function upTo(id: string, process: ProcessDocument): ProcessDocument;
/** What the checks find wrong with the example of an operator. */
export function problemsOf(
  process: ProcessDocument,
): readonly { readonly path: string; readonly message: string }[];
