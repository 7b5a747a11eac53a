# SPDX-License-Identifier: GPL-3.0-or-later
# A heap is a list in which no item is less than the one at (place - 1) // 2. The order in it is that of CPython.
def _rise(heap, place, top=0):
    item = heap[place]
    while place > top:
        parent = (place - 1) // 2
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item
def _settle(heap, top):
    # The item at `top` sinks to a leaf, whatever it is, and rises from there: most items belong near the leaves.
    item, place, end = heap[top], top, len(heap)
    while 2 * place + 1 < end:
        child = 2 * place + 1
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    _rise(heap, place, top)
def heappush(heap, item):
    heap.append(item)
    _rise(heap, len(heap) - 1)
def heappop(heap):
    last = heap.pop()
    return heapreplace(heap, last) if heap else last
def heapreplace(heap, item):
    if not heap:
        raise IndexError('index out of range')
    least = heap[0]
    heap[0] = item
    _settle(heap, 0)
    return least
def heappushpop(heap, item): return heapreplace(heap, item) if heap and heap[0] < item else item
def heapify(x):
    for place in range(len(x) // 2 - 1, -1, -1):
        _settle(x, place)
def nlargest(n, iterable, key=None): return sorted(iterable, key=key, reverse=True)[:n if n > 0 else 0]
def nsmallest(n, iterable, key=None): return sorted(iterable, key=key)[:n if n > 0 else 0]
