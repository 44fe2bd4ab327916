"""numpy on the jobs of arrays_cpu.bench.ts, which it asks for by name on the standard input, one run for each line; answers
are milliseconds. Selection is argpartition with a sort of what it leaves."""
import sys
import time
import numpy as np

n = 2**24
x = np.random.default_rng(1).random(n, dtype=np.float32)
whole = np.floor(x * 1000).astype(np.int32) - 500
half, few = x < 0.5, x < 0.01
runs = ((np.arange(n, dtype=np.uint32) >> 2) * np.uint32(0x9E3779B1)).view(np.int32) >> 8
kept = {"half": np.empty(int(half.sum()), x.dtype), "few": np.empty(int(few.sum()), x.dtype)}

def select(rows, k):
    y = x.reshape(rows, -1)
    found = np.argpartition(y, k - 1, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(y, found, 1), axis=1, kind="stable")
    return np.take_along_axis(found, order, 1)

def heads():
    flags = np.empty(n, bool)
    flags[0] = True
    np.not_equal(runs[1:], runs[:-1], out=flags[1:])
    return flags

def run_length():
    offsets = np.flatnonzero(heads())
    return runs[offsets], np.diff(offsets, append=n), offsets

jobs = {}
for name, values in (("f32", x), ("i32", whole)):
    out = np.empty_like(values)
    jobs[f"scan {name} sum"] = lambda v=values, o=out: np.cumsum(v, out=o)
    jobs[f"scan {name} min"] = lambda v=values, o=out: np.minimum.accumulate(v, out=o)
    jobs[f"reduce {name} sum"] = lambda v=values: np.sum(v, dtype=v.dtype)
    jobs[f"reduce {name} min"] = lambda v=values: np.min(v)
    jobs[f"reduce {name} argmin"] = lambda v=values: np.argmin(v)
for bins in (5, 5000):
    jobs[f"histogram {bins} given"] = lambda b=bins: np.histogram(x, bins=b, range=(0, 1))
    jobs[f"histogram {bins} found"] = lambda b=bins: np.histogram(x, bins=b)
for rows, k in ((1, 10), (1, 1000), (4096, 10)):
    jobs[f"select {rows} {k}"] = lambda r=rows, c=k: select(r, c)
jobs["compact half"] = lambda: np.compress(half, x, out=kept["half"])
jobs["compact few"] = lambda: np.compress(few, x, out=kept["few"])
jobs["flatnonzero half"] = lambda: np.flatnonzero(half)
jobs["flatnonzero few"] = lambda: np.flatnonzero(few)
jobs["unique"] = lambda: runs[heads()]
jobs["runLength"] = run_length

print(np.__version__, flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    jobs[line.strip()]()
    print((time.perf_counter() - began) * 1e3, flush=True)
