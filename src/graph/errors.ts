/** These errors say which node failed, and how. */
import { NearfieldError } from "../core/errors.ts";

/** Puts the name of the node before the message; the kind of the error stays. */
export function atNode(node: string, title: string, error: unknown): NearfieldError {
  const place = `node ${node} (${title})`;
  if (error instanceof NearfieldError)
    return new NearfieldError(error.tag, `${place}: ${error.message}`, error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new NearfieldError("Internal", `${place}: internal error, please report it: ${text}`, error);
}
