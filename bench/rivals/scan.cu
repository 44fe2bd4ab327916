// CUB's DeviceScan and DeviceReduce on numbers without order, timed as scan.bench.ts times ours: median of 10 after 3, eight calls to a drained stream.
//     nvcc -O3 -arch=native -o scan bench/rivals/scan.cu && ./scan 20 22 24 26 28
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda/functional>
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

// Numbers from -0.5 to 0.5, whole ones from all 32 bits.
template <typename T>
__global__ void fill(T* in, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  unsigned bits = unsigned(i) * 2654435761u;
  in[i] = T(-1) > T(0) ? T(bits) : T((bits >> 8) * 0x1p-24 - 0.5);
}

template <typename T>
void measure(const char* type, size_t count) {
  T *in, *out;
  cudaMalloc(&in, count * sizeof(T));
  cudaMalloc(&out, count * sizeof(T));
  fill<<<(unsigned)((count + 255) / 256), 256>>>(in, count);
  size_t scanBytes = 0, reduceBytes = 0, maxBytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, scanBytes, in, out, (int)count);
  cub::DeviceReduce::Sum(nullptr, reduceBytes, in, out, (int)count);
  cub::DeviceScan::InclusiveScan(nullptr, maxBytes, in, out, cuda::maximum<>{}, (int)count);
  void* scratch;
  cudaMalloc(&scratch, std::max(maxBytes, std::max(scanBytes, reduceBytes)));
  double copy = median([&] { cudaMemcpyAsync(out, in, count * sizeof(T), cudaMemcpyDeviceToDevice); });
  double scan = median([&] { cub::DeviceScan::InclusiveSum(scratch, scanBytes, in, out, (int)count); });
  double most = median(
      [&] { cub::DeviceScan::InclusiveScan(scratch, maxBytes, in, out, cuda::maximum<>{}, (int)count); });
  double reduce = median([&] { cub::DeviceReduce::Sum(scratch, reduceBytes, in, out, (int)count); });
  printf("CUB %s %zu: memcpy %.4f ms, scan %.4f ms %.0f GB/s, of maxima %.4f ms, reduce %.4f ms %.0f GB/s\n", type, count, copy, scan,
         count * 8 / scan / 1e6, most, reduce, count * 4 / reduce / 1e6);
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
