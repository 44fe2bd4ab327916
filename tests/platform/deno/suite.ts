/**
 * Which tests of tests/backend/ run in Deno, on wgpu and naga: every nth test of a file, since all of them take minutes on a
 * software GPU; which ones, the seed decides, so that all have their turn. Long runs take all.
 */
export interface Part {
  /** Under tests/backend/. */
  readonly file: string;
  readonly every: number;
  /** Tests that say nothing here, by a part of their full name, with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

/** Two processes run side by side, each a list. */
export const suites: readonly (readonly Part[])[] = [
  [
    { file: "knn.test.ts", every: 16 },
    { file: "float32.test.ts", every: 6 },
    { file: "counters.test.ts", every: 6 },
    { file: "prepare.test.ts", every: 16 },
    {
      file: "failure.test.ts",
      every: 5,
      except: {
        "on the cpu > a device lost in the middle":
          "it ends idle workers, whose death Deno tells before they are given a task, so that none is lost",
      },
    },
  ],
  [
    { file: "scan.test.ts", every: 16 },
    { file: "reduce.test.ts", every: 9 },
    { file: "histogram.test.ts", every: 16 },
    { file: "select.test.ts", every: 8 },
    { file: "device/knn_filter.test.ts", every: 8 },
    { file: "device/passes.test.ts", every: 3 },
    { file: "device/primitives.test.ts", every: 4 },
    { file: "device/refine.test.ts", every: 3 },
  ],
];
