/**
 * These parameters say how a file is read as a table, for Read Table and for every command that reads files.
 * They are not the reading itself, which is io's.
 */
import { formatNames } from "../../io/index.ts";
import { character, choice, columns, file, flag, text, texts, wholeNumber } from "../catalogue/parameters.ts";

export const readingParameters = {
  file: file({ says: "the file, relative to the process" }),
  format: choice(["auto", ...formatNames], {
    default: "auto",
    says: "format of the input",
    otherwise: "by the extension, else by the first bytes",
  }),
  columns: columns({ says: "columns to read", otherwise: "all" }),
  nominal: columns({ says: "columns to read as text, even if they look like numbers" }),
  numeric: columns({
    says: "columns to read as numbers, even with leading zeros; any other text is an error",
  }),
  dates: columns({ says: "columns to read as dates or times; any other text is an error" }),
  header: flag({
    default: true,
    says: "take the names of the columns from the first line of a CSV file",
    not: "the first line of a CSV file is a row; columns are called 0, 1 and so on",
  }),
  delimiter: character({
    words: ["blanks"],
    says: "character between the cells of a CSV file; tab, or blanks for any number of spaces",
    otherwise: "detected",
  }),
  decimal: choice([".", ","], { default: ".", says: "decimal sign of a CSV file" }),
  missing: texts({
    says: "texts that mean a missing value, besides empty cells",
    otherwise: "?, NA, NaN, null, None, #N/A and their like, and - among numbers",
  }),
  skip: wholeNumber({ min: 0, default: 0, says: "number of lines to skip at the start of a CSV file" }),
  comment: text({
    says: "skip lines of a CSV file that start with this text",
    otherwise: '# above the header; "" for none',
  }),
  thousands: text({ says: "thousands separator of a CSV file, such as ,", otherwise: "none" }),
  units: texts({
    says: "units before or after the numbers of a CSV file, such as '$,kg'; % divides by 100",
    otherwise: "none",
  }),
  encoding: text({
    says: "encoding of a text file, such as windows-1252, latin1 or utf-16le",
    otherwise: "utf-8, or utf-16 if it has a byte order mark",
  }),
};
