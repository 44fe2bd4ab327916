/** Read CSV of RapidMiner becomes a Read Table, and a Set Role where its meta data give roles. */
import { quote } from "../document/json.ts";
import { pathFault } from "../document/paths.ts";
import type { ParameterReader } from "./reader.ts";
import { rolesNode } from "./roles.ts";
import type { Made } from "./translation.ts";

const nominalTypes = ["nominal", "binominal", "polynominal", "text", "file_path"];
const numericTypes = ["numeric", "integer", "real"];
const dateTypes = ["date", "time", "date_time"];

export function translateReading(own: ParameterReader): Made[] {
  const attributes = attributesOf(own);
  const read = attributes.filter(({ isSelected }) => isSelected);
  const namesOf = (types: readonly string[]) =>
    read.filter(({ type }) => types.includes(type)).map(({ name }) => name);
  const [numeric, dates] = [namesOf(numericTypes), namesOf(dateTypes)];
  const isAllText = own.flag("read_all_values_as_polynominal", false);
  if (isAllText && attributes.length === 0)
    own.lacks("read_all_values_as_polynominal", "is true, but no attribute is named; name them in nominal");
  const nominal = isAllText ? read.map(({ name }) => name) : namesOf(nominalTypes);
  const lists = {
    ...(read.length < attributes.length ? { columns: read.map(({ name }) => name) } : {}),
    nominal,
    ...(isAllText ? {} : { numeric, dates }),
  };
  const parameters = {
    file: pathOf(own, "csv_file"),
    ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
    // What a cell without a value is there; others, such as NA, are texts.
    missing: ["", "?"],
    ...formOf(own, dates),
  };
  const roles = new Map(
    read.flatMap(({ name, role }) =>
      ["attribute", "regular", ""].includes(role) ? [] : [[name, role] as const],
    ),
  );
  const key = "data_set_meta_data_information";
  return [{ operator: "readTable", parameters }, ...(roles.size === 0 ? [] : [rolesNode(roles, own, key)])];
}

interface Attribute {
  readonly name: string;
  readonly isSelected: boolean;
  readonly type: string;
  readonly role: string;
}

/** Reads what is known of the columns: "name.selected.type.role", by place. */
function attributesOf(own: ParameterReader): Attribute[] {
  const entries = own.list("data_set_meta_data_information");
  return entries.flatMap(([place, text]): Attribute[] => {
    const parts = /^(.*)\.(true|false)\.([^.]*)\.([^.]*)$/s.exec(text);
    if (parts !== null) {
      const [, name, selected, type, role] = parts;
      return [{ name, isSelected: selected === "true", type, role }];
    }
    own.lacks(
      "data_set_meta_data_information",
      `has for column ${quote(place)} ${quote(text)}, which tells nothing`,
    );
    return [];
  });
}

/** Returns the form of the text: what is between cells, which lines count, how numbers are written. */
function formOf(own: ParameterReader, dates: readonly string[]) {
  const skip = own.number("starting_row", 1) - 1;
  const isComment = own.flag("skip_comments", false);
  const comment = own.text("comment_characters", "#");
  const decimal = own.choice("decimal_character", [".", ","], ".") ?? ".";
  const isGrouped = own.flag("grouped_digits", false);
  const thousands = own.text("grouping_character", ",");
  const header =
    own.flag("first_row_as_names", true) || own.list("annotations").some(([, what]) => what === "Name");
  const encoding = own.text("encoding", "SYSTEM");
  own.expect("trim_lines", "false");
  own.expect("use_quotes", "true");
  own.expect("quotes_character", '"');
  own.expect("parse_numbers", "true");
  own.expect("infinity_representation", "");
  own.skip("escape_character", "read_not_matching_values_as_missings", "datamanagement", "data_management");
  const format = own.text("date_format", "");
  if (dates.length > 0 && !["", "yyyy-MM-dd"].includes(format))
    own.lacks("date_format", `is ${quote(format)}; dates are read as year-month-day and other common forms`);
  own.skip("time_zone", "locale");
  const delimiter = delimiterOf(own);
  return {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(header ? {} : { header }),
    ...(decimal === "." ? {} : { decimal }),
    ...(skip > 0 ? { skip } : {}),
    ...(isComment ? { comment } : {}),
    ...(isGrouped ? { thousands } : {}),
    ...(["", "SYSTEM"].includes(encoding) ? {} : { encoding }),
  };
}

/** RapidMiner has a regular expression here, mostly of one character. */
function delimiterOf(own: ParameterReader): string | undefined {
  const pattern = own.text("column_separators", ";");
  if (pattern === "\t" || pattern === "\\t") return "\t";
  if (/^(\\s|\[ ?\\s\]|\[ \\t\])[+*]$/.test(pattern)) return "blanks";
  const [, escaped, plain] = /^(?:\\([^\p{L}\p{N}])|([^\\^$.|?*+()[\]{}]))$/su.exec(pattern) ?? [];
  const found = escaped ?? plain;
  if (found === undefined)
    own.lacks("column_separators", `is the pattern ${quote(pattern)}; the separator is found out instead`);
  return found;
}

/** Returns the path that a process may have for one of RapidMiner, which is absolute most of the time. */
function pathOf(own: ParameterReader, key: string): string {
  const given = own.text(key, "");
  const path = given.replaceAll("\\", "/");
  if (path !== "" && pathFault(path) === undefined) return path;
  const name = path.split("/").findLast((part) => pathFault(part) === undefined) ?? "data.csv";
  if (given === "") own.lacks(key, `is missing; ${name} is taken`);
  else
    own.note(
      key,
      `is ${quote(given)}, but a process reads below its folder: put ${name} beside it, or name the file with --data`,
    );
  return name;
}
