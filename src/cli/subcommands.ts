/**
 * Lists the commands of `nearfield`, in the order of the help; the module of one is loaded when it is named.
 */
import type { Command } from "commander";

export interface Subcommand {
  readonly name: string;
  /** The help lists it under this heading. */
  readonly group: string;
  readonly summary: string;
  readonly load: (signal: AbortSignal) => Promise<Command>;
}

export const subcommands: readonly Subcommand[] = [
  {
    name: "example",
    group: "Getting started:",
    summary: "write a small real table to try the other commands with",
    load: async (signal) => (await import("./commands/example.ts")).exampleCommand(signal),
  },
  {
    name: "schema",
    group: "Getting started:",
    summary: "show the columns of a file, their types, gaps and ranges",
    load: async (signal) => (await import("./commands/schema.ts")).schemaCommand(signal),
  },
  {
    name: "doctor",
    group: "Getting started:",
    summary: "say what this machine offers, test it, and say what to install",
    load: async (signal) => (await import("./commands/doctor.ts")).doctorCommand(signal),
  },
  {
    name: "classify",
    group: "Predict and search:",
    summary: "predict a label for every row of a file",
    load: async (signal) => (await import("./commands/classify.ts")).classifyCommand(signal),
  },
  {
    name: "regress",
    group: "Predict and search:",
    summary: "predict a number for every row of a file",
    load: async (signal) => (await import("./commands/regress.ts")).regressCommand(signal),
  },
  {
    name: "predict",
    group: "Predict and search:",
    summary: "predict with a model that classify or regress saved",
    load: async (signal) => (await import("./commands/predict.ts")).predictCommand(signal),
  },
  {
    name: "tune",
    group: "Predict and search:",
    summary: "find which k, metric, weights and scaling predict best",
    load: async (signal) => (await import("./commands/tune.ts")).tuneCommand(signal),
  },
  {
    name: "search",
    group: "Predict and search:",
    summary: "find the nearest training rows of every row of a file",
    load: async (signal) => (await import("./commands/search.ts")).searchCommand(signal),
  },
  {
    name: "run",
    group: "Processes:",
    summary: "run a process of operators, wired in a file",
    load: async (signal) => (await import("./commands/run.ts")).runCommand(signal),
  },
  {
    name: "import",
    group: "Processes:",
    summary: "convert a process of RapidMiner",
    load: async (signal) => (await import("./commands/import.ts")).importCommand(signal),
  },
  {
    name: "operators",
    group: "Processes:",
    summary: "list the operators of processes",
    load: async () => (await import("./commands/operators.ts")).operatorsCommand(),
  },
  {
    name: "convolve",
    group: "Arrays and clouds:",
    summary: "convolve a signal with a mask, such as to filter a sound",
    load: async (signal) => (await import("./commands/convolve.ts")).convolveCommand(signal),
  },
  {
    name: "sort",
    group: "Arrays and clouds:",
    summary: "sort the numbers of a file, or find the order that sorts them",
    load: async (signal) => (await import("./commands/sort.ts")).sortCommand(signal),
  },
  {
    name: "histogram",
    group: "Arrays and clouds:",
    summary: "count the numbers of a file by bins",
    load: async (signal) => (await import("./commands/histogram.ts")).histogramCommand(signal),
  },
  {
    name: "distances",
    group: "Arrays and clouds:",
    summary: "count the distances of every row to the training rows by bins",
    load: async (signal) => (await import("./commands/distances.ts")).distancesCommand(signal),
  },
  {
    name: "cloud",
    group: "Arrays and clouds:",
    summary: "find the nearest points of clouds, and how far apart clouds are",
    load: async (signal) => (await import("./commands/cloud.ts")).cloudCommand(signal),
  },
  {
    name: "bench",
    group: "This tool:",
    summary: "measure how fast this machine is, and check its results",
    load: async (signal) => (await import("./commands/bench.ts")).benchCommand(signal),
  },
  {
    name: "completion",
    group: "This tool:",
    summary: "print a completion script for bash, zsh or fish",
    load: async (signal) => {
      const all = () =>
        Promise.all(subcommands.map(async ({ load, summary }) => (await load(signal)).summary(summary)));
      return (await import("./commands/completion.ts")).completionCommand(all);
    },
  },
];
