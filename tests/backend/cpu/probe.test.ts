/** Which WASM build is chosen. */
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { chooseBuild, probeWasm } from "../../../dist/runtime/cpu/probe.js";

test("the probe sees what the runtime validates", () => {
  expect(probeWasm().simd).toBe(true);
  if (!probeWasm().relaxedSimd) setFlagsFromString("--experimental-wasm-relaxed-simd");
  expect(probeWasm()).toEqual({ simd: true, relaxedSimd: true });
});

test("the relaxed build is taken where it runs, unless refused", () => {
  expect(chooseBuild({ simd: true, relaxedSimd: true }, "auto")).toBe("relaxed");
  expect(chooseBuild({ simd: true, relaxedSimd: true }, true)).toBe("relaxed");
  expect(chooseBuild({ simd: true, relaxedSimd: true }, false)).toBe("baseline");
  expect(chooseBuild({ simd: true, relaxedSimd: false }, "auto")).toBe("baseline");
});

test("what is missing is said", () => {
  expect(() => chooseBuild({ simd: false, relaxedSimd: false }, "auto")).toThrow(/needs WebAssembly SIMD/);
  expect(() => chooseBuild({ simd: true, relaxedSimd: false }, true)).toThrow(
    /--experimental-wasm-relaxed-simd/,
  );
});
