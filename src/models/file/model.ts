/**
 * `saveModel` and `loadModel` turn a fitted estimator or pipeline into bytes and back. The file keeps the
 * training rows, labels, dictionaries, options and what the preparation learnt; loading fits the model on the
 * same rows again, so that its predictions are the same to the last bit. Devices are not part of a model.
 * docs/model-file.md describes the format.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import type { Matrix } from "../../core/matrix.ts";
import { deviceNames, type Device, type DeviceOptions } from "../../runtime/device.ts";
import { currentPlatform } from "../../core/platform.ts";
import { runYielding } from "../../core/async/yielding.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import { Table } from "../../table/table.ts";
import { KNeighborsClassifier } from "../classifier.ts";
import type { EncodedLabels, Label } from "../labels.ts";
import { NearestNeighbors } from "../nearestNeighbors.ts";
import { Pipeline, pipelineOf } from "../pipeline.ts";
import type { Estimator } from "../pipeline.ts";
import { checkSaved, preparationOf } from "../preparation/index.ts";
import { KNeighborsRegressor } from "../regressor.ts";
import { checkAgreement } from "./agreement.ts";
import { Misfit } from "./check.ts";
import { holds, loadColumn, saveColumn } from "./columns.ts";
import { ContainerWriter } from "./container.ts";
import { checkHeader } from "./header.ts";
import type { ModelHeader, PreparationHeader, SavedMatrix, SavedOptions } from "./header.ts";
import { ContainerReader } from "./reader.ts";

const NO_ESTIMATOR = "holds preparation alone, which predicts nothing; load it with loadPreparation";

/**
 * `loadModel` takes these options.
 * @example
 * const options: LoadOptions = { backend: "cpu", name: "near.nfm" };
 * const failing = loadModel(Uint8Array.of(1, 2, 3), options);
 * await failing.catch(({ place }: InvalidInputError) => place.file); // => "near.nfm"
 */
export interface LoadOptions extends DeviceOptions {
  /** This device is used and stays open; by default the model opens its own. */
  readonly device?: Device | undefined;
  /** Errors call the file by this name. */
  readonly name?: string | undefined;
  /** Stops the loading, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const optionNames: OptionNames<LoadOptions> = { ...deviceNames, device: 1, name: 1, signal: 1 };

/**
 * `loadModel` returns this.
 * @example
 * const train = Table.fromColumns({ height: [91, 42], species: ["thistle", "poppy"] });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit(train, "species");
 * const { pipeline, features, label }: LoadedModel = await loadModel(saveModel(model));
 * [features, label]; // => [["height"], "species"]
 * await pipeline.predict(Table.fromColumns({ height: [50] })); // => ["poppy"]
 * for (const each of [model, pipeline]) each.dispose();
 */
export interface LoadedModel {
  /** It has no steps if an estimator alone was saved. */
  readonly pipeline: Pipeline;
  /** The model compares these columns; undefined if it was fitted on a matrix. */
  readonly features: readonly string[] | undefined;
  /** The model predicts this column; undefined if it was fitted on a matrix. */
  readonly label: string | undefined;
  /** `saveModel` was given these notes. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/**
 * Returns the bytes of a model file.
 * @param notes plain data to keep along, such as who made it
 * @example
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit([[0], [9]], ["near", "far"]);
 * const bytes = saveModel(model, { madeFrom: "places.csv" }); // write them to a file, such as near.nfm
 * model.dispose();
 *
 * const { pipeline, notes } = await loadModel(bytes);
 * notes; // => { madeFrom: "places.csv" }
 * pipeline.dispose();
 * @throws InvalidInputError for a model that is not fitted, or that has a step of a class of your own
 */
export function saveModel(model: Estimator | Pipeline, notes: object = {}): Uint8Array {
  const pieces = [...modelPieces(model, notes)];
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/**
 * Yields the bytes that `saveModel` returns, from start to end in pieces of up to a mebibyte. They may be the
 * model's own memory: only read them.
 */
export function modelPieces(model: Estimator | Pipeline, notes: object = {}): Generator<Uint8Array> {
  const { applied: steps, model: estimator } = pipelineOf<Estimator>(model);
  if ((estimator as unknown) instanceof NearestNeighbors)
    throw new InvalidInputError("a search cannot be saved; save an estimator, or fit it again");
  const writer = new ContainerWriter();
  const { trained } = estimator;
  for (const step of steps) checkSaved(step);
  const header = {
    model: estimator instanceof KNeighborsClassifier ? "classifier" : "regressor",
    options: savedOptions(estimator, "table" in trained ? trained.features : undefined),
    preparation: steps.map((step) => step.toState()),
    train: "table" in trained ? saveTable(trained, writer) : saveMatrix(trained.matrix, writer),
    labels: saveLabels(trained.labels, writer),
    notes,
  };
  return writer.pieces(header);
}

/**
 * Returns the model of a file, fitted and ready to predict.
 * @example
 * const train = Table.fromColumns({ height: [91, 42], species: ["thistle", "poppy"] });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit(train, "species");
 * const bytes = saveModel(model);
 * model.dispose();
 *
 * const { pipeline, features } = await loadModel(bytes);
 * features; // => ["height"]
 * await pipeline.predict(Table.fromColumns({ height: [50] })); // => ["poppy"]
 * pipeline.dispose();
 * @throws InvalidInputError for bytes that are not a model, or are damaged, cut off or of a newer version
 */
export async function loadModel(bytes: Uint8Array, options: LoadOptions = {}): Promise<LoadedModel> {
  checkOptions(options, "loadModel", optionNames);
  const { name = "the model", signal, ...device } = options;
  const { memory = currentPlatform().memory } = device;
  signal?.throwIfAborted();
  try {
    const parts = await runYielding(readModel(bytes, name, memory), signal);
    const { header, labels } = parts;
    return {
      pipeline: await remake(parts, device),
      features: header.options.features,
      label: typeof labels === "string" ? labels : undefined,
      notes: header.notes,
    };
  } catch (error) {
    if (!(error instanceof InvalidInputError) || error.place.file !== undefined) throw error;
    throw new InvalidInputError(error.message, { file: name }, error);
  }
}

/**
 * Returns the options of the model, with the features named, since the file has no other columns. The options
 * of the device are left out.
 */
function savedOptions({ options }: Estimator, features: readonly string[] | undefined): SavedOptions {
  const { nNeighbors, weights, compat, metric, p, kernel, columnWeights, missing, precision } = options;
  return {
    nNeighbors,
    weights,
    compat,
    metric,
    p,
    kernel,
    columnWeights: columnWeights && Array.from(columnWeights),
    missing,
    precision,
    features,
  };
}

function saveTable(
  { table, features, labels }: { table: Table; features: readonly string[]; labels: unknown },
  writer: ContainerWriter,
): ModelHeader["train"] {
  const names = new Set(typeof labels === "string" ? [...features, labels] : features);
  return { columns: Array.from(names, (name) => saveColumn(table.column(name), writer)) };
}

function saveMatrix({ data, rows, cols, kinds, gaps }: Matrix, writer: ContainerWriter): SavedMatrix {
  return { rows, cols, kinds, gaps, data: writer.place(data) };
}

function saveLabels(
  labels: string | EncodedLabels | Float64Array,
  writer: ContainerWriter,
): ModelHeader["labels"] {
  if (typeof labels === "string") return labels;
  if (labels instanceof Float64Array) return writer.place(labels);
  return { classes: labels.classes, codes: writer.place(labels.codes) };
}

/** A file has these parts. */
interface FileParts {
  readonly header: ModelHeader;
  readonly train: Table | Matrix;
  /** Labels are the name of a column, each row's class, or each row's number. */
  readonly labels: string | Label[] | Float64Array;
}

function* readModel(bytes: Uint8Array, name: string, memory: number): Yielding<FileParts> {
  const reader = yield* ContainerReader.open(bytes, name, memory);
  const header = checkedHeader(reader);
  if (header.model === "preparation") throw new InvalidInputError(NO_ESTIMATOR, { file: name });
  return {
    header,
    train: yield* loadTrain(header.train, reader),
    labels: yield* loadLabels(header.labels, reader),
  };
}

/** Returns the header of a file of either kind, checked. */
export function checkedHeader(reader: ContainerReader): ModelHeader | PreparationHeader {
  try {
    const header = checkHeader(reader.header);
    checkAgreement(header, reader.bodyBytes);
    return header;
  } catch (error) {
    throw error instanceof Misfit ? reader.malformed(`${error.path} ${error.message}`) : error;
  }
}

function* loadTrain(train: ModelHeader["train"], reader: ContainerReader): Yielding<Table | Matrix> {
  if (!("columns" in train)) return { ...train, data: reader.array(train.data) };
  const columns = [];
  for (const column of train.columns) columns.push(yield* loadColumn(column, reader));
  return new Table(columns);
}

function* loadLabels(saved: ModelHeader["labels"], reader: ContainerReader): Yielding<FileParts["labels"]> {
  if (typeof saved === "string") return saved;
  if (!("classes" in saved)) return reader.array(saved) as Float64Array;
  const { classes } = saved;
  const codes = reader.array(saved.codes) as Uint32Array;
  if (yield* holds(codes, (code) => code >= classes.length)) throw reader.malformed("a label has no class");
  return Array.from(codes, (code) => classes[code]);
}

/** Makes the model as it was, and fits it on the same rows. */
async function remake({ header, train, labels }: FileParts, device: object): Promise<Pipeline> {
  const steps = header.preparation.map(preparationOf);
  const options = { ...header.options, ...device };
  const model =
    header.model === "classifier" ? new KNeighborsClassifier(options) : new KNeighborsRegressor(options);
  try {
    if (model instanceof KNeighborsClassifier) await model.fit(train, labels);
    else await model.fit(train, labels as string | Float64Array);
    return new Pipeline<Estimator>(steps, model);
  } catch (error) {
    model.dispose();
    throw error;
  }
}
