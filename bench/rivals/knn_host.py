"""torch (addmm + topk, TF32 off) on the jobs of knn_rows.bench.ts: float32 rows, from arrays of the host to arrays of the host,
median of 5 after 2, and on the device alone, median of 10 after 3.

    python3 bench/rivals/knn_host.py [queries references columns]
"""
import sys
import time
import torch
from timing import median

torch.backends.cuda.matmul.allow_tf32 = False
queries, references, columns = (int(x) for x in (sys.argv[1:] or (10_000, 1_000_000, 128)))


def search(q, r, k):
    norms = (r * r).sum(1)
    part = max(1, min(len(q), 2**34 // (4 * len(r))))
    found = []
    for begin in range(0, len(q), part):
        found.append(torch.topk(torch.addmm(norms, q[begin : begin + part], r.T, alpha=-2), k, largest=False))
    return torch.cat([values for values, _ in found]), torch.cat([rows for _, rows in found])


print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
r = torch.rand(references, columns)
q = torch.rand(queries, columns)
on = (q.cuda(), r.cuda())
for k in (10, 100, 1000):
    device = median(lambda: search(*on, k))
    times = []
    for _ in range(7):
        start = time.perf_counter()
        [each.cpu() for each in search(q.cuda(), r.cuda(), k)]
        times.append(time.perf_counter() - start)
    print(f"torch, k = {k}: device {device:.1f} ms, host to host {sorted(times[2:])[2]:.3f} s", flush=True)
