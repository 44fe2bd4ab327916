// CUB's DeviceRadixSort, timed as sort.bench.ts times ours: median of 10 after 300 ms, eight calls to a drained stream. Keys are
// those of sort.bench.ts. Lines are "<job> <order> <log2 of count> <ms>", which that program reads when it runs this one.
//     nvcc -O3 -arch=native -o sort bench/rivals/sort.cu && ./sort 20 24 26 28
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <vector>

template <typename Call>
double median(Call call) {
  std::vector<double> times;
  auto first = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - first < std::chrono::milliseconds(300)) {
    call();
    cudaDeviceSynchronize();
  }
  for (int run = 0; run < 13; run++) {
    cudaDeviceSynchronize();
    auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 8; i++) call();
    cudaDeviceSynchronize();
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - began;
    if (run >= 3) times.push_back(ms.count() / 8);
  }
  std::sort(times.begin(), times.end());
  return times[5];
}

__device__ unsigned hashed(unsigned x) {
  unsigned h = x * 0x9e3779b1u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

__device__ unsigned drawn(int order, unsigned i, unsigned words) {
  switch (order) {
    case 1: return i;
    case 2: return words - i;
    case 3: return 7u;
    case 4: return hashed(i) & hashed(i + 0x9e3779b9u) & hashed(i + 0x3c6ef372u);
    default: return hashed(i);
  }
}

__global__ void fill(unsigned* out, size_t words, int order) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < words) out[i] = drawn(order, (unsigned)i, (unsigned)words);
}

static const char* orders[] = {"random", "sorted", "reversed", "equal", "entropy"};

template <typename T>
void measure(const char* type, size_t count, int log, int order, bool pairs) {
  T *in, *out;
  unsigned *values, *sorted;
  cudaMalloc(&in, count * sizeof(T));
  cudaMalloc(&out, count * sizeof(T));
  size_t words = count * sizeof(T) / 4;
  fill<<<(unsigned)((words + 255) / 256), 256>>>((unsigned*)in, words, order);
  size_t bytes = 0;
  void* scratch;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, (int)count);
  cudaMalloc(&scratch, bytes);
  printf("keys-%s %s %d %.4f\n", type, orders[order], log,
         median([&] { cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, (int)count); }));
  cudaFree(scratch);
  if (pairs) {
    cudaMalloc(&values, count * 4);
    cudaMalloc(&sorted, count * 4);
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, values, sorted, (int)count);
    cudaMalloc(&scratch, bytes);
    printf("pairs-%s %s %d %.4f\n", type, orders[order], log, median([&] {
             cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, values, sorted, (int)count);
           }));
    cudaFree(scratch);
    cudaFree(values);
    cudaFree(sorted);
  }
  fflush(stdout);
  cudaFree(in);
  cudaFree(out);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    int log = atoi(argv[i]);
    size_t count = size_t(1) << log;
    for (int order = 0; order < 5; order++) measure<unsigned>("u32", count, log, order, order == 0);
    measure<float>("f32", count, log, 0, false);
    if (log <= 27) measure<unsigned long long>("u64", count, log, 0, true);
    else measure<unsigned long long>("u64", count, log, 0, false);
    if (log <= 27) measure<double>("f64", count, log, 0, false);
  }
}
