/**
 * This is the entry of a CPU worker: one ES module for browsers and Node. It lists what workers do, room by
 * room; bundlers take it for one file, so that nothing in here is loaded on demand.
 */
import { handlers as exact } from "./distance/exact/task.ts";
import { handlers as rows } from "./distance/rows/sharedRowsTask.ts";
import { handlers as compact } from "./ops/compact/cpu/compact.ts";
import { handlers as runs } from "./ops/compact/cpu/runs.ts";
import { handlers as convolve } from "./ops/convolve/cpu.ts";
import { handlers as distances } from "./ops/distances/cpu.ts";
import { handlers as histogram } from "./ops/histogram/cpu.ts";
import { handlers as knn } from "./ops/knn/cpu/handlers.ts";
import { handlers as reduce } from "./ops/reduce/cpu.ts";
import { handlers as scan } from "./ops/scan/cpu.ts";
import { handlers as select } from "./ops/select/cpu.ts";
import { handlers as sort } from "./ops/sort/cpu/sort.ts";
import { serve } from "./runtime/cpu/serve.ts";

serve([
  ...exact,
  ...rows,
  ...compact,
  ...runs,
  ...convolve,
  ...distances,
  ...histogram,
  ...knn,
  ...reduce,
  ...scan,
  ...select,
  ...sort,
]);
