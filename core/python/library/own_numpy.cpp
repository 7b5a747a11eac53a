// SPDX-License-Identifier: GPL-3.0-or-later
// The part of numpy that constructors of models use, written in Python; what walks over elements is in arrays.cpp.
#include <string_view>

namespace fx::python {

extern const std::string_view kNumpy;

const std::string_view kNumpy = R"py(
import math
import torch
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
Inf, NaN = inf, nan
class dtype:
    def __init__(self, name):
        self.name = str(name)
        self.kind = {'f': 'f', 'i': 'i', 'u': 'u', 'b': 'b'}[self.name[0]]
        self.itemsize = 1 if self.kind == 'b' else int(self.name.lstrip('fluoatint')) // 8
        self.type = self
    def __call__(self, value=0):
        if isinstance(value, (ndarray, list, tuple, range)):
            return array(value, dtype=self)
        return _cast(value, self.name)
    def __eq__(self, other):
        known = _known(other)
        return known is not None and known.name == self.name
    def __hash__(self): return hash(self.name)
    def __repr__(self): return f"dtype('{self.name}')"
    def __str__(self): return self.name
def _known(kind):
    if isinstance(kind, _dtype):
        return kind
    return _kinds.get(kind) if kind is None or isinstance(kind, (str, type)) else None
_dtype = dtype
float16, float32, float64 = dtype('float16'), dtype('float32'), dtype('float64')
int8, int16, int32, int64, uint8 = dtype('int8'), dtype('int16'), dtype('int32'), dtype('int64'), dtype('uint8')
bool_ = dtype('bool')
double, single, half, int_, intp, longlong, float_ = float64, float32, float16, int64, int64, int64, float64
# The classes of scalars. Numbers of numpy are numbers of Python here, which have what scalars are asked for.
class generic: pass
class number(generic): pass
class integer(number): pass
class signedinteger(integer): pass
class unsignedinteger(integer): pass
class inexact(number): pass
class floating(inexact): pass
class complexfloating(inexact): pass
class character(generic): pass
_families = {'f': floating, 'i': signedinteger, 'u': unsignedinteger, 'b': generic}
def issubdtype(kind, above):
    wanted = _known(above)
    return issubclass(_families[dtype(kind).kind], above) if wanted is None else dtype(kind) == wanted
_all = [float16, float32, float64, int8, int16, int32, int64, uint8, bool_]
_kinds = {each.name: each for each in _all}
_kinds.update({float: float64, int: int64, bool: bool_, None: float64, 'float': float64, 'int': int64, 'f': float32,
               'd': float64, 'f4': float32, 'f8': float64, 'i4': int32, 'i8': int64, 'long': int64, 'double': float64,
               'single': float32, '?': bool_})
def dtype(kind):
    known = _known(kind)
    if known is None:
        raise TypeError(f'data type {kind!r} not understood')
    return known
def _cast(value, name):
    if name == 'bool':
        return bool(value)
    if name[0] != 'f':
        bits = int(name.lstrip('uint'))
        number = int(value) & ((1 << bits) - 1) if bits < 64 else int(value)
        return number - (1 << bits) if bits < 64 and name[0] == 'i' and number >> (bits - 1) else number
    return __rounded__(float(value), name)
def _size(shape):
    out = 1
    for each in shape:
        out *= each
    return out
def _kind_of(value):
    if isinstance(value, ndarray):
        return value.dtype
    return bool_ if isinstance(value, bool) else int64 if isinstance(value, int) else float64
def _common(a, b):
    kinds = [_kind_of(a), _kind_of(b)]
    if isinstance(a, ndarray) != isinstance(b, ndarray):
        array_kind, number = kinds if isinstance(a, ndarray) else kinds[::-1]
        ranks = {'b': 0, 'u': 1, 'i': 1, 'f': 2}
        return array_kind if ranks[number.kind] <= ranks[array_kind.kind] else number
    first, second = kinds
    if first.kind == second.kind:
        return first if first.itemsize >= second.itemsize else second
    if 'b' in (first.kind, second.kind):
        return second if first.kind == 'b' else first
    if 'f' in (first.kind, second.kind):
        real, whole = kinds if first.kind == 'f' else kinds[::-1]
        need = {1: 2, 2: 4}.get(whole.itemsize, 8)
        return real if real.itemsize >= need else {2: float16, 4: float32, 8: float64}[need]
    signed, unsigned = kinds if first.kind == 'i' else kinds[::-1]
    wider = {1: int16, 2: int32, 4: int64}.get(unsigned.itemsize, float64)
    return signed if signed.itemsize > unsigned.itemsize else wider
def _operate(name, a, b, kind=None):
    if isinstance(a, (list, tuple)):
        a = array(a)
    if isinstance(b, (list, tuple)):
        b = array(b)
    if kind is None:
        kind = _common(a, b)
        if name == 'truediv' and kind.kind != 'f':
            kind = float64
    scalar = not isinstance(a, ndarray) and not isinstance(b, ndarray)
    values, shape = __array_binary__(name, *_parts(a), *_parts(b))
    return _cast(values[0], kind.name) if scalar or shape == () else _made(values, shape, kind)
def _parts(value): return (value._data, value.shape) if isinstance(value, ndarray) else ([value], ())
def _made(values, shape, kind):
    out = ndarray(0)
    out._data, out.shape, out.dtype = __array_cast__(values, kind.name), tuple(shape), kind
    return out
def _given(values, shape, kind): return values[0] if tuple(shape) == () else _made(values, shape, kind)
class ndarray:
    def __init__(self, shape, dtype=float):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self._data, self.dtype = [0] * _size(self.shape), _known(dtype)
    @property
    def size(self): return len(self._data)
    @property
    def ndim(self): return len(self.shape)
    @property
    def T(self): return self.transpose()
    @property
    def flat(self): return iter(self._data)
    @property
    def _values(self): return self.tolist()
    def tolist(self):
        out = self._data
        for size in reversed(self.shape[1:]):
            out = [out[at:at + size] for at in range(0, len(out), size)] if size else [[]] * self.shape[0]
        return list(out)
    def item(self, *at): return self[at] if at else self._data[0]
    def astype(self, dtype, copy=True): return _made(self._data, self.shape, _known(dtype))
    def copy(self): return _made(self._data, self.shape, self.dtype)
    def view(self, *args): return self
    def fill(self, value): self._data = [_cast(value, self.dtype.name)] * self.size
    def reshape(self, *shape):
        shape = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
        if -1 in shape:
            rest = -_size(shape)
            shape[shape.index(-1)] = self.size // rest if rest else 0
        if _size(shape) != self.size:
            raise ValueError(f'cannot reshape array of size {self.size} into shape {tuple(shape)}')
        return _made(self._data, shape, self.dtype)
    def flatten(self): return self.reshape(-1)
    ravel = flatten
    def squeeze(self, axis=None): return self.reshape([each for each in self.shape if each != 1])
    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        axes = [axis % self.ndim for axis in axes] or list(range(self.ndim))[::-1]
        return _made(*__array_permuted__(self._data, self.shape, axes), self.dtype)
    def swapaxes(self, a, b):
        axes = list(range(self.ndim))
        axes[a], axes[b] = axes[b], axes[a]
        return self.transpose(axes)
    def repeat(self, repeats, axis=None): return repeat(self, repeats, axis)
    def dot(self, other): return dot(self, other)
    def clip(self, low, high): return clip(self, low, high)
    def _reduced(self, name, axis, keepdims=False, kind=None):
        if axis is None:
            values = __array_reduced__(name, self._data, (self.size,), 0)
            shape = (1,) * self.ndim if keepdims else ()
        else:
            values, shape = self, list(self.shape)
            axes = sorted([each % self.ndim for each in (axis if isinstance(axis, tuple) else (axis,))], reverse=True)
            data = self._data
            for each in axes:
                data = __array_reduced__(name, data, shape, each)
                shape[each] = 1
            values = data
            if not keepdims:
                shape = [each for at, each in enumerate(shape) if at not in axes]
        kind = kind or self.dtype
        return _cast(values[0], kind.name) if tuple(shape) == () else _made(values, shape, kind)
    def _whole(self): return int64 if self.dtype.kind in 'bi' else self.dtype
    def sum(self, axis=None, dtype=None, keepdims=False):
        return self._reduced('add', axis, keepdims, _known(dtype) if dtype else self._whole())
    def prod(self, axis=None, dtype=None, keepdims=False): return self._reduced('mul', axis, keepdims, self._whole())
    def max(self, axis=None, keepdims=False): return self._reduced('maximum', axis, keepdims)
    def min(self, axis=None, keepdims=False): return self._reduced('minimum', axis, keepdims)
    def any(self, axis=None): return self._reduced('or', axis, kind=bool_)
    def all(self, axis=None): return self._reduced('and', axis, kind=bool_)
    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims=keepdims)
        return total / (self.size // (total.size if isinstance(total, ndarray) else 1))
    def var(self, axis=None, ddof=0, keepdims=False):
        apart = self - self.mean(axis, True)
        squares = (apart * apart).sum(axis, keepdims=keepdims)
        return squares / (self.size // (squares.size if isinstance(squares, ndarray) else 1) - ddof)
    def std(self, axis=None, ddof=0, keepdims=False): return sqrt(self.var(axis, ddof, keepdims))
    def argmax(self, axis=None): return self._data.index(self.max())
    def argmin(self, axis=None): return self._data.index(self.min())
    def argsort(self): return array(sorted(range(self.size), key=lambda at: self._data[at]))
    def sort(self): self._data = sorted(self._data)
    def nonzero(self): return nonzero(self)
    def cumsum(self, axis=None): return cumsum(self)
    def __len__(self):
        if not self.shape:
            raise TypeError('len() of unsized object')
        return self.shape[0]
    def __iter__(self): return iter([self[at] for at in range(len(self))])
    def _places(self, key):
        keys = []
        for each in key if isinstance(key, tuple) else (key,):
            if isinstance(each, (list, range)):
                each = array(list(each))
            if isinstance(each, ndarray) and each.dtype.kind == 'b':
                keys.extend([(list(each._data), each.shape, True)])
            elif isinstance(each, ndarray):
                keys.append((each._data, each.shape, False))
            else:
                keys.append(each)
        return __array_places__(self.shape, keys)
    def __getitem__(self, key):
        places, shape = self._places(key)
        data = self._data
        return _given([data[at] for at in places], shape, self.dtype)
    def __setitem__(self, key, value):
        places, shape = self._places(key)
        if not isinstance(value, ndarray) and isinstance(value, (list, tuple)):
            value = array(value)
        values = __array_spread__(*_parts(value), shape)
        self._data = __array_written__(self._data, places, __array_cast__(values, self.dtype.name))
    def __add__(self, other): return _operate('add', self, other)
    def __radd__(self, other): return _operate('add', other, self)
    def __sub__(self, other): return _operate('sub', self, other)
    def __rsub__(self, other): return _operate('sub', other, self)
    def __mul__(self, other): return _operate('mul', self, other)
    def __rmul__(self, other): return _operate('mul', other, self)
    def __truediv__(self, other): return _operate('truediv', self, other)
    def __rtruediv__(self, other): return _operate('truediv', other, self)
    def __floordiv__(self, other): return _operate('floordiv', self, other)
    def __rfloordiv__(self, other): return _operate('floordiv', other, self)
    def __mod__(self, other): return _operate('mod', self, other)
    def __pow__(self, other): return _operate('pow', self, other)
    def __rpow__(self, other): return _operate('pow', other, self)
    def __and__(self, other): return _operate('and', self, other)
    def __or__(self, other): return _operate('or', self, other)
    def __matmul__(self, other): return dot(self, other)
    def __invert__(self): return _operate('eq', self, False, bool_) if self.dtype.kind == 'b' else -self - 1
    def __neg__(self): return _operate('sub', 0, self)
    def __abs__(self): return absolute(self)
    def __eq__(self, other): return _operate('eq', self, other, bool_)
    def __ne__(self, other): return _operate('ne', self, other, bool_)
    def __lt__(self, other): return _operate('lt', self, other, bool_)
    def __le__(self, other): return _operate('le', self, other, bool_)
    def __gt__(self, other): return _operate('gt', self, other, bool_)
    def __ge__(self, other): return _operate('ge', self, other, bool_)
    def _one(self):
        if self.size != 1:
            raise TypeError('only length-1 arrays can be converted to Python scalars')
        return self._data[0]
    def __float__(self): return float(self._one())
    def __int__(self): return int(self._one())
    def __bool__(self):
        if self.size != 1:
            raise ValueError('The truth value of an array with more than one element is ambiguous. Use a.any() or '
                             'a.all()')
        return bool(self._one())
    def __repr__(self): return 'array(' + repr(self.tolist()) + ')'
def _nested(values):
    if isinstance(values, ndarray):
        return values._data, values.shape, values.dtype
    if isinstance(values, torch.Tensor):
        return _nested(array(values.tolist(), dtype=str(values.dtype)[6:]))
    if not isinstance(values, (list, tuple, range)):
        return [values], (), _kind_of(values)
    data, shape, kind = [], None, None
    for each in values:
        part, below, own = _nested(each)
        if shape is not None and below != shape:
            raise ValueError('setting an array element with a sequence. The requested array has an inhomogeneous '
                             'shape.')
        data.extend(part)
        kind = own if kind is None else _common(_made([], (0,), kind), _made([], (0,), own))
        shape = below
    return data, (len(values),) + (shape or ()), kind or float64
def array(values, dtype=None, copy=True, ndmin=0):
    if hasattr(values, '__next__'):
        values = list(values)
    data, shape, kind = _nested(values)
    return _made(data, (1,) * (ndmin - len(shape)) + tuple(shape), kind if dtype is None else _known(dtype))
asarray = ascontiguousarray = asanyarray = array
def _shaped(shape): return (shape,) if isinstance(shape, int) else tuple(shape)
def full(shape, value, dtype=None):
    shape = _shaped(shape)
    return _made([value] * _size(shape), shape, _kind_of(value) if dtype is None else _known(dtype))
def zeros(shape, dtype=float): return full(shape, 0, dtype)
def ones(shape, dtype=float): return full(shape, 1, dtype)
empty = zeros
def zeros_like(values, dtype=None): return full(array(values).shape, 0, dtype or array(values).dtype)
def ones_like(values, dtype=None): return full(array(values).shape, 1, dtype or array(values).dtype)
def full_like(values, value, dtype=None): return full(array(values).shape, value, dtype or array(values).dtype)
empty_like = zeros_like
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    div = num - 1 if endpoint else num
    step = (stop - start) / div if div > 0 else nan
    values = [at * step + start for at in range(num)] if div > 0 else [start + 0.0] * num
    if endpoint and num > 1:
        values[-1] = stop + 0.0
    out = _made(values, (num,), float64 if dtype is None else _known(dtype))
    return (out, step) if retstep else out
def logspace(start, stop, num=50, endpoint=True, base=10.0): return power(base, linspace(start, stop, num, endpoint))
def geomspace(start, stop, num=50): return logspace(math.log10(start), math.log10(stop), num)
def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    count = math.ceil((stop - start) / step)
    kind = _known(dtype) if dtype is not None else float64 if float in (type(start), type(stop), type(step)) else int64
    return _made([start + at * step for at in range(count if count > 0 else 0)], (count if count > 0 else 0,), kind)
def eye(n, m=None, k=0, dtype=float):
    columns = n if m is None else m
    return _made([int(j - i == k) for i in range(n) for j in range(columns)], (n, columns), _known(dtype))
identity = eye
def diag(values):
    values = array(values)
    if values.ndim == 2:
        return array([values[at, at] for at in range(_smallest(values.shape))])
    return eye(values.size, dtype=values.dtype) * values
def tril(values, k=0): return _triangle(values, lambda i, j: j - i <= k)
def triu(values, k=0): return _triangle(values, lambda i, j: j - i >= k)
def _triangle(values, keeps):
    values = array(values)
    rows, columns = values.shape[-2:]
    kept = [int(keeps(i, j)) for i in range(rows) for j in range(columns)]
    return values * _made(kept, (rows, columns), values.dtype)
_smallest, _round, _sum = min, round, sum  # functions of numpy have these names below
def _unary(name):
    def apply(values, dtype=None, out=None):
        if isinstance(values, (list, tuple, ndarray)):
            values = array(values)
            kind = values.dtype if values.dtype.kind == 'f' or name in ('abs', 'neg', 'square', 'sign') else float64
            return _made(__array_unary__(name, values._data), values.shape, kind)
        return __array_unary__(name, [values])[0]
    return apply
sqrt, log, log2, exp, log10, sin, cos, tan, tanh = (
    _unary('sqrt'), _unary('log'), _unary('log2'), _unary('exp'), _unary('log10'), _unary('sin'), _unary('cos'),
    _unary('tan'), _unary('tanh'))
arcsin, arccos, arctan, sinh, cosh, log1p, expm1 = (
    _unary('asin'), _unary('acos'), _unary('atan'), _unary('sinh'), _unary('cosh'), _unary('log1p'), _unary('expm1'))
floor, ceil, rint, trunc, sign, square = (_unary('floor'), _unary('ceil'), _unary('rint'), _unary('trunc'),
                                          _unary('sign'), _unary('square'))
abs = absolute = fabs = _unary('abs')
radians = deg2rad = lambda values: multiply(values, pi / 180)
degrees = rad2deg = lambda values: multiply(values, 180 / pi)
def isnan(values): return _operate('ne', array(values), array(values), bool_)
def round(values, decimals=0):
    if isinstance(values, (list, tuple, ndarray)):
        values = array(values)
        return _made([_round(each, decimals) for each in values._data], values.shape, values.dtype)
    return float(_round(values, decimals)) if isinstance(values, float) else values
around = round_ = round
def _binary(name, kind=None): return lambda a, b, **options: _operate(name, a, b, kind)
add, subtract, multiply, divide, true_divide, floor_divide = (
    _binary('add'), _binary('sub'), _binary('mul'), _binary('truediv'), _binary('truediv'), _binary('floordiv'))
power, mod, remainder, maximum, minimum = (_binary('pow'), _binary('mod'), _binary('mod'), _binary('maximum'),
                                           _binary('minimum'))
equal, not_equal, less, greater = (_binary('eq', bool_), _binary('ne', bool_), _binary('lt', bool_),
                                   _binary('gt', bool_))
logical_and, logical_or = _binary('and', bool_), _binary('or', bool_)
def logical_not(values): return _operate('eq', array(values), 0, bool_)
arctan2, hypot = _binary('atan2', float64), _binary('hypot', float64)
def clip(values, low=None, high=None, a_min=None, a_max=None):
    low, high = a_min if low is None else low, a_max if high is None else high
    if low is not None:
        values = maximum(values, low)
    return values if high is None else minimum(values, high)
def where(test, a=None, b=None):
    if a is None:
        return nonzero(test)
    test = array(test)
    picked = _operate('add', a, _operate('mul', 0, b))
    shape = _operate('add', _operate('mul', test, 0), _operate('mul', 0, picked)).shape
    flags, first, second = [__array_spread__(*_parts(each), shape) for each in (test, a, b)]
    return _given([x if flag else y for flag, x, y in zip(flags, first, second)], shape, _common(a, b))
def nonzero(values):
    values = array(values)
    places = [at for at, each in enumerate(values._data) if each]
    return tuple([array(list(axis), dtype=int) for axis in unravel_index(places, values.shape)])
def argwhere(values): return stack(nonzero(values), axis=-1)
def unravel_index(places, shape):
    out, rest = [], places
    for size in reversed(shape):
        out.insert(0, [at % size for at in rest])
        rest = [at // size for at in rest]
    return out
def _reducing(name): return lambda values, *args, **options: getattr(array(values), name)(*args, **options)
prod, sum, mean, std, var = _reducing('prod'), _reducing('sum'), _reducing('mean'), _reducing('std'), _reducing('var')
max, min, any, all = _reducing('max'), _reducing('min'), _reducing('any'), _reducing('all')
amax, amin, argmax, argmin, argsort = max, min, _reducing('argmax'), _reducing('argmin'), _reducing('argsort')
average = mean
def median(values):
    data = sorted(array(values)._data)
    half = len(data) // 2
    return float(data[half]) if len(data) % 2 else (data[half - 1] + data[half]) / 2
def cumsum(values, axis=None):
    values, out, total = array(values), [], 0
    for each in values._data:
        total += each
        out.append(total)
    return _made(out, (len(out),), values._whole())
def cumprod(values, axis=None):
    values, out, total = array(values), [], 1
    for each in values._data:
        total *= each
        out.append(total)
    return _made(out, (len(out),), values._whole())
def diff(values):
    values = array(values)
    return values[1:] - values[:-1]
def concatenate(parts, axis=0):
    parts = [array(each) for each in parts]
    axis = axis % parts[0].ndim
    kind = parts[0].dtype
    for each in parts[1:]:
        kind = _common(_made([], (0,), kind), _made([], (0,), each.dtype))
    shape = list(parts[0].shape)
    shape[axis] = _sum([each.shape[axis] for each in parts])
    rows, data = _size(shape[:axis]), []
    for row in range(rows):
        for each in parts:
            width = _size(each.shape[axis:])
            data.extend(each._data[row * width:(row + 1) * width])
    return _made(data, shape, kind)
def expand_dims(values, axis):
    values = array(values)
    shape = list(values.shape)
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
    return values.reshape(shape)
def stack(parts, axis=0): return concatenate([expand_dims(each, axis) for each in parts], axis)
def vstack(parts): return concatenate([array(each, ndmin=2) for each in parts], 0)
def hstack(parts): return concatenate(parts, 0 if array(parts[0]).ndim == 1 else 1)
def column_stack(parts): return stack(parts, 1)
def append(values, more, axis=None):
    return concatenate([array(values).flatten(), array(more, ndmin=1).flatten()]) if axis is None else concatenate(
        [values, more], axis)
def split(values, sections, axis=0):
    values = array(values)
    size = len(values) // sections if isinstance(sections, int) else None
    ends = list(range(size, len(values), size)) if size else list(sections)
    return [values[begin:end] for begin, end in zip([0] + ends, ends + [len(values)])]
array_split = split
def meshgrid(*axes, indexing='xy', sparse=False):
    axes = [array(each).flatten() for each in axes]
    shape = [each.size for each in axes]
    order = list(range(len(axes)))
    if indexing == 'xy' and len(axes) > 1:
        order[0], order[1] = 1, 0
    out = []
    for at, each in enumerate(axes):
        own = [1] * len(axes)
        own[order.index(at)] = each.size
        grid = each.reshape(own)
        out.append(grid if sparse else broadcast_to(grid, [shape[place] for place in order]))
    return out
def broadcast_to(values, shape):
    values = array(values)
    return _made(__array_spread__(values._data, values.shape, tuple(shape)), shape, values.dtype)
def reshape(values, shape): return array(values).reshape(shape)
def ravel(values): return array(values).flatten()
def transpose(values, axes=None): return array(values).transpose(*(axes or ()))
def squeeze(values, axis=None): return array(values).squeeze(axis)
def flip(values, axis=None):
    values = array(values)
    axes = range(values.ndim) if axis is None else [axis % values.ndim]
    return values[tuple([slice(None, None, -1) if at in axes else slice(None) for at in range(values.ndim)])]
def tile(values, reps):
    values = array(values)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    values = values.reshape((1,) * (len(reps) - values.ndim) + values.shape)
    for axis, count in enumerate((1,) * (values.ndim - len(reps)) + reps):
        values = concatenate([values] * count, axis)
    return values
def repeat(values, repeats, axis=None):
    values = array(values).flatten() if axis is None else array(values)
    axis = 0 if axis is None else axis % values.ndim
    places = [at for at in range(values.shape[axis]) for _ in range(repeats)]
    return values[(slice(None),) * axis + (places,)]
def dot(a, b):
    a, b = array(a), array(b)
    if a.ndim == 1 and b.ndim == 1:
        return (a * b).sum()
    if b.ndim == 1:
        return (a * b).sum(-1)
    if a.ndim == 1:
        return (a[:, None] * b).sum(0)
    return (a[..., :, None] * b).sum(-2)
matmul = dot
def einsum(equation, *operands):
    inputs, _, output = equation.replace(' ', '').partition('->')
    inputs = inputs.split(',')
    labels = sorted(set(''.join(inputs)))
    if '->' not in equation:
        output = ''.join([each for each in labels if ''.join(inputs).count(each) == 1])
    total = None
    for names, values in zip(inputs, operands):
        values = array(values).transpose([names.index(each) for each in labels if each in names])
        sizes = iter(values.shape)
        values = values.reshape([next(sizes) if each in names else 1 for each in labels])
        total = values if total is None else total * values
    gone = tuple([at for at, each in enumerate(labels) if each not in output])
    kept = [each for each in labels if each in output]
    total = total.sum(gone) if gone else total
    return array(total).transpose([kept.index(each) for each in output]) if kept else total
def outer(a, b): return array(a).flatten()[:, None] * array(b).flatten()[None, :]
def sort(values, axis=-1): return array(sorted(array(values)._data))
def unique(values): return array(sorted(set(array(values)._data)))
def isscalar(value): return isinstance(value, (int, float, str))
def allclose(a, b, rtol=1e-05, atol=1e-08):
    return bool((absolute(array(a) - array(b)) <= absolute(array(b)) * rtol + atol).all())
def array_equal(a, b): return array(a).shape == array(b).shape and array(a)._data == array(b)._data
def shape(values): return array(values).shape
def ndim(values): return array(values).ndim
def size(values): return array(values).size
def sinc(values):
    y = array(values) * pi
    return where(y == 0, 1.0, sin(where(y == 0, 1.0e-20, y)) / where(y == 0, 1.0e-20, y))
class _Grid:
    def __init__(self, sparse): self._sparse = sparse
    def __getitem__(self, key):
        axes = []
        for each in key if isinstance(key, tuple) else (key,):
            start, step = each.start or 0, 1 if each.step is None else each.step
            axes.append(arange(start, each.stop, step))
        grids = meshgrid(*axes, indexing='ij', sparse=self._sparse)
        return grids if self._sparse else stack(grids)
ogrid, mgrid = _Grid(True), _Grid(False)
class _Columns:
    def __getitem__(self, key): return concatenate([array(each, ndmin=1) for each in key])
r_ = _Columns()
def hanning(n): return 0.5 - 0.5 * cos(arange(n) * (2 * pi / (n - 1)))
def hamming(n): return 0.54 - 0.46 * cos(arange(n) * (2 * pi / (n - 1)))
class finfo:
    def __init__(self, kind):
        about = torch.finfo(_torch(_known(kind) if not isinstance(kind, ndarray) else kind.dtype))
        self.eps, self.max, self.min, self.tiny = about.eps, about.max, about.min, about.tiny
class iinfo:
    def __init__(self, kind):
        about = torch.iinfo(_torch(_known(kind)))
        self.max, self.min = about.max, about.min
def _torch(kind): return getattr(torch, kind.name)
)py";

} // namespace fx::python
