/**
 * Which tests of tests/backend/ run in Deno, on wgpu and naga: all files, but of most only every nth test,
 * since all of them take more than half an hour on a software GPU; which ones, the seed decides, so that all
 * have their turn. `npm run test:long` runs all.
 */
import { readdirSync } from "node:fs";

export interface Part {
  /** Under tests/backend/. */
  readonly file: string;
  readonly every: number;
  /** Tests that say nothing here, by a part of their full name, with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

/** Of a file that is not in the table. */
const EVERY = 64;

/** Chosen so that a file takes a few seconds. */
const table: readonly Part[] = [
  { file: "arguments.test.ts", every: 1 },
  { file: "knn/calls.test.ts", every: 32 },
  { file: "models/classifier.test.ts", every: 1 },
  { file: "arrays/sort.test.ts", every: 128 },
  { file: "arrays/compact.test.ts", every: 144 },
  { file: "arrays/convolve.test.ts", every: 96 },
  { file: "arrays/convolveStream.test.ts", every: 2 },
  { file: "device/convolve.test.ts", every: 16 },
  { file: "knn/counters.test.ts", every: 48 },
  { file: "models/crossValidation.test.ts", every: 1 },
  { file: "knn/distinct.test.ts", every: 16 },
  { file: "knn/extremes.test.ts", every: 20 },
  {
    file: "failure.test.ts",
    every: 24,
    except: {
      "on the cpu > a device lost in the middle":
        "it ends idle workers, whose death Deno tells before they are given a task, so that none is lost",
      "scan and count again from the beginning":
        "it ends workers that have done a task, whose death Deno tells before they are given the next",
    },
  },
  { file: "knn/filters.test.ts", every: 32 },
  { file: "knn/float32.test.ts", every: 24 },
  { file: "fuzz/fuzz.test.ts", every: 80 },
  { file: "knn/heaps.test.ts", every: 64 },
  { file: "inspect.test.ts", every: 1 },
  { file: "knn/knnStream.test.ts", every: 48 },
  {
    file: "knn/measures.test.ts",
    every: 128,
    except: { "by 'rapidminer:CosineSimilarity": "the oracle's Math.acos has other last bits in Deno" },
  },
  { file: "knn/metricProperties.test.ts", every: 1 },
  { file: "models/mixedTable.test.ts", every: 6 },
  { file: "models/modelFile.test.ts", every: 1 },
  { file: "knn/radius.test.ts", every: 64 },
  { file: "models/rapidminer.test.ts", every: 24 },
  { file: "models/realTables.test.ts", every: 4 },
  { file: "arrays/reduce.test.ts", every: 36 },
  { file: "models/regressor.test.ts", every: 1 },
  { file: "arrays/runLength.test.ts", every: 120 },
  { file: "arrays/scan.test.ts", every: 96 },
  { file: "arrays/select.test.ts", every: 96 },
  { file: "arrays/pieces.test.ts", every: 16 },
  {
    file: "cpu/backend.test.ts",
    every: 4,
    except: {
      "a dying worker rejects": "Deno does not tell that a worker was ended while it works",
      "a process ends by itself": "it starts Node's command line",
    },
  },
  { file: "cpu/knn.test.ts", every: 32 },
  { file: "cpu/memory.test.ts", every: 1 },
  { file: "cpu/probe.test.ts", every: 1 },
  { file: "cpu/sketch.test.ts", every: 1 },
  { file: "cpu/yielding.test.ts", every: 1 },
  { file: "device/acquire.test.ts", every: 1 },
  {
    file: "device/backend.test.ts",
    every: 60,
    except: {
      "what comes later when the device is lost":
        "Deno tells a loss late, so that opening a session without buffers still succeeds",
      "for what the device finds invalid": "wgpu does not see that two writable bindings overlap",
      "asks for the shaders of later steps":
        "Deno compiles a shader within the call that asks for it, so that it may be there before the next is asked for",
    },
  },
  { file: "device/compact.test.ts", every: 128 },
  { file: "device/histogram.test.ts", every: 128 },
  { file: "device/knn_filter.test.ts", every: 96 },
  { file: "device/knn_groups.test.ts", every: 136 },
  { file: "device/knn_plan.test.ts", every: 5 },
  {
    file: "device/knn_search.test.ts",
    every: 64,
    except: { "lets parts meet within subgroups": "wgpu has no subgroups on a GPU in software" },
  },
  {
    file: "device/passes.test.ts",
    every: 24,
    except: {
      "with the tile oblong": "SwiftShader compiles what naga makes of it for more than five minutes",
    },
  },
  {
    file: "device/nearest.test.ts",
    every: 1,
    except: { "where workers die": "Deno does not tell that a worker was ended while it works" },
  },
  { file: "device/primitives.test.ts", every: 32 },
  { file: "device/refine.test.ts", every: 6 },
  { file: "device/replay.test.ts", every: 32 },
  { file: "device/select.test.ts", every: 80 },
  { file: "gallery.test.ts", every: 64 },
  { file: "knn/tree.test.ts", every: 64 },
  { file: "models/refit.test.ts", every: 64 },
  { file: "device/knn_tree.test.ts", every: 64 },
  { file: "distances/whole.test.ts", every: 64 },
  { file: "device/bytes/rows.test.ts", every: 64 },
  { file: "device/files/placed.test.ts", every: 64 },
  { file: "knn/prepare.test.ts", every: 64 },
  { file: "cloud/gpuPoints.test.ts", every: 64 },
  { file: "distances/gpu.test.ts", every: 96 },
  { file: "distances/counts.test.ts", every: 96 },
];

/** Files that cannot run here, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  "device/bytes/matrix.test.ts": "Deno knows no matrix units, for which the test asks Dawn",
  "exit.test.ts": "it starts Node's command line",
  "fuzz/aborts.test.ts": "it counts listeners as Node tells them",
  "fuzz/cycles.test.ts": "it counts the threads and the memory of a process of Node's",
};

/** What a process runs of `folder`. @param list 0 or 1: two processes run side by side */
export function partsOf(list: number, folder: string, long: boolean): readonly Part[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && (long || !file.endsWith(".long.test.ts")))
    .sort();
  const named = [...table.map(({ file }) => file), ...Object.keys(leftOut)];
  const gone = named.filter((file) => !files.includes(file));
  if (gone.length > 0) throw new Error(`there is no ${gone.join(", ")} in ${folder}; mend the table`);
  return files
    .filter((file) => leftOut[file] === undefined)
    .filter((_, at) => at % 2 === list)
    .map((file) => {
      const part = table.find((each) => each.file === file) ?? { file, every: EVERY };
      return long ? { ...part, every: 1 } : part;
    });
}
