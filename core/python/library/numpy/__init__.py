# SPDX-License-Identifier: GPL-3.0-or-later
# numpy.ndarray and its dtypes; what walks over elements is in arrays.cpp.
import math
import torch
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
Inf, NaN = inf, nan
class dtype:
    def __init__(self, name):
        self.name = str(name)
        self.kind = {'f': 'f', 'i': 'i', 'u': 'u', 'b': 'b'}[self.name[0]]
        self.itemsize = 1 if self.kind == 'b' else int(self.name.lstrip('fluoatint')) // 8
        self.type = None
    def __eq__(self, other):
        known = _known(other)
        return known is not None and known.name == self.name
    def __hash__(self): return hash(self.name)
    def __repr__(self): return f"dtype('{self.name}')"
    def __str__(self): return self.name
def _known(kind):
    if isinstance(kind, _dtype):
        return kind
    if isinstance(kind, type) and issubclass(kind, generic):
        return kind.dtype
    return _kinds.get(kind) if kind is None or isinstance(kind, (str, type)) else None
_dtype = dtype
# What numbers and arrays have in common.
class _arithmetic:
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
    def __rmod__(self, other): return _operate('mod', other, self)
    def __pow__(self, other): return _operate('pow', self, other)
    def __rpow__(self, other): return _operate('pow', other, self)
    def __lt__(self, other): return _operate('lt', self, other, _truths)
    def __le__(self, other): return _operate('le', self, other, _truths)
    def __gt__(self, other): return _operate('gt', self, other, _truths)
    def __ge__(self, other): return _operate('ge', self, other, _truths)
# Numbers of one dtype. The number itself is kept as Python's, so that what takes numbers takes these, too.
class generic(_arithmetic):
    dtype, shape, ndim, size, T = None, (), 0, 1, None
    def __new__(cls, value=0, *rest):
        if isinstance(value, (ndarray, list, tuple, range)):
            return array(value, dtype=cls)
        return __numpy_number__(cls, _cast(value, cls.dtype.name))
    def __init__(self, *args): return None
    def item(self): return __plain_number__(self)
    tolist = item
    def astype(self, dtype, copy=True): return _number(self.item(), _known(dtype))
    def copy(self): return self
    def reshape(self, *shape): return array(self).reshape(*shape)
    def _reduced(self, *args, **options): return self
    sum = prod = max = min = mean = squeeze = flatten = _reduced
    def round(self, decimals=0): return round(self, decimals)
    def clip(self, low=None, high=None): return clip(self, low, high)
    def __divmod__(self, other): return self // other, self % other
    def __eq__(self, other): return _compared('eq', self, other)
    def __ne__(self, other): return _compared('ne', self, other)
    def __and__(self, other): return _bits('and', self, other)
    def __rand__(self, other): return _bits('and', other, self)
    def __or__(self, other): return _bits('or', self, other)
    def __ror__(self, other): return _bits('or', other, self)
    def __xor__(self, other): return _bits('xor', self, other)
    def __rxor__(self, other): return _bits('xor', other, self)
    def __lshift__(self, other): return _bits('lshift', self, other)
    def __rshift__(self, other): return _bits('rshift', self, other)
    def __invert__(self):
        return _number(not self.item(), _truths) if self.dtype.kind == 'b' else _number(~self.item(), self.dtype)
    def __neg__(self): return _number(-self.item(), self.dtype)
    def __pos__(self): return self
    def __abs__(self): return _number(_magnitude(self.item()), self.dtype)
    def __round__(self, digits=None):
        return _round(self.item()) if digits is None else round(self, digits)
    def __floor__(self): return math.floor(self.item())
    def __ceil__(self): return math.ceil(self.item())
    def __hash__(self): return hash(self.item())
    def __repr__(self):
        return 'np.' + (str(self) + '_' if self.dtype.kind == 'b' else self.dtype.name + '(' + str(self) + ')')
    def __str__(self): return __number_text__(self, self.dtype.name)
    def __format__(self, spec): return format(self.item(), spec)
class number(generic): pass
class integer(number):
    def is_integer(self): return True
    def bit_length(self): return self.item().bit_length()
class signedinteger(integer): pass
class unsignedinteger(integer): pass
class inexact(number): pass
class floating(inexact):
    def is_integer(self): return self.item().is_integer()
class complexfloating(inexact): pass
class character(generic): pass
class float16(floating): pass
class float32(floating): pass
class float64(floating, float): pass
class int8(signedinteger): pass
class int16(signedinteger): pass
class int32(signedinteger): pass
class int64(signedinteger): pass
class uint8(unsignedinteger): pass
class uint16(unsignedinteger): pass
class uint32(unsignedinteger): pass
class uint64(unsignedinteger): pass
class bool_(generic): pass
class complex64(complexfloating): pass
class complex128(complexfloating): pass
double, single, half, int_, intp, longlong, float_ = float64, float32, float16, int64, int64, int64, float64
long, ulong = int64, uint64
byte, ubyte, short, ushort, intc, uintc, uint, uintp = int8, uint8, int16, uint16, int32, uint32, uint64, uint64
_classes = [float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_]
_all = [_dtype('bool' if each is bool_ else each.__name__) for each in _classes]
for _kind, _class in zip(_all, _classes):
    _kind.type, _class.dtype = _class, _kind
__rename_class__(bool_, 'bool')
_halves, _singles, _doubles, _bytes, _shorts, _ints, _longs, _unsigned_bytes = _all[:8]
_truths = _all[-1]
_families = {'f': floating, 'i': signedinteger, 'u': unsignedinteger, 'b': generic}
def issubdtype(kind, above):
    if isinstance(above, type) and issubclass(above, generic) and above.dtype is None:
        return issubclass(kind if isinstance(kind, type) and issubclass(kind, generic) else dtype(kind).type, above)
    return dtype(kind) == _known(above)
_kinds = {each.name: each for each in _all}
_kinds.update({float: _doubles, int: _longs, bool: _truths, None: _doubles, 'float': _doubles, 'int': _longs,
               'f': _singles, 'd': _doubles, 'f2': _halves, 'f4': _singles, 'f8': _doubles, 'i1': _bytes,
               'i2': _shorts, 'i4': _ints, 'i8': _longs, 'u1': _unsigned_bytes, 'long': _longs, 'double': _doubles,
               'half': _halves, 'single': _singles, '?': _truths, 'bool_': _truths})
def dtype(kind):
    known = _known(kind)
    if known is None:
        raise TypeError(f'data type {kind!r} not understood')
    return known
def _cast(value, name):
    if isinstance(value, str):
        value = float(value) if name[0] == 'f' else int(value)
    return __rounded__(value, name)
# A number of numpy with the class of the dtype.
def _number(value, kind): return __numpy_number__(kind.type, __rounded__(value, kind.name))
def _size(shape):
    out = 1
    for each in shape:
        out *= each
    return out
def _kind_of(value):
    if isinstance(value, (ndarray, generic)):
        return value.dtype
    return _truths if isinstance(value, _truth) else _longs if isinstance(value, int) else _doubles
# The dtype of what is computed of two values; numbers of Python take that of the other one where they fit.
def _common(a, b):
    has_a, has_b = isinstance(a, (ndarray, generic)), isinstance(b, (ndarray, generic))
    if has_a == has_b:
        return _promoted(_kind_of(a), _kind_of(b))
    kind, other = (a.dtype, b) if has_a else (b.dtype, a)
    if isinstance(other, _truth) or (isinstance(other, int) and kind.kind == 'f'):
        return kind
    if isinstance(other, int):
        if kind.kind != 'b':
            _check_fits(other, kind)
        return _longs if kind.kind == 'b' else kind
    return kind if kind.kind == 'f' else _doubles
def _check_fits(value, kind):
    bits, signed = 8 * kind.itemsize, kind.kind == 'i'
    if not (-(1 << (bits - 1)) if signed else 0) <= value < (1 << (bits - signed)):
        raise OverflowError(f'Python integer {value} out of bounds for {kind.name}')
def _promoted(first, second):
    if first.kind == second.kind:
        return first if first.itemsize >= second.itemsize else second
    if 'b' in (first.kind, second.kind):
        return second if first.kind == 'b' else first
    if 'f' in (first.kind, second.kind):
        real, whole = (first, second) if first.kind == 'f' else (second, first)
        need = {1: 2, 2: 4}.get(whole.itemsize, 8)
        return real if real.itemsize >= need else {2: _halves, 4: _singles, 8: _doubles}[need]
    signed, unsigned = (first, second) if first.kind == 'i' else (second, first)
    wider = {1: _shorts, 2: _ints, 4: _longs}.get(unsigned.itemsize, _doubles)
    return signed if signed.itemsize > unsigned.itemsize else wider
# As torch does: a float beats any integer, without becoming wider.
def _promoted_in_torch(first, second):
    if first.kind == second.kind or 'f' not in (first.kind, second.kind):
        return _promoted(first, second)
    return first if first.kind == 'f' else second
# How numpy rounds these functions of float32 depends on the instructions of the processor.
def _require_exact(name, kind, scalar):
    if kind.name == 'float32' and (scalar or __draws_weights__()):
        __refuse_computed__(f'numpy.{name} of float32')
def _is_operand(value): return isinstance(value, (ndarray, generic, int, float, list, tuple))
def _operate(name, a, b, kind=None):
    if __is_proxy__(a) or __is_proxy__(b):
        raise ValueError('invalid __array_struct__')
    if not _is_operand(a) or not _is_operand(b):
        return NotImplemented
    if name == 'mul' and (isinstance(a, integer) and isinstance(b, (list, tuple))
                          or isinstance(b, integer) and isinstance(a, (list, tuple))):
        return a * b.item() if isinstance(b, integer) else a.item() * b
    if isinstance(a, (list, tuple)):
        a = array(a)
    if isinstance(b, (list, tuple)):
        b = array(b)
    if kind is None:
        kind = _common(a, b)
        if name == 'truediv' and kind.kind != 'f':
            kind = _doubles
    scalar = not isinstance(a, ndarray) and not isinstance(b, ndarray)
    if name == 'pow' and scalar and kind.kind in 'iu' and b < 0:
        raise ValueError('Integers to negative integer powers are not allowed.')
    if name == 'pow' and not (isinstance(b, (int, float)) and b in (0, 1, 2, 0.5)):
        _require_exact('power', kind, scalar)
    values, shape = __array_binary__(name, *_parts(a), *_parts(b))
    return _number(values[0], kind) if scalar or shape == () else _made(values, shape, kind)
def _compared(name, a, b):
    return _operate(name, a, b, _truths) if _is_operand(b) or __is_proxy__(b) else _number(name == 'ne', _truths)
_signs = {'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b,
          'lshift': lambda a, b: a << b, 'rshift': lambda a, b: a >> b}
def _bits(name, a, b):
    if not _is_operand(a) or not _is_operand(b) or isinstance(a, ndarray) or isinstance(b, ndarray):
        return NotImplemented
    kind = _common(a, b)
    if kind.kind == 'f':
        raise TypeError(f"ufunc 'bitwise_{name}' not supported for the input types")
    return _number(_signs[name](__plain_number__(a), __plain_number__(b)), kind)
def _parts(value): return (value._data, value.shape) if isinstance(value, ndarray) else ([value], ())
def _made(values, shape, kind):
    out = ndarray(0)
    out._data, out.shape, out.dtype = __array_cast__(values, kind.name), tuple([int(each) for each in shape]), kind
    return out
def _given(values, shape, kind):
    return _number(values[0], kind) if tuple(shape) == () else _made(values, shape, kind)
# What `tensor.numpy()` gives: the tensor does not see what is written to it.
def _of_tensor(values, kind):
    out = array(values, dtype=kind)
    if isinstance(out, ndarray):
        out._shares = True
    return out
class ndarray(_arithmetic):
    _shares = False # whether a tensor has the same memory
    def __init__(self, shape, dtype=float):
        self.shape = _shaped(shape)
        self._data, self.dtype = [0] * _size(self.shape), _known(dtype)
    @property
    def nbytes(self): return self.size * self.dtype.itemsize
    @property
    def itemsize(self): return self.dtype.itemsize
    @property
    def size(self): return len(self._data)
    @property
    def ndim(self): return len(self.shape)
    @property
    def T(self): return self.transpose()
    @property
    def flat(self): return iter([_number(each, self.dtype) for each in self._data])
    @property
    def _values(self): return self.tolist()
    def tolist(self):
        out = self._data
        for size in reversed(self.shape[1:]):
            out = [out[at:at + size] for at in range(0, len(out), size)] if size else [[]] * self.shape[0]
        return list(out)
    def item(self, *at): return self[at].item() if at else self._one()
    def astype(self, dtype, copy=True): return _made(self._data, self.shape, _known(dtype))
    def copy(self): return _made(self._data, self.shape, self.dtype)
    def view(self, *args): return self
    def fill(self, value):
        self._check_write('fill')
        self._data = [_cast(value, self.dtype.name)] * self.size
    def reshape(self, *shape, order='C'):
        shape = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
        if -1 in shape:
            rest = -_size(shape)
            shape[shape.index(-1)] = self.size // rest if rest else 0
        if _size(shape) != self.size:
            raise ValueError(f'cannot reshape array of size {self.size} into shape {tuple(shape)}')
        if order == 'F':
            return self.transpose().reshape(shape[::-1]).transpose()
        return self._view(_made(self._data, shape, self.dtype))
    def _view(self, part):
        if self._shares and isinstance(part, ndarray):
            part._shares = True
        return part
    def _check_write(self, name):
        if self._shares:
            __refuse_write__('numpy.ndarray.' + name)
    def flatten(self, order='C'): return (self.transpose() if order == 'F' else self.copy()).reshape(-1)
    def ravel(self, order='C'): return self.flatten('F') if order == 'F' else self.reshape(-1)
    def squeeze(self, axis=None):
        axes = range(self.ndim) if axis is None else [
            each % self.ndim for each in (axis if isinstance(axis, tuple) else (axis,))]
        if axis is not None and [each for each in axes if self.shape[each] != 1]:
            raise ValueError('cannot select an axis to squeeze out which has size not equal to one')
        return self.reshape([each for at, each in enumerate(self.shape) if each != 1 or at not in axes])
    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        axes = [axis % self.ndim for axis in axes] or list(range(self.ndim))[::-1]
        return self._view(_made(*__array_permuted__(self._data, self.shape, axes), self.dtype))
    def swapaxes(self, a, b):
        axes = list(range(self.ndim))
        axes[a], axes[b] = axes[b], axes[a]
        return self.transpose(axes)
    def repeat(self, repeats, axis=None): return repeat(self, repeats, axis)
    def dot(self, other): return dot(self, other)
    def clip(self, low, high): return clip(self, low, high)
    def _reduced(self, name, axis, keepdims=False, kind=None):
        if axis is None:
            values = __array_reduced__(name, self._data, (self.size,), 0, (kind or self.dtype).name)
            shape = (1,) * self.ndim if keepdims else ()
        else:
            values, shape = self, list(self.shape)
            axes = sorted([each % self.ndim for each in (axis if isinstance(axis, tuple) else (axis,))], reverse=True)
            data = self._data
            for each in axes:
                data = __array_reduced__(name, data, shape, each, (kind or self.dtype).name)
                shape[each] = 1
            values = data
            if not keepdims:
                shape = [each for at, each in enumerate(shape) if at not in axes]
        kind = kind or self.dtype
        return _number(values[0], kind) if tuple(shape) == () else _made(values, shape, kind)
    def _whole(self):
        if self.dtype.kind in 'bi': return _longs
        return uint64.dtype if self.dtype.kind == 'u' else self.dtype
    def sum(self, axis=None, dtype=None, keepdims=False):
        return self._reduced('add', axis, keepdims, _known(dtype) if dtype else self._whole())
    def prod(self, axis=None, dtype=None, keepdims=False): return self._reduced('mul', axis, keepdims, self._whole())
    def max(self, axis=None, keepdims=False): return self._reduced('maximum', axis, keepdims)
    def min(self, axis=None, keepdims=False): return self._reduced('minimum', axis, keepdims)
    def any(self, axis=None): return self._reduced('or', axis, kind=_truths)
    def all(self, axis=None): return self._reduced('and', axis, kind=_truths)
    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims=keepdims)
        return total / (self.size // (total.size if isinstance(total, ndarray) else 1))
    def var(self, axis=None, ddof=0, keepdims=False):
        apart = self - self.mean(axis, True)
        squares = (apart * apart).sum(axis, keepdims=keepdims)
        return squares / (self.size // (squares.size if isinstance(squares, ndarray) else 1) - ddof)
    def std(self, axis=None, ddof=0, keepdims=False): return sqrt(self.var(axis, ddof, keepdims))
    def argmax(self, axis=None): return _of_lines(self, axis, lambda line: line.index(_largest(line)), _longs)
    def argmin(self, axis=None): return _of_lines(self, axis, lambda line: line.index(_smallest(line)), _longs)
    def argsort(self, axis=-1, kind=None): return argsort(self, axis, kind)
    def sort(self, axis=-1):
        self._check_write('sort')
        self._data = sort(self, axis)._data
    def nonzero(self): return nonzero(self)
    def cumsum(self, axis=None, dtype=None): return cumsum(self, axis, dtype)
    def cumprod(self, axis=None, dtype=None): return cumprod(self, axis, dtype)
    def __len__(self):
        if not self.shape:
            raise TypeError('len() of unsized object')
        return self.shape[0]
    def __iter__(self):
        if self.ndim == 1:
            return iter([_number(each, self.dtype) for each in self._data])
        return iter([self[at] for at in range(len(self))])
    def _places(self, key):
        keys = []
        for each in key if isinstance(key, tuple) else (key,):
            if isinstance(each, (list, range)):
                each = array(list(each))
            if isinstance(each, generic):
                each = each.item()
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
        part = _given([data[at] for at in places], shape, self.dtype)
        if not self._shares:
            return part
        for each in key if isinstance(key, tuple) else (key,):
            if isinstance(each, (list, range, ndarray)):
                return part
        return self._view(part)
    def __setitem__(self, key, value):
        self._check_write('__setitem__')
        places, shape = self._places(key)
        if not isinstance(value, ndarray) and isinstance(value, (list, tuple)):
            value = array(value)
        values = __array_spread__(*_parts(value), shape)
        self._data = __array_written__(self._data, places, __array_cast__(values, self.dtype.name))
    def __and__(self, other): return _operate('and', self, other)
    def __or__(self, other): return _operate('or', self, other)
    def __matmul__(self, other): return matmul(self, other)
    def __rmatmul__(self, other): return matmul(other, self)
    def _changed(self, result):
        self._check_write('__iadd__')
        return result
    def __iadd__(self, other): return self._changed(self + other)
    def __isub__(self, other): return self._changed(self - other)
    def __imul__(self, other): return self._changed(self * other)
    def __itruediv__(self, other): return self._changed(self / other)
    def __invert__(self): return _operate('eq', self, False, _truths) if self.dtype.kind == 'b' else -self - 1
    def __neg__(self): return _operate('mul', self, -1)
    def __abs__(self): return absolute(self)
    def __eq__(self, other): return _operate('eq', self, other, _truths)
    def __ne__(self, other): return _operate('ne', self, other, _truths)
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
        return _truth(self._one())
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
        kind = own if kind is None else _promoted(kind, own)
        shape = below
    return data, (len(values),) + (shape or ()), kind or _doubles
def array(values, dtype=None, copy=True, ndmin=0):
    if __is_proxy__(values):
        raise ValueError('invalid __array_struct__')
    if hasattr(values, '__next__'):
        values = list(values)
    data, shape, kind = _nested(values)
    return _made(data, (1,) * (ndmin - len(shape)) + tuple(shape), kind if dtype is None else _known(dtype))
asarray = ascontiguousarray = asanyarray = array
def _shaped(shape): return (shape,) if isinstance(shape, (int, integer)) else tuple(shape)
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
    start, stop, num = __plain_number__(start), __plain_number__(stop), int(num)
    div = num - 1 if endpoint else num
    step = (stop - start) / div if div > 0 else nan
    values = [at * step + start for at in range(num)] if div > 0 else [start + 0.0] * num
    if endpoint and num > 1:
        values[-1] = stop + 0.0
    out = _made(values, (num,), _doubles if dtype is None else _known(dtype))
    return (out, step) if retstep else out
def logspace(start, stop, num=50, endpoint=True, base=10.0): return power(base, linspace(start, stop, num, endpoint))
def geomspace(start, stop, num=50, endpoint=True):
    start, stop = __plain_number__(start), __plain_number__(stop)
    if start == 0 or stop == 0:
        raise ValueError('Geometric sequence cannot include zero')
    sign = -1.0 if start < 0 else 1.0
    out = logspace(math.log10(start * sign), math.log10(stop * sign), num, endpoint) * sign
    if num > 0:
        out[0] = start
    if num > 1 and endpoint:
        out[-1] = stop
    return out
def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    kind = _promoted(_promoted(_kind_of(start), _kind_of(stop)), _promoted(_kind_of(step), _longs))
    kind = kind if dtype is None else _known(dtype)
    start, stop, step = __plain_number__(start), __plain_number__(stop), __plain_number__(step)
    count = math.ceil((stop - start) / step)
    # The first two numbers give the distance of the others.
    first, second = __rounded__(start, kind.name), __rounded__(start + step, kind.name)
    step = __rounded__(second - first, kind.name)
    values = [first, second] + [first + __rounded__(at * step, kind.name) for at in range(2, count)]
    return _made(values[:count] if count > 0 else [], (count if count > 0 else 0,), kind)
def eye(n, m=None, k=0, dtype=float):
    columns = n if m is None else m
    return _made([int(j - i == k) for i in range(n) for j in range(columns)], (n, columns), _known(dtype))
identity = eye
def diag(values, k=0):
    values = array(values)
    rows, first = (-k, 0) if k < 0 else (0, k)
    if values.ndim == 2:
        count = _smallest(values.shape[0] - rows, values.shape[1] - first)
        return _made([values._data[(rows + at) * values.shape[1] + first + at] for at in range(count)],
                     (count if count > 0 else 0,), values.dtype)
    size = values.size + rows + first
    data = [0] * (size * size)
    for at, each in enumerate(values._data):
        data[(rows + at) * size + first + at] = each
    return _made(data, (size, size), values.dtype)
def tril(values, k=0): return _triangle(values, k, True)
def triu(values, k=0): return _triangle(values, k, False)
def _triangle(values, k, lower):
    values, data = array(values), []
    rows, columns = values.shape[-2:]
    for at in range(0, values.size, columns or 1):
        row = values._data[at:at + columns]
        count = at // columns % rows + k + lower
        count = 0 if count < 0 else columns if count > columns else count
        data.extend(row[:count] + [0] * (columns - count) if lower else [0] * count + row[count:])
    return _made(data, values.shape, values.dtype)
