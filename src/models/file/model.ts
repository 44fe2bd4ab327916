/**
 * `saveModel` and `loadModel`: a fitted estimator or pipeline as bytes and back. The file keeps the training rows, labels,
 * dictionaries, options and what the preparation learnt; loading fits the model on the same rows again, so that its
 * predictions are the same to the last bit. Devices are not part of a model. docs/model-file.md describes the format.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { Device, DeviceOptions } from "../../runtime/device.ts";
import { Table } from "../../table/table.ts";
import { KNeighborsClassifier } from "../classifier.ts";
import type { EncodedLabels, Label } from "../labels.ts";
import { Pipeline, pipelineOf } from "../pipeline.ts";
import type { Estimator } from "../pipeline.ts";
import { preparationOf } from "../preparation/index.ts";
import type { PreparationState } from "../preparation/index.ts";
import { KNeighborsRegressor } from "../regressor.ts";
import { isTexts, loadColumn, saveColumn } from "./columns.ts";
import type { SavedColumn } from "./columns.ts";
import { ContainerReader, ContainerWriter } from "./container.ts";
import type { ArrayPlace } from "./container.ts";

/** The header of a model file. */
interface Header {
  readonly model: "classifier" | "regressor";
  /** Of the estimator, but for its device. */
  readonly options: object;
  readonly preparation: readonly PreparationState[];
  readonly train: SavedTable | SavedMatrix;
  /** The name of a column of train, class numbers with their classes, or numbers. */
  readonly labels: string | { readonly classes: readonly Label[]; readonly codes: ArrayPlace } | ArrayPlace;
  readonly notes: object;
}

interface SavedTable {
  readonly columns: readonly SavedColumn[];
}

type SavedMatrix = Omit<Matrix, "data"> & { readonly data: ArrayPlace };

/**
 * What `loadModel` takes.
 * @example
 * const options: LoadOptions = { backend: "cpu", name: "near.nfm" };
 * const failing = loadModel(Uint8Array.of(1, 2, 3), options);
 * await failing.catch(({ place }: InvalidInputError) => place.file); // => "near.nfm"
 */
export interface LoadOptions extends DeviceOptions {
  /** A device to use and keep open; default the model opens its own. */
  readonly device?: Device | undefined;
  /** How errors call the file. */
  readonly name?: string | undefined;
}

/**
 * What `loadModel` gives.
 * @example
 * const train = Table.fromColumns({ height: [91, 42], species: ["thistle", "poppy"] });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit(train, "species");
 * const { pipeline, features, label }: LoadedModel = await loadModel(saveModel(model));
 * [features, label]; // => [["height"], "species"]
 * await pipeline.predict(Table.fromColumns({ height: [50] })); // => ["poppy"]
 * for (const each of [model, pipeline]) each.dispose();
 */
export interface LoadedModel {
  /** Without steps where an estimator alone was saved. */
  readonly pipeline: Pipeline;
  /** The columns the model compares, and the one it predicts; undefined where it was fitted on a matrix. */
  readonly features: readonly string[] | undefined;
  readonly label: string | undefined;
  /** What `saveModel` was given along. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/**
 * The bytes of a model file.
 * @param notes plain data to keep along, such as who made it
 * @example
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit([[0], [9]], ["near", "far"]);
 * const bytes = saveModel(model, { madeFrom: "places.csv" }); // write them to a file, such as near.nfm
 * model.dispose();
 *
 * const { pipeline, notes } = await loadModel(bytes);
 * notes; // => { madeFrom: "places.csv" }
 * pipeline.dispose();
 * @throws InvalidInputError for a model that is not fitted
 */
export function saveModel(model: Estimator | Pipeline, notes: object = {}): Uint8Array {
  const { steps, model: estimator } = pipelineOf<Estimator>(model);
  const writer = new ContainerWriter();
  const { trained } = estimator;
  const header: Header = {
    model: estimator instanceof KNeighborsClassifier ? "classifier" : "regressor",
    options: savedOptions(estimator, "table" in trained ? trained.features : undefined),
    preparation: steps.map((step) => step.toState()),
    train: "table" in trained ? saveTable(trained, writer) : saveMatrix(trained.matrix, writer),
    labels: saveLabels(trained.labels, writer),
    notes,
  };
  return writer.finish(header);
}

/**
 * The model of a file, fitted and ready to predict.
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
 * @throws InvalidInputError for bytes that are no model, damaged, cut off, or of a newer version
 */
export async function loadModel(bytes: Uint8Array, options: LoadOptions = {}): Promise<LoadedModel> {
  const { name = "the model", ...device } = options;
  const reader = new ContainerReader(bytes, name);
  const header = checkedHeader(reader);
  const labels = loadLabels(header.labels, reader);
  try {
    return {
      pipeline: await remake(header, labels, device, reader),
      features: featuresOf(header, reader),
      label: typeof labels === "string" ? labels : undefined,
      notes: header.notes as Readonly<Record<string, unknown>>,
    };
  } catch (error) {
    if (!(error instanceof InvalidInputError) || error.place.file !== undefined) throw error;
    throw new InvalidInputError(error.message, { file: name }, error);
  }
}

/** Features are named, since the file has no other columns; options of the device stay behind. */
function savedOptions({ options }: Estimator, features: readonly string[] | undefined): object {
  const { device, backend, gpu, gpuDevice, threads, memory, deviceMemory, tiles, roles, ...kept } = options;
  const { columnWeights } = kept;
  const weights = columnWeights ? { columnWeights: Array.from(columnWeights) } : {};
  return { ...kept, ...weights, ...(features ? { features } : {}) };
}

function saveTable(
  { table, features, labels }: { table: Table; features: readonly string[]; labels: unknown },
  writer: ContainerWriter,
): SavedTable {
  const names = typeof labels === "string" ? [...features, labels] : features;
  return { columns: names.map((name) => saveColumn(table.column(name), writer)) };
}

function saveMatrix({ data, ...shape }: Matrix, writer: ContainerWriter): SavedMatrix {
  return { ...shape, data: writer.place(data) };
}

function saveLabels(
  labels: string | EncodedLabels | Float64Array,
  writer: ContainerWriter,
): Header["labels"] {
  if (typeof labels === "string") return labels;
  if (labels instanceof Float64Array) return writer.place(labels);
  return { classes: labels.classes, codes: writer.place(labels.codes) };
}

function checkedHeader(reader: ContainerReader): Header {
  const header = reader.header as Partial<Header> | null;
  const { model, options, preparation, train, labels, notes } = header ?? {};
  if (model !== "classifier" && model !== "regressor")
    throw reader.malformed(`its kind is ${JSON.stringify(model)}, not classifier or regressor`);
  const parts = { options, preparation, train, notes };
  for (const [name, part] of Object.entries(parts))
    if (typeof part !== "object" || part === null) throw reader.malformed(`it has no ${name}`);
  if (labels === undefined) throw reader.malformed("it has no labels");
  if (!Array.isArray(preparation) || !preparation.every(isState))
    throw reader.malformed("its preparation is no list of steps");
  return header as Header;
}

function isState(state: unknown): state is PreparationState {
  const { step, options, columns } = (state ?? {}) as Partial<PreparationState>;
  const entries =
    Array.isArray(columns) && columns.every((entry) => Array.isArray(entry) && entry.length === 2);
  return typeof step === "string" && typeof options === "object" && options !== null && entries;
}

function loadTrain(train: Partial<SavedTable & SavedMatrix>, reader: ContainerReader): Table | Matrix {
  if (Array.isArray(train.columns)) {
    const columns = train.columns.map((column) => loadColumn(column, reader));
    const lengths = columns.map(
      (column) => (column.kind === "numeric" ? column.values : column.codes).length,
    );
    const names = new Set(columns.map(({ name }) => name));
    if (names.size === 0 || names.size < columns.length || lengths.some((length) => length !== lengths[0]))
      throw reader.malformed("its columns differ in length, or share a name");
    return new Table(columns);
  }
  return { ...(train as SavedMatrix), data: reader.array(train.data) };
}

type Labels = string | { readonly classes: readonly Label[]; readonly codes: Uint32Array } | Float64Array;

function loadLabels(saved: Header["labels"], reader: ContainerReader): Labels {
  if (typeof saved === "string") return saved;
  if (typeof saved === "object" && "classes" in saved) {
    const codes = reader.array(saved.codes);
    const { classes } = saved;
    const isClass = (value: unknown) => typeof value === "string" || typeof value === "number";
    if (!(codes instanceof Uint32Array) || !Array.isArray(classes) || !classes.every(isClass))
      throw reader.malformed("its labels are no classes with codes");
    if (codes.some((code) => code >= classes.length)) throw reader.malformed("a label has no class");
    return { classes, codes };
  }
  const numbers = reader.array(saved);
  if (numbers instanceof Float64Array) return numbers;
  throw reader.malformed("its labels are no float64 numbers");
}

/** The model as it was, fitted on the same rows. */
async function remake(
  header: Header,
  labels: Labels,
  device: object,
  reader: ContainerReader,
): Promise<Pipeline> {
  const train = loadTrain(header.train, reader);
  const steps = header.preparation.map(preparationOf);
  const options = { ...header.options, ...device };
  const model =
    header.model === "classifier" ? new KNeighborsClassifier(options) : new KNeighborsRegressor(options);
  try {
    if (model instanceof KNeighborsClassifier) await model.fit(train, classLabels(labels, reader));
    else await model.fit(train, numberLabels(labels, reader));
    return new Pipeline<Estimator>(steps, model);
  } catch (error) {
    model.dispose();
    throw error;
  }
}

function featuresOf({ options }: Header, reader: ContainerReader): readonly string[] | undefined {
  const { features } = options as { readonly features?: unknown };
  if (features === undefined || isTexts(features)) return features;
  throw reader.malformed("its features are no names");
}

function classLabels(labels: Labels, reader: ContainerReader): string | Label[] {
  if (typeof labels === "string") return labels;
  if (labels instanceof Float64Array) throw reader.malformed("a classifier has numbers for labels");
  return Array.from(labels.codes, (code) => labels.classes[code]);
}

function numberLabels(labels: Labels, reader: ContainerReader): string | Float64Array {
  if (typeof labels === "string" || labels instanceof Float64Array) return labels;
  throw reader.malformed("a regressor has classes for labels");
}
