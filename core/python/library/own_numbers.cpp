// SPDX-License-Identifier: GPL-3.0-or-later
// The part of numpy that settings of models use, heapq and bisect, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kNumpy, kHeapq, kBisect;

const std::string_view kNumpy = R"(
import math
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
float16, float32, float64, int32, int64, int8, uint8, bool_ = float, float, float, int, int, int, int, bool
float_, int_, double, integer, floating = float, int, float, int, float
_largest, _smallest = max, min  # functions of numpy have these names further down
def _flat(values):
    return [part for each in values for part in _flat(each)] if isinstance(values, (list, tuple)) else [values]
def _list(values):
    if isinstance(values, ndarray):
        return values._values
    return [_list(each) for each in values] if isinstance(values, (list, tuple, range)) else values
def _each(function, *values):
    values = [_list(each) for each in values]
    count = [len(each) for each in values if isinstance(each, list)]
    if not count:
        return function(*values)
    rows = [each * _largest(count) if isinstance(each, list) and len(each) == 1 else each for each in values]
    return [_each(function, *[row[at] if isinstance(row, list) else row for row in rows])
            for at in range(_largest(count))]
def _array(values):
    return ndarray(values) if isinstance(values, list) else values
class ndarray:
    def __init__(self, values):
        self._values = values
    @property
    def shape(self):
        sizes, part = [], self._values
        while isinstance(part, list):
            sizes.append(len(part))
            part = part[0] if part else None
        return tuple(sizes)
    @property
    def size(self): return len(_flat(self._values))
    @property
    def ndim(self): return len(self.shape)
    @property
    def T(self): return ndarray([list(each) for each in zip(*self._values)]) if self.ndim == 2 else self
    def tolist(self): return [list(each) if isinstance(each, list) else each for each in self._values]
    def item(self): return _flat(self._values)[0]
    def astype(self, kind): return _array(_each(kind, self._values))
    def copy(self): return ndarray(self.tolist())
    def sum(self): return sum(_flat(self._values))
    def prod(self): return prod(self)
    def mean(self): return self.sum() / self.size
    def max(self): return _largest(_flat(self._values))
    def min(self): return _smallest(_flat(self._values))
    def cumsum(self): return cumsum(self)
    def flatten(self): return ndarray(_flat(self._values))
    ravel = flatten
    def __len__(self): return len(self._values)
    def __iter__(self): return iter([_array(each) for each in self._values])
    def __getitem__(self, at):
        if isinstance(at, tuple):
            part = self._values[at[0]]
            if len(at) == 1:
                return _array(part)
            rest = at[1:]
            if isinstance(at[0], slice):
                return ndarray([_array(each)[rest] for each in part])
            return _array(part)[rest]
        return _array(self._values[at])
    def __setitem__(self, at, value): self._values[at] = _list(value)
    def _with(self, other, function): return _array(_each(function, self._values, other))
    def __add__(self, other): return self._with(other, lambda a, b: a + b)
    def __radd__(self, other): return self._with(other, lambda a, b: b + a)
    def __sub__(self, other): return self._with(other, lambda a, b: a - b)
    def __rsub__(self, other): return self._with(other, lambda a, b: b - a)
    def __mul__(self, other): return self._with(other, lambda a, b: a * b)
    def __rmul__(self, other): return self._with(other, lambda a, b: b * a)
    def __truediv__(self, other): return self._with(other, lambda a, b: a / b)
    def __rtruediv__(self, other): return self._with(other, lambda a, b: b / a)
    def __floordiv__(self, other): return self._with(other, lambda a, b: a // b)
    def __mod__(self, other): return self._with(other, lambda a, b: a % b)
    def __pow__(self, other): return self._with(other, lambda a, b: a ** b)
    def __rpow__(self, other): return self._with(other, lambda a, b: b ** a)
    def __neg__(self): return self._with(0, lambda a, b: -a)
    def __eq__(self, other): return self._with(other, lambda a, b: a == b)
    def __lt__(self, other): return self._with(other, lambda a, b: a < b)
    def __gt__(self, other): return self._with(other, lambda a, b: a > b)
    def __repr__(self): return 'array(' + repr(self._values) + ')'
def array(values, dtype=None):
    if hasattr(values, '__next__') or isinstance(values, (tuple, range)):
        values = list(values)
    return _array(_each(dtype, values) if dtype else _list(values))
asarray = array
def linspace(start, stop, num=50, endpoint=True, dtype=None):
    if num == 1:
        return ndarray([start + 0.0])
    step = (stop - start) / (num - 1 if endpoint else num)
    values = [at * step + start for at in range(num)]
    if endpoint and num > 1:
        values[-1] = stop + 0.0
    return ndarray([dtype(each) for each in values] if dtype else values)
def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    return ndarray([start + at * step for at in range(_largest(0, math.ceil((stop - start) / step)))])
def zeros(shape, dtype=float): return full(shape, dtype(0))
def ones(shape, dtype=float): return full(shape, dtype(1))
def full(shape, value, dtype=None):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return ndarray([full(shape[1:], value)._values if len(shape) > 1 else value for _ in range(shape[0])])
def eye(n, m=None, k=0, dtype=float):
    return ndarray([[dtype(j - i == k) for j in range(n if m is None else m)] for i in range(n)])
def prod(values, axis=None):
    out = 1
    for each in _flat(_list(values)):
        out *= each
    return out
def sum(values, axis=None):
    out = 0
    for each in _flat(_list(values)):
        out += each
    return out
def mean(values): return sum(values) / len(_flat(_list(values)))
def cumsum(values):
    out, total = [], 0
    for each in _flat(_list(values)):
        total += each
        out.append(total)
    return ndarray(out)
def _function(function): return lambda values, *more: _array(_each(function, values, *more))
sqrt, log, log2, exp = _function(math.sqrt), _function(math.log), _function(math.log2), _function(math.exp)
log10, sin, cos, tan, tanh = (_function(math.log10), _function(math.sin), _function(math.cos), _function(math.tan),
                              _function(math.tanh))
floor = _function(lambda each: float(math.floor(each)))
ceil = _function(lambda each: float(math.ceil(each)))
round = around = _function(lambda each, digits=0: __builtin_round__(each, digits))
power = _function(lambda a, b: a ** b)
abs = absolute = _function(lambda each: -each if each < 0 else each)
maximum, minimum = _function(lambda a, b: a if a > b else b), _function(lambda a, b: a if a < b else b)
def clip(values, low, high): return minimum(maximum(values, low), high)
def max(values, axis=None): return array(values).max()
def min(values, axis=None): return array(values).min()
def concatenate(parts, axis=0): return ndarray([each for part in parts for each in _list(part)])
def isscalar(value): return isinstance(value, (int, float))
def append(values, more): return ndarray(_list(values) + [more])
def argmax(values):
    flat = _flat(_list(values))
    return flat.index(array(flat).max())
)";

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
