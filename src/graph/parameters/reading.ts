/**
 * The parameters that say how a file is read as a table, for Read Table and for every command that reads
 * files. It is not the reading itself, which is io's.
 */
import { formatNames } from "../../io/index.ts";
import { character, choice, columns, file, flag, text, texts, wholeNumber } from "../catalogue/parameters.ts";

export const readingParameters = {
  file: file({ says: "the file, relative to the process" }),
  format: choice(["auto", ...formatNames], {
    default: "auto",
    says: "format of a file that is read",
    otherwise: "by its extension, else by its first bytes",
  }),
  columns: columns({ says: "columns to read", otherwise: "all" }),
  nominal: columns({ says: "columns to read as text even if they look like numbers" }),
  numeric: columns({ says: "columns that must hold numbers, those with leading zeros too" }),
  dates: columns({ says: "columns that must hold dates or times" }),
  header: flag({
    default: true,
    says: "line 1 of CSV has the names of the columns",
    not: "line 1 of CSV is a row; columns are called 0, 1 and so on",
  }),
  delimiter: character({
    words: ["blanks"],
    says: "between cells of CSV; tab, or blanks for runs of blanks",
    otherwise: "found out",
  }),
  decimal: choice([".", ","], { default: ".", says: "in numbers of CSV" }),
  missing: texts({
    says: "cells that mean no value, besides empty ones",
    otherwise: "?, NA, NaN, null, None, #N/A and their like, and - among numbers",
  }),
  skip: wholeNumber({ min: 0, default: 0, says: "lines of CSV to leave out at the start" }),
  comment: text({
    says: "leave out lines of CSV that start so",
    otherwise: '# above the header; "" for none',
  }),
  thousands: text({ says: "between groups of three digits of CSV, such as ,", otherwise: "none" }),
  units: texts({
    says: "before or behind numbers of CSV, such as '$,kg'; % divides by 100",
    otherwise: "none",
  }),
  encoding: text({
    says: "of text files, such as windows-1252, latin1 or utf-16le",
    otherwise: "utf-8, or utf-16 by its mark",
  }),
};
