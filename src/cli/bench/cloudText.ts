/**
 * This module describes the result of `nearfield bench cloud` and shows it to people, in a line for each grid
 * and device.
 */
import type { BackendInfo } from "../../node.ts";
import { bytesText, count, plural } from "../format.ts";

/** One order of the points took these times on one device. */
export interface CloudRow {
  readonly backend: BackendInfo["kind"];
  readonly device: string;
  /** The grid has so many cells along each side; "auto" stands for the order of a tree. */
  readonly cells: number | "auto";
  readonly pointsPerCell?: number | undefined;
  readonly queries: number;
  readonly seconds: { readonly build: number; readonly search: number };
  readonly pairsPerQuery: number;
  readonly bytes: number;
  /** So many queries have an answer that is not that of the other rows, or that of all pairs in float64. */
  readonly wrong: number;
}

export interface CloudSummary {
  readonly command: "bench cloud";
  readonly points: number;
  readonly queries: number;
  readonly k: number;
  readonly runs: number;
  readonly rows: readonly CloudRow[];
}

export function cloudText({ points, queries, k, runs, rows }: CloudSummary): string {
  const head = [
    "",
    "cells",
    "points/cell",
    "queries",
    "build s",
    "search s",
    "us/query",
    "pairs/query",
    "bytes",
  ];
  const lines = rows.map(({ backend, cells, pointsPerCell, seconds, pairsPerQuery, bytes, ...row }) => [
    backend,
    String(cells),
    pointsPerCell === undefined ? "-" : pointsPerCell.toPrecision(3),
    count(row.queries),
    seconds.build.toFixed(3),
    seconds.search.toFixed(3),
    ((seconds.search / row.queries) * 1e6).toPrecision(3),
    count(Math.round(pairsPerQuery)),
    bytesText(bytes),
  ]);
  const widths = head.map((name, at) => Math.max(name.length, ...lines.map((line) => line[at].length)));
  const devices = [...new Set(rows.map(({ device, backend }) => `${device} (${backend})`))];
  const wrong = rows.reduce((sum, row) => sum + row.wrong, 0);
  return [
    `searched  ${plural(queries, "query", "queries")} in ${plural(points, "point")}, k = ${k} (median of ${plural(runs, "run")})`,
    ...devices.map((device) => `device    ${device}`),
    `checked   ${wrong === 0 ? "all answers equal" : `other answers to ${plural(wrong, "query", "queries")}`}`,
    "",
    ...[head, ...lines].map((line) => line.map((cell, at) => cell.padStart(widths[at])).join("  ")),
    "",
  ].join("\n");
}
