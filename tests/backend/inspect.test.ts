/** What a machine and a device report of themselves, for the command `doctor` and for pages. */
import { describe, expect, it } from "vitest";
import { Device, inspectDevice, inspectMachine } from "../../dist/node.js";
import { isAbsent, onEachBackend } from "./helpers.ts";

describe("the machine", () => {
  it("has threads, memory and SIMD", async () => {
    const { runtime, threads, memory, simd, sharedMemory } = await inspectMachine();
    expect({ runtime, simd, sharedMemory }).toEqual({ runtime: "node", simd: true, sharedMemory: true });
    expect(threads).toBeGreaterThan(0);
    expect(memory).toBeGreaterThan(2 ** 28);
  });

  it.skipIf(isAbsent("gpu"))("lists adapters under the numbers that open them", async () => {
    const { adapters, noWebGpu } = await inspectMachine();
    expect(noWebGpu).toBeUndefined();
    expect(adapters.map(({ gpu }) => gpu)).toEqual(adapters.map((_, at) => at));
    for (const { gpu, name, software, limits } of adapters) {
      expect(limits.maxUniformBufferBindingSize).toBeGreaterThanOrEqual(65_536);
      expect(Object.values(limits).every((limit) => limit > 0)).toBe(true);
      const device = await Device.create({ backend: "gpu", gpu });
      expect(device.info).toMatchObject({ name, software });
      device.dispose();
    }
    expect(adapters.length).toBeGreaterThan(0);
  });
});

onEachBackend((device, backend) => {
  it.each([4, 4096, 1_000_004])("bytes travel to the device and back: %i", async (bytes) => {
    const before = device().counters;
    const report = await inspectDevice(device(), bytes);
    const { transfer } = report;
    expect(transfer).toMatchObject({ bytes, firstWrongWord: undefined });
    expect(Math.min(transfer.uploadBytesPerSecond, transfer.readBackBytesPerSecond)).toBeGreaterThan(0);
    expect(device().counters.uploadedBytes - before.uploadedBytes).toBe(3 * bytes);
    expect(device().counters.downloadedBytes - before.downloadedBytes).toBe(3 * (bytes + 4));
    expect(report).toMatchObject({ backend, name: device().info.name });
  });

  it("has traits only on a GPU in hardware", async () => {
    const { traits, software } = await inspectDevice(device(), 4);
    expect(traits !== undefined).toBe(backend === "gpu" && !software);
  });

  it("never sends more than the budget", async () => {
    const small = await Device.create(
      backend === "cpu" ? { backend, memory: 10_003 } : { backend, deviceMemory: 10_003 },
    );
    expect((await inspectDevice(small)).transfer.bytes).toBe(10_000);
    small.dispose();
  });
});

it("a byte that changes on its way is seen", async () => {
  const device = await Device.create({ backend: "cpu", threads: 1 });
  const session = await device.backend.open([]);
  const run = Object.getPrototypeOf(session) as { run: typeof session.run };
  const { run: honest } = run;
  run.run = async function (...args) {
    const output = await honest.apply(this, args);
    for (const bytes of output.downloads.values()) new Uint8Array(bytes).fill(7, 400, 401);
    return output;
  };
  try {
    expect((await inspectDevice(device, 4096)).transfer.firstWrongWord).toBe(100);
  } finally {
    run.run = honest;
    session.dispose();
    device.dispose();
  }
});
