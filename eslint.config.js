// The lint rules: a short list of what is on, each for a reason that the compiler does not cover. Layout is Prettier's, the
// import table is tests/unit/layers.test.ts.
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const typed = {
  "@typescript-eslint/no-explicit-any": "error",
  "@typescript-eslint/no-floating-promises": "error",
  "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
  "@typescript-eslint/await-thenable": "error",
  "@typescript-eslint/no-unnecessary-type-assertion": "error",
  "@typescript-eslint/only-throw-error": "error",
  "@typescript-eslint/prefer-promise-reject-errors": "error",
  "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
  "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
};

const plain = {
  "no-var": "error",
  "prefer-const": "error",
  "no-unreachable": "error",
  "no-constant-condition": ["error", { checkLoops: false }],
  "no-self-assign": "error",
  "no-fallthrough": "error",
  eqeqeq: "error",
};

const noDefaultExport = {
  selector: "ExportDefaultDeclaration",
  message: "Export by name, so that every import calls a thing the same.",
};

export default defineConfig([
  globalIgnores([
    "dist/",
    "dist-bench/",
    "dist-size/",
    "dist-tests/",
    ".deno/",
    "dist-examples/",
    "docs-api/",
    "**/*.generated.ts",
    "tests/fixtures/",
    "bench/results/",
  ]),
  { files: ["**/*.{js,mjs,ts}"], rules: plain },
  // AssemblyScript, which its own compiler checks; ignored files make the linter warn where they are named.
  {
    files: ["src/**/wasm.ts", "src/**/wasm/*.ts"],
    processor: { preprocess: () => [], postprocess: () => [] },
  },
  {
    files: ["{src,tests,bench}/**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "@typescript-eslint": tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: { ...typed, "no-restricted-syntax": ["error", noDefaultExport] },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/cli/**"],
    rules: { "no-console": "error" },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/cli/**", "src/node/**", "src/node.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            { group: ["node:*"], message: "Only src/node.ts, src/node/ and src/cli/ run on Node alone." },
          ],
        },
      ],
    },
  },
]);
