/**
 * Run before each test file, of which some share a process. While a GPU has work, Dawn asks it in a loop of
 * setImmediate whether it has ended, which takes one of two cores from a software GPU's compiler: here it
 * asks once a millisecond. Only Dawn's callbacks are native functions.
 */
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
