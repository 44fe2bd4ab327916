// Makes WGSL texts short for the package and for pages: without comments and needless spaces, and with locals
// of one letter. It keeps the names that other texts may use: those of functions, globals, types and members.

/** Shortens a text. WGSL has no string literals, which could hold what looks like a comment or a space. */
export function shortWgsl(text) {
  return withoutSpaces(withShortLocals(text.replace(/\/\/.*$/gm, "")));
}

function withoutSpaces(text) {
  return text
    .replace(/\s*\n\s*/g, "\n")
    .replace(/([,:;]) | (?=\{)/g, "$1")
    .replace(/ ([-=+*/%<>&|^!]=?|->|&&|\|\||<<|>>) (?![-*&])/g, "$1")
    .replace(/\b(if|for|while|switch|return) (?=\()/g, "$1")
    .replace(/\{\s|\s(?=\})/g, (gap) => gap.trim())
    .trimStart();
}

function withShortLocals(text) {
  const tokens = text.match(/[A-Za-z_]\w*|\d[\w.]*|\s+|[^]/g) ?? [];
  for (let at = tokens.indexOf("fn"); at >= 0; at = tokens.indexOf("fn", at + 1)) {
    const open = tokens.indexOf("(", at);
    const body = tokens.indexOf("{", open);
    renameLocals(tokens, { open, body, end: closing(tokens, body) });
  }
  return tokens.join("");
}

/**
 * Renames parameters and variables between the tokens `open` and `end` of a function. A declaration is in
 * force from its semicolon to the end of its block, so that `let rows = rows(at);` calls the global `rows`.
 */
function renameLocals(tokens, { open, body, end }) {
  const shortName = shortNames(tokens.slice(open, end));
  const scopes = [new Set()];
  const endsOfLoops = new Set();
  let declared;
  for (let at = open; at < end; at++) {
    const token = tokens[at];
    if (token === "@") {
      const argument = neighbour(tokens, at + 1, 1);
      at = tokens[argument] === "(" ? closing(tokens, argument) : at + 1;
    } else if (token === "for") {
      scopes.push(new Set());
      endsOfLoops.add(closing(tokens, tokens.indexOf("{", at)));
    } else if (token === "{") scopes.push(new Set());
    else if (token === "}") {
      scopes.pop();
      if (endsOfLoops.has(at)) scopes.pop();
    } else if (token === ";" && declared !== undefined) {
      scopes.at(-1).add(declared);
      declared = undefined;
    } else if (at < body && isName(token) && tokens[neighbour(tokens, at, 1)] === ":") {
      scopes[0].add(token);
      tokens[at] = shortName(token);
    } else if (at > body && ["let", "var", "const"].includes(token)) {
      at = neighbour(tokens, at, 1);
      if (tokens[at] === "<") at = neighbour(tokens, closing(tokens, at), 1);
      declared = tokens[at];
      tokens[at] = shortName(declared);
    } else if (tokens[neighbour(tokens, at, -1)] !== "." && scopes.some((scope) => scope.has(token)))
      tokens[at] = shortName(token);
  }
}

/** WGSL keeps these words of two letters for itself; no function has so many locals that three are needed. */
const reserved = ["as", "do", "fn", "if", "of"];

/** Gives each name of a function the next letters that the function does not use itself. */
function shortNames(tokens) {
  const used = new Set([...reserved, ...tokens.filter(isName)]);
  const given = new Map();
  let count = 0;
  return (name) => {
    if (name.length === 1) return name;
    while (!given.has(name)) {
      const letters = lettersOf(count++);
      if (!used.has(letters)) given.set(name, letters);
    }
    return given.get(name);
  };
}

/** Returns a to z for 0 to 25, aa for 26. */
function lettersOf(number) {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : lettersOf(Math.floor(number / 26) - 1) + last;
}

const isName = (token) => /^[A-Za-z_]/.test(token);

/** Returns the place of the next token that is no space, forwards or backwards. */
function neighbour(tokens, at, step) {
  do at += step;
  while (/^\s+$/.test(tokens[at]));
  return at;
}

/** Returns the place where the bracket at a token is closed. */
function closing(tokens, at) {
  const open = tokens[at];
  const close = { "(": ")", "{": "}", "<": ">" }[open];
  for (let depth = 0; at < tokens.length; at++) {
    if (tokens[at] === open) depth++;
    if (tokens[at] === close && --depth === 0) return at;
  }
  throw new Error(`a ${open} of a shader is not closed`);
}
