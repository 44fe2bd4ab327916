"""Convolution of float32 signals on a GPU by torch (conv1d of cuDNN, and overlap-save by batched rfft) and CuPy, on
the jobs of convolve.bench.ts, median of 10 after 3. All forms that are quick are printed, and the best of them.

    python3 bench/rivals/convolve.py [samples]
"""
import sys
import torch
from timing import median

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000
torch.manual_seed(1)
torch.backends.cudnn.allow_tf32 = False


def conv1d(x, w):
    return torch.nn.functional.conv1d(x, w, padding="same")


def overlap_save(x, w, block):
    """Valid outputs of each block; the signal is padded once, outside the time."""
    taps = w.shape[-1]
    hop = block - taps + 1
    spectrum = torch.fft.rfft(w, block)
    padded = torch.nn.functional.pad(x, (taps - 1, hop - x.shape[-1] % hop))
    blocks = padded.unfold(-1, block, hop)

    def run():
        parts = torch.fft.irfft(torch.fft.rfft(blocks) * spectrum, block)
        return parts[..., taps - 1 :].reshape(-1)

    return run


def report(job, results):
    best = min(results, key=results.get)
    print(f"{job}: " + ", ".join(f"{name} {ms:.4f}" for name, ms in results.items()) + f"; best {best}", flush=True)


def attempt(results, name, run):
    try:
        results[name] = median(run)
    except Exception as error:
        print(f"  {name}: {type(error).__name__} {str(error)[:100]}", flush=True)
        torch.cuda.empty_cache()


def cupy_forms(taps):
    try:
        import cupy
        import cupyx.scipy.signal as signal
    except ImportError as error:
        print(f"  CuPy: {error}")
        return {}
    x = cupy.random.standard_normal(samples, dtype=cupy.float32)
    w = cupy.random.standard_normal(taps, dtype=cupy.float32)
    forms = {"cupy.convolve": lambda: cupy.convolve(x, w, "same")}
    forms["cupyx oaconvolve"] = lambda: signal.oaconvolve(x, w, "same")
    return forms


x = torch.randn(samples, device="cuda")
y = torch.empty_like(x)
print(f"torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, copy {median(lambda: y.copy_(x)):.4f} ms")
for taps in (3, 10, 63, 255, 1023, 4095):
    w = torch.randn(taps, device="cuda")
    results = {}
    for benchmark in (False, True):
        torch.backends.cudnn.benchmark = benchmark
        if taps <= 1023:
            attempt(results, f"conv1d{' tuned' if benchmark else ''}", lambda: conv1d(x[None, None], w[None, None]))
            # The signal as a batch of rows, halos not counted.
            attempt(results, f"conv1d rows{' tuned' if benchmark else ''}", lambda: conv1d(x.view(-1, 1, 10_000), w[None, None]))
    for block in (1024, 2048, 4096, 8192, 16384, 65536):
        if block > taps:
            attempt(results, f"rfft {block}", overlap_save(x, w, block))
    for name, run in cupy_forms(taps).items():
        attempt(results, name, run)
    torch.cuda.empty_cache()
    report(f"f32 {samples}, {taps} taps", results)
for taps in (10, 255):
    w = torch.randn(taps, device="cuda")
    results = {}
    for benchmark in (False, True):
        torch.backends.cudnn.benchmark = benchmark
        attempt(results, f"conv1d{' tuned' if benchmark else ''}", lambda: conv1d(x.view(100, 1, -1), w[None, None]))
    report(f"f32 100 x {samples // 100}, {taps} taps", results)
