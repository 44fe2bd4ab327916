/** A Node script that uses Nearfield ends by itself, whether it disposes of what it opened or not. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isAbsent } from "./helpers.ts";

const library = fileURLToPath(new URL("../../dist/node.js", import.meta.url));

/** Runs a module; killed after two minutes, which a software GPU needs on a busy machine. */
function runScript(code: string): Promise<{ code: number | null; output: string; ms: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { timeout: 120_000 });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ code: exitCode, output, ms: performance.now() - start }));
  });
}

for (const backend of ["cpu", "gpu"] as const) {
  describe.skipIf(isAbsent(backend))(`a script on the ${backend} ends by itself`, () => {
    it.each([
      ["after dispose()", `model.dispose();`],
      ["without dispose()", ``],
      [
        "with a search aborted on the way",
        `await model.kneighbors(rows, { signal: AbortSignal.timeout(1) }).catch(() => 0);`,
      ],
    ])(
      "%s",
      async (_, end) => {
        const { code, output } = await runScript(`
        import { NearestNeighbors } from ${JSON.stringify(library)};
        const rows = { data: Float32Array.from({ length: 1000 }, Math.random), rows: 200, cols: 5 };
        const model = await new NearestNeighbors({ backend: "${backend}" }).fit(rows);
        const { indices } = await model.kneighbors(rows);
        ${end}
        console.log("found", indices.length);
      `);
        expect(output).toContain("found 1000");
        expect(code).toBe(0);
      },
      130_000,
    );

    if (backend === "gpu")
      it("by process.exit right after a search, while kernels may compile", async () => {
        const { code, output } = await runScript(`
        import { NearestNeighbors } from ${JSON.stringify(library)};
        const rows = { data: Float32Array.from({ length: 12000 }, Math.random), rows: 2000, cols: 6 };
        const model = await new NearestNeighbors({ backend: "${backend}", tiles: { few: true } }).fit(rows);
        const { indices } = await model.kneighbors({ ...rows, data: rows.data.slice(0, 600), rows: 100 });
        console.log("found", indices.length);
        process.exit(0);
      `);
        expect(output).toContain("found 500");
        expect(code).toBe(0);
      }, 130_000);

    it("when a search fails and nobody disposes", async () => {
      const { code, output } = await runScript(`
        import { kneighbors } from ${JSON.stringify(library)};
        await kneighbors([[1]], [[1, 2]], { k: 1, backend: "${backend}" });
      `);
      expect(output).toContain("queries have 2 columns, but train has 1");
      expect(code).toBe(1);
    }, 130_000);
  });
}

it("a script whose calls share the default device ends by itself", async () => {
  const { code, output } = await runScript(`
    import { kneighbors } from ${JSON.stringify(library)};
    for (let i = 0; i < 3; i++) await kneighbors([[1], [4]], [[i]], { k: 1 });
    console.log("done");
  `);
  expect(output).toContain("done");
  expect(code).toBe(0);
}, 130_000);
