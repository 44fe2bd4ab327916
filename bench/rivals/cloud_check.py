"""
Compares all neighbours that cloud.bench.ts wrote with those of SciPy's cKDTree on the same rows.

    python3 bench/rivals/cloud_check.py FOLDER

SciPy adds up squares in an order of its own, so that its distances may differ in the last bits. Rows that differ
where the distances do not are ties; of "buffers", whose distances are float32, those as near up to 2^-20 too.
"""
import sys
from pathlib import Path

sys.path.pop(0)  # this folder's select.py hides Python's
import numpy as np
from scipy.spatial import cKDTree

for folder in sorted(Path(sys.argv[1]).iterdir()):
    name, k = folder.name.split(".")
    k = int(k)
    train, queries = (np.fromfile(folder / file, np.float32).reshape(-1, 3) for file in ("train", "queries"))
    indices = np.fromfile(folder / "indices", np.uint32).reshape(-1, k).astype(np.int64)
    single = name == "buffers"
    distances = np.fromfile(folder / "distances", np.float32 if single else np.float64).reshape(-1, k)
    expected, rows = cKDTree(train.astype(np.float64)).query(queries.astype(np.float64), k=k, workers=-1)
    expected, rows = expected.reshape(-1, k), rows.reshape(-1, k)
    limit = 2.0**-20 if single else 2.0**-50
    wrong = np.abs(distances - expected) > limit * expected
    own = np.sqrt(((queries[:, None].astype(np.float64) - train[indices]) ** 2).sum(axis=2))
    untrue = np.abs(own - expected) > limit * expected
    other = indices != rows
    print(
        f"{name}, k = {k}: {distances.size} neighbours, {wrong.sum()} distances and {untrue.sum()} rows wrong, "
        f"{other.sum()} other rows as near, {(distances == expected).sum()} distances equal to the last bit",
        flush=True,
    )
