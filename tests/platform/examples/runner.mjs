// Runs compiled examples one after the other in this process, as a program would: `node runner.mjs MODULE
// ...`. Prints one JSON line per module: its claims that hold, those that do not, what it threw and printed.
// Examples find a browser's navigator.gpu.
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const results = [];
let current;

globalThis.__check = (where, actual, claimed, type) => {
  const found = actual?.constructor?.name;
  if (type !== undefined && found !== type) current.wrong.push(`${where}: is a ${found}, not a ${type}`);
  else if (isSame(actual, claimed)) current.held++;
  else current.wrong.push(`${where}: is ${shown(actual)}, not ${shown(claimed)}`);
};

if (process.env.NEARFIELD_TEST_GPU === "1") await provideGpu();
const print = console.log;
console.log = (...values) => (current.printed += `${format(...values)}\n`);
for (const path of process.argv.slice(2)) {
  current = { path, held: 0, wrong: [], error: null, printed: "" };
  results.push(current);
  await import(pathToFileURL(path).href).catch((error) => (current.error = String(error?.stack ?? error)));
}
for (const result of results) print(JSON.stringify(result));

async function provideGpu() {
  const { create, globals } = await import("webgpu");
  Object.assign(globalThis, globals);
  const gpu = create(process.env.NEARFIELD_DAWN?.split(" ") ?? []);
  globalThis.keptAlive = gpu;
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
}

function isSame(actual, claimed) {
  if (Array.isArray(claimed)) {
    const isList = Array.isArray(actual) || (ArrayBuffer.isView(actual) && "length" in actual);
    return isList && actual.length === claimed.length && claimed.every((each, i) => isSame(actual[i], each));
  }
  if (typeof claimed !== "object" || claimed === null) return Object.is(actual, claimed);
  if (typeof actual !== "object" || actual === null) return false;
  const names = Object.keys(claimed);
  return (
    Object.keys(actual).length === names.length && names.every((name) => isSame(actual[name], claimed[name]))
  );
}

function shown(value) {
  return ArrayBuffer.isView(value)
    ? `${value.constructor.name} [${value}]`
    : (JSON.stringify(value) ?? String(value));
}
