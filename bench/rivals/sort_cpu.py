"""numpy on the jobs of sort_cpu.bench.ts, which it asks for by name on the standard input, one run for each line; answers
are milliseconds. "sort" is numpy's own choice, "stable" its stable sort, and "argsort" the stable one of places."""
import sys
import time
import numpy as np

n = int(sys.argv[1])
random = np.random.default_rng(1)
whole = {"u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64}
keys = {name: random.integers(np.iinfo(t).min, np.iinfo(t).max, n, t, True) for name, t in whole.items()}
keys |= {"f32": random.random(n, np.float32) - np.float32(0.5), "f64": random.random(n) - 0.5}

jobs = {
    "sort": lambda x: np.sort(x),
    "stable": lambda x: np.sort(x, kind="stable"),
    "argsort": lambda x: np.argsort(x, kind="stable"),
}

print(np.__version__, flush=True)
for line in sys.stdin:
    job, name = line.split()
    began = time.perf_counter()
    jobs[job](keys[name])
    print((time.perf_counter() - began) * 1e3, flush=True)
