"""One timed run of FAISS IndexFlatL2 or scikit-learn (algorithm="auto") with all cores or THREADS, fit included.

    python3 knn_cpu.py faiss|sklearn TRAIN.npy QUERIES.npy K [THREADS]      prints seconds of the clock and of all processors
"""
import os, sys, time
import numpy as np

peer, train, queries, k = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3]), int(sys.argv[4])
threads = int(sys.argv[5]) if len(sys.argv) > 5 else os.cpu_count()

def run_faiss():
    import faiss
    faiss.omp_set_num_threads(threads)
    return lambda: (lambda index: (index.add(train), index.search(queries, k)))(faiss.IndexFlatL2(train.shape[1]))

def run_sklearn():
    from sklearn.neighbors import NearestNeighbors
    return lambda: NearestNeighbors(n_neighbors=k, n_jobs=threads).fit(train).kneighbors(queries)

job = {"faiss": run_faiss, "sklearn": run_sklearn}[peer]()
wall, cpu = time.perf_counter(), time.process_time()
job()
print(time.perf_counter() - wall, time.process_time() - cpu)
