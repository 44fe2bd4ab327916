/**
 * Calls that say nothing of a device share one: it is opened once, stays open, is mended when it was lost,
 * and is closed by closeDefaultDevice alone.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Device, closeDefaultDevice, kneighbors, sort } from "../../dist/node.js";
import type { DeviceOptions } from "../../dist/node.js";

const { among } = Device;
let opened: Device[] = [];

/** Opens devices on the CPU whatever is asked for, and keeps them in a list. */
async function counted(options: DeviceOptions): Promise<Device> {
  const device = await among.call(Device, { ...options, backend: "cpu" });
  opened.push(device);
  return device;
}

beforeEach(async () => {
  await closeDefaultDevice();
  opened = [];
  Device.among = counted;
});

afterEach(async () => {
  Device.among = among;
  await closeDefaultDevice();
});

const train = [[0], [1], [5]];
const nearest = async (options: DeviceOptions = {}) =>
  (await kneighbors(train, [[4], [0.2]], { k: 1, ...options })).indices;
const expected = Uint32Array.of(2, 0);

it("one device serves calls at once and one after another, of several operators", async () => {
  const found = await Promise.all(Array.from({ length: 8 }, () => nearest()));
  for (const each of found) expect(each).toEqual(expected);
  expect(await nearest()).toEqual(expected);
  expect(await sort(Float64Array.of(3, 1, 2))).toEqual(Float64Array.of(1, 2, 3));
  expect(opened.length).toBe(1);
});

it("a call that says which device it wants gets one of its own, which is closed", async () => {
  expect(await nearest()).toEqual(expected);
  expect(await nearest({ threads: 1 })).toEqual(expected);
  expect(opened.length).toBe(2);
  expect(() => opened[1].backend).toThrow("the device was disposed");
  expect(opened[0].backend.info.kind).toBe("cpu");
});

it("the caller's device is left alone", async () => {
  const device = await among.call(Device, { backend: "cpu", threads: 1 });
  const { indices } = await kneighbors(train, [[4], [0.2]], { k: 1, device });
  expect([indices, opened.length, device.backend.info.threads]).toEqual([expected, 0, 1]);
  device.dispose();
});

it("a device that was closed is opened again, also by closing twice", async () => {
  await nearest();
  await closeDefaultDevice();
  await closeDefaultDevice();
  expect(() => opened[0].backend).toThrow("the device was disposed");
  expect(await nearest()).toEqual(expected);
  expect(opened.length).toBe(2);
});

it("a device whose workers died is mended, and one that does not open is tried again", async () => {
  await nearest();
  const { backend } = opened[0];
  backend.dispose();
  await opened[0].reopen(backend);
  expect(await nearest()).toEqual(expected);
  expect([opened.length, opened[0].counters.reopened]).toEqual([1, 1]);
  await closeDefaultDevice();
  Device.among = () => Promise.reject(new Error("no device today"));
  await expect(nearest()).rejects.toThrow("no device today");
  Device.among = counted;
  await expect(nearest()).resolves.toEqual(expected);
});

it("one that fails to open after another was opened leaves that one to the next calls", async () => {
  let fail: (error: Error) => void = () => undefined;
  Device.among = () => new Promise((_, reject) => (fail = reject));
  const late = nearest();
  const closed = closeDefaultDevice();
  Device.among = counted;
  expect(await nearest()).toEqual(expected);
  fail(new Error("no device today"));
  await expect(late).rejects.toThrow("no device today");
  await closed;
  expect(await nearest()).toEqual(expected);
  expect(opened.length).toBe(1);
});

it("an error of one call leaves the device to the others", async () => {
  const wrong = kneighbors(train, [[1, 2]], { k: 1 });
  const [failed, found] = await Promise.allSettled([wrong, nearest()]);
  expect([failed.status, found.status]).toEqual(["rejected", "fulfilled"]);
  expect(await nearest()).toEqual(expected);
  expect(opened.length).toBe(1);
});
