/** A result has ingredients: plan.ts makes its key of them, and tells by them what changed. */
import type { NodeForm } from "../catalogue/operator.ts";

/** A result follows from these alone. */
export interface Ingredients {
  readonly operator: string;
  readonly version: number;
  readonly parameters: NodeForm["parameters"];
  /** Each wired input comes from this key and this output. */
  readonly inputs: Readonly<Record<string, string>>;
  /** It reads this file, by its contents, and by the extension, which tells the format. */
  readonly file?: { readonly fingerprint: string; readonly extension: string };
  /** It is the device, where its own bits are taken. */
  readonly device?: string;
}
