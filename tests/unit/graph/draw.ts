/**
 * Draws small processes in which nothing is wrong: node by node from the catalogue, with wires and parameters
 * at random, keeping each node that checkProcess has nothing against.
 */
import fc from "fast-check";
import { checkProcess, operators } from "../../../dist/graph/index.js";
import { isReadable } from "../../../dist/graph/readAs.js";
import type {
  ColumnFacts,
  FileFacts,
  Operator,
  Parameter,
  ParameterValue,
  ProcessDocument,
  ProcessNode,
} from "../../../dist/graph/index.js";

/** The files that drawn processes read. */
export const texts: Readonly<Record<string, string>> = {
  "a.csv":
    "id,x,y,kind\n1,0,3,near\n2,1,,near\n3,2,1,far\n4,9,8,far\n5,8,7,far\n6,7,9,near\n7,1,1,near\n8,5,5,\n9,6,2,far\n",
  "b.csv": "id,x,y,kind\n11,0.5,2,near\n12,8,,far\n13,3,3,near\n14,4,1,far\n15,2,2,near\n",
};
const columns: readonly ColumnFacts[] = [
  { name: "id", kind: "numeric" },
  { name: "x", kind: "numeric" },
  { name: "y", kind: "numeric" },
  { name: "kind", kind: "nominal" },
];

/** Gives the next of the numbers drawn, below a limit; 0 when there are no more. */
class Chooser {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get left(): number {
    return this.#numbers.length - this.#at;
  }

  below(limit: number): number {
    return (this.#numbers[this.#at++] ?? 0) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }
}

const begin: ProcessDocument = {
  nearfield: 1,
  nodes: {
    read: { operator: "readTable", parameters: { file: "a.csv" } },
    other: { operator: "readTable", parameters: { file: "b.csv" } },
    roles: {
      operator: "setRole",
      inputs: { table: "read.table" },
      parameters: { label: "kind", ignore: ["id"] },
    },
  },
};

const drawable = operators.filter(({ effect }) => !effect);

/** Draws processes in which checkProcess finds nothing wrong. */
export const soundProcess: fc.Arbitrary<ProcessDocument> = fc
  .array(fc.nat(), { minLength: 20, maxLength: 160 })
  .map((numbers) => {
    const chooser = new Chooser(numbers);
    let document = begin;
    while (chooser.left > 0) {
      const node = drawNode(document, chooser);
      if (node === undefined) continue;
      const nodes = { ...document.nodes, [`n${Object.keys(document.nodes).length}`]: node };
      const wider = { ...document, nodes };
      if (checkProcess(wider, { files: filesOf(wider) }).length === 0) document = wider;
    }
    return document;
  });

/** Returns the columns of the files that reading nodes name. */
export function filesOf({ nodes }: ProcessDocument): Map<string, FileFacts> {
  const reading = Object.keys(nodes).filter((id) => nodes[id].operator === "readTable");
  return new Map(reading.map((id) => [id, { columns }]));
}

function drawNode({ nodes }: ProcessDocument, chooser: Chooser): ProcessNode | undefined {
  const operator = chooser.of(drawable);
  const inputs: Record<string, string> = {};
  for (const { name, types, optional } of operator.inputs) {
    const fitting = Object.keys(nodes).flatMap((id) =>
      outputsOf(nodes[id]).flatMap(({ name: output, type }) =>
        types.includes(type) || isReadable(type, types[0]) ? [`${id}.${output}`] : [],
      ),
    );
    if (optional && chooser.below(3) === 0) continue;
    if (fitting.length > 0) inputs[name] = chooser.of(fitting);
    else if (!optional) return undefined;
  }
  const parameters: Record<string, ParameterValue> = {};
  for (const parameter of operator.parameters) {
    const value = parameter.required || chooser.below(4) === 0 ? drawValue(parameter, chooser) : undefined;
    if (value !== undefined) parameters[parameter.name] = value;
  }
  return { operator: operator.id, inputs, parameters };
}

function outputsOf({ operator }: ProcessNode): Operator["outputs"] {
  return operators.find(({ id }) => id === operator)?.outputs ?? [];
}

function drawValue({ kind, choices, schema }: Parameter, chooser: Chooser): ParameterValue | undefined {
  const names = columns.map(({ name }) => name);
  switch (kind) {
    case "wholeNumber":
      return (schema as { minimum: number }).minimum + chooser.below(5);
    case "number":
      return chooser.of([0.5, 1, 2, 3]);
    case "flag":
      return chooser.below(2) === 0;
    case "choice":
      return chooser.of(choices ?? []);
    case "column":
      return chooser.of(names);
    case "columns":
      return names.filter(() => chooser.below(2) === 0);
    case "numbers":
      return chooser.of([
        [0.5, 0.5],
        [0.6, 0.3, 0.1],
        [0, 4, 9],
      ]);
    case "file":
      return chooser.of(Object.keys(texts));
    default:
      return undefined;
  }
}
