"""The files of files_binary.bench.ts: `files_binary.py FOLDER write` writes them, `files_binary.py FOLDER FILE` reads one
with numpy into an array in C order and prints the time and the peak memory of this process."""
import gzip
import json
import pathlib
import resource
import sys
import time

import numpy as np

COLS = 128


def write(folder):
    rng = np.random.default_rng(1)
    f4 = rng.random((400_000, COLS), dtype=np.float32)
    np.save(folder / "f4.npy", f4)
    np.save(folder / "f4_big.npy", f4.astype(">f4"))
    np.save(folder / "f4_fortran.npy", np.asfortranarray(f4))
    np.save(folder / "f2.npy", np.vstack([f4, f4]).astype("f2"))
    np.save(folder / "i8.npy", (f4[:200_000] * 1e6).astype("i8"))
    u1 = rng.integers(0, 256, (1_600_000, COLS), dtype=np.uint8)
    np.save(folder / "u1.npy", u1)
    vecs(folder / "f4.fvecs", f4)
    vecs(folder / "i4.ivecs", (f4 * 1e6).astype("<i4"))
    vecs(folder / "u1.bvecs", u1)
    head = np.array([len(u1), COLS], ">i4").tobytes()
    (folder / "u1.idx").write_bytes(b"\0\0\x08\x02" + head + u1.tobytes())
    # Sixteenths, since random bits would not be compressed.
    with gzip.open(folder / "f4.npy.gz", "wb", compresslevel=6) as file:
        np.save(file, np.round(f4 * 16) / 16)


def vecs(path, array):
    dims = np.full((len(array), 1), array.shape[1], "<i4")
    np.hstack([dims.view("u1"), array.view("u1")]).tofile(path)


def read(path):
    if path.suffix == ".gz":
        with gzip.open(path) as file:
            return np.load(file)
    if path.suffix == ".npy":
        return np.ascontiguousarray(np.load(path))
    if path.suffix == ".idx":
        return np.fromfile(path, "u1", offset=12).reshape(-1, COLS)
    kind = {".fvecs": "<f4", ".ivecs": "<i4", ".bvecs": "u1"}[path.suffix]
    rows = np.fromfile(path, "u1").reshape(-1, 4 + COLS * np.dtype(kind).itemsize)
    assert (rows[:, :4] == rows[0, :4]).all()
    return np.ascontiguousarray(rows[:, 4:]).view(kind)


folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
if name == "write":
    folder.mkdir(parents=True, exist_ok=True)
    write(folder)
else:
    start, cpu = time.perf_counter(), time.process_time()
    array = read(folder / name)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "cpuSeconds": cpu, "peakBytes": peak}))
