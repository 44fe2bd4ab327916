// CUB's DeviceScan and DeviceReduce, timed as scan.bench.ts times ours: median of 10 after 3, eight calls to a drained stream.
//     nvcc -O3 -arch=native -o scan bench/rivals/scan.cu && ./scan 20 22 24 26 28
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

template <typename T>
void measure(const char* type, size_t count) {
  T *in, *out;
  cudaMalloc(&in, count * sizeof(T));
  cudaMalloc(&out, count * sizeof(T));
  cudaMemset(in, 0, count * sizeof(T));
  size_t scanBytes = 0, reduceBytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, scanBytes, in, out, (int)count);
  cub::DeviceReduce::Sum(nullptr, reduceBytes, in, out, (int)count);
  void* scratch;
  cudaMalloc(&scratch, std::max(scanBytes, reduceBytes));
  double copy = median([&] { cudaMemcpyAsync(out, in, count * sizeof(T), cudaMemcpyDeviceToDevice); });
  double scan = median([&] { cub::DeviceScan::InclusiveSum(scratch, scanBytes, in, out, (int)count); });
  double reduce = median([&] { cub::DeviceReduce::Sum(scratch, reduceBytes, in, out, (int)count); });
  printf("CUB %s %zu: memcpy %.4f ms, scan %.4f ms %.0f GB/s, reduce %.4f ms %.0f GB/s\n", type, count, copy, scan,
         count * 8 / scan / 1e6, reduce, count * 4 / reduce / 1e6);
  cudaFree(in);
  cudaFree(out);
  cudaFree(scratch);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    size_t count = size_t(1) << atoi(argv[i]);
    measure<unsigned>("u32", count);
    measure<float>("f32", count);
  }
}
