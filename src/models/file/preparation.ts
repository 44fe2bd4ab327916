/**
 * `savePreparation` and `loadPreparation` do for fitted steps alone what model.ts does for estimators: the
 * file has the same form and its checks, and holds what the steps learnt, but no rows.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions } from "../../core/options.ts";
import { runYielding } from "../../core/async/yielding.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import { currentPlatform } from "../../core/platform.ts";
import { preparationOf } from "../preparation/index.ts";
import type { Preparation } from "../preparation/index.ts";
import { ContainerWriter } from "./container.ts";
import { checkedHeader } from "./model.ts";
import type { LoadOptions } from "./model.ts";
import { ContainerReader } from "./reader.ts";

/**
 * `loadPreparation` returns this.
 * @example
 * const step = new Normalize({ method: "range" }).fit(Table.fromColumns({ x: [0, 10] }));
 * const loaded: LoadedPreparation = await loadPreparation(savePreparation([step]));
 * loaded.steps.length; // => 1
 */
export interface LoadedPreparation {
  /** These steps are fitted, and are applied in this order. */
  readonly steps: readonly Preparation[];
  /** `savePreparation` was given these notes. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/**
 * Returns the bytes of a model file that holds fitted steps alone, so that other programs prepare rows as
 * these were.
 * @param steps `Normalize` and `ReplaceMissingValues`, in the order in which they are applied
 * @param notes plain data to keep along, such as who made it
 * @example
 * const step = new Normalize({ method: "range" }).fit(Table.fromColumns({ x: [0, 10] }));
 * const bytes = savePreparation([step], { madeFrom: "rows.csv" });
 *
 * const { steps, notes } = await loadPreparation(bytes);
 * const table = steps.reduce((made, each) => each.transform(made), Table.fromColumns({ x: [5] }));
 * encode(table, ["x"]).data; // => [0.5]
 * notes; // => { madeFrom: "rows.csv" }
 * @throws InvalidInputError for a step that is not fitted, or of a class of your own
 */
export function savePreparation(steps: readonly Preparation[], notes: object = {}): Uint8Array {
  const preparation = steps.map((step) => step.toState());
  preparation.forEach(preparationOf);
  const pieces = [...new ContainerWriter().pieces({ model: "preparation", preparation, notes })];
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/**
 * Returns the steps of a file that `savePreparation` made.
 * @example
 * const step = new ReplaceMissingValues({ by: "zero" }).fit(Table.fromColumns({ x: [7, null] }));
 * const { steps } = await loadPreparation(savePreparation([step]));
 * encode(steps[0].transform(Table.fromColumns({ x: [null, 3] })), ["x"]).data; // => [0, 3]
 * @throws InvalidInputError for bytes that are not a model, or are damaged, cut off or of a newer version,
 *   and for a model that predicts, which `loadModel` loads
 */
export async function loadPreparation(
  bytes: Uint8Array,
  options: Pick<LoadOptions, "name" | "memory" | "signal"> = {},
): Promise<LoadedPreparation> {
  checkOptions(options, "loadPreparation", { name: 1, memory: 1, signal: 1 });
  const { name = "the model", memory = currentPlatform().memory, signal } = options;
  return await runYielding(readPreparation(bytes, name, memory), signal);
}

/**
 * Says whether a file holds preparation alone.
 * @throws InvalidInputError as `loadModel` does
 */
export function holdsPreparation(
  bytes: Uint8Array,
  {
    name = "the model",
    memory = currentPlatform().memory,
    signal,
  }: Pick<LoadOptions, "name" | "memory" | "signal">,
): Promise<boolean> {
  return runYielding(kindOf(bytes, name, memory), signal);
}

function* kindOf(bytes: Uint8Array, name: string, memory: number): Yielding<boolean> {
  return checkedHeader(yield* ContainerReader.open(bytes, name, memory)).model === "preparation";
}

function* readPreparation(bytes: Uint8Array, name: string, memory: number): Yielding<LoadedPreparation> {
  const reader = yield* ContainerReader.open(bytes, name, memory);
  const header = checkedHeader(reader);
  if (header.model === "preparation")
    return { steps: header.preparation.map(preparationOf), notes: header.notes };
  throw new InvalidInputError(`holds a ${header.model}; load it with loadModel`, { file: name });
}
