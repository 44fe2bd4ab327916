/**
 * This is the worker's side of the pool: it answers each request in turn, by the handler of its name. An
 * error that a handler throws goes back as the request's error, so that no caller waits for ever. It imports
 * nothing of browsers or Node.
 */
import { assert } from "../../core/errors.ts";
import { importsOf, kernelsOf } from "./instance.ts";
import { WorkerMemory } from "./memory.ts";
import { START, toFailure, type Reply, type Request, type StartRequest } from "./protocol.ts";
import type { Answer, Handler, WorkerWasm } from "./task.ts";

/** Answers requests for as long as the worker lives. */
export function serve(handlers: readonly Handler[]): void {
  const byName = new Map(handlers.map((each) => [each.name, each]));
  assert(byName.size === handlers.length, "two tasks have one name");
  let wasm: WorkerWasm | undefined;
  const answer = ({ kind, request }: Request): Answer<unknown> => {
    if (kind === START) {
      wasm = instantiate(request as StartRequest);
      return { result: undefined };
    }
    const handler = byName.get(kind);
    assert(handler, `no worker knows the task ${kind}`);
    return handler.answer(request, wasm);
  };
  const port = openPort();
  port.listen((message) => {
    const request = message as Request;
    try {
      const { result, transfer } = answer(request);
      port.post({ id: request.id, result }, transfer ?? []);
    } catch (error) {
      port.post({ id: request.id, error: toFailure(error) }, []);
    }
  });
}

function instantiate({ module, memoryLimit }: StartRequest): WorkerWasm {
  const memory = new WorkerMemory(memoryLimit);
  const instance = new WebAssembly.Instance(module, importsOf(memory));
  return { kernels: kernelsOf(instance, memory), memory };
}

interface Port {
  post(reply: Reply, transfer: ArrayBuffer[]): void;
  listen(listener: (message: unknown) => void): void;
}

/** Opens the other end of the WorkerHandle: worker_threads' port in Node, the global scope in browsers. */
function openPort(): Port {
  const parent = globalThis.process?.getBuiltinModule?.("node:worker_threads").parentPort;
  if (parent) {
    return {
      post: (reply, transfer) => parent.postMessage(reply, transfer),
      listen: (listener) => parent.on("message", listener),
    };
  }
  const scope = globalThis as unknown as {
    postMessage(message: unknown, transfer: ArrayBuffer[]): void;
    onmessage: (event: { readonly data: unknown }) => void;
  };
  return {
    post: (reply, transfer) => scope.postMessage(reply, transfer),
    listen: (listener) => {
      scope.onmessage = ({ data }) => listener(data);
    },
  };
}
