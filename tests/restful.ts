/**
 * Run before each test file, of which some share a process.
 *
 * While a GPU has work, Dawn asks it in a loop of setImmediate whether it has ended, which takes one of two
 * cores from a software GPU's compiler: here it asks once a millisecond. Only Dawn's callbacks are native
 * functions.
 *
 * A worker loads a hundred modules, which takes a sixth of a second of a core, and the tests start a
 * thousand: where NEARFIELD_WORKER names a file with all of them, workers start with that.
 */
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

const immediately = globalThis.setImmediate;

function asked(
  callback: (...args: unknown[]) => void,
  ...args: unknown[]
): NodeJS.Immediate | NodeJS.Timeout {
  const isNative = Function.prototype.toString.call(callback).includes("[native code]");
  return isNative ? setTimeout(callback, 1, ...args) : immediately(callback, ...args);
}

if (immediately.name !== asked.name) {
  globalThis.setImmediate = Object.assign(asked, {
    __promisify__: immediately.__promisify__,
  }) as typeof setImmediate;
}

const { Worker } = threads;
const bundled = process.env.NEARFIELD_WORKER;

class BundledWorker extends Worker {
  constructor(file: string | URL, options?: threads.WorkerOptions) {
    super(/\/dist\/worker\.js$/.test(String(file)) ? new URL(bundled!) : file, options);
  }
}

if (bundled !== undefined && Worker.name !== BundledWorker.name) {
  Object.assign(threads, { Worker: BundledWorker });
  syncBuiltinESMExports();
}
