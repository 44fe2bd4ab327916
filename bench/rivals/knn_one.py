"""One query at a time of an index that stays in memory, by FAISS IndexFlatL2 or scikit-learn (algorithm="auto").

    OMP_NUM_THREADS=T python3 knn_one.py faiss|sklearn [ROWS COLS K CALLS]      prints the median milliseconds of a query
"""
import sys, time
import numpy as np

peer = sys.argv[1]
rows, cols, k, calls = map(int, (sys.argv[2:] + ["1000000", "128", "10", "20"][len(sys.argv) - 2:]))
random = np.random.default_rng(1)
train = random.random((rows, cols), dtype=np.float32)
queries = random.random((calls, cols), dtype=np.float32)

def faiss_search():
    import faiss
    index = faiss.IndexFlatL2(cols)
    index.add(train)
    return lambda query: index.search(query, k)

def sklearn_search():
    from sklearn.neighbors import NearestNeighbors
    return NearestNeighbors(n_neighbors=k).fit(train).kneighbors

search = {"faiss": faiss_search, "sklearn": sklearn_search}[peer]()
search(queries[:1])
times = []
for at in range(calls):
    began = time.perf_counter()
    search(queries[at:at + 1])
    times.append(time.perf_counter() - began)
print(round(1000 * float(np.median(times)), 2))
