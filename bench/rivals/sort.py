"""torch.sort and cupy.sort on random u32 keys (torch: int32), median of 10 after 3. Lines as those of sort.cu."""
import sys
import torch
from timing import median

try:
    import cupy
except ImportError:
    cupy = None

for log in (int(x) for x in (sys.argv[1:] or ("20", "24", "26", "28"))):
    count = 1 << log
    keys = torch.randint(-(2**31), 2**31 - 1, (count,), device="cuda", dtype=torch.int32)
    print(f"torch-argsort-i32 random {log} {median(lambda: torch.sort(keys, stable=True)):.4f}", flush=True)
    if cupy is not None:
        copied = cupy.asarray(keys).view(cupy.uint32)
        print(f"cupy-keys-u32 random {log} {median(lambda: cupy.sort(copied)):.4f}", flush=True)
        print(f"cupy-argsort-u32 random {log} {median(lambda: cupy.argsort(copied)):.4f}", flush=True)
        del copied
        cupy.get_default_memory_pool().free_all_blocks()
    del keys
    torch.cuda.empty_cache()
