"""torch (addmm + topk, TF32 off), cuBLAS sgemm alone and FAISS where it can be imported, on the jobs of knn.bench.ts: rows and
results in device memory, norms included, median of 10 after 3 around a drained stream.

    python3 bench/rivals/knn_torch.py [queries references columns]
"""
import sys
import torch
from timing import median

torch.backends.cuda.matmul.allow_tf32 = False
queries, references, columns = (int(x) for x in (sys.argv[1:] or (10_000, 1_000_000, 128)))
PEAK = 66.9
MOST_BYTES = 6e10


def row(name, count, run):
    ms = median(run)
    tera = 2 * count * references * columns / ms / 1e9
    print(f"{name}: {ms:.3f} ms, {tera:.1f} TFLOP/s, {tera / PEAK * 100:.0f} % of {PEAK}", flush=True)


def search(q, r, k):
    """Queries in parts, so that the matrix of distances fits; the norms of q change no order and are left out."""
    norms = (r * r).sum(1)
    part = max(1, min(len(q), 2**34 // (4 * len(r))))
    for begin in range(0, len(q), part):
        torch.topk(torch.addmm(norms, q[begin : begin + part], r.T, alpha=-2), k, largest=False)


print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
generator = torch.Generator("cuda").manual_seed(1)
r = torch.rand(references, columns, device="cuda", generator=generator)
q = torch.rand(queries, columns, device="cuda", generator=generator)

print("\n## device")
for k in (10, 100, 1000):
    row(f"torch addmm + topk, k = {k}", queries, lambda: search(q, r, k))
if 4 * queries * references <= MOST_BYTES:
    out = torch.empty(queries, references, device="cuda")
    row("cuBLAS sgemm alone", queries, lambda: torch.mm(q, r.T, out=out))
    del out
else:
    print("cuBLAS sgemm alone: its result does not fit")

print("\n## batches")
for count in (1, 2, 4, 8, 16, 32):
    norms = (r * r).sum(1)
    row(f"torch, {count} queries, norms ready", count, lambda: torch.topk(torch.addmm(norms, q[:count], r.T, alpha=-2), 10, largest=False))

try:
    import faiss
    import faiss.contrib.torch_utils
except ImportError:
    print("\nFAISS cannot be imported here")
else:
    print(f"\n## FAISS {faiss.__version__}")
    resources = faiss.StandardGpuResources()
    resources.setTempMemory(2**31)
    for k in (10, 100, 1000):
        row(f"FAISS bfKnn, k = {k}", queries, lambda: faiss.knn_gpu(resources, q, r, k))
    for count in (1, 8, 32):
        row(f"FAISS bfKnn, {count} queries", count, lambda: faiss.knn_gpu(resources, q[:count], r, 10))
