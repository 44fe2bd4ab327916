/**
 * The same search cases as in Node, in Chromium: on WASM and on WebGPU (SwiftShader), under a strict content
 * security policy, with and without cross-origin isolation. The oracle stays in Node.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hardInputs, kinds, shapes } from "../backend/knn/cases.ts";
import type { KnnCase } from "../backend/knn/cases.ts";
import { bytesOf, filesOf, fingerprints, listed, processes, textOf } from "../backend/gallery.ts";
import { expectSame } from "../backend/helpers.ts";
import { bruteForce } from "../oracle/knn.ts";
import { printedSeed } from "../oracle/random.ts";
import { launchChromium, noChromium } from "./browser/chromium.ts";
import type { TestPage } from "./browser/page.ts";
import { servePages } from "./browser/server.ts";
import type { PageServer } from "./browser/server.ts";

type InPage = { readonly page: TestPage };

const seed = printedSeed();

/**
 * A part of the hard inputs and of the shapes, and every kind of array; the seven walks through all metrics.
 */
const cases: KnnCase[] = [
  ...hardInputs(seed).filter((_, i) => i % 7 === 0),
  ...shapes(seed).filter((_, i) => i % 4 === 0),
  ...kinds(seed),
];

describe.skipIf(noChromium)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(true);
  });
  afterAll(() => browser?.close());

  for (const isolated of [false, true]) {
    describe(isolated ? "with cross-origin isolation" : "without cross-origin isolation", () => {
      let server: PageServer;
      let page: Page;
      const problems: string[] = [];

      beforeAll(async () => {
        server = await servePages(isolated);
        page = await browser.newPage();
        page.on("pageerror", (error) => problems.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") problems.push(message.text());
        });
        await page.goto(server.url);
        await page.waitForFunction(() => "page" in globalThis);
      });
      afterAll(async () => {
        await page?.close();
        await server?.close();
      });

      const open = (backend: "auto" | "cpu" | "gpu") =>
        page.evaluate((which) => (globalThis as unknown as InPage).page.open(which), backend);
      const search = (each: KnnCase, backend: "cpu" | "gpu") =>
        page.evaluate(([asked, which]) => (globalThis as unknown as InPage).page.search(asked, which), [
          each,
          backend,
        ] as const);

      it("auto does not take the software adapter, and says so", async () => {
        const { info, note } = await open("auto");
        expect(info).toMatchObject({ kind: "cpu", software: false });
        expect(note).toMatch(/software/);
      });

      for (const backend of ["cpu", "gpu"] as const) {
        describe(`search on the ${backend}`, () => {
          // A software GPU compiles each shader for seconds, so each half has its own share of its cases.
          const isOwn = (_: unknown, i: number) => backend === "cpu" || i % 2 === Number(isolated);
          beforeAll(async () => {
            const { info, isolated: shared } = await open(backend);
            expect(info).toMatchObject({ kind: backend, software: backend === "gpu" });
            expect(shared).toBe(isolated);
          });

          it.each(cases.filter(isOwn))("equals brute force for $name", async (each) => {
            const found = await search(each, backend);
            expect(found.explanation.backend).toBe(backend);
            expectSame(found, bruteForce(each.train, each.queries, each.options), each.options.k);
          });

          it.each(processes.filter(isOwn))(
            "gives for examples/%s.json the fingerprints that Node gives",
            async (name) => {
              const text = textOf(name);
              const files = Object.fromEntries(filesOf(text).map((file) => [file, bytesOf(file)]));
              const nodes = await page.evaluate(
                ([process, data, on]) => (globalThis as unknown as InPage).page.run(process, data, on),
                [text, files, backend] as const,
              );
              expect(listed(name, nodes)).toEqual(fingerprints[name]);
            },
          );
        });
      }

      it("leaves no error on the console", () => {
        expect(problems).toEqual([]);
      });
    });
  }
});
