/** Web servers for the browser tests: files under headers of the test's choice. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const html = `<!doctype html><title>Nearfield</title><script type="module" src="/tests/platform/browser/page.ts"></script>`;
const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".ts": "text/javascript",
  ".map": "application/json",
};

const policy = { "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" };
const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

type Headers = Readonly<Record<string, string>>;

/** What a CDN answers with: any page may read the file, and a browser keeps it. */
export const cdnHeaders: Headers = {
  "access-control-allow-origin": "*",
  "cache-control": "public, max-age=31536000, immutable",
};

interface File {
  readonly type: string;
  readonly body: string | Uint8Array;
}

export interface PageServer {
  readonly url: string;
  readonly port: number;
  /** The paths that were asked for, in order, without those that a browser had kept. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** dist/ and the test page. @param isolated whether pages may share memory with their workers */
export function servePages(isolated: boolean): Promise<PageServer> {
  return serve(loadPage, { ...policy, ...(isolated ? isolation : {}) });
}

/** The files of a folder; "/" is its index.html. */
export function serveFolder(folder: string, headers: Headers): Promise<PageServer> {
  return serve(async (pathname) => {
    const path = normalize(pathname === "/" ? "/index.html" : pathname);
    return { type: typeOf(path), body: await readFile(join(folder, path)) };
  }, headers);
}

async function serve(load: (pathname: string) => Promise<File>, headers: Headers): Promise<PageServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    requests.push(pathname);
    const file =
      pathname === "/favicon.ico" ? Promise.resolve({ type: "image/x-icon", body: "" }) : load(pathname);
    void file.then(
      ({ type, body }) => {
        response.writeHead(200, { "content-type": type, ...headers });
        response.end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function loadPage(pathname: string): Promise<File> {
  if (pathname === "/") return { type: "text/html", body: html };
  const path = normalize(pathname);
  if (!/^\/(dist|tests\/platform\/browser)\//.test(path)) throw new Error(`${path} is not served`);
  const text = await readFile(join(root, path), "utf8");
  return { type: typeOf(path), body: path.endsWith(".ts") ? toJavaScript(text) : text };
}

function typeOf(path: string): string {
  return types[extname(path)] ?? "application/octet-stream";
}

function toJavaScript(text: string): string {
  const { ESNext } = ts.ScriptTarget;
  return ts.transpileModule(text, { compilerOptions: { target: ESNext, module: ts.ModuleKind.ESNext } })
    .outputText;
}
