// `node scripts/operators.mjs [--check]`: writes docs/operators/ID.md for each operator, from the catalogue
// and the commands, and docs/operators.md, which lists them; or says which pages are not as those are. Needs
// a build first. Nothing is described here: examples and slips are in operatorExamples.mjs, and what is said
// of a slip is what the checks say.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { classifyCommand } from "../dist/cli/commands/classify.js";
import { cloudCommand } from "../dist/cli/commands/cloud.js";
import { convolveCommand } from "../dist/cli/commands/convolve.js";
import { distancesCommand } from "../dist/cli/commands/distances.js";
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

const docs = fileURLToPath(new URL("../docs", import.meta.url));

const head = `# The operators of processes

Each operator of a [process](process-files.md) has a page of its inputs, outputs and parameters, with an
example. The pages are made of the catalogue, as are the checks, \`--set\`, the JSON Schema,
\`nearfield operators ID\` and options of commands: where an option says the same as a parameter, it stands
behind it.

A value of the wrong kind, or one out of range, is refused before anything runs, and so are inputs that are
not wired, columns that the rows lack, and parameters that an operator does not have.
`;

/** The commands whose options stand behind parameters, by what a person types. */
export function commandsOfOptions() {
  const { signal } = new AbortController();
  const made = [
    ...[classifyCommand, regressCommand, predictCommand, searchCommand, distancesCommand],
    ...[convolveCommand, sortCommand, histogramCommand],
  ].map((make) => make(signal));
  const cloud = cloudCommand(signal);
  return new Map([
    ...made.map((each) => [each.name(), each]),
    ...cloud.commands.map((each) => [`cloud ${each.name()}`, each]),
  ]);
}

/** The pages by their names in docs/. */
export async function operatorPages() {
  const options = optionsOfParameters();
  const pages = entries.map((entry) => [pageOf(entry), textOf(entry, options)]);
  const config = await resolveConfig(docs);
  const made = [["operators.md", indexText()], ...pages].map(async ([name, text]) => [
    name,
    await format(text, { ...config, parser: "markdown", proseWrap: "always" }),
  ]);
  return new Map(await Promise.all(made));
}

function pageOf({ id }) {
  return `operators/${id}.md`;
}

function optionsOfParameters() {
  const options = new Map();
  for (const command of commandsOfOptions().values())
    for (const option of command.options)
      if (option instanceof ParameterOption)
        for (const parameter of option.parameters)
          options.set(parameter, (options.get(parameter) ?? new Set()).add(option.long));
  return options;
}

function indexText() {
  const groups = [...new Set(entries.map(({ group }) => group))];
  const sections = groups.flatMap((group) => {
    const own = entries.filter((each) => each.group === group);
    const lines = own.map((each) => `- [${each.title}](${pageOf(each)}) (\`${each.id}\`): ${each.says}`);
    return [`## ${group}`, lines.join("\n")];
  });
  return [head, ...sections].join("\n\n");
}

function textOf(entry, options) {
  const { id, title, group, says, inputs, outputs, parameters, described } = entry;
  const example = exampleOf(entry);
  const refused = (slips[id] ?? []).map((slip) => `- ${slipText(entry, slip)}`);
  const command = commands[id];
  return [
    `# ${title}`,
    says,
    `\`${id}\`, one of [the operators](../operators.md) of the group ${group}.`,
    list("Inputs", inputs.map(inputText)),
    list("Outputs", outputsOf(outputs)),
    list(
      "Parameters",
      parameters.map((each) => parameterText(each, options.get(described[each.name]))),
    ),
    ...(example === undefined
      ? []
      : ["In a process:", `\`\`\`json\n${printProcess(upTo(id, example))}\`\`\``]),
    ...(refused.length === 0 ? [] : [`It refuses, for instance:`, refused.join("\n")]),
    ...(command === undefined ? [] : [`As a command: \`${command}\``]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
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

function parameterText(parameter, options) {
  const { name, says, not, expects, required } = parameter;
  const usual = defaultOf(parameter);
  const given = required ? "; required" : usual === undefined ? "" : `; default: ${usual}`;
  const option =
    options === undefined ? "" : `. Option: ${[...options].map((long) => `\`${long}\``).join(", ")}`;
  return `\`${name}\` (${escaped(expects + given)}): ${escaped(says)}${not === undefined ? "" : `; false: ${not}`}${option}`;
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

/** A process of a node alone, with the nodes that it is wired to and those that they are. */
export function upTo(id, { nodes, ...process }) {
  const needed = (node) => [
    node,
    ...Object.values(nodes[node].inputs ?? {}).flatMap((wire) => needed(wire.split(".")[0])),
  ];
  return {
    ...process,
    nodes: Object.fromEntries([...new Set(needed(id))].map((each) => [each, nodes[each]])),
  };
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

/** The pages that are there, by their names in a folder such as docs/. */
async function writtenPages(folder) {
  const names = await readdir(`${folder}/operators`).catch(() => []);
  return ["operators.md", ...names.map((name) => `operators/${name}`)];
}

/** What is wrong with the pages of a folder. */
export async function stalePages(folder = docs) {
  const pages = await operatorPages();
  const written = await writtenPages(folder);
  const differs = async ([name, text]) =>
    (await readFile(`${folder}/${name}`, "utf8").catch(() => undefined)) === text ? [] : [name];
  const stale = (await Promise.all([...pages].map(differs))).flat();
  return [
    ...stale.map((name) => `docs/${name} is not what the catalogue says`),
    ...written.filter((name) => !pages.has(name)).map((name) => `docs/${name} is of no operator`),
  ];
}

async function writePages() {
  const pages = await operatorPages();
  for (const name of await writtenPages(docs)) if (!pages.has(name)) await rm(`${docs}/${name}`);
  await mkdir(`${docs}/operators`, { recursive: true });
  for (const [name, text] of pages) await writeFile(`${docs}/${name}`, text);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!process.argv.includes("--check")) await writePages();
  else {
    const stale = await stalePages();
    for (const line of stale) console.log(`${line}; run node scripts/operators.mjs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  }
}
