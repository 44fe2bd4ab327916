/**
 * This table says how a value of one type is read as another where an input wants that: a matrix as a table,
 * a table's features as a matrix, results as tables. It is no conversion that a process has a node for, and
 * none takes part in keys: the same value is always read the same way.
 */
import type { Matrix } from "../core/matrix.ts";
import { matrixStream } from "../core/matrixStream.ts";
import { matrixTable } from "../io/matrixTable.ts";
import { neighbourTable } from "../models/neighbourTable.ts";
import { collectTable } from "../table/index.ts";
import {
  cloudFacts,
  cloudOf,
  cloudOfTable,
  checkCoordinates,
  coordinatesOf,
  factsOfCloud,
  tableOfCloud,
} from "./cloudAs.ts";
import { measuresFacts, plainFacts } from "./facts.ts";
import type { MatrixFacts, PortFacts, TableFacts } from "./facts.ts";
import { featureFacts, featureMatrix } from "./featureMatrix.ts";
import { edgesOf, plainTable } from "./values.ts";
import type { HistogramValue, PerformanceValue, TableValue } from "./values.ts";
import type { PortType, PortValues } from "./values.ts";

/** Takes what is wrong with reading one as the other. */
type SayReason = (message: string) => void;

interface PortReading<From extends PortType, To extends PortType> {
  readonly value: (value: PortValues[From], signal?: AbortSignal) => PortValues[To] | Promise<PortValues[To]>;
  readonly facts: (facts: PortFacts[From], say: SayReason) => PortFacts[To];
}

type PortReadings = {
  readonly [From in PortType]?: { readonly [To in PortType]?: PortReading<From, To> };
};

/** Checks list the names of at most so many columns. */
const NAMED = 1000;

const readings: PortReadings = {
  Matrix: {
    Table: { value: ({ matrix }, signal) => tableOf(matrix, signal), facts: numberedFacts },
    PointCloud: {
      value: ({ matrix }) => cloudOf(matrix),
      facts: ({ rows, cols, prepared }, say) => {
        checkCoordinates(cols, say);
        return { rows, names: coordinatesOf(cols), attributes: [], prepared };
      },
    },
  },
  Table: {
    Matrix: { value: (value) => ({ matrix: featureMatrix(value) }), facts: featureFacts },
    PointCloud: { value: (value) => cloudOfTable(value), facts: cloudFacts },
  },
  PointCloud: {
    Matrix: {
      value: ({ points }) => ({ matrix: points }),
      facts: ({ rows, names, prepared }) => ({ rows, cols: names?.length, prepared }),
    },
    Table: { value: tableOfCloud, facts: factsOfCloud },
  },
  Signal: {
    Matrix: {
      value: ({ samples, rows }) => ({ matrix: { data: samples, rows, cols: samples.length / rows } }),
      facts: () => ({ prepared: [] }),
    },
  },
  Neighbours: {
    Table: {
      value: ({ result }, signal) => collected(neighbourTable(result), signal),
      facts: () => plainFacts(["query", "rank", "index", "distance"]),
    },
  },
  Histogram: { Table: { value: histogramTable, facts: () => plainFacts(undefined) } },
  Performance: { Table: { value: performanceTable, facts: () => measuresFacts } },
};

/** Says whether a value of one type can be read as another. */
export function isReadable(from: PortType, to: PortType): boolean {
  return readings[from]?.[to] !== undefined;
}

/** Returns the value as an input with these types takes it: as it is where it is of one of them. */
export function readValue(
  value: PortValues[PortType],
  from: PortType,
  types: readonly PortType[],
  signal: AbortSignal | undefined,
): PortValues[PortType] | Promise<PortValues[PortType]> {
  return types.includes(from) ? value : (readingOf(from, types[0])?.value(value, signal) ?? value);
}

/** Returns the facts as an input with these types takes them, and says what will not be read. */
export function readFacts(
  facts: PortFacts[PortType],
  from: PortType,
  types: readonly PortType[],
  say: SayReason,
): PortFacts[PortType] {
  return types.includes(from) ? facts : (readingOf(from, types[0])?.facts(facts, say) ?? facts);
}

/** The pair of types vouches for the value, which the compiler does not follow. */
function readingOf(from: PortType, to: PortType): PortReading<PortType, PortType> | undefined {
  return readings[from]?.[to] as PortReading<PortType, PortType> | undefined;
}

function tableOf(matrix: Matrix, signal: AbortSignal | undefined): Promise<TableValue> {
  return collected(matrixTable(matrixStream(matrix, "the matrix")), signal);
}

async function collected(
  rows: Parameters<typeof collectTable>[0],
  signal: AbortSignal | undefined,
): Promise<TableValue> {
  return { table: await collectTable(rows, signal && { signal }), roles: new Map() };
}

function histogramTable({ histogram }: HistogramValue): TableValue {
  const { counts, bins, rows } = histogram;
  const edgeOf = (at: number, more: number) => edgesOf(histogram, Math.floor(at / bins))[(at % bins) + more];
  const all = Array.from(counts.keys());
  const columns = {
    ...(rows === 1 ? {} : { row: all.map((at) => Math.floor(at / bins)) }),
    from: all.map((at) => edgeOf(at, 0)),
    to: all.map((at) => edgeOf(at, 1)),
    count: Float64Array.from(counts),
  };
  return plainTable(columns);
}

function performanceTable({ measures }: PerformanceValue): TableValue {
  const own = "micro" in measures ? measures.micro : measures;
  const numbers = Object.entries(own).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  const spreads = "macro" in measures ? Object.entries(measures.macro) : [];
  const all = [
    ...numbers,
    ...spreads.flatMap(([name, { mean, deviation }]): [string, number][] => [
      [`mean(${name})`, mean],
      [`deviation(${name})`, deviation],
    ]),
  ];
  // A measure of nothing is a gap.
  const value = all.map(([, each]) => (Number.isFinite(each) ? each : null));
  return plainTable({ measure: all.map(([name]) => name), value });
}

function numberedFacts({ rows, cols, prepared }: MatrixFacts): TableFacts {
  const isKnown = cols !== undefined && cols <= NAMED;
  const names = isKnown ? Array.from({ length: cols }, (_, at) => String(at)) : undefined;
  return { ...plainFacts(names), rows, prepared };
}
