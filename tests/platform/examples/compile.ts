/**
 * Examples as modules of a program that uses the package: imports added, claims turned into checks, all
 * type-checked in one go and compiled into the folder dist-examples/, from where "nearfield" resolves to this
 * package.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { withChecks } from "./claims.ts";
import type { Snippet } from "./markdown.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = join(root, "dist-examples");

export interface Example extends Snippet {
  /** Unique, such as "kneighbors" or "README.md, line 30". */
  readonly name: string;
  /** Imports all that it names, since readers paste it. */
  readonly whole?: boolean;
}

export interface Compiled {
  readonly name: string;
  /** What to run. */
  readonly path: string;
  readonly claims: number;
  /** Errors of types, and comments that claim nothing, as "line: text". */
  readonly mistakes: readonly string[];
  readonly needsGpu: boolean;
}

/** The options of this repository, but for code of others; the types are the package's, as what runs is. */
function options(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const types = join(root, "dist/types");
  return {
    ...ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options,
    noEmit: false,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    isolatedModules: false,
    rootDir: root,
    outDir: root,
    paths: {
      nearfield: [join(types, "index.d.ts")],
      "nearfield/node": [join(types, "node.d.ts")],
      "nearfield/graph": [join(types, "graph.d.ts")],
    },
  };
}

/** The sources, whose doc comments hold the examples; without the types of the language, which none needs. */
export function sourceProgram(): ts.Program {
  const entries = ["node.ts", "node/index.ts", "graph/index.ts"];
  const rootNames = entries.map((entry) => join(root, "src", entry));
  return ts.createProgram(rootNames, { ...options(), noLib: true, types: [] });
}

/** @param names what the package exports, and from where; an example need not import it */
export function compileExamples(
  examples: readonly Example[],
  names: ReadonlyMap<string, string>,
): Compiled[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const declarations = join(folder, "check.d.ts");
  writeFileSync(
    declarations,
    "declare function __check(where: string, actual: unknown, claimed: unknown, type?: string): void;\n",
  );
  const modules = examples.map((example, at) => {
    const checked = withChecks(example.code, example.name, example.line);
    const head = example.whole ? "" : importLine(checked.code, names);
    const path = join(folder, `${String(at).padStart(3, "0")}.ts`);
    writeFileSync(path, `${head}${checked.code}\nexport {};\n`);
    return { example, checked, path, headLines: head === "" ? 0 : 1 };
  });
  const program = ts.createProgram([declarations, ...modules.map(({ path }) => path)], options());
  return modules.map(({ example, checked, path, headLines }) => {
    const file = program.getSourceFile(path);
    const errors = ts.getPreEmitDiagnostics(program, file).map((diagnostic) => {
      const line = file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
      return `${example.line + line - headLines}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`;
    });
    program.emit(file);
    return {
      name: example.name,
      path: path.replace(/\.ts$/, ".js"),
      claims: checked.claims,
      mistakes: [
        ...errors,
        ...checked.loose.map(
          (each) => `${each} (write "// => value", or put the comment on a line of its own)`,
        ),
      ],
      needsGpu: /navigator\.gpu|GPUDevice|backend: "gpu"|from "webgpu"/.test(example.code),
    };
  });
}

/** Imports what the code names and does not import itself. */
function importLine(code: string, names: ReadonlyMap<string, string>): string {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest);
  const used = new Set<string>();
  const own = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && names.has(node.text)) used.add(node.text);
    if (ts.isImportSpecifier(node)) own.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const missing = [...used].filter((name) => !own.has(name));
  const from = (module: string) => missing.filter((name) => names.get(name) === module);
  const modules = [...new Set(missing.map((name) => names.get(name)))].filter(
    (module) => module !== undefined,
  );
  const lines = modules.map((module) => `import { ${from(module).join(", ")} } from "${module}";`);
  return lines.length === 0 ? "" : `${lines.join(" ")}\n`;
}
