/**
 * `nearfield classify` writes the rows of one file with the label that their nearest rows of another file
 * vote for.
 */
import { Command } from "commander";
import { addModelOptions } from "../options/model.ts";
import type { ModelOptions } from "../options/model.ts";
import { runModel } from "./modelRun.ts";
import { addConfidenceOptions } from "../options/confidence.ts";

const help = `
The result holds the rows of the test file as they are, a column prediction(LABEL) and one column confidence(CLASS) per
class, in the order of the classes: numbers ascending, texts by code point. With more than 20 classes there is one column confidence,
that of the prediction; --confidence none, top or all chooses otherwise. If the test file has the label too, accuracy, kappa
and confusion matrix are reported. With --json that is classification.accuracy and classification.confusion, whose matrix is null
for more than 1000 classes.

--report writes a page for a browser: the confusion matrix as a heat map, the measures of each class, and the wrong rows of
the folds and of the test file beside the neighbours that voted, with rows of pixels as pictures.

--cv reports how well the training rows predict each other; folds are stratified, and preparation is fitted within each.
With --compat rapidminer classes are in order of first appearance, and k may exceed the number of rows.

Files may be CSV, JSON lines, Parquet, or matrices (.npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin, IDX, .ply,
.xyz), whose columns are called 0, 1 and so on, or x, y and z; each also with .gz.

Examples:
  nearfield classify --train train.csv --test test.csv --label species --out predicted.csv
  nearfield classify --train train.csv --test test.csv --label digit --k 3 --id image --json --out predicted.csv
  zcat new.csv.gz | nearfield classify --train train.csv --test - --label species --weights distance > predicted.csv
  nearfield classify --train eu.csv --test new.csv --label Art --decimal , --features 'Höhe,"Länge, mm"'
  nearfield classify --train train.csv --label species --normalize z --cv 10
  nearfield classify --train train.csv --label species --impute average --normalize z --save-model species.nfm`;

export function classifyCommand(signal: AbortSignal): Command {
  const command = new Command("classify")
    .description("Predicts a label for every row of a file by the vote of its k nearest training rows.")
    .usage("--train FILE --test FILE --label COLUMN [options]");
  return addConfidenceOptions(addModelOptions(command))
    .addHelpText("after", help)
    .action((options: ModelOptions) => runModel("classify", options, signal));
}
