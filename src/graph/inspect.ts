/**
 * Looks into the files of a process for their columns and rows, so that checks know them before a run.
 */
import type { ByteSource } from "../io/index.ts";
import { openMatrix, openTable } from "../io/index.ts";
import { entryOf, readsFile } from "./catalogue/catalogue.ts";
import { withDefaults } from "./check.ts";
import type { ProcessDocument } from "./document/document.ts";
import { atNode } from "./errors.ts";
import type { FileFacts } from "./facts.ts";
import { readCloud } from "./operators/clouds/clouds.ts";
import { matrixOptions, readMatrix } from "./operators/data/matrices.ts";
import { readLabels } from "./operators/data/readLabels.ts";
import { readOptions, readTable } from "./operators/data/readTable.ts";

/**
 * Returns the columns of the files of reading nodes, for `checkProcess`, and how many rows there are where
 * that is known without another pass. A text file is read through once, to know the kinds of its columns. For
 * a model file it checks that it can be opened. Apart from column names, the process must be valid.
 * @example
 * import { checkProcess, inspectFiles, parseProcess } from "nearfield/graph";
 *
 * const process = parseProcess(`{ "nearfield": 1, "nodes": {
 *   "read": { "operator": "readTable", "parameters": { "file": "a.csv" } },
 *   "roles": { "operator": "setRole", "inputs": { "table": "read.table" }, "parameters": { "label": "knd" } }
 * } }`);
 * const files = await inspectFiles(process, { open: (path) => textSource("x,kind\n1,a\n", path) });
 * files.get("read")?.columns; // => [{ name: "x", kind: "numeric" }, { name: "kind", kind: "nominal" }]
 * checkProcess(process, { files }).map(({ path }) => path); // => ["nodes.roles.parameters.label"]
 * @throws InvalidInputError for a file that cannot be read, with the name of the node
 */
export async function inspectFiles(
  { nodes }: ProcessDocument,
  options: {
    readonly open: (path: string, node: string) => ByteSource | Promise<ByteSource>;
    readonly signal?: AbortSignal;
  },
): Promise<Map<string, FileFacts>> {
  const { open, signal } = options;
  const found = new Map<string, FileFacts>();
  for (const [id, { operator, parameters = {} }] of Object.entries(nodes)) {
    const entry = entryOf(operator);
    if (entry === undefined || !readsFile(entry)) continue;
    const set = withDefaults(entry.parameters, parameters);
    try {
      if ([readMatrix.id, readCloud.id, readLabels.id].includes(entry.id)) {
        const { format = "idx" } = set;
        const stream = await openMatrix(await open(String(set.file), id), matrixOptions(format, signal));
        found.set(id, { columns: [], rows: stream.rows, cols: stream.cols });
        continue;
      }
      if (entry.id !== readTable.id) {
        await open(String(set.file), id);
        continue;
      }
      // Columns that the file lacks are for checkProcess to find, so all are looked at.
      const { columns: _, ...given } = readOptions(set as unknown as Parameters<typeof readOptions>[0]);
      const source = await open(String(set.file), id);
      const { schema, rows } = await openTable(source, {
        ...given,
        ignoreUnknown: true,
        ...(signal === undefined ? {} : { signal }),
      });
      found.set(id, { columns: schema.map(({ name, kind }) => ({ name, kind })), rows });
    } catch (error) {
      signal?.throwIfAborted();
      throw atNode(id, entry.title, error);
    }
  }
  return found;
}
