"""Compares the neighbours written by mnist.bench.js with a float64 brute force, row for row.

    python3 bench/verify_mnist.py DATA_FOLDER OUT [K]

Squared distances of 8-bit pixels are whole numbers far below 2^53, so float64 arithmetic is exact in any order, and
ordering by (squared distance, index) is ordering by (distance, index). Uses torch where there is a GPU, else numpy.
"""

import gzip
import os
import sys

import numpy as np

folder, out = sys.argv[1], sys.argv[2]
k = int(sys.argv[3]) if len(sys.argv) > 3 else 5


def read(name, skip):
    path = os.path.join(folder, name)
    with open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz") as file:
        return np.frombuffer(file.read(), np.uint8)[skip:]


def block(queries, refs, ref_squares):
    """Keys d^2 * 2^16 + index of the k nearest, ascending; exact in float64."""
    try:
        import torch

        q = torch.from_numpy(queries).cuda()
        squares = (q * q).sum(1, keepdim=True) + refs["squares"] - 2 * (q @ refs["rows"].T)
        keys = squares * 65536 + torch.arange(refs["rows"].shape[0], device="cuda", dtype=torch.float64)
        return torch.topk(keys, k, largest=False, sorted=True).values.cpu().numpy()
    except ImportError:
        squares = (queries * queries).sum(1, keepdims=True) + ref_squares - 2 * (queries @ refs["rows"].T)
        keys = squares * 65536 + np.arange(refs["rows"].shape[0])
        return np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1)


train = read("train-images-idx3-ubyte", 16).reshape(-1, 784).astype(np.float64)
test = read("t10k-images-idx3-ubyte", 16).reshape(-1, 784).astype(np.float64)
indices = np.fromfile(out + ".indices", np.uint32).reshape(-1, k)
distances = np.fromfile(out + ".distances", np.float64).reshape(-1, k)
refs = {"rows": train}
ref_squares = (train * train).sum(1)
try:
    import torch

    refs = {"rows": torch.from_numpy(train).cuda(), "squares": torch.from_numpy(ref_squares).cuda()}
except ImportError:
    pass

wrong = 0
for begin in range(0, len(indices), 500):
    rows = slice(begin, min(begin + 500, len(indices)))
    keys = block(test[rows], refs, ref_squares)
    expected, squares = keys % 65536, np.floor(keys / 65536)
    same = (indices[rows] == expected) & (distances[rows] == np.sqrt(squares))
    wrong += int((~same.all(axis=1)).sum())
print(f"{len(indices)} queries x {k} neighbours: {wrong} queries differ from float64 brute force")
sys.exit(1 if wrong else 0)
