/** Downloads of a GPU that go straight to memory of the caller. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { DownloadStep } from "../../../dist/runtime/backend.js";
import type { GpuBackend } from "../../../dist/runtime/gpu/backend.js";
import { copySegment, hasGpu, openTestGpu, rejection, rowsOf } from "./gpu.ts";

const MiB = 2 ** 20;

const targetSegment = (words: number, target: NonNullable<DownloadStep["target"]>) =>
  copySegment(words, { begin: 0, end: words / 4 }, target);

describe.skipIf(!hasGpu)("a target of a download", () => {
  let shared: GpuBackend;
  beforeAll(async () => {
    shared = await openTestGpu();
  });
  afterAll(() => shared.dispose());

  it("has what comes in pieces of slots, and nothing beside it", async () => {
    const backend = await openTestGpu({ budgetBytes: 8 * MiB });
    onTestFinished(() => backend.dispose());
    const data = Uint32Array.from({ length: MiB }, (_, i) => i * 2654435761);
    const session = await backend.open([]);
    const room = new Uint32Array(MiB + 4).fill(7);
    const target = { name: "room", at: 4 };
    const { downloads, placed } = await session.run(
      targetSegment(MiB, target),
      { data: rowsOf(data, 4) },
      { targets: { room: new Uint8Array(room.buffer, 4) } },
    );
    expect(downloads.has("copy")).toBe(false);
    expect(placed?.get("copy")?.byteOffset).toBe(8);
    expect([...room.subarray(0, 2), ...room.subarray(MiB + 2)]).toEqual([7, 7, 7, 7]);
    expect(room.subarray(2, MiB + 2)).toEqual(data);
  });

  it("is the output where the call has none of that name", async () => {
    const session = await shared.open([]);
    const { downloads, placed } = await session.run(
      targetSegment(4, { name: "room", at: 0 }),
      { data: rowsOf(Uint32Array.of(1, 2, 3, 4), 4) },
      { targets: { other: new Uint8Array(16) } },
    );
    expect([...new Uint32Array(downloads.get("copy")!)]).toEqual([1, 2, 3, 4]);
    expect(placed?.size).toBe(0);
  });

  it("is refused if it is too small", async () => {
    const session = await shared.open([]);
    const running = session.run(
      targetSegment(4, { name: "room", at: 4 }),
      { data: rowsOf(Uint32Array.of(1, 2, 3, 4), 4) },
      { targets: { room: new Uint8Array(16) } },
    );
    expect(String(await rejection(running))).toContain('target "room" of 16 bytes has no 16 at 4');
  });

  it("costs others nothing where the caller detaches its memory meanwhile", async () => {
    const session = await shared.open([]);
    const source = { data: rowsOf(Uint32Array.of(1, 2, 3, 4), 4) };
    const segment = targetSegment(4, { name: "room", at: 0 });
    // More often than there are buffers to download through.
    for (let time = 0; time < 5; time++) {
      const room = new Uint32Array(4);
      const onBusy = () => void (room.length > 0 && structuredClone(room, { transfer: [room.buffer] }));
      const error = await rejection(session.run(segment, source, { targets: { room }, onBusy }));
      expect(error).toMatchObject({ tag: "InvalidInput", message: expect.stringContaining("detached") });
    }
    const { downloads } = await session.run(segment, source);
    expect([...new Uint32Array(downloads.get("copy")!)]).toEqual([1, 2, 3, 4]);
  });

  it("says so where the memory goes between the pieces of a download", async () => {
    const backend = await openTestGpu({ budgetBytes: 8 * MiB });
    onTestFinished(() => backend.dispose());
    const session = await backend.open([]);
    const room = new Uint8Array(4 * MiB);
    const onBusy = () => void (room.length > 0 && structuredClone(room, { transfer: [room.buffer] }));
    const segment = targetSegment(MiB, { name: "room", at: 0 });
    const source = { data: rowsOf(new Uint32Array(MiB), 4) };
    const error = await rejection(session.run(segment, source, { targets: { room }, onBusy }));
    expect(error).toMatchObject({ tag: "InvalidInput", message: expect.stringContaining("detached") });
  });

  it("is not written after an abort, though the copy is on its way", async () => {
    const session = await shared.open([]);
    const controller = new AbortController();
    const room = new Uint32Array(4).fill(7);
    const source = { data: rowsOf(Uint32Array.of(1, 2, 3, 4), 4) };
    const segment = targetSegment(4, { name: "room", at: 0 });
    const running = session.run(segment, source, {
      signal: controller.signal,
      targets: { room },
      onBusy: () => controller.abort(new Error("enough")),
    });
    expect(String(await rejection(running))).toContain("enough");
    const { downloads } = await session.run(segment, source);
    expect([...new Uint32Array(downloads.get("copy")!)]).toEqual([1, 2, 3, 4]);
    expect([...room]).toEqual([7, 7, 7, 7]);
  });
});
