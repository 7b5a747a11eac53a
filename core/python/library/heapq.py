# SPDX-License-Identifier: GPL-3.0-or-later
def heappush(heap, item):
    heap.append(item)
    heap.sort()
def heappop(heap): return heap.pop(0)
def heapify(heap): heap.sort()
def nlargest(n, values, key=None): return sorted(values, key=key, reverse=True)[:n]
def nsmallest(n, values, key=None): return sorted(values, key=key)[:n]
