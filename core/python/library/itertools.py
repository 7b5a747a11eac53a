# SPDX-License-Identifier: GPL-3.0-or-later
# As the documentation of itertools does it. Functions check their arguments and begin to iterate at once.
def _chained(iterables):
    for each in iterables:
        yield from each
class _Chain:
    def __call__(self, *iterables): return _chained(iter(iterables))
    def from_iterable(self, iterable): return _chained(iter(iterable))
chain = _Chain()
def _count(start, step):
    while True:
        yield start
        start += step
def count(start=0, step=1): return _count(start, step)
def _repeat(value, times):
    while times is None or times > 0:
        yield value
        if times is not None:
            times -= 1
def repeat(object, times=None): return _repeat(object, times)
def _cycle(values):
    kept = []
    for value in values:
        yield value
        kept.append(value)
    while kept:
        yield from kept
def cycle(iterable, /): return _cycle(iter(iterable))
def _islice(values, start, stop, step):
    at, wanted = 0, start
    while stop is None or at < max(start, stop):
        if stop is not None and at >= stop:
            return
        value = next(values, _end)
        if value is _end:
            return
        if at == wanted:
            yield value
            wanted += step
            if stop is not None and wanted >= stop and at + 1 >= stop:
                return
        at += 1
def islice(iterable, *bounds):
    if not 1 <= len(bounds) <= 3:
        raise TypeError(f'islice expected 2 to 4 arguments, got {len(bounds) + 1}')
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (tuple(bounds) + (1,))[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    if not isinstance(start, int) or start < 0 or not (stop is None or isinstance(stop, int) and stop >= 0):
        what = 'Stop argument' if len(bounds) == 1 else 'Indices'
        raise ValueError(f'{what} for islice() must be None or an integer: 0 <= x <= sys.maxsize.')
    if not isinstance(step, int) or step < 1:
        raise ValueError('Step for islice() must be a positive integer or None.')
    return _islice(iter(iterable), start, stop, step)
class _End: pass
_end = _End()
def _accumulate(values, function, initial):
    total = next(values, _end) if initial is None else initial
    if total is _end:
        return
    yield total
    for value in values:
        total = function(total, value) if function else total + value
        yield total
def accumulate(iterable, func=None, *, initial=None): return _accumulate(iter(iterable), func, initial)
def _product(pools):
    if not pools:
        yield ()
        return
    for row in _product(pools[:-1]):
        for value in pools[-1]:
            yield row + (value,)
def product(*iterables, repeat=1): return _product([list(each) for each in iterables] * repeat)
def _picked(indices, pool):
    for row in indices:
        yield tuple([pool[at] for at in row])
def _combinations(first, n, r, again):
    if r == 0:
        yield ()
        return
    for at in range(first, n):
        for rest in _combinations(at if again else at + 1, n, r - 1, again):
            yield (at,) + rest
def _requireCount(r):
    if r < 0:
        raise ValueError('r must be non-negative')
def combinations(iterable, r):
    pool = list(iterable)
    _requireCount(r)
    return _picked(_combinations(0, len(pool), r, False), pool)
def combinations_with_replacement(iterable, r):
    pool = list(iterable)
    _requireCount(r)
    return _picked(_combinations(0, len(pool), r, True), pool)
def _permutations(left, r):
    if r == 0:
        yield ()
        return
    for at, index in enumerate(left):
        for rest in _permutations(left[:at] + left[at + 1:], r - 1):
            yield (index,) + rest
def permutations(iterable, r=None):
    pool = list(iterable)
    r = len(pool) if r is None else r
    _requireCount(r)
    return _picked(_permutations(list(range(len(pool))), r) if r <= len(pool) else (), pool)
def _zip_longest(open, fillvalue):
    left = len(open)
    while left:
        row = []
        for at, each in enumerate(open):
            value = fillvalue if each is None else next(each, _end)
            if value is _end:
                left -= 1
                if not left:
                    return
                open[at], value = None, fillvalue
            row.append(value)
        yield tuple(row)
def zip_longest(*iterables, fillvalue=None): return _zip_longest([iter(each) for each in iterables], fillvalue)
def _starmap(function, rows):
    for row in rows:
        yield function(*row)
def starmap(function, iterable, /): return _starmap(function, iter(iterable))
def _takewhile(test, values):
    for value in values:
        if not test(value):
            return
        yield value
def takewhile(predicate, iterable, /): return _takewhile(predicate, iter(iterable))
def _dropwhile(test, values):
    for value in values:
        if not test(value):
            yield value
            break
    yield from values
def dropwhile(predicate, iterable, /): return _dropwhile(predicate, iter(iterable))
def _filterfalse(test, values):
    for value in values:
        if not (value if test is None else test(value)):
            yield value
def filterfalse(function, iterable, /): return _filterfalse(function, iter(iterable))
def _compress(values, wanted):
    for value, keep in zip(values, wanted):
        if keep:
            yield value
def compress(data, selectors): return _compress(iter(data), iter(selectors))
def _pairwise(values):
    before = next(values, _end)
    for value in values:
        yield before, value
        before = value
def pairwise(iterable, /): return _pairwise(iter(iterable))
def tee(iterable, n=2):
    values, kept = iter(iterable), []
    def each():
        at = 0
        while True:
            if at == len(kept):
                value = next(values, _end)
                if value is _end:
                    return
                kept.append(value)
            yield kept[at]
            at += 1
    return tuple([each() for _ in range(n)])
class groupby:
    def __init__(self, iterable, key=None):
        self._values, self._key = iter(iterable), key
        self._wanted = self._at = _end
        self._group, self._value = None, None
    def _draw(self):
        self._value = next(self._values)
        self._at = self._value if self._key is None else self._key(self._value)
    def _isOfGroup(self): return self._wanted is not _end and self._at is not _end and self._at == self._wanted
    def __iter__(self): return self
    def __next__(self):
        self._group = group = object()
        while self._wanted is self._at or self._isOfGroup():
            self._draw()
        self._wanted = self._at
        return self._at, self._grouped(self._at, group)
    def _grouped(self, wanted, group):
        while self._group is group and self._at == wanted:
            yield self._value
            value = next(self._values, _end)
            if value is _end:
                self._values, self._at, self._wanted = iter(()), _end, _end
                return
            self._value = value
            self._at = value if self._key is None else self._key(value)
