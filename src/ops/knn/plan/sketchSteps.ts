/**
 * The buffers and steps that sketches add to a k-NN plan: the axes, the sketches of the references made once,
 * those of the queries made in every job. sketch.ts decides whether there are sketches.
 */
import type { Step } from "../../../runtime/backend.ts";
import type { BufferSpec, HostSource } from "../../../runtime/source.ts";
import { sketchStride } from "../contract/sketch.ts";
import type { Sketch } from "./knnPlan.ts";
import { knnSketch } from "../primitives.ts";
import { run } from "../../../runtime/primitive.ts";

/** Returns the bytes that a row takes beside itself. */
export function sketchRowBytes(sketch: Sketch | undefined): number {
  return sketch ? sketchStride(sketch.axes) * 4 + 4 : 0;
}

/** Returns the buffers of one side: "ref" with the number of its buffer, or "query". */
export function sketchBuffers(sketch: Sketch | undefined, name: string, rows: number): BufferSpec[] {
  if (!sketch) return [];
  const { sketches, floors } = sketchNames(name);
  return [
    { name: sketches, bytes: rows * sketchStride(sketch.axes) * 4 },
    { name: floors, bytes: rows * 4 },
  ];
}

export function axesBuffer(sketch: Sketch | undefined): BufferSpec[] {
  return sketch ? [{ name: "axes", bytes: sketch.basis.byteLength }] : [];
}

export function uploadAxes(sketch: Sketch | undefined): Step[] {
  if (!sketch) return [];
  return [{ kind: "upload", to: "axes", source: "axes", part: "all", rows: { begin: 0, end: 1 } }];
}

/** Makes the sketches of the rows in a buffer. */
export function sketchStep(
  sketch: Sketch | undefined,
  name: string,
  buffer: string,
  rows: number,
  stride: number,
): Step[] {
  if (!sketch) return [];
  const { axes, bound } = sketch;
  const { productFactor, marginFactor, marginConstant } = bound;
  return [
    run(knnSketch, {
      params: { rows, stride, axes, productFactor, marginFactor, marginConstant },
      bindings: { rows: buffer, axes: "axes", ...sketchNames(name) },
      cost: 0,
    }),
  ];
}

export function sketchNames(name: string): { readonly sketches: string; readonly floors: string } {
  return { sketches: `${name}.sketches`, floors: `${name}.floors` };
}

/** Returns the axes as a host source of one row. */
export function axesSource({ basis }: Sketch): HostSource {
  return {
    rows: 1,
    rowBytes: () => basis.byteLength,
    fill: (_part, _rows, target) =>
      target.set(new Uint8Array(basis.buffer, basis.byteOffset, basis.byteLength)),
  };
}
