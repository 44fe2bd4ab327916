/**
 * These facts are known of values before a run, for the checks: columns and their kinds where somebody has
 * looked into the file, roles, and which preparation was applied.
 */
import { listNames } from "../table/index.ts";
import type { Column } from "../table/index.ts";
import { didYouMean, nearestOf } from "./document/document.ts";
import type { ParameterValue } from "./document/document.ts";
import { quote } from "./document/json.ts";
import type { ColumnRole } from "./values.ts";

/**
 * Checks know this of a column.
 * @example
 * const column: ColumnFacts = { name: "species", kind: "nominal" };
 * const nodes = { read: { operator: "readTable", parameters: { file: "a.csv", columns: ["specie"] } } };
 * const files = new Map([["read", { columns: [column], rows: 3 }]]);
 * checkProcess({ nearfield: 1, nodes }, { files }).length; // => 1
 */
export interface ColumnFacts {
  readonly name: string;
  readonly kind: Column["kind"];
}

/**
 * Checks know this of a file.
 * @example
 * const file: FileFacts = { columns: [{ name: "x", kind: "numeric" }], rows: 4 };
 * const nodes = {
 *   read: { operator: "readTable", parameters: { file: "a.csv" } },
 *   near: { operator: "nearestNeighbours", inputs: { train: "read.table" }, parameters: { k: 5 } },
 * };
 * const [problem] = checkProcess({ nearfield: 1, nodes }, { files: new Map([["read", file]]) });
 * problem.path; // => "nodes.near.parameters.k"
 */
export interface FileFacts {
  readonly columns: readonly ColumnFacts[];
  /** There are this many rows; undefined where nobody has counted. */
  readonly rows?: number | undefined;
  /** A matrix file has this many columns, which have no names. */
  readonly cols?: number | undefined;
}

/** Such a preparation was applied: nodes that do the same to the same are alike. */
export interface Prepared {
  readonly likeness: number;
  readonly title: string;
}

export interface TableFacts {
  /** They are undefined where nobody has looked. */
  readonly columns: readonly ColumnFacts[] | undefined;
  /** There can be at most so many rows; undefined where nobody has counted. */
  readonly rows?: number | undefined;
  readonly roles: ReadonlyMap<string, ColumnRole>;
  readonly prepared: readonly Prepared[];
  /** The column of predictions is of this label. */
  readonly predicted: string | undefined;
  /** It is true where a model of a file was applied, of which nobody knows what it does. */
  readonly isUnknown?: true;
}

export interface LearnerFacts {
  readonly predicts: boolean;
  /** A learner needs at least so many rows. */
  readonly least?: number;
}

export type ModelFacts =
  /** It is a model of a file, into which nobody has looked. */
  | { readonly kind: "file" }
  | { readonly kind: "preparation"; readonly prepared: readonly Prepared[] }
  | {
      readonly kind: "estimator";
      readonly label: string;
      /** The training rows went through this preparation before they came. */
      readonly prepared: readonly Prepared[];
      readonly features: readonly string[] | undefined;
    };

export interface MatrixFacts {
  readonly rows?: number | undefined;
  readonly cols?: number | undefined;
  readonly prepared: readonly Prepared[];
}

export interface CloudFacts {
  readonly rows?: number | undefined;
  /** The coordinates have these names. */
  readonly names: readonly string[] | undefined;
  readonly attributes: readonly ColumnFacts[];
  readonly prepared: readonly Prepared[];
}

/** Each type of port has its facts. */
export interface PortFacts {
  readonly Table: TableFacts;
  readonly Learner: LearnerFacts;
  readonly Model: ModelFacts;
  readonly Neighbours: object;
  readonly Performance: object;
  readonly Matrix: MatrixFacts;
  readonly PointCloud: CloudFacts;
  readonly Histogram: object;
  readonly Signal: object;
}

/** Returns the facts of a table whose columns have no roles; those of these names are numeric. */
export function plainFacts(names: readonly string[] | undefined, rows?: number): TableFacts {
  const columns = names?.map((name) => ({ name, kind: "numeric" as const }));
  return { columns, rows, roles: new Map(), prepared: [], predicted: undefined };
}

/** These are the facts of a table of measures and their values. */
export const measuresFacts: TableFacts = {
  ...plainFacts(undefined),
  columns: [
    { name: "measure", kind: "nominal" },
    { name: "value", kind: "numeric" },
  ],
};

/** It is the part of a node where something is wrong, and what would mend it. */
export interface Fault {
  readonly parameter?: string;
  readonly input?: string;
  /** This column could be named instead of another. */
  readonly column?: { readonly from: string; readonly to: string };
  /** The parameter could have this value instead; undefined to leave the parameter out. */
  readonly value?: ParameterValue | undefined;
  /** The rows lack this preparation. */
  readonly lacking?: Prepared;
}

/** Takes what the checks of an operator find wrong. */
export type Report = (message: string, at?: Fault) => void;

/** Reports a column that the table lacks. */
export function checkColumn(
  name: string,
  { columns }: TableFacts,
  report: Report,
  at: Fault,
): ColumnFacts | undefined {
  if (columns === undefined) return undefined;
  const found = columns.find((column) => column.name === name);
  if (found !== undefined) return found;
  const names = columns.map((column) => column.name);
  const nearest = nearestOf(name, names);
  const meant = didYouMean(name, names);
  report(`there is no column ${quote(name)}${meant}; the columns are ${listNames(names)}`, {
    ...at,
    ...(nearest === undefined ? {} : { column: { from: name, to: nearest } }),
  });
  return undefined;
}

/** Returns the columns that are compared, where they are known. */
export function featuresOf({ columns, roles }: TableFacts): readonly ColumnFacts[] | undefined {
  return columns?.filter(({ name }) => !roles.has(name));
}

/** Reports rows that were not prepared as others were. */
export function checkAlike(
  these: TableFacts,
  those: readonly Prepared[],
  whose: string,
  report: Report,
  input: string,
): void {
  if (these.isUnknown) return;
  const lacking = those.find(({ likeness }) => !these.prepared.some((own) => own.likeness === likeness));
  if (lacking !== undefined) {
    const by = lacking.title;
    return report(
      `these rows did not go through ${by}, but ${whose} did; wire the model of that ${by} and these rows into Apply Model first`,
      { input, lacking },
    );
  }
  const more = these.prepared.find(({ likeness }) => !those.some((own) => own.likeness === likeness));
  if (more === undefined) return;
  report(`these rows went through ${more.title}, but ${whose} did not; wire both the same way`, { input });
}
