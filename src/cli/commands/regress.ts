/**
 * `nearfield regress` writes the rows of one file with the mean label of their nearest rows of another file.
 */
import { Command } from "commander";
import { addModelOptions } from "../options/model.ts";
import type { ModelOptions } from "../options/model.ts";
import { runModel } from "./modelRun.ts";

const help = `
The result holds the rows of the test file as they are and a column prediction(LABEL). If the test file has the label too,
RMSE, MAE, correlation and R2 are reported. With --json they are in regression.

--cv reports how well the training rows predict each other; rows are shuffled, and preparation is fitted within each fold.

Files may be CSV, JSON lines, Parquet, or matrices (.npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin, IDX, .ply,
.xyz), whose columns are called 0, 1 and so on, or x, y and z; each also with .gz.

Examples:
  nearfield regress --train flats.csv --test new.csv --label rent --normalize z --weights distance --out predicted.csv
  nearfield regress --train cars.csv --label mpg --ignore name --normalize z --cv 10
  nearfield regress --train flats.csv --label rent --save-model rent.nfm`;

export function regressCommand(signal: AbortSignal): Command {
  const command = new Command("regress")
    .description("Predicts a number for every row of a file by the mean of its k nearest training rows.")
    .usage("--train FILE --test FILE --label COLUMN [options]");
  return addModelOptions(command)
    .addHelpText("after", help)
    .action((options: ModelOptions) => runModel("regress", options, signal));
}
