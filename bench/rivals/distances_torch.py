"""torch on the jobs of distances.bench.ts: addmm, sqrt, min and max of each query, bincount; TF32 off, rows and counts in
device memory, norms included, median of 10 after 3 around a drained stream.

    python3 bench/rivals/distances_torch.py [queries references columns]
"""
import sys
import torch
from timing import median

torch.backends.cuda.matmul.allow_tf32 = False
queries, references, columns = (int(x) for x in (sys.argv[1:] or (10_000, 1_000_000, 128)))


def count(q, r, bins):
    """Queries in parts, so that distances and codes fit."""
    norms = (r * r).sum(1)
    own = (q * q).sum(1, keepdim=True)
    part = max(1, min(len(q), 2**33 // (4 * len(r))))
    result = torch.empty(len(q), bins, dtype=torch.int64, device="cuda")
    for begin in range(0, len(q), part):
        some = q[begin : begin + part]
        d = torch.addmm(norms, some, r.T, alpha=-2)
        d.add_(own[begin : begin + part]).clamp_(min=0).sqrt_()
        least, most = torch.aminmax(d, dim=1, keepdim=True)
        d.sub_(least).mul_(bins / (most - least).clamp(min=1e-30))
        codes = d.to(torch.int32).clamp_(max=bins - 1)
        codes.add_(torch.arange(len(some), device="cuda", dtype=torch.int32)[:, None] * bins)
        result[begin : begin + part] = torch.bincount(codes.flatten(), minlength=len(some) * bins).view(-1, bins)
    return result


print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
generator = torch.Generator("cuda").manual_seed(1)
r = torch.rand(references, columns, device="cuda", generator=generator)
q = torch.rand(queries, columns, device="cuda", generator=generator)
for bins in (5000, 5):
    print(f"torch, {bins} bins: {median(lambda: count(q, r, bins)):.1f} ms", flush=True)
