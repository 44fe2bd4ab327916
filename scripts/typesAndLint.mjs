// Types and lint in one process: the typed rules of ESLint ask the compiler for types that it has checked
// already, where a program of their own would check all of them again. `node scripts/typesAndLint.mjs` prints
// what is wrong and ends with 1.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const host = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};

function programOf(path) {
  const fail = (diagnostic) => {
    throw new Error(ts.formatDiagnostic(diagnostic, host));
  };
  const config = ts.getParsedCommandLineOfConfigFile(
    path,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  config.errors.forEach(fail);
  return ts.createProgram({ rootNames: config.fileNames, options: config.options });
}

/** Prints what the rules of eslint.config.js find, warnings too. @returns how many there are */
async function lint(program) {
  const parserOptions = { projectService: false, programs: [program] };
  const typed = { files: ["{src,tests,bench}/**/*.ts"], languageOptions: { parserOptions } };
  const eslint = new ESLint({ cwd: root, overrideConfig: [typed] });
  const results = await eslint.lintFiles(["."]);
  const text = await (await eslint.loadFormatter("stylish")).format(results);
  if (text !== "") console.log(text);
  return results.reduce((count, { errorCount, warningCount }) => count + errorCount + warningCount, 0);
}

const program = programOf(join(root, "tsconfig.json"));
const errors = ts.getPreEmitDiagnostics(program);
if (errors.length > 0) console.log(ts.formatDiagnosticsWithColorAndContext(errors, host));
if (errors.length + (await lint(program)) > 0) process.exitCode = 1;
