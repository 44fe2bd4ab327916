/** Writes processes of RapidMiner as .rmp files, as its Studio 9.10 does. */

export interface RmpOperator {
  readonly name: string;
  readonly key: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly lists?: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  /** Attributes of the element besides. */
  readonly attributes?: string;
  /** The XML of subprocesses. */
  readonly inner?: readonly string[];
}

/** "From, port -> To, port"; without an operator, a port of the process around. */
export type RmpWire = string;

export function rmp(operators: readonly RmpOperator[], wires: readonly RmpWire[], context = ""): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><process version="9.10.000"><context>${context}</context>` +
    '<operator activated="true" class="process" compatibility="9.10.000" expanded="true" name="Process">' +
    `<parameter key="random_seed" value="2001"/>${subprocess(operators, wires)}</operator></process>`
  );
}

export function subprocess(operators: readonly RmpOperator[], wires: readonly RmpWire[]): string {
  const connections = wires.map((wire) => {
    const [from, to] = wire.split(" -> ").map((end) => end.split(", "));
    return `<connect ${end("from", from)} ${end("to", to)}/>`;
  });
  return `<process expanded="true">${operators.map(element).join("")}${connections.join("")}</process>`;
}

function end(side: "from" | "to", parts: readonly string[]): string {
  const [operator, port] = parts.length === 1 ? [undefined, parts[0]] : parts;
  return `${operator === undefined ? "" : `${side}_op="${escaped(operator)}" `}${side}_port="${escaped(port)}"`;
}

function element({ name, key, parameters = {}, lists = {}, attributes = "", inner = [] }: RmpOperator) {
  const values = Object.entries(parameters).map(([id, value]) => parameter(id, String(value)));
  const all = Object.entries(lists).map(
    ([id, entries]) => `<list key="${id}">${entries.map(([a, b]) => parameter(a, b)).join("")}</list>`,
  );
  return (
    `<operator activated="true" class="${key}" compatibility="9.10.000" name="${escaped(name)}" ${attributes}>` +
    `${[...values, ...all, ...inner].join("")}</operator>`
  )
    .replace('activated="true" ', attributes.includes("activated") ? "" : 'activated="true" ')
    .replace(
      'compatibility="9.10.000" ',
      attributes.includes("compatibility") ? "" : 'compatibility="9.10.000" ',
    );
}

function parameter(key: string, value: string): string {
  return `<parameter key="${escaped(key)}" value="${escaped(value)}"/>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** A Read CSV of a file with commas, whose columns are known: name -> "real.attribute". */
export function readCsv(name: string, file: string, columns: Readonly<Record<string, string>>): RmpOperator {
  const known = Object.entries(columns).map(
    ([column, kind], at) => [String(at), `${column}.true.${kind}`] as const,
  );
  return {
    name,
    key: "read_csv",
    parameters: { csv_file: file, column_separators: ",", first_row_as_names: true, encoding: "UTF-8" },
    lists: { annotations: [], data_set_meta_data_information: known },
  };
}
