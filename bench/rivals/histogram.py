"""torch on the same jobs as histogram.bench.ts: histc and bincount of 2^28 values, median of 10 after 3."""
import torch
from timing import median

n = 2**28
x = torch.rand(n, device="cuda")
for name, data in (("uniform", x), ("one value", torch.full((n,), 0.37, device="cuda"))):
    for bins in (5, 256, 4096, 5000, 65536):
        print(f"torch.histc {name}, {bins} bins: {median(lambda: torch.histc(data, bins, 0, 1)):.3f} ms", flush=True)
    codes = (data * 5000).to(torch.int32)
    print(f"torch.bincount {name}, 5000 bins: {median(lambda: torch.bincount(codes, minlength=5000)):.3f} ms", flush=True)
