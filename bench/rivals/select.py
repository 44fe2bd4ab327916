"""torch.topk on the same jobs as select.bench.ts, smallest first and sorted, median of 10 after 3."""
import sys
import torch
from timing import median

rows, cols = (int(x) for x in (sys.argv[1:] or (10000, 100000)))
row = torch.arange(cols, 0, -1, device="cuda", dtype=torch.float32)
inputs = (
    ("uniform", lambda: torch.rand(rows, cols, device="cuda")),
    ("descending", lambda: row.repeat(rows, 1)),
    ("equal", lambda: torch.ones(rows, cols, device="cuda")),
)
for name, make in inputs:
    x = make()
    for k in (1, 10, 100, 1000, 5000):
        print(f"torch.topk {name}, k = {k}: {median(lambda: torch.topk(x, k, largest=False)):.3f} ms", flush=True)
    del x
