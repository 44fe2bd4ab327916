/** Writes the settings of a run as a program that does the same with the library. */
import { readOptions } from "../options/reading.ts";
import { foldOptions, type ModelOptions } from "../options/model.ts";
import { searchOptions } from "../options/shared.ts";

/** @param features the columns that are compared, which are named where options chose them */
export function modelProgram(
  command: "classify" | "regress",
  options: ModelOptions,
  features: readonly string[],
): string {
  const {
    train,
    test,
    label,
    k,
    weights,
    compat,
    impute,
    normalize,
    cv,
    group,
    sampleWeight,
    id,
    ignore,
    nominal,
    numeric,
  } = options;
  const name = command === "classify" ? "KNeighborsClassifier" : "KNeighborsRegressor";
  const chosen = options.features ?? id ?? ignore ?? group ?? sampleWeight;
  const model = `new ${name}(${literal({
    nNeighbors: k,
    ...(weights === "uniform" ? {} : { weights }),
    compat,
    ...changed(searchOptions(options)),
    ...(chosen === undefined ? {} : { features }),
  })})`;
  const steps = [
    ...(impute ? [`new ReplaceMissingValues(${literal(impute)})`] : []),
    ...(normalize ? [`new Normalize(${literal({ ...normalize, compat })})`] : []),
  ];
  const uses = [
    name,
    ...(impute ? ["ReplaceMissingValues"] : []),
    ...(normalize ? ["Normalize"] : []),
    ...(steps.length > 0 ? ["Pipeline"] : []),
    ...(cv === undefined ? [] : ["crossValidate"]),
    "readTable",
  ];
  const kinds = { ...changed(readOptions(options)), nominal, numeric };
  const read = (file: string) => `await readTable(${call(JSON.stringify(file), kinds)})`;
  return [
    `import { ${uses.join(", ")} } from "nearfield";`,
    "",
    `const train = ${read(train)};`,
    `const model = ${steps.length === 0 ? model : `new Pipeline([${steps.join(", ")}], ${model})`};`,
    ...(cv === undefined
      ? []
      : [
          `const { micro } = await crossValidate(${call("model", "train", JSON.stringify(label), { ...foldOptions({ ...options, cv }), sampleWeights: sampleWeight })});`,
          `console.log(micro.${command === "classify" ? "accuracy" : "rmse"});`,
        ]),
    ...(test === undefined
      ? []
      : [
          `await model.fit(train, ${JSON.stringify(label)});`,
          `console.log(await model.predict(${read(test)}));`,
        ]),
    "model.dispose();",
  ].join("\n");
}

/** Leaves out what is as it is by default. */
function changed(options: object): object {
  const defaults: Readonly<Record<string, unknown>> = { decimal: ".", header: true, precision: "float64" };
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => defaults[name] !== value));
}

/** Writes arguments; options that say nothing are left out. */
function call(...args: readonly (string | object)[]): string {
  const texts = args.map((arg) => (typeof arg === "string" ? arg : literal(arg)));
  return texts.filter((text) => text !== "").join(", ");
}

/** Writes an object as code; an empty one is nothing. */
function literal(value: object): string {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return "";
  return `{ ${entries.map(([name, each]) => `${name}: ${JSON.stringify(each)}`).join(", ")} }`;
}
