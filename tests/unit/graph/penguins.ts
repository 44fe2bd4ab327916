/** The process of the penguins, in its printed form. */
export const penguins = `{
  "nearfield": 1,
  "name": "Penguins by their five nearest",
  "nodes": {
    "normalize": { "operator": "normalize" },
    "read": { "operator": "readTable", "parameters": { "file": "penguins.csv" } },
    "roles": { "operator": "setRole", "inputs": { "table": "read.table" }, "parameters": { "label": "species" } },
    "split": { "operator": "splitData", "inputs": { "table": "roles.table" } },
    "knn": { "operator": "knn", "inputs": { "preparation": "normalize.learner", "train": "split.part1" } },
    "apply": { "operator": "applyModel", "inputs": { "model": "knn.model", "table": "split.part2" } },
    "performance": { "operator": "performance", "inputs": { "table": "apply.table" } }
  },
  "layout": {
    "apply": [640, 96],
    "knn": [448, 96]
  }
}
`;
