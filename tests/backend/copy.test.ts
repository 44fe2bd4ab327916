/**
 * How fast a device copies within its memory: that it copies at all, what it refuses,
 * and that it can be stopped.
 */
import { describe, expect, it } from "vitest";
import { measureCopy } from "../../dist/node.js";
import { onEachBackend, openBeside, openDevice } from "./helpers.ts";

onEachBackend((device, backend) => {
  it.each([4, 8, 4100, 2 ** 20])("%i bytes take some time", async (bytes) => {
    const found = await measureCopy(device(), { bytes, repeat: 2 });
    expect(found.bytes).toBe(bytes);
    expect(found.seconds).toBeGreaterThan(0);
    expect(found.seconds).toBeLessThan(1);
  });

  it("sixteen times the bytes take longer", async () => {
    const seconds = async (bytes: number) => (await measureCopy(device(), { bytes, repeat: 3 })).seconds;
    expect(await seconds(2 ** 24)).toBeGreaterThan(await seconds(2 ** 20));
  });

  it.each([
    [{ bytes: 0 }, "bytes is 0; expected a multiple of 4"],
    [{ bytes: 6 }, "bytes is 6; expected a multiple of 4"],
    [{ bytes: 8, repeat: 0 }, "repeat is 0; expected a whole number of at least 1"],
  ])("%j is refused", async (options, message) => {
    await expect(measureCopy(device(), options)).rejects.toThrow(message);
  });

  it("what does not fit twice is refused, with the most that does", async () => {
    const small = await openBeside(backend, { memory: 10_003, deviceMemory: 10_003 });
    await expect(measureCopy(small, { bytes: 5004 })).rejects.toThrow(
      `5004 bytes do not fit twice into ${small.info.name}; choose at most 5000 bytes`,
    );
    expect((await measureCopy(small, { bytes: 5000, repeat: 1 })).bytes).toBe(5000);
    small.dispose();
  });

  it("stops when told to", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const copies = measureCopy(device(), { bytes: 2 ** 20, repeat: 1e6, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 100);
    await expect(copies).rejects.toBe(reason);
  });
});

describe("a copy that does not arrive", () => {
  it("is an error", async () => {
    const device = await openDevice("cpu");
    const { set } = Uint32Array.prototype;
    Uint32Array.prototype.set = () => undefined;
    try {
      await expect(measureCopy(device, { bytes: 8, repeat: 1 })).rejects.toThrow(
        "a copy of 8 bytes did not arrive as it was",
      );
    } finally {
      Uint32Array.prototype.set = set;
      device.dispose();
    }
  });
});
