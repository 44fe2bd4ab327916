"""numpy on the jobs of arrays_cpu.bench.ts; selection is argpartition with a sort of what it leaves."""
import time
import numpy as np

def report(name, run):
    times = []
    for i in range(7):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    print(f"{name}: {sorted(times[2:])[2] * 1e3:.1f} ms", flush=True)

n = 2**24
x = np.random.default_rng(1).random(n, dtype=np.float32)
whole = np.floor(x * 1000).astype(np.int32) - 500
for name, values in (("f32", x), ("i32", whole)):
    out = np.empty_like(values)
    report(f"numpy.cumsum {name}", lambda: np.cumsum(values, out=out))
    report(f"numpy.minimum.accumulate {name}", lambda: np.minimum.accumulate(values, out=out))
    report(f"numpy.sum {name}", lambda: np.sum(values, dtype=values.dtype))
    report(f"numpy.min {name}", lambda: np.min(values))
    report(f"numpy.argmin {name}", lambda: np.argmin(values))
for bins in (5, 5000):
    report(f"numpy.histogram, {bins} bins", lambda: np.histogram(x, bins=bins, range=(0, 1)))
    report(f"numpy.histogram, {bins} bins, range found", lambda: np.histogram(x, bins=bins))

def select(rows, k):
    y = x.reshape(rows, -1)
    found = np.argpartition(y, k - 1, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(y, found, 1), axis=1, kind="stable")
    return np.take_along_axis(found, order, 1)

for rows, k in ((1, 10), (1, 1000), (4096, 10)):
    report(f"numpy.argpartition, {rows} rows, k = {k}", lambda: select(rows, k))
