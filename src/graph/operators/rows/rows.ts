/** Filter Rows and Sample Rows keep some rows of a table, in their order. */
import { InvalidInputError } from "../../../core/errors.ts";
import { DEFAULT_SEED, samplings, splitTable } from "../../../models/validation/index.ts";
import { cellOf } from "../../../table/index.ts";
import type { Column } from "../../../table/index.ts";
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { choice, column, required, text, wholeNumber } from "../../catalogue/parameters.ts";
import { checkColumn } from "../../facts.ts";
import { MOST_SEED } from "../../parameters/learning.ts";
import { columnOf } from "../../values.ts";

const inputs = { table: input("Table", "the rows") };

const orders = ["<", "<=", ">", ">="] as const;
const comparisons = ["=", "!=", ...orders, "contains", "present", "missing"] as const;
type Comparison = (typeof comparisons)[number];

/** These comparisons are about the cell alone. */
const alone: readonly Comparison[] = ["present", "missing"];

export const filterRows = operator({
  id: "filterRows",
  version: 1,
  title: "Filter Rows",
  group: "Rows and columns",
  says: "Keeps the rows whose cell passes a comparison, with a value or another cell; a missing one passes none but missing.",
  inputs,
  outputs: { table: output("Table", "the rows that pass") },
  parameters: {
    column: required(column({ of: "table", says: "the column that is compared" })),
    comparison: choice(comparisons, { default: "=", says: "how; < and > compare numbers, contains texts" }),
    value: text({ says: "what a cell is compared with, as a number where the column has numbers" }),
    other: column({ of: "table", says: "the column that cells are compared with, instead of a value" }),
  },
  check: ({ table }, { column: name, comparison, value, other }, report) => {
    const isAlone = alone.includes(comparison);
    if (other !== undefined && (isAlone || value !== undefined)) {
      const fault = isAlone
        ? `is not compared under ${comparison}`
        : "and value are two things to compare with";
      report(`${fault}; leave it out`, { parameter: "other" });
    } else if (other !== undefined) {
      const [one, two] = [
        checkColumn(name, table, report, { parameter: "column" }),
        checkColumn(other, table, report, { parameter: "other" }),
      ];
      const fault = one && two && kindsFault(one.kind, two.kind, comparison);
      if (fault !== undefined) report(fault.message, { parameter: fault.parameter });
    } else if (isAlone !== (value === undefined)) {
      const fault = isAlone ? `is not compared under ${comparison}; leave it out` : "is missing; give one";
      report(fault, { parameter: "value" });
    } else {
      const found = checkColumn(name, table, report, { parameter: "column" });
      const fault = found && value !== undefined ? comparisonFault(found.kind, comparison, value) : undefined;
      if (fault !== undefined) report(fault.message, { parameter: fault.parameter });
    }
    return { table };
  },
  run: ({ table: { table, roles } }, { column: name, comparison, value = "", other }) => {
    const compared = table.column(name);
    const beside = other === undefined ? undefined : table.column(other);
    const fault = alone.includes(comparison)
      ? undefined
      : beside === undefined
        ? comparisonFault(compared.kind, comparison, value)
        : kindsFault(compared.kind, beside.kind, comparison);
    if (fault !== undefined)
      throw new InvalidInputError(`${fault.parameter} ${fault.message}`, { column: name });
    const passes = testOf(compared, comparison, beside ?? value);
    const kept = Array.from({ length: table.rows }, (_, row) => row).filter(passes);
    return Promise.resolve({ table: { table: table.take(kept), roles } });
  },
});

export const sampleRows = operator({
  id: "sampleRows",
  version: 1,
  title: "Sample Rows",
  group: "Rows and columns",
  says: "Draws rows without putting any back, by the generator of Split Data; all rows where there are fewer.",
  inputs,
  outputs: { table: output("Table", "the rows drawn, in their order") },
  parameters: {
    rows: wholeNumber({ min: 1, default: 100, says: "number of rows" }),
    sampling: choice(samplings, {
      default: "shuffled",
      says: "how rows are drawn; linear takes the first ones, stratified as many of each class as its share",
    }),
    seed: wholeNumber({ min: 0, max: MOST_SEED, default: DEFAULT_SEED, says: "seed of the random rows" }),
  },
  check: ({ table }, { rows, sampling }, report) => {
    if (sampling === "stratified" && columnOf(table.roles, "label") === undefined)
      report("is stratified, which needs a label; send the rows through Set Role first", {
        parameter: "sampling",
      });
    // The shares of classes are rounded one by one.
    const most = sampling === "stratified" ? table.rows : Math.min(rows, table.rows ?? Infinity);
    return { table: { ...table, rows: most } };
  },
  run: ({ table: { table, roles } }, { rows, sampling, seed }) => {
    const label = columnOf(roles, "label");
    const ratios = [rows, table.rows - rows];
    const drawn =
      rows >= table.rows
        ? table
        : splitTable(table, { ratios, sampling, seed, ...(label === undefined ? {} : { label }) })[0];
    return Promise.resolve({ table: { table: drawn, roles } });
  },
});

function comparisonFault(kind: Column["kind"], comparison: Comparison, value: string) {
  const ordered = (orders as readonly Comparison[]).includes(comparison);
  if (kind === "nominal" && ordered)
    return {
      parameter: "comparison",
      message: `is ${comparison}, which compares numbers, but the column has texts`,
    };
  if (kind === "numeric" && comparison === "contains")
    return {
      parameter: "comparison",
      message: "is contains, which compares texts, but the column has numbers",
    };
  if (kind === "numeric" && (value.trim() === "" || Number.isNaN(Number(value))))
    return {
      parameter: "value",
      message: `is ${quote(value)}, but the column has numbers; give one`,
    };
  return undefined;
}

function kindsFault(kind: Column["kind"], other: Column["kind"], comparison: Comparison) {
  if (kind !== other)
    return { parameter: "other", message: `is ${other}, but the column is ${kind}; compare two of one kind` };
  return comparisonFault(kind, comparison, "0");
}

/** @param value a text, or the column whose cells are compared with */
function testOf(compared: Column, comparison: Comparison, value: string | Column): (row: number) => boolean {
  const one = typeof value === "string" && compared.kind === "numeric" ? Number(value) : value;
  return (row) => {
    const cell = cellOf(compared, row);
    if (cell === null) return comparison === "missing";
    const wanted = typeof one === "object" ? cellOf(one, row) : one;
    if (wanted === null) return false;
    switch (comparison) {
      case "=":
        return cell === wanted;
      case "!=":
        return cell !== wanted;
      case "<":
        return cell < wanted;
      case "<=":
        return cell <= wanted;
      case ">":
        return cell > wanted;
      case ">=":
        return cell >= wanted;
      case "contains":
        return String(cell).includes(String(wanted));
      default:
        return comparison === "present";
    }
  };
}
