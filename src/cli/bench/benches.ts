/** This module lists the benches of `nearfield bench`. A new bench is a file here and a line in this list. */
import type { Bench } from "./bench.ts";
import { cloudBench } from "./cloud.ts";
import { convolveBench } from "./convolve.ts";
import { copyBench } from "./copy.ts";
import { distancesBench } from "./distances.ts";
import { knnBench } from "./knn.ts";
import { sortBench } from "./sort.ts";

export const benches: readonly Bench[] = [
  knnBench,
  copyBench,
  convolveBench,
  sortBench,
  cloudBench,
  distancesBench,
];
