"""Makes a .u8bin of random bytes, by all cores, or checks ground truth in float64 with torch.

    python3 knn_u8bin.py make TRAIN.u8bin ROWS QUERIES.u8bin QUERIES
    python3 knn_u8bin.py check TRAIN.u8bin QUERIES.u8bin TRUTH.ibin SAMPLE
"""
import os, sys, time

sys.path.pop(0)  # select.py beside this file is no module of Python
import numpy as np

COLS = 128
STEP = 2**20


def piece(job):
    path, rows, first = job
    count = min(STEP, rows - first)
    values = np.frombuffer(np.random.default_rng(first).bytes(count * COLS), np.uint8)
    with open(path, "r+b") as file:
        file.seek(8 + first * COLS)
        file.write(values)


def make(path, rows):
    from multiprocessing import Pool
    with open(path, "wb") as file:
        file.write(np.array([rows, COLS], np.uint32).tobytes())
        file.truncate(8 + rows * COLS)
    with Pool() as pool:
        pool.map(piece, [(path, rows, first) for first in range(0, rows, STEP)], chunksize=1)


def rows_of(path):
    rows, cols = np.fromfile(path, np.uint32, 2)
    return np.memmap(path, np.uint8, "r", 8, (int(rows), int(cols)))


def check(train, queries, truth, sample):
    import torch
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, queries = rows_of(train), rows_of(queries)
    count, k = (int(each) for each in np.fromfile(truth, np.uint32, 2))
    found = np.fromfile(truth, np.int32, count * k, offset=8).reshape(count, k)
    distances = np.fromfile(truth, np.float32, count * k, offset=8 + 4 * count * k).reshape(count, k)
    asked = np.linspace(0, count - 1, sample).astype(int)
    q = torch.from_numpy(queries[asked]).to(device).double()
    best = None
    for first in range(0, len(train), 2 * STEP):
        r = torch.from_numpy(np.array(train[first : first + 2 * STEP])).to(device).double()
        d = (q * q).sum(1)[:, None] + (r * r).sum(1)[None] - 2 * q @ r.T
        # Whole numbers below 2^24 and the row in one exact float64, so that ties are in the order of rows.
        keys = d * 2.0**28 + torch.arange(first, first + len(r), device=device)
        keys = keys.topk(min(k, len(r)), largest=False, sorted=True).values
        best = keys if best is None else torch.cat([best, keys], 1).topk(k, largest=False, sorted=True).values
    best = best.cpu().numpy()
    rows = (best % 2.0**28).astype(np.int64)
    wrong = int((rows != found[asked]).sum() + (np.floor(best / 2.0**28) != distances[asked]).sum())
    print(f"checked {sample} queries, {rows.size} neighbours in float64 on {device}: {wrong} wrong")


begin = time.perf_counter()
if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3])), make(sys.argv[4], int(sys.argv[5]))
    # The same seeds would give the same rows.
    with open(sys.argv[4], "r+b") as file:
        file.seek(8)
        file.write(np.random.default_rng(2**32).bytes(int(sys.argv[5]) * COLS))
else:
    check(*sys.argv[2:5], int(sys.argv[5]))
print(f"{sys.argv[1]} took {time.perf_counter() - begin:.1f} s on {os.cpu_count()} cores")
