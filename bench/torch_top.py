"""For bench/top_rows.js: the K greatest f32 keys of each of so many rows of a file, sorted, by torch.topk.

python3 bench/torch_top.py FILE ROWS K

Prints the median milliseconds of 15 calls on a GPU, by CUDA events: in a CUDA graph, which leaves out what the
calls of PyTorch cost, and called one by one.
"""

import statistics
import sys

import numpy
import torch

WARMUP = 50
RUNS = 15

file, rows, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
keys = torch.from_numpy(numpy.fromfile(file, numpy.float32)).reshape(rows, -1).cuda()


def top():
    return torch.topk(keys, k, dim=1, largest=True, sorted=True)


def median_ms(call):
    for _ in range(WARMUP):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(RUNS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


single = median_ms(top)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    kept = top()
print(f"{median_ms(graph.replay):.4f} {single:.4f}")
