/**
 * Writes the loops of a WGSL text out whose ends are constants. WGSL has no way to ask for it, and drivers
 * keep arrays that a loop indexes in memory when they do not unroll it themselves. It is pure.
 */

/** Matches the head of a loop from 0 up to a constant. */
const HEAD = /for ?\(var (\w+) ?= ?0u; ?\1 ?< ?(\w+); ?\1\+\+\) ?\{/;

/** @param counts the constants, by name, whose loops are written out; these hold no break or continue */
export function unroll(text: string, counts: Readonly<Record<string, number>>): string {
  let [done, rest] = ["", text];
  for (let found = HEAD.exec(rest); found; found = HEAD.exec(rest)) {
    const [head, name, end] = found;
    const from = found.index + head.length;
    if (!(end in counts)) {
      done += rest.slice(0, from);
      rest = rest.slice(from);
      continue;
    }
    const to = closing(rest, from);
    const body = unroll(rest.slice(from, to), counts);
    done += rest.slice(0, found.index);
    for (let i = 0; i < counts[end]; i++) done += `{const ${name}=${i}u;${body}}\n`;
    rest = rest.slice(to + 1);
  }
  return done + rest;
}

/** Returns the place of the brace that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; ; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
}
