/**
 * Reads XML for the import of RapidMiner's processes, by parse-xml, which is loaded when it is needed. A
 * DOCTYPE is refused, and with it every entity but the five of XML, so that no file of a few bytes becomes
 * gigabytes.
 */
import { InvalidInputError } from "../../core/errors.ts";

export interface XmlElement {
  readonly name: string;
  /** It holds the text directly within, without blanks around. */
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
}

const MOST_CHARS = 10_000_000;

/** This is deeper than any subprocess of subprocesses; the parser goes down by recursion. */
const MOST_DEPTH = 200;

/** @throws InvalidInputError for what is no XML, with line and column */
export async function readXml(text: string, file: string): Promise<XmlElement> {
  if (text.length > MOST_CHARS)
    throw new InvalidInputError(`has ${text.length} characters; a process has at most ${MOST_CHARS}`, {
      file,
    });
  const { parseXml, XmlError } = (await import("./parseXml.generated.ts")).parser;
  try {
    const { root, children } = parseXml(text, { preserveDocumentType: true });
    if (children.some(({ type }) => type === "doctype"))
      throw new InvalidInputError("has a DOCTYPE, which processes of RapidMiner do not have", { file });
    if (root === null) throw new InvalidInputError("has no element, so it is not a process", { file });
    return elementOf(root as Parsed, 0, file);
  } catch (error) {
    if (error instanceof XmlError) {
      const { line, column, message } = error;
      const [what] = message.split(/ \(line |\n/);
      throw new InvalidInputError(`is not XML: ${what}`, { file, line, column }, error);
    }
    if (error instanceof RangeError) throw tooDeep(file, error);
    throw error;
  }
}

interface Parsed {
  readonly type: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Parsed[];
  readonly text: string;
}

function elementOf({ name, attributes, children }: Parsed, depth: number, file: string): XmlElement {
  if (depth > MOST_DEPTH) throw tooDeep(file);
  const of = (type: string) => children.filter((each) => each.type === type);
  const text = of("text").map((each) => each.text);
  const elements = of("element").map((each) => elementOf(each, depth + 1, file));
  return { name, text: text.join("").trim(), attributes, children: elements };
}

function tooDeep(file: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(`is nested deeper than ${MOST_DEPTH} levels`, { file }, cause);
}
