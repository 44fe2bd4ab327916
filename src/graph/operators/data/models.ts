/**
 * Read Model and Write Model read and write trained chains as model files, by the library's saveModel and
 * loadModel.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { decompressed } from "../../../io/index.ts";
import { collectModel } from "../../../models/file/collect.ts";
import { loadModel, modelPieces } from "../../../models/file/model.ts";
import { holdsPreparation, loadPreparation, savePreparation } from "../../../models/file/preparation.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { file, flag } from "../../catalogue/parameters.ts";
import type { ModelValue } from "../../values.ts";

export const readModel = operator({
  id: "readModel",
  version: 1,
  title: "Read Model",
  group: "Data",
  says: "Reads a model file, of an estimator with its preparation or of preparation alone.",
  inputs: {},
  outputs: { model: output("Model", "the trained chain, as it was saved") },
  parameters: {
    file: file({ says: "the file, such as species.nfm, relative to the process" }),
    float32: flag({
      default: false,
      ofDevice: true,
      says: "take a model that was saved with float32, whose distances are as the device computes them",
    }),
  },
  check: () => ({ model: { kind: "file" } }),
  run: async (_, { float32 }, { source, device, signal }) => {
    const opened = source();
    const { name } = opened;
    const pieces = (await decompressed(opened, signal === undefined ? {} : { signal })).stream(signal);
    const bytes = await collectModel(pieces, { name, memory: undefined, signal });
    if (await holdsPreparation(bytes, { name, signal })) {
      const { steps } = await loadPreparation(bytes, { name, signal });
      return { model: { kind: "preparation", steps } };
    }
    const { pipeline, label } = await loadModel(bytes, { name, device, signal });
    const ofDevice = pipeline.model.options.precision === "float32";
    if (label !== undefined && (float32 || !ofDevice))
      return { model: { kind: "estimator", pipeline, label } };
    pipeline.dispose();
    throw new InvalidInputError(
      label === undefined
        ? "was trained on a matrix, without names of columns; train on a table, or predict with nearfield predict"
        : "was saved with float32, so that its results are of one device alone; set float32 here too",
      { file: name },
    );
  },
});

export const writeModel = operator({
  id: "writeModel",
  version: 1,
  title: "Write Model",
  group: "Data",
  says: "Writes a trained chain as a model file, which holds its training rows, or preparation alone.",
  inputs: { model: input("Model", "what to write") },
  outputs: {},
  parameters: { file: file({ says: "the file, such as species.nfm, relative to the process or to --out" }) },
  effect: true,
  check: () => ({}),
  run: async ({ model }, _, { write }) => {
    await write(piecesOf(model));
    return {};
  },
});

async function* piecesOf(model: ModelValue): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const pieces = model.kind === "preparation" ? [savePreparation(model.steps)] : modelPieces(model.pipeline);
  for (const piece of pieces) yield piece as Uint8Array<ArrayBuffer>;
}
