"""SciPy's cKDTree on the job of cloud_cpu.bench.ts, for each line of the standard input; answers are the
milliseconds of the build, of the query by two workers, and of processor time."""
import sys
import time
import numpy as np
import scipy
from scipy.spatial import cKDTree

points = int(sys.argv[1])
random = np.random.default_rng(1)
train = random.random((points, 3), dtype=np.float32)
queries = random.random((points, 3), dtype=np.float32)

print(scipy.__version__, flush=True)
for line in sys.stdin:
    processor, began = time.process_time(), time.perf_counter()
    tree = cKDTree(train, balanced_tree=False, compact_nodes=False)
    built = time.perf_counter()
    tree.query(queries, workers=2)
    ended = time.perf_counter()
    times = [built - began, ended - built, time.process_time() - processor]
    print(*[1e3 * each for each in times], flush=True)
