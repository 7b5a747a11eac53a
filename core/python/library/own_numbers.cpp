// SPDX-License-Identifier: GPL-3.0-or-later
// heapq and bisect, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kHeapq, kBisect;

const std::string_view kHeapq = R"(
def heappush(heap, item):
    heap.append(item)
    heap.sort()
def heappop(heap): return heap.pop(0)
def heapify(heap): heap.sort()
def nlargest(n, values, key=None): return sorted(values, key=key, reverse=True)[:n]
def nsmallest(n, values, key=None): return sorted(values, key=key)[:n]
)";
const std::string_view kBisect = R"(
def bisect_left(values, x):
    for at, each in enumerate(values):
        if not each < x:
            return at
    return len(values)
def bisect_right(values, x):
    for at, each in enumerate(values):
        if x < each:
            return at
    return len(values)
bisect = bisect_right
)";

} // namespace fx::python
