"""Convolution of float32 signals on a GPU by every form that torch has, and by CuPy, on the jobs of convolve.bench.ts:
a table of milliseconds, a row for each form, a column for each number of taps. Outputs of each form are compared with
those of conv1d at the ends and in the middle; one that differs says so. What takes over 200 ms is run once more only.

    python3 bench/rivals/convolve.py [--samples N] [--taps 3,10,63,255,1023,4095] [--compiled]
"""
import argparse
import time
import torch
from timing import median

options = argparse.ArgumentParser()
options.add_argument("--samples", type=int, default=100_000_000)
options.add_argument("--taps", default="3,10,63,255,1023,4095")
options.add_argument("--compiled", action="store_true", help="torch.compile too, which takes its time")
options = options.parse_args()
SAMPLES = options.samples
ROW = 10_000
LONG_MS = 200
MOST_TUNED = 1023
BLOCKS = (1024, 4096, 16384, 65536)
conv = torch.nn.functional.conv1d
torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False


def conv1d_forms(x, w):
    """As one signal, and as a batch of rows, whose halos are not counted; torch documents tf32 as the default."""
    rows = x.view(-1, 1, ROW) if x.shape[-1] % ROW == 0 else None
    for tf32 in (False, True):
        for tuned in (False, True) if w.shape[0] <= MOST_TUNED else (False,):
            for name, signal in (("", x[None, None]), (" rows", rows)):
                if signal is None:
                    continue

                def run(signal=signal, tf32=tf32, tuned=tuned):
                    torch.backends.cudnn.allow_tf32 = tf32
                    torch.backends.cudnn.benchmark = tuned
                    return conv(signal, w[None, None], padding="same").view(-1)

                yield f"conv1d{name}{' tf32' if tf32 else ''}{' tuned' if tuned else ''}", run, name == "" and not tf32


def product_forms(x, w):
    """Windows as a matrix: strided views of the padded signal, copied (im2col) or not, and blocks by a Toeplitz matrix."""
    taps = w.shape[0]
    padded = torch.nn.functional.pad(x, ((taps - 1) // 2, taps // 2))
    windows = padded.as_strided((x.shape[0], taps), (1, 1))
    yield "as_strided @ mask", lambda: windows @ w, True
    yield "unfold, mul, sum", lambda: (padded.unfold(0, taps, 1) * w).sum(-1), True
    column = padded[None, None, None]
    unfold = torch.nn.functional.unfold
    yield "nn.unfold (im2col), matmul", lambda: (w @ unfold(column, (1, taps))[0]), True
    for block in (64, 128, 256):
        count = x.shape[0] // block
        blocks = padded.as_strided((count, block + taps - 1), (block, 1))
        toeplitz = torch.zeros(block + taps - 1, block, device=x.device)
        for at in range(block):
            toeplitz[at : at + taps, at] = w
        for tf32 in (False, True):

            def run(blocks=blocks, toeplitz=toeplitz, tf32=tf32):
                torch.backends.cuda.matmul.allow_tf32 = tf32
                try:
                    return (blocks @ toeplitz).view(-1)
                finally:
                    torch.backends.cuda.matmul.allow_tf32 = False

            yield f"blocks @ Toeplitz {block}{' tf32' if tf32 else ''}", run, not tf32 and count * block == x.shape[0]


def shifted_forms(x, w):
    """One multiply-add over the whole signal for each tap."""
    taps = w.shape[0]
    padded = torch.nn.functional.pad(x, ((taps - 1) // 2, taps // 2))

    def run():
        total = padded[: x.shape[0]] * w[0]
        for tap in range(1, taps):
            total.addcmul_(padded[tap : tap + x.shape[0]], w[tap])
        return total

    yield "shifted, addcmul", run, True
    if options.compiled and taps <= 63:
        yield "shifted, torch.compile", torch.compile(run), True


def spectra_forms(x, w):
    """Overlap-save in blocks, and the whole signal at once; taps are flipped, since conv1d correlates."""
    taps = w.shape[0]
    left, right = (taps - 1) // 2, taps // 2
    flipped = w.flip(0)
    for block in BLOCKS:
        if block <= taps:
            continue
        hop = block - taps + 1
        padded = torch.nn.functional.pad(x, (left, right + hop - x.shape[0] % hop))
        blocks = padded.unfold(0, block, hop)
        spectrum = torch.fft.rfft(flipped, block)

        def run(blocks=blocks, spectrum=spectrum, block=block):
            parts = torch.fft.irfft(torch.fft.rfft(blocks) * spectrum, block)
            return parts[:, taps - 1 :].reshape(-1)[: x.shape[0]]

        yield f"rfft, blocks of {block}", run, True
    size = smooth(x.shape[0] + taps - 1)

    def whole():
        product = torch.fft.rfft(x, size) * torch.fft.rfft(flipped, size)
        return torch.fft.irfft(product, size)[right : right + x.shape[0]]

    yield "rfft, whole", whole, True


def cupy_forms(x, w):
    try:
        import cupy
        import cupyx.scipy.signal as signal
    except ImportError as error:
        print(f"CuPy: {error}")
        return
    a, b = cupy.asarray(x), cupy.asarray(w.flip(0).contiguous())
    yield "cupy.convolve", lambda: cupy.convolve(a, b, "same"), False
    yield "cupyx oaconvolve", lambda: signal.oaconvolve(a, b, "same"), False


def smooth(size):
    """The next product of 2, 3, 5 and 7, for which cuFFT is quick."""
    while True:
        rest = size
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return size
        size += 1


def timed(run):
    """Milliseconds of a form, after two calls that warm it up."""
    result = run()
    torch.cuda.synchronize()
    began = time.perf_counter()
    run()
    torch.cuda.synchronize()
    once = (time.perf_counter() - began) * 1e3
    return (once if once > LONG_MS else median(run)), result


def ends(result):
    """Some outputs at both ends and in between, where results of another length differ too."""
    middle = SAMPLES // 3
    return torch.cat([result[:64], result[middle : middle + 64], result[SAMPLES - 64 :]]).clone()


def measure(x, w):
    results, expected = {}, None
    for forms in (conv1d_forms, product_forms, shifted_forms, spectra_forms, cupy_forms):
        if forms is shifted_forms and w.shape[0] > 255:
            continue
        for name, run, comparable in listed(forms, x, w):
            try:
                ms, result = timed(run)
                results[name] = f"{ms:.4g}"
                if comparable:
                    found = ends(result)
                    expected = found if expected is None else expected
                    if not torch.allclose(found, expected, rtol=0, atol=1e-4 * w.shape[0] ** 0.5):
                        results[name] += " (differs)"
            except Exception as error:
                results[name] = "no memory" if "memory" in str(error) else type(error).__name__
            print(f"  {w.shape[0]} taps, {name}: {results[name]}", flush=True)
            result = None
            torch.cuda.empty_cache()
    return results


def listed(forms, x, w):
    """The forms that there is memory to set up."""
    try:
        yield from forms(x, w)
    except torch.OutOfMemoryError as error:
        print(f"{forms.__name__}: {str(error)[:60]}")


x = torch.randn(SAMPLES, device="cuda")
y = torch.empty_like(x)
version = f"torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name()}"
print(f"{version}, {SAMPLES} samples, copy {median(lambda: y.copy_(x)):.4f} ms", flush=True)
del y
counts = [int(taps) for taps in options.taps.split(",")]
columns = [measure(x, torch.randn(taps, device="cuda")) for taps in counts]
names = list(dict.fromkeys(name for column in columns for name in column))
print(f"| form | {' | '.join(f'{taps} taps' for taps in counts)} |")
print(f"| --- |{' --- |' * len(counts)}")
for name in names:
    print(f"| {name} | {' | '.join(column.get(name, '') for column in columns)} |")
for taps in (10, 255):
    w = torch.randn(taps, device="cuda")[None, None]
    torch.backends.cudnn.allow_tf32 = False
    times = []
    for torch.backends.cudnn.benchmark in (False, True):
        times.append(f"{median(lambda: conv(x.view(100, 1, -1), w, padding='same')):.4f}")
    print(f"100 rows of {SAMPLES // 100}, {taps} taps: conv1d {times[0]}, tuned {times[1]}")
