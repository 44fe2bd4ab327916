/** This module joins hints on columns of words that one option makes numbers. */

/** A reader noticed this of a column. */
interface Noticed {
  readonly file?: string;
  readonly column?: string | undefined;
  readonly what: string;
  readonly value: string;
  readonly option: string;
}

/**
 * Returns the hints. Of those on columns of words that the same option makes numbers, the first one remains,
 * which counts the others and names their columns.
 */
export function likeHints<Hint extends Noticed>(
  hints: readonly Hint[],
): (Hint & { readonly columns?: readonly string[] })[] {
  const groups = new Map<unknown, Hint[]>();
  for (const hint of hints) {
    const key = hint.what === "words" ? JSON.stringify([hint.file, hint.option]) : hint;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [hint]);
    else group.push(hint);
  }
  return [...groups.values()].map((alike) => {
    const [first] = alike;
    if (alike.length === 1) return first;
    const columns = alike.flatMap(({ column }) => column ?? []);
    const are = `and ${alike.length - 1} more are read as text,`;
    return { ...first, columns, value: first.value.replace("is read as text,", () => are) };
  });
}
