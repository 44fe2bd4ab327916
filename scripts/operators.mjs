// `node scripts/operators.mjs [--check]`: writes docs/operators.md, a section for each operator, from the
// catalogue and the commands, or says whether it is as they are. Needs a build first. Nothing is described
// here: examples and slips are in operatorExamples.mjs, and what is said of a slip is what the checks say.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { classifyCommand } from "../dist/cli/commands/classify.js";
import { convolveCommand } from "../dist/cli/commands/convolve.js";
import { histogramCommand } from "../dist/cli/commands/histogram.js";
import { predictCommand } from "../dist/cli/commands/predict.js";
import { regressCommand } from "../dist/cli/commands/regress.js";
import { searchCommand } from "../dist/cli/commands/search.js";
import { sortCommand } from "../dist/cli/commands/sort.js";
import { ParameterOption } from "../dist/cli/options/parameter.js";
import { entries } from "../dist/graph/catalogue/catalogue.js";
import { defaultOf } from "../dist/graph/catalogue/parameters.js";
import { checkProcess, printProcess } from "../dist/graph/index.js";
import { around, commands, examples, file, slips } from "./operatorExamples.mjs";

const path = fileURLToPath(new URL("../docs/operators.md", import.meta.url));

const head = `# The operators of processes

Each operator of a [process](process-files.md) with its inputs, outputs and parameters, in the order of
\`nearfield operators\`. The page is made of the catalogue, as are the checks, \`--set\`, the JSON Schema and the
options of \`classify\`, \`regress\`, \`predict\`, \`search\`, \`convolve\`, \`sort\` and \`histogram\`: where an option says the same as a parameter, it
stands behind it.

The examples stand in the process of that page: \`read\`, \`roles\`, \`split\`, \`normalize\`, \`knn\` and \`apply\` are
its nodes. A value of the wrong kind, or one out of range, is refused before anything runs, and so are inputs
that are not wired, columns that the rows lack, and parameters that an operator does not have.
`;

/** The most choices that are listed. */
const LISTED = 12;

/** The text of the page. */
export async function operatorsPage() {
  const options = new Map();
  for (const make of [
    ...[classifyCommand, regressCommand, predictCommand, searchCommand],
    ...[convolveCommand, sortCommand, histogramCommand],
  ])
    for (const option of make(new AbortController().signal).options)
      if (option instanceof ParameterOption)
        for (const parameter of option.parameters)
          options.set(parameter, (options.get(parameter) ?? new Set()).add(option.long));
  const groups = [...new Set(entries.map(({ group }) => group))];
  const first = new Map();
  const sections = groups.flatMap((group) => [
    `## ${group}`,
    ...entries.filter((each) => each.group === group).flatMap((entry) => sectionOf(entry, options, first)),
  ]);
  const config = await resolveConfig(path);
  return format([head, ...sections].join("\n\n"), { ...config, parser: "markdown", proseWrap: "always" });
}

function sectionOf(entry, options, first) {
  const { id, title, says, inputs, outputs } = entry;
  const example = exampleOf(entry);
  const refused = (slips[id] ?? []).map((slip) => `- ${slipText(entry, slip)}`);
  const command = commands[id];
  return [
    `### ${title}`,
    says,
    list("Inputs", inputs.map(inputText)),
    list("Outputs", outputsOf(outputs)),
    list("Parameters", parametersOf(entry, options, first)),
    ...(example === undefined ? [] : [`\`\`\`json\n${lineOf(example, id)}\n\`\`\``]),
    ...(refused.length === 0 ? [] : [`It refuses, for instance:`, refused.join("\n")]),
    ...(command === undefined ? [] : [`As a command: \`${command}\``]),
  ].filter((part) => part !== "");
}

function list(title, lines) {
  return lines.length === 0 ? "" : [`${title}:`, "", ...lines.map((line) => `- ${line}`)].join("\n");
}

function inputText({ name, types, optional, says }) {
  return `\`${name}\` (${types.join(" or ")}${optional ? ", optional" : ""}): ${says}`;
}

/** Outputs that differ in a number alone stand on one line. */
function outputsOf(outputs) {
  const alike = new Map();
  for (const { name, type, says } of outputs) {
    const key = `${type} ${says.replace(/\d+/g, "N")}`;
    alike.set(key, [...(alike.get(key) ?? []), { name, type, says }]);
  }
  return [...alike.values()].map(([{ name, type, says }, ...more]) => {
    const names = more.length === 0 ? `\`${name}\`` : `\`${name}\` to \`${more.at(-1).name}\``;
    return `${names} (${type}): ${more.length === 0 ? says : says.replace(/\d+/g, "of that number")}`;
  });
}

/** Parameters that an operator further up has too are named alone. */
function parametersOf({ title, parameters, described }, options, first) {
  const before = new Map();
  const own = parameters.flatMap((parameter) => {
    const seen = first.get(described[parameter.name]);
    if (seen !== undefined) {
      before.set(seen, [...(before.get(seen) ?? []), `\`${parameter.name}\``]);
      return [];
    }
    first.set(described[parameter.name], title);
    return [parameterText(parameter, options.get(described[parameter.name]))];
  });
  const shared = [...before].map(
    ([of, names]) => `${names.join(", ")}: as of [${of}](#${of.toLowerCase().replaceAll(" ", "-")})`,
  );
  return [...shared, ...own];
}

function parameterText(parameter, options) {
  const { name, says, not, expects, choices = [], required } = parameter;
  const values = choices.length > LISTED ? `one of ${choices.length} names` : expects;
  const usual = defaultOf(parameter);
  const given = required ? "; required" : usual === undefined ? "" : `; default: ${usual}`;
  const option =
    options === undefined ? "" : `. Option: ${[...options].map((long) => `\`${long}\``).join(", ")}`;
  return `\`${name}\` (${escaped(values + given)}): ${escaped(says)}${not === undefined ? "" : `; false: ${not}`}${option}`;
}

/** Signs that Markdown would take for its own. */
function escaped(text) {
  return text.replace(/[<>*_#]/g, "\\$&");
}

/** The process with a node for the operator, wired to nodes of its types; undefined where there are none. */
export function exampleOf({ id, inputs, described }) {
  const { inputs: wires = {}, parameters = {} } = examples[id] ?? {};
  const wired = inputs.filter(({ optional, name }) => !optional || Object.hasOwn(wires, name));
  const from = wired.map(({ name, types }) => [name, wires[name] ?? around.wires[types[0]]]);
  const needed = Object.entries(described).filter(([, { required }]) => required);
  if (from.some(([, wire]) => wire === undefined)) return undefined;
  if (needed.some(([name]) => !Object.hasOwn(parameters, name))) return undefined;
  const node = {
    operator: id,
    ...(from.length === 0 ? {} : { inputs: Object.fromEntries(from) }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  };
  return { nearfield: 1, nodes: { ...around.nodes, [id]: node } };
}

/** What the checks find wrong with the example of an operator. */
export function problemsOf(process) {
  const files = new Map(Object.keys(process.nodes).map((id) => [id, file]));
  return checkProcess(process, { files });
}

/** The line of a node in the printed form; other nodes of the process may be wired to it. */
function lineOf(process, id) {
  const found = printProcess(process)
    .split("\n")
    .find((line) => line.startsWith(`    "${id}": `));
  return found.trim().replace(/,$/, "");
}

/** A slip, and what the checks say of it. */
function slipText(entry, { inputs, parameters }) {
  const process = exampleOf(entry);
  const node = process.nodes[entry.id];
  const changed = {
    ...node,
    inputs: { ...node.inputs, ...inputs },
    parameters: { ...node.parameters, ...parameters },
  };
  const nodes = { ...process.nodes, [entry.id]: changed };
  const found = problemsOf({ ...process, nodes }).find(({ path }) => path.startsWith(`nodes.${entry.id}.`));
  if (found === undefined) throw new Error(`the checks refuse no ${JSON.stringify(changed)}`);
  const given = { ...inputs, ...parameters };
  const slip = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const place = found.path.split(".").at(-1);
  const where = Object.keys(given).join() === place ? "" : `\`${place}\` `;
  return `\`${slip.join(", ")}\`: ${where}${escaped(found.message)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const page = await operatorsPage();
  if (!process.argv.includes("--check")) await writeFile(path, page);
  else if ((await readFile(path, "utf8")) !== page) {
    console.log("docs/operators.md is not what the catalogue says; run node scripts/operators.mjs");
    process.exitCode = 1;
  }
}
