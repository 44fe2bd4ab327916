/**
 * Rows are looked at in pieces, with other events in between, so that a page answers. Time is counted here,
 * not measured.
 */
import { afterEach, expect, test } from "vitest";
import { NearestNeighbors } from "../../../dist/node.js";

const [rows, cols] = [2 ** 17, 8];
/** Of a million numbers. */
const PIECES = 16;

const { now } = performance;
afterEach(() => void (performance.now = now));

/** @returns how many events came while `work` ran on a clock that always says that other events are due */
async function eventsDuring(work: () => Promise<unknown>): Promise<number> {
  let [clock, events, over] = [now.call(performance), 0, false];
  performance.now = () => (clock += 100);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    events++;
    if (over) port1.close();
    else port2.postMessage(undefined);
  };
  port2.postMessage(undefined);
  try {
    await work();
  } finally {
    over = true;
    performance.now = now;
  }
  return events;
}

test("fitting and searching let events through while they look at float64 rows", async () => {
  const nn = new NearestNeighbors({ nNeighbors: 1, backend: "cpu" });
  try {
    await nn.fit([[0]]); // opens the device
    const data = Float64Array.from({ length: rows * cols }, (_, at) => Math.sin(at));
    expect(await eventsDuring(() => nn.fit({ data, rows, cols }))).toBeGreaterThanOrEqual(PIECES);
    const gap = { data: data.with(data.length - 1, NaN), rows, cols };
    const refused = () =>
      expect(nn.kneighbors(gap)).rejects.toThrow(`queries row ${rows - 1}, column 7 is NaN`);
    expect(await eventsDuring(refused)).toBeGreaterThanOrEqual(PIECES / 2);
  } finally {
    nn.dispose();
  }
});
