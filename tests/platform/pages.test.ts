/**
 * The tarball in a page, without isolation headers and under the strictest content security policy that will
 * do: bundled by Vite for production, unbundled with an import map, and from another origin, as from a CDN;
 * with WebGPU, without it, and where the page may not have what it needs.
 */
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hardInputs } from "../backend/knn/cases.ts";
import type { KnnCase } from "../backend/knn/cases.ts";
import { expectSame } from "../backend/helpers.ts";
import { bruteForce } from "../oracle/knn.ts";
import type { Answer } from "../oracle/knn.ts";
import { printedSeed } from "../oracle/random.ts";
import { launchChromium, noChromium } from "./browser/chromium.ts";
import { cdnHeaders, serveFolder } from "./browser/server.ts";
import type { PageServer } from "./browser/server.ts";
import { importMapSite, viteSite } from "./browser/site.ts";
import type { Site } from "./browser/site.ts";
import { unpackTarball } from "./browser/tarball.ts";

interface Failure {
  readonly error: { readonly name: string; readonly tag: string; readonly message: string };
}

interface Standstill {
  /** Milliseconds. */
  readonly ms: number;
  readonly longestTask: number;
}

type BackendName = "auto" | "cpu" | "gpu";

/** What app/main.js puts on `app`. */
interface App {
  readonly isolated: boolean;
  open(backend: BackendName): Promise<Failure | { info: { kind: string; software: boolean }; note?: string }>;
  search(asked: KnnCase, backend: BackendName): Promise<Failure | Answer>;
  prefixSums(values: Uint32Array, backend: BackendName): Promise<Uint32Array>;
  firstCells(csv: string): Promise<(string | number)[]>;
  longSearch(size: object, backend: BackendName): Promise<Standstill>;
  longSearchInWorker(size: object, backend: BackendName): Promise<{ backend: string }>;
}

type InPage = { readonly app: App };

/** A few hard inputs, each by another metric. */
const cases = hardInputs(printedSeed()).filter((_, i) => i % 31 === 0);
/** A name that browsers take for a host of the network, so that plain http makes no secure context. */
const insecureHost = "nearfield.test";

const open = (page: Page, backend: BackendName) =>
  page.evaluate((asked) => (globalThis as unknown as InPage).app.open(asked), backend);
const search = (page: Page, each: KnnCase, backend: BackendName) =>
  page.evaluate(([asked, on]) => (globalThis as unknown as InPage).app.search(asked, on), [
    each,
    backend,
  ] as const);

/** Returns the milliseconds that a page's main thread had the processor while it did this. */
async function busyDuring(page: Page, act: () => Promise<unknown>): Promise<number> {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send("Performance.enable");
  const busy = async () => {
    const { metrics } = await inspector.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "ThreadTime")!.value;
  };
  const before = await busy();
  await act();
  const after = await busy();
  await inspector.detach();
  return after - before;
}

/** What npm would install beside the tarball. */
async function linkDependencies(folder: string): Promise<void> {
  const modules = new URL("../../node_modules/", import.meta.url);
  const { dependencies } = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    await symlink(fileURLToPath(new URL(name, modules)), join(folder, "node_modules", name));
  }
}

describe.skipIf(noChromium)("the tarball in Chromium", () => {
  let folder = "";
  let sites: Record<"vite" | "importMap", Site>;
  let withGpu: Browser;
  let without: Browser;
  const servers: PageServer[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "nearfield-page-"));
    await unpackTarball(folder);
    await linkDependencies(folder);
    sites = { vite: await viteSite(folder), importMap: await importMapSite(folder) };
    [withGpu, without] = await Promise.all([launchChromium(true, insecureHost), launchChromium(false)]);
  });
  afterAll(async () => {
    await Promise.all([withGpu?.close(), without?.close()]);
    await Promise.all(servers.map((server) => server.close()));
    await rm(folder, { recursive: true, force: true });
  });

  /** @param policy of the page; default the site's @returns the page and what its console complains about */
  async function visit(
    browser: Browser,
    { folder, policy }: Site,
    at = {},
  ): Promise<{ page: Page; problems: string[] }> {
    const { policy: own = policy, host = "127.0.0.1" } = at as { policy?: readonly string[]; host?: string };
    const server = await serveFolder(folder, { "content-security-policy": own.join("; ") });
    servers.push(server);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(`http://${host}:${server.port}/`);
    await page.waitForFunction(() => "app" in globalThis, undefined, { timeout: 10_000 });
    return { page, problems };
  }

  describe.each([
    ["bundled by Vite", "vite"],
    ["unbundled, with an import map", "importMap"],
  ] as const)("%s", (_, name) => {
    let page: Page;
    let problems: string[];
    beforeAll(async () => {
      ({ page, problems } = await visit(withGpu, sites[name]));
    });
    afterAll(() => page?.close());

    it("is not isolated, so that nothing here depends on shared memory", async () => {
      expect(await page.evaluate(() => (globalThis as unknown as InPage).app.isolated)).toBe(false);
    });

    it.each(["cpu", "gpu"] as const)("searches exactly on the %s", async (backend) => {
      expect(await open(page, backend)).toMatchObject({
        info: { kind: backend, software: backend === "gpu" },
      });
      // The software GPU compiles for a second in every page; browser.test.ts tries many cases on it.
      for (const each of backend === "gpu" ? cases.slice(0, 2) : cases) {
        const found = (await search(page, each, backend)) as Answer;
        expectSame(found, bruteForce(each.train, each.queries, each.options), each.options.k);
      }
    });

    it.each(["cpu", "gpu"] as const)("scans on the %s", async (backend) => {
      const sums = await page.evaluate(
        (on) => (globalThis as unknown as InPage).app.prefixSums(Uint32Array.of(3, 1, 2), on),
        backend,
      );
      expect(sums).toEqual(Uint32Array.of(3, 4, 6));
    });

    it("reads CSV", async () => {
      const csv = 'width,species\n1.5,"a, b"\n';
      const cells = await page.evaluate(
        (text) => (globalThis as unknown as InPage).app.firstCells(text),
        csv,
      );
      expect(cells).toEqual([1.5, "a, b"]);
    });

    // Enough to show on the GPU once: a shader takes seconds to compile again.
    const inWorker = name === "vite" ? (["cpu", "gpu"] as const) : (["cpu"] as const);
    it.each(inWorker)("searches on the %s in a worker of the page", async (backend) => {
      const size = { rows: 500, cols: 8, queries: 20, k: 3 };
      const found = await page.evaluate(
        ([asked, on]) => (globalThis as unknown as InPage).app.longSearchInWorker(asked, on),
        [size, backend] as const,
      );
      expect(found.backend).toBe(backend);
    });

    it("leaves no error on the console", () => {
      expect(problems).toEqual([]);
    });
  });

  it("without WebGPU searches on the CPU, and says why", async () => {
    const { page: plain, problems: complaints } = await visit(without, sites.vite);
    expect(await open(plain, "gpu")).toMatchObject({
      error: { name: "UnavailableError", tag: "Unavailable" },
    });
    expect(await open(plain, "auto")).toMatchObject({
      info: { kind: "cpu" },
      note: expect.stringMatching(/WebGPU/) as string,
    });
    const found = (await search(plain, cases[0], "auto")) as Answer;
    expectSame(found, bruteForce(cases[0].train, cases[0].queries, cases[0].options), cases[0].options.k);
    expect(complaints).toEqual([]);
  });

  const replaced = (policy: readonly string[], from: string, to: string) => {
    const changed = policy.map((directive) => directive.replace(from, to));
    expect(changed).not.toEqual(policy);
    return changed;
  };

  describe("from another origin", () => {
    /** @param file of dist/ that the page imports */
    async function siteOf(file: string): Promise<{ site: Site; cdn: PageServer }> {
      const cdn = await serveFolder(join(folder, "node_modules/nearfield/dist"), cdnHeaders);
      servers.push(cdn);
      return { site: await importMapSite(join(folder, `cdn-${file}`), `${cdn.url}${file}`), cdn };
    }
    async function expectExact(page: Page, each: KnnCase, backend: BackendName): Promise<void> {
      const found = await search(page, each, backend);
      expect(found).not.toHaveProperty("error");
      expectSame(found as Answer, bruteForce(each.train, each.queries, each.options), each.options.k);
    }

    it("one file searches, by workers of a Blob or by the GPU, and reads CSV in one request", async () => {
      const { site, cdn } = await siteOf("nearfield.js");
      const { page, problems } = await visit(withGpu, site);
      for (const each of cases) await expectExact(page, each, "cpu");
      expect(page.workers().map((worker) => worker.url().slice(0, 5))).toContain("blob:");
      await expectExact(page, cases[0], "gpu");
      const cells = await page.evaluate(() => (globalThis as unknown as InPage).app.firstCells("a,b\n1.5,x"));
      expect(cells).toEqual([1.5, "x"]);
      expect(problems).toEqual([]);
      expect(cdn.requests).toEqual(["/nearfield.js"]);
    });

    it("modules search, by workers of a Blob, in many requests", async () => {
      const { site, cdn } = await siteOf("index.js");
      const { page, problems } = await visit(without, site);
      await expectExact(page, cases[0], "cpu");
      expect(problems).toEqual([]);
      expect(cdn.requests).toContain("/worker.js");
      expect(cdn.requests.length).toBeGreaterThan(100);
    });

    it("a page that allows no Blob is told to", async () => {
      const { site } = await siteOf("nearfield.js");
      const policy = replaced(site.policy, " blob:", "");
      const { page } = await visit(without, site, { policy });
      expect(await search(page, cases[0], "cpu")).toMatchObject({
        error: { tag: "Unavailable", message: expect.stringContaining("or blob: and") as string },
      });
    });
  });

  describe("a page that may not have what it needs", () => {
    it("is told to allow workers, at once, and searches on the GPU all the same", async () => {
      const policy = replaced(sites.vite.policy, "worker-src 'self'", "worker-src 'none'");
      const { page, problems } = await visit(withGpu, sites.vite, { policy });
      expect(await search(page, cases[0], "cpu")).toMatchObject({
        error: { tag: "Unavailable", message: expect.stringContaining("worker-src 'self'") as string },
      });
      // As many as start with the first work, three times; none again.
      const tries = 3;
      expect(problems.filter((text) => text.includes("Creating a worker")).length).toBeLessThanOrEqual(
        2 * tries,
      );
      expect(await search(page, cases[0], "gpu")).not.toHaveProperty("error");
    });

    it("is told to allow WebAssembly, and searches on the GPU all the same", async () => {
      const policy = replaced(sites.vite.policy, " 'wasm-unsafe-eval'", "");
      const { page } = await visit(withGpu, sites.vite, { policy });
      expect(await open(page, "cpu")).toMatchObject({
        error: { tag: "Unavailable", message: expect.stringContaining("'wasm-unsafe-eval'") as string },
      });
      expect(await search(page, cases[0], "gpu")).not.toHaveProperty("error");
    });

    it("over plain http is told to use https, and searches on the CPU", async () => {
      const { page } = await visit(withGpu, sites.vite, { host: insecureHost });
      expect(await open(page, "gpu")).toMatchObject({
        error: { tag: "Unavailable", message: expect.stringContaining("https") as string },
      });
      const found = (await search(page, cases[0], "auto")) as Answer;
      expectSame(found, bruteForce(cases[0].train, cases[0].queries, cases[0].options), cases[0].options.k);
    });
  });

  describe("while it searches on the CPU for a second or more", () => {
    const size = { rows: 30_000, cols: 64, queries: 5_000, k: 10 };

    it("the page goes on: no task takes more than a few frames", async () => {
      const { page } = await visit(withGpu, sites.vite);
      const seen = await page.evaluate(
        (asked) => (globalThis as unknown as InPage).app.longSearch(asked, "cpu"),
        size,
      );
      expect(seen.longestTask).toBeLessThan(seen.ms / 4);
    });

    it("in a worker of the page, the page notices nothing", async () => {
      const { page } = await visit(withGpu, sites.vite);
      // By the clock of the thread: on two cores the search leaves the page no processor at times.
      const inWorker = await busyDuring(page, () =>
        page.evaluate(
          (asked) => (globalThis as unknown as InPage).app.longSearchInWorker(asked, "cpu"),
          size,
        ),
      );
      const inPage = await busyDuring(page, () =>
        page.evaluate((asked) => (globalThis as unknown as InPage).app.longSearch(asked, "cpu"), size),
      );
      expect(inWorker).toBeLessThan(100);
      expect(inPage).toBeGreaterThan(100);
    });
  });
});
