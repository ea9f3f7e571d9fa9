// Times CUB's DeviceRadixSort on keys of a file, which scripts/matrix.js compares gpusort with: SortKeys, or
// SortPairs with a value of four bytes per key if the type ends in +u32.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -o cub scripts/cub.cu && ./cub u32 KEYS [u64+u32 KEYS ...]
//
// Prints for each file the median and the least of 15 sorts in milliseconds, by CUDA events around the sort.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

constexpr int WARMUP = 5;
constexpr int RUNS = 15;

#define CHECK(call)                                                  \
  do {                                                               \
    cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                     \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

template <class Key>
void time(const char* path, bool pairs) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) {
    std::perror(path);
    std::exit(1);
  }
  std::fseek(file, 0, SEEK_END);
  size_t count = std::ftell(file) / sizeof(Key);
  std::rewind(file);
  std::vector<Key> keys(count);
  if (std::fread(keys.data(), sizeof(Key), count, file) != count) std::exit(1);
  std::fclose(file);

  Key *in, *out;
  uint32_t *values = nullptr, *sorted = nullptr;
  void* scratch = nullptr;
  size_t bytes = 0;
  auto sort = [&] {
    if (pairs) return cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, values, sorted, count);
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count);
  };
  CHECK(cudaMalloc(&in, count * sizeof(Key)));
  CHECK(cudaMalloc(&out, count * sizeof(Key)));
  CHECK(cudaMemcpy(in, keys.data(), count * sizeof(Key), cudaMemcpyHostToDevice));
  if (pairs) {
    std::vector<uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    CHECK(cudaMalloc(&values, count * sizeof(uint32_t)));
    CHECK(cudaMalloc(&sorted, count * sizeof(uint32_t)));
    CHECK(cudaMemcpy(values, indices.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice));
  }
  CHECK(sort());
  CHECK(cudaMalloc(&scratch, bytes));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < WARMUP + RUNS; run++) {
    CHECK(cudaEventRecord(begin));
    CHECK(sort());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (run >= WARMUP) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.4f %.4f\n", times[RUNS / 2], times[0]);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(values));
  CHECK(cudaFree(sorted));
  CHECK(cudaFree(scratch));
}

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string type = argv[i];
    bool pairs = type.size() > 4 && type.substr(type.size() - 4) == "+u32";
    if (pairs) type.resize(type.size() - 4);
    if (type == "u32") time<uint32_t>(argv[i + 1], pairs);
    else if (type == "i32") time<int32_t>(argv[i + 1], pairs);
    else if (type == "f32") time<float>(argv[i + 1], pairs);
    else if (type == "u64") time<uint64_t>(argv[i + 1], pairs);
    else if (type == "i64") time<int64_t>(argv[i + 1], pairs);
    else if (type == "f64") time<double>(argv[i + 1], pairs);
    else {
      std::fprintf(stderr, "unknown type %s\n", argv[i]);
      return 2;
    }
  }
}
