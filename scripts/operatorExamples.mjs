// The examples of docs/operators/: a process of the penguins around each operator, the parameters that its
// example sets, slips of which its page shows what the checks say, and commands that do the same.

/** The nodes that examples are wired to, and which output of them stands for a type. */
export const around = {
  nodes: {
    read: { operator: "readTable", parameters: { file: "penguins.csv" } },
    roles: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: "species" } },
    split: { operator: "splitData", inputs: { table: "roles.table" } },
    normalize: { operator: "normalize" },
    knn: { operator: "knn", inputs: { train: "split.part1", preparation: "normalize.learner" } },
    apply: { operator: "applyModel", inputs: { model: "knn.model", table: "split.part2" } },
    near: { operator: "nearestNeighbours", inputs: { train: "roles.table" } },
    performance: { operator: "performance", inputs: { table: "apply.table" } },
    sizes: {
      operator: "tableToMatrix",
      inputs: { table: "read.table" },
      parameters: { columns: ["body_mass_g"] },
    },
    sound: { operator: "readSignal", parameters: { file: "speech.wav" } },
    bunny: { operator: "readCloud", parameters: { file: "bunny.ply" } },
    other: { operator: "readCloud", parameters: { file: "other.ply" } },
  },
  wires: {
    Table: "roles.table",
    Learner: "knn.learner",
    Model: "knn.model",
    Neighbours: "near.neighbours",
    Performance: "performance.performance",
    Matrix: "sizes.matrix",
    Signal: "sound.signal",
    PointCloud: "bunny.cloud",
  },
};

/** What the checks know of penguins.csv. */
export const file = {
  rows: 344,
  columns: [
    { name: "species", kind: "nominal" },
    { name: "island", kind: "nominal" },
    { name: "bill_length_mm", kind: "numeric" },
    { name: "bill_depth_mm", kind: "numeric" },
    { name: "flipper_length_mm", kind: "numeric" },
    { name: "body_mass_g", kind: "numeric" },
    { name: "sex", kind: "nominal" },
  ],
};

export const examples = {
  readTable: { parameters: { file: "penguins.csv", nominal: ["island"] } },
  readMatrix: { parameters: { file: "images.npy" } },
  readSignal: { parameters: { file: "sensor.csv", column: "temperature" } },
  readCloud: { parameters: { file: "bunny.ply" } },
  readModel: { parameters: { file: "species.nfm" } },
  writeTable: { inputs: { table: "apply.table" }, parameters: { file: "predicted.csv" } },
  writeMatrix: { inputs: { matrix: "near.neighbours" }, parameters: { file: "neighbours.ivecs" } },
  writeSignal: { inputs: { signal: "sound.signal" }, parameters: { file: "softer.wav" } },
  writeModel: { parameters: { file: "species.nfm" } },
  setRole: { inputs: { table: "read.table" }, parameters: { label: "species", ignore: ["sex"] } },
  selectColumns: { parameters: { columns: ["sex"], leaveOut: true } },
  filterRows: { parameters: { column: "body_mass_g", comparison: ">", value: "4000" } },
  splitData: { parameters: { ratios: [0.8, 0.2], seed: 7 } },
  sampleRows: { parameters: { rows: 50, sampling: "stratified" } },
  attachColumn: {
    inputs: { table: "split.part2", other: "apply.table" },
    parameters: { column: "sex", as: "sex2" },
  },
  replaceMissing: { inputs: { table: "roles.table" }, parameters: { by: "value", value: "0" } },
  normalize: { inputs: { table: "roles.table" }, parameters: { method: "range", min: -1 } },
  knn: { inputs: { train: "split.part1" }, parameters: { k: 7, weights: "distance" } },
  applyModel: { inputs: { table: "split.part2" }, parameters: { confidences: false } },
  nearestNeighbours: { parameters: { k: 3, radius: 25 } },
  withinRadius: { parameters: { radius: 0.5 } },
  neighbourRows: { inputs: { neighbours: "near.neighbours", train: "roles.table" } },
  performance: { inputs: { table: "apply.table" } },
  crossValidation: { parameters: { folds: 5 } },
  tableToMatrix: {
    inputs: { table: "read.table" },
    parameters: { columns: ["bill_depth_mm", "body_mass_g"] },
  },
  distanceHistogram: { parameters: { bins: 20, together: true } },
  nearestInCloud: { parameters: { k: 8 } },
  cloudDistance: { inputs: { b: "other.cloud" }, parameters: { by: "hausdorff" } },
  reduce: { parameters: { op: "max" } },
  scan: { parameters: { exclusive: true } },
  select: { parameters: { k: 10 } },
  unique: {},
  tableToCloud: { parameters: { columns: ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"] } },
  sort: { parameters: { descending: true } },
  histogram: { parameters: { bins: 20, range: [2500, 6500] } },
  convolve: { parameters: { taps: [0.25, 0.5, 0.25], mode: "same" } },
};

export const slips = {
  readTable: [{ parameters: { file: "../penguins.csv" } }, { parameters: { numeric: ["island"] } }],
  setRole: [{ parameters: { label: "specie" } }, { parameters: { ignore: ["species"] } }],
  selectColumns: [{ parameters: { columns: [], leaveOut: false } }],
  filterRows: [{ parameters: { column: "sex" } }, { parameters: { value: "heavy" } }],
  splitData: [{ parameters: { ratios: [1] } }],
  tableToMatrix: [{ parameters: { columns: ["sex"] } }],
  tableToCloud: [{ parameters: { columns: ["sex"] } }],
  scan: [{ parameters: { op: "min" } }],
  select: [{ parameters: { k: 345 } }],
  distanceHistogram: [{ parameters: { range: [0, 5] } }],
  cloudDistance: [{ parameters: { metric: "sqeuclidean" } }],
  histogram: [{ parameters: { edges: [0, 1] } }, { parameters: { range: [2, 1] } }],
  convolve: [{ parameters: { boundary: "edge", mode: "full" } }],
  replaceMissing: [{ parameters: { by: "zero" } }],
  normalize: [{ parameters: { max: -2 } }],
  knn: [
    { parameters: { k: 0 } },
    { parameters: { p: 3 } },
    { parameters: { kernelGamma: 2 } },
    { parameters: { task: "regress" } },
  ],
  applyModel: [{ inputs: { model: "knn.learner" } }, { inputs: { table: "apply.table" } }],
  nearestNeighbours: [{ inputs: { queries: "read.table" }, parameters: { excludeSelf: false } }],
  performance: [{ inputs: { table: "split.part2" } }],
  crossValidation: [{ inputs: { learner: "normalize.learner" } }, { parameters: { folds: 1 } }],
};

/** Commands that do what the example of an operator does, with its parameters. */
export const commands = {
  normalize: "nearfield classify --train penguins.csv --label species --normalize range=-1:1 --cv 10",
  replaceMissing: "nearfield classify --train penguins.csv --label species --impute value=0 --cv 10",
  knn: "nearfield classify --train train.csv --test test.csv --label species --k 7 --weights distance",
  applyModel: "nearfield predict --model species.nfm --test penguins.csv --no-confidences",
  nearestNeighbours: "nearfield search --train penguins.csv --k 3",
  sort: "nearfield sort sizes.npy --descending",
  histogram: "nearfield histogram sizes.npy --bins 20 --range 2500,6500",
  convolve: "nearfield convolve speech.wav --taps 0.25,0.5,0.25 --mode same --out softer.wav",
  crossValidation: "nearfield classify --train penguins.csv --label species --cv 5",
};
