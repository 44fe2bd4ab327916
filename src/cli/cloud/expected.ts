/**
 * Reads what another program found: a distance or an index for each neighbour, as a text of numbers or as a
 * file of numbers.
 */
import { recognise } from "../../io/index.ts";
import type { ByteSource } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import { inputSource } from "../files.ts";
import { readElements } from "../inputs/elements.ts";
import { plural } from "../format.ts";

/** A file holds these numbers, which an answer is compared with. */
export interface ExpectedNumbers {
  readonly file: string;
  readonly values: Float64Array;
}

/**
 * Reads k numbers for each query: from text, where blanks, commas or line ends are between them, or from a
 * file of numbers such as .npy or .ivecs.
 * @throws InvalidInputError for text that is no number, and for another number of them
 */
export async function readExpected(
  path: string,
  { queries, k }: { readonly queries: number; readonly k: number },
  signal: AbortSignal,
): Promise<ExpectedNumbers> {
  const { format, source } = await recognise(await inputSource(path, signal), undefined, signal);
  const isText = format.name === "csv" || format.name === "xyz";
  const values = isText
    ? await numbersIn(source, queries * k, signal)
    : Float64Array.from((await readElements(path, plain, signal)).data, Number);
  if (values.length === queries * k) return { file: path, values };
  const many = values.length > queries * k ? `more than ${queries * k}` : String(values.length);
  throw new InvalidInputError(
    `holds ${isText ? many : values.length} numbers; expected ${queries * k}, for ${plural(queries, "query", "queries")} of k = ${k}`,
    { file: path },
  );
}

const plain = { decimal: ".", header: true } as const;

/** Reads at most one number more than is wanted. */
async function numbersIn(source: ByteSource, wanted: number, signal: AbortSignal): Promise<Float64Array> {
  const values = new Float64Array(wanted + 1);
  let count = 0;
  let line = 1;
  for await (const lines of completeLines(source, signal)) {
    for (const text of lines) {
      for (const word of text.split(/[\s,;]+/)) {
        if (word === "") continue;
        const value = Number(word);
        if (Number.isNaN(value)) {
          throw new InvalidInputError(`${JSON.stringify(word)} is not a number`, { file: source.name, line });
        }
        if (count > wanted) return values;
        values[count++] = value;
      }
      line++;
    }
  }
  return values.subarray(0, count);
}

async function* completeLines(source: ByteSource, signal: AbortSignal): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of source.stream(signal)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  yield [rest + decoder.decode()];
}
