// SPDX-License-Identifier: GPL-3.0-or-later
// numpy.ndarray and its dtypes, written in Python; what walks over elements is in arrays.cpp.
#include <string_view>

namespace fx::python {

extern const std::string_view kNumpyArrays;
const std::string_view kNumpyArrays = R"py(
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
)py";

} // namespace fx::python
