// CUB's DeviceSelect::Flagged, DeviceSelect::Unique and DeviceRunLengthEncode::Encode on the jobs of compact.bench.ts, timed as
// compact.bench.ts times ours: median of 10 after 3, eight calls to a drained stream.
//     nvcc -O3 -arch=native -o compact bench/rivals/compact.cu && ./compact 20 22 24 26 28
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

template <typename Call>
double median(Call call) {
  std::vector<double> times;
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

__device__ unsigned hashOf(unsigned x) {
  unsigned h = x * 0x9e3779b1u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

// Keeps half, one in 128, or all.
__global__ void fill(unsigned* in, unsigned char* flags, int kind, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  in[i] = unsigned(i >> 2) * 0x9e3779b1u;
  unsigned h = hashOf(unsigned(i / 4));
  unsigned lane = unsigned(i % 4);
  if (kind == 0) flags[i] = (h >> (8 * lane)) & 1;
  if (kind == 1) flags[i] = (h & 31) == 0 && ((h >> 8) & 3) == lane;
  if (kind == 2) flags[i] = 1;
}

void measure(size_t count) {
  unsigned *in, *out, *lengths, *found;
  unsigned char* flags;
  cudaMalloc(&in, count * 4);
  cudaMalloc(&out, count * 4);
  cudaMalloc(&lengths, count * 4);
  cudaMalloc(&found, 4);
  cudaMalloc(&flags, count);
  size_t flagged = 0, unique = 0, runs = 0;
  cub::DeviceSelect::Flagged(nullptr, flagged, in, flags, out, found, (int)count);
  cub::DeviceSelect::Unique(nullptr, unique, in, out, found, (int)count);
  cub::DeviceRunLengthEncode::Encode(nullptr, runs, in, out, lengths, found, (int)count);
  void* scratch;
  cudaMalloc(&scratch, std::max(flagged, std::max(unique, runs)));
  const char* kinds[] = {"half", "one in 128", "all"};
  for (int kind = 0; kind < 3; kind++) {
    fill<<<(unsigned)((count + 255) / 256), 256>>>(in, flags, kind, count);
    double ms = median([&] { cub::DeviceSelect::Flagged(scratch, flagged, in, flags, out, found, (int)count); });
    printf("CUB %zu: DeviceSelect::Flagged %s %.4f ms\n", count, kinds[kind], ms);
  }
  double u = median([&] { cub::DeviceSelect::Unique(scratch, unique, in, out, found, (int)count); });
  double r = median([&] { cub::DeviceRunLengthEncode::Encode(scratch, runs, in, out, lengths, found, (int)count); });
  printf("CUB %zu: DeviceSelect::Unique %.4f ms, DeviceRunLengthEncode::Encode %.4f ms\n", count, u, r);
  if (cudaGetLastError() != cudaSuccess) printf("CUDA failed\n");
  cudaFree(in);
  cudaFree(out);
  cudaFree(lengths);
  cudaFree(found);
  cudaFree(flags);
  cudaFree(scratch);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) measure(size_t(1) << atoi(argv[i]));
}
