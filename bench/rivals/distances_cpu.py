"""numpy on the job of distances_cpu.bench.ts, which asks for numbers of bins on the standard input; answers are
milliseconds. Float32 distances in matrix form, floor-formula bins: its counts are not exact."""
import sys
import time
import numpy as np

queries, references, columns = map(int, sys.argv[1:4])
rng = np.random.default_rng(1)
x = rng.random((references, columns), dtype=np.float32)
q = rng.random((queries, columns), dtype=np.float32)

def histograms(bins):
    d = (q * q).sum(1)[:, None] + (x * x).sum(1)[None, :] - 2 * (q @ x.T)
    np.sqrt(np.maximum(d, 0, out=d), out=d)
    low, high = d.min(1), d.max(1)
    counts = np.empty((queries, bins), np.int64)
    for i in range(queries):
        at = ((d[i] - low[i]) * (bins / (high[i] - low[i]))).astype(np.int32)
        counts[i] = np.bincount(np.minimum(at, bins - 1), minlength=bins)
    return counts

print(np.__version__, flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    histograms(int(line))
    print((time.perf_counter() - began) * 1e3, flush=True)
