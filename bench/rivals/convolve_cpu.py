"""numpy.convolve and scipy.signal.oaconvolve on the jobs of convolve_cpu.bench.ts, which it asks for by name and taps on the
standard input, one run for each line; answers are milliseconds."""
import sys
import time
import numpy as np
import scipy
from scipy.signal import oaconvolve

x = np.random.default_rng(1).random(2**24, dtype=np.float32) - np.float32(0.5)
forms = {"convolve": lambda w: np.convolve(x, w, "same"), "oaconvolve": lambda w: oaconvolve(x, w, "same")}

print(f"numpy {np.__version__}, SciPy {scipy.__version__}", flush=True)
for line in sys.stdin:
    form, taps = line.split()
    mask = np.random.default_rng(2).random(int(taps), dtype=np.float32) - np.float32(0.5)
    began = time.perf_counter()
    forms[form](mask)
    print((time.perf_counter() - began) * 1e3, flush=True)
