/** A web server for the browser tests: dist/ and the test page, under a strict content security policy. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const html = `<!doctype html><title>Nearfield</title><script type="module" src="/tests/platform/browser/page.ts"></script>`;
const types: Record<string, string> = {
  ".js": "text/javascript",
  ".ts": "text/javascript",
  ".map": "application/json",
};

const policy = { "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" };
const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param isolated whether pages may share memory with their workers */
export async function servePages(isolated: boolean): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    void load(pathname).then(
      ({ type, body }) => {
        response.writeHead(200, { "content-type": type, ...policy, ...(isolated ? isolation : {}) });
        response.end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function load(pathname: string): Promise<{ type: string; body: string }> {
  if (pathname === "/") return { type: "text/html", body: html };
  if (pathname === "/favicon.ico") return { type: "image/x-icon", body: "" };
  const path = normalize(pathname);
  if (!/^\/(dist|tests\/platform\/browser)\//.test(path)) throw new Error(`${path} is not served`);
  const text = await readFile(join(root, path), "utf8");
  const type = types[extname(path)] ?? "application/octet-stream";
  return { type, body: path.endsWith(".ts") ? toJavaScript(text) : text };
}

function toJavaScript(text: string): string {
  const { ESNext } = ts.ScriptTarget;
  return ts.transpileModule(text, { compilerOptions: { target: ESNext, module: ts.ModuleKind.ESNext } })
    .outputText;
}
