/** `nearfield classify`: the rows of one CSV file with the label that their nearest rows of another file vote for. */
import { Command, Option } from "commander";
import { writeCsv } from "../../io/index.ts";
import type { CsvCell } from "../../io/index.ts";
import { InvalidInputError, KNeighborsClassifier } from "../../node.ts";
import type { Weights } from "../../node.ts";
import type { Table } from "../../table/index.ts";
import { nameOf, readInputs, textOf } from "../inputs.ts";
import { labelClasses, scoreOf, trueLabels } from "../labels.ts";
import { addCommonOptions, checkCommonOptions, csvFormat, libraryOptions } from "../options.ts";
import type { CommonOptions } from "../options.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";
import { classificationOf, summaryOf } from "../summary.ts";

interface ClassifyOptions extends CommonOptions {
  readonly test: string;
  readonly label: string;
  readonly weights: Weights;
}

const help = `
The result holds the rows of the test file as they are, a column prediction(LABEL) and one column confidence(CLASS) per
class, in the order of the classes: numbers ascending, texts by code point. If the test file has the label too, accuracy
and confusion matrix are reported. With --json that is classification.accuracy and classification.confusion.

Examples:
  nearfield classify --train train.csv --test test.csv --label species --out predicted.csv
  nearfield classify --train train.csv --test test.csv --label digit --k 3 --id image --json --out predicted.csv
  zcat new.csv.gz | nearfield classify --train train.csv --test - --label species --weights distance > predicted.csv
  nearfield classify --train eu.csv --test new.csv --label Art --decimal , --features 'Höhe,"Länge, mm"'`;

export function classifyCommand(signal: AbortSignal): Command {
  const command = new Command("classify")
    .description("Predicts a label for every row of a CSV file by the vote of its k nearest training rows.")
    .usage("--train FILE --test FILE --label COLUMN [options]")
    .requiredOption("--train <file>", "CSV file of rows with the label; - is stdin")
    .requiredOption("--test <file>", "CSV file of rows to classify; - is stdin")
    .requiredOption("--label <column>", "the column to predict")
    .addOption(
      new Option("--weights <name>", "how neighbours vote")
        .choices(["uniform", "distance"])
        .default("uniform"),
    );
  return addCommonOptions(command)
    .addHelpText("after", help)
    .action((options: ClassifyOptions) => classify(options, signal));
}

async function classify(options: ClassifyOptions, signal: AbortSignal): Promise<void> {
  const { train: trainFile, test: testFile, label, k, weights, out, force = false } = options;
  checkOptions(options);
  const model = new KNeighborsClassifier({ ...libraryOptions(options), nNeighbors: k, weights });
  const target = await outputTarget(out, [trainFile, testFile], force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  try {
    const inputs = await readInputs(options, { queries: testFile, label }, signal, progress);
    const { train, queries: test, trainRows, queryRows } = inputs;
    const labels = labelClasses(train, label);
    const truth = trueLabels(test, label, labels.classes);
    const header = resultHeader(test, label, labels.texts);
    watch.lap("read");

    await model.fit(trainRows, labels.codes);
    signal.throwIfAborted();
    watch.lap("fit");

    const result = await model.classify(queryRows, { signal, onProgress: showQueries(progress) });
    watch.lap("search");

    // The labels given to fit were class numbers.
    const predicted = result.labels as number[];
    progress.show({ phase: "writing", unit: "rows", done: 0, total: undefined });
    const rows = resultRows(test, labels.texts, predicted, result.probabilities);
    await writeOutput(target, writeCsv(header, rows, csvFormat(options)), signal);
    watch.lap("write");

    progress.clear();
    const score = truth && scoreOf(truth, predicted, labels);
    const classification = classificationOf(label, weights, labels.texts, score);
    const { explanation } = result.neighbors;
    await report(summaryOf("classify", options, inputs, explanation, watch.seconds, classification), options);
  } finally {
    progress.clear();
    model.dispose();
  }
}

function checkOptions(options: ClassifyOptions): void {
  const { label, test, id, features } = options;
  checkCommonOptions(options, { option: "--test", file: test });
  if (features?.includes(label) || id === label) {
    const other = id === label ? "--id" : "one of --features";
    throw new InvalidInputError(`column ${JSON.stringify(label)} is both --label and ${other}; choose one`);
  }
}

/** @throws InvalidInputError when the test file uses a name that the result needs. */
function resultHeader(test: Table, label: string, classes: readonly string[]): string[] {
  const added = [`prediction(${label})`, ...classes.map((name) => `confidence(${name})`)];
  const taken = added.find((name) => test.has(name));
  if (taken !== undefined) {
    throw new InvalidInputError("the result adds a column of this name; rename it in the file or remove it", {
      file: nameOf(test),
      line: 1,
      column: taken,
    });
  }
  return [...(test.origin?.header ?? test.names), ...added];
}

/** @param probabilities row-major [rows][classes] */
function* resultRows(
  test: Table,
  classes: readonly string[],
  predicted: readonly number[],
  probabilities: Float64Array,
): Generator<CsvCell[]> {
  for (let row = 0; row < test.rows; row++) {
    const confidences = probabilities.subarray(row * classes.length, (row + 1) * classes.length);
    yield [...textOf(test, row), classes[predicted[row]], ...confidences];
  }
}
