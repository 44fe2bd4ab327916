/**
 * This module finds the delimiter and the line ends of a CSV file from its start. It is a guess that later
 * lines may contradict; they are then reported as ragged, never silently mended.
 */
import type { CsvSettings } from "./options.ts";
import { parseRecords, type CsvFormat, type PapaParser } from "./records.ts";

/** Characters looked at; fixed, so that the guess does not depend on how the file arrives. */
export const SAMPLE_CHARS = 1 << 16;

const SAMPLE_RECORDS = 100;
const CANDIDATES = [",", ";", "\t", "|"];

/** @param whole the sample is all of the file. */
export function sniffFormat(
  sample: string,
  whole: boolean,
  { decimal, delimiter }: CsvSettings,
  Parser: PapaParser,
): CsvFormat {
  const newline = lineEnd(sample);
  if (delimiter !== undefined) return { delimiter, newline };
  const candidates = CANDIDATES.filter((candidate) => candidate !== decimal);
  const text = whole ? sample + newline : sample;
  let best: string | undefined;
  let most = 1;
  let inHeader = candidates[0];
  let mostInHeader = 1;
  for (const candidate of candidates) {
    const widths = widthsOf(text, { delimiter: candidate, newline }, Parser);
    const header = widths[0] ?? sample.split(candidate).length;
    if (header > mostInHeader) [inHeader, mostInHeader] = [candidate, header];
    if (header > most && widths.every((width) => width === header)) [best, most] = [candidate, header];
  }
  return { delimiter: best ?? inHeader, newline };
}

/** Counts the cells per record; blank lines are left out. */
function widthsOf(text: string, format: CsvFormat, Parser: PapaParser): number[] {
  const widths: number[] = [];
  parseRecords(text, format, Parser, ({ cells }) => {
    if (cells.length > 1 || cells[0] !== "") widths.push(cells.length);
    return widths.length < SAMPLE_RECORDS;
  });
  return widths;
}

/**
 * Returns "\r" only for files whose first line ends with a lone carriage return; "\n" also reads files with
 * "\r\n".
 */
function lineEnd(sample: string): "\n" | "\r" {
  let quoted = false;
  for (let at = 0; at < sample.length; at++) {
    const unit = sample[at];
    if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === "\n") return "\n";
    else if (!quoted && unit === "\r")
      return sample[at + 1] === "\n" || at + 1 === sample.length ? "\n" : "\r";
  }
  return "\n";
}
