/**
 * What a form that is loaded apart (mixed.ts, rareForms.ts, power.ts) says unless it has reasons. forms.ts has defaults of its own: an import of
 * it from here would make a bundle load both in pieces of their own.
 */
import type { Form } from "./forms.ts";

export const defaults = {
  p: 2,
  movable: false,
  isRank: false,
  growth: 1,
  absolute: 0,
  displaced: 0,
  sizeFactor: 0,
  ties: undefined,
  mixed: undefined,
} as const satisfies Partial<Form>;
