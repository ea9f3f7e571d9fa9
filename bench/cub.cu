// Times CUB's DeviceRadixSort on keys of a file, which bench/matrix.js compares gpusort with: SortKeys, or
// SortPairs with a value of four bytes per key if the type ends in +u32. If :top=K follows, times the selection
// of the K least keys, in no order, by DeviceTopK (CCCL 3.1 or later; older ones print nan). If :runs follows,
// times DeviceRunLengthEncode of the sorted keys, without the sort. For bench/segments.js, if @FILE follows,
// times DeviceSegmentedSort::SortKeys: the file has the offsets of the segments as u32. For bench/scans.js,
// :scan times DeviceScan::ExclusiveSum, :flagged and :indices DeviceSelect::Flagged, of the numbers and of their
// indices, by the flags of the u32 in @FILE, and :bins=BITS DeviceHistogram::HistogramEven of numbers below
// 2^BITS.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -o cub bench/cub.cu && ./cub u32 KEYS [u64+u32 KEYS ...]
//
// Prints for each file the median and the least of 15 sorts in milliseconds, by CUDA events around the sort.
#include <cub/cub.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/functional>
#define HAS_TOP 1
#else
#define HAS_TOP 0
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thrust/iterator/counting_iterator.h>
#include <type_traits>
#include <utility>
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

// What is timed: a sort, the selection of `top` keys, the encoding of runs, a sort of the segments whose
// offsets are in a file, or the primitive that is named, whose flags are there.
struct Task {
  bool pairs = false;
  bool runs = false;
  size_t top = 0;
  std::string primitive;
  int bits = 0;
  std::string file;
};

template <class Key>
cudaError_t primitive(void* scratch, size_t& bytes, Key* in, Key* out, uint32_t* flags, uint32_t* counts,
                      uint32_t* kept, size_t count, const Task& task) {
  const int items = static_cast<int>(count);
  if (task.primitive == "scan") return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count);
  if (task.primitive == "flagged") {
    return cub::DeviceSelect::Flagged(scratch, bytes, in, flags, out, kept, items);
  }
  if constexpr (std::is_same_v<Key, uint32_t>) {
    if (task.primitive == "indices") {
      thrust::counting_iterator<uint32_t> indices(0);
      return cub::DeviceSelect::Flagged(scratch, bytes, indices, flags, out, kept, items);
    }
    if (task.bits > 0) {
      return cub::DeviceHistogram::HistogramEven(
          scratch, bytes, in, counts, (1 << task.bits) + 1, 0u, 1u << task.bits, items);
    }
  }
  return cudaErrorInvalidValue;
}

#if HAS_TOP
template <class Key>
cudaError_t select(void* scratch, size_t& bytes, Key* in, Key* out, uint32_t* values, uint32_t* sorted,
                   size_t count, const Task& task) {
  auto needs = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                        cuda::execution::output_ordering::unsorted);
  auto env = cuda::std::execution::env{needs};
  if (task.pairs) return cub::DeviceTopK::MinPairs(scratch, bytes, in, out, values, sorted, count, task.top, env);
  return cub::DeviceTopK::MinKeys(scratch, bytes, in, out, count, task.top, env);
}
#endif

template <class Key>
std::vector<Key> read(const char* path) {
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
  return keys;
}

template <class Key>
void time(const char* path, Task task) {
  const bool pairs = task.pairs;
  std::vector<Key> keys = read<Key>(path);
  size_t count = keys.size();
  uint32_t* words = nullptr;
  size_t segment_count = 0;
  if (!task.file.empty()) {
    std::vector<uint32_t> host = read<uint32_t>(task.file.c_str());
    segment_count = host.size() - 1;
    CHECK(cudaMalloc(&words, host.size() * sizeof(uint32_t)));
    CHECK(cudaMemcpy(words, host.data(), host.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
  }
#if !HAS_TOP
  if (task.top > 0) {
    std::printf("nan nan\n");
    return;
  }
#endif
  if (task.top > count) task.top = count;

  Key *in, *out;
  uint32_t *values = nullptr, *sorted = nullptr;
  void* scratch = nullptr;
  size_t bytes = 0;
  uint32_t *counts = nullptr, *distinct = nullptr;
  auto sort = [&] {
    if (!task.primitive.empty()) {
      return primitive(scratch, bytes, in, out, words, counts, distinct, count, task);
    }
    if (words) {
      return cub::DeviceSegmentedSort::SortKeys(
          scratch, bytes, in, out, count, segment_count, words, words + 1);
    }
    if (task.runs) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, in, out, counts, distinct, count);
    }
#if HAS_TOP
    if (task.top > 0) return select(scratch, bytes, in, out, values, sorted, count, task);
#endif
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
  if (task.runs || !task.primitive.empty()) {
    CHECK(cudaMalloc(&counts, std::max(count, size_t(1) << task.bits) * sizeof(uint32_t)));
    CHECK(cudaMalloc(&distinct, sizeof(uint32_t)));
  }
  if (task.runs) {
    CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count));
    CHECK(cudaMalloc(&scratch, bytes));
    CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count));
    CHECK(cudaFree(scratch));
    scratch = nullptr;
    std::swap(in, out);
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
  CHECK(cudaFree(counts));
  CHECK(cudaFree(distinct));
  CHECK(cudaFree(scratch));
  CHECK(cudaFree(words));
}

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string type = argv[i];
    Task task = {};
    if (size_t at = type.find('@'); at != std::string::npos) {
      task.file = type.substr(at + 1);
      type.resize(at);
    }
    size_t colon = type.find(':');
    if (colon != std::string::npos) {
      std::string what = type.substr(colon + 1);
      type.resize(colon);
      if (what == "runs") task.runs = true;
      else if (what.compare(0, 4, "top=") == 0) task.top = std::strtoull(what.c_str() + 4, nullptr, 10);
      else task.primitive = what;
      if (what.compare(0, 5, "bins=") == 0) task.bits = std::atoi(what.c_str() + 5);
    }
    task.pairs = type.size() > 4 && type.substr(type.size() - 4) == "+u32";
    if (task.pairs) type.resize(type.size() - 4);
    if (type == "u32") time<uint32_t>(argv[i + 1], task);
    else if (type == "i32") time<int32_t>(argv[i + 1], task);
    else if (type == "f32") time<float>(argv[i + 1], task);
    else if (type == "u64") time<uint64_t>(argv[i + 1], task);
    else if (type == "i64") time<int64_t>(argv[i + 1], task);
    else if (type == "f64") time<double>(argv[i + 1], task);
    else {
      std::fprintf(stderr, "unknown type %s\n", argv[i]);
      return 2;
    }
  }
}
