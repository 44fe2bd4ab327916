"""
CuPy's KDTree (a GPU) and SciPy's cKDTree (all cores) on the jobs of cloud.bench.ts: build, and query.

    python3 bench/rivals/cloud.py [points] [k,...] [cloud,...] [dragon_vrip.ply.gz]

The part "radius" of cloud.bench.ts has SciPy's query_ball_point beside it, for 8 and 30 points of uniform
ones within the radius: counted, and in lists.
"""
import gzip
import sys
import time
import numpy as np

points = int(sys.argv[1]) if len(sys.argv) > 1 else 2**21
ks = [int(k) for k in (sys.argv[2] if len(sys.argv) > 2 else "1,8,30").split(",")]
random = np.random.default_rng(1)


def crowded():
    x = random.random((points, 3), dtype=np.float32)
    part = np.arange(points) % 10 != 0
    x[part] *= np.float32(0.01 ** (1 / 3))
    return x


uniform = random.random((points, 3), dtype=np.float32)
clouds = {
    "uniform": (uniform, random.random((points, 3), dtype=np.float32)),
    "crowded": (crowded(), crowded()),
    "shifted": (uniform, uniform + np.float32(0.01)),
}


def dragon(file):
    lines = gzip.open(file, "rt").read().split("end_header", 1)[1].split("\n", 437646)[1:437646]
    x = np.array(" ".join(lines).split(), dtype=np.float32).reshape(-1, 3)
    return x, x + np.float32(0.01) * (x.max(axis=0) - x.min(axis=0)).max()


if len(sys.argv) > 4:
    clouds["dragon"] = dragon(sys.argv[4])
wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else list(clouds)
clouds = {name: clouds[name] for name in wanted}


def median(run, drain, runs):
    times = []
    for _ in range(runs + 1):
        drain()
        start = time.perf_counter()
        run()
        drain()
        times.append(time.perf_counter() - start)
    return sorted(times[1:])[runs // 2] * 1e3


try:
    import cupy
    from cupyx.scipy.spatial import KDTree

    drain = cupy.cuda.Device().synchronize
    for name, (train, queries) in clouds.items():
        train, queries = cupy.asarray(train), cupy.asarray(queries)
        print(f"CuPy KDTree {name}: build {median(lambda: KDTree(train), drain, 5):.2f} ms", flush=True)
        tree = KDTree(train)
        for k in ks:
            print(f"  k = {k}: query {median(lambda: tree.query(queries, k=k), drain, 5):.2f} ms", flush=True)
        del tree
except ImportError as error:
    print(f"no CuPy here: {error}")

try:
    from scipy.spatial import cKDTree

    for name, (train, queries) in clouds.items():
        built = median(lambda: cKDTree(train, balanced_tree=False), lambda: None, 1)
        tree = cKDTree(train, balanced_tree=False)
        for k in ks:
            took = median(lambda: tree.query(queries, k=k, workers=-1), lambda: None, 1)
            print(f"SciPy cKDTree {name}: build {built:.0f} ms, k = {k}: query {took:.0f} ms", flush=True)
        size = (train.max(axis=0) - train.min(axis=0)).max()
        for mean in (8, 30):
            radius = size * (mean / (len(train) * 4 / 3 * np.pi)) ** (1 / 3)
            within = lambda count: tree.query_ball_point(train, radius, workers=-1, return_length=count)
            counted = median(lambda: within(True), lambda: None, 1)
            print(f"  radius {radius}: {within(True).mean():.1f} points, counted {counted:.0f} ms", flush=True)
            print(f"    lists {median(lambda: within(False), lambda: None, 1):.0f} ms", flush=True)
except ImportError as error:
    print(f"no SciPy here: {error}")
