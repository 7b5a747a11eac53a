# SPDX-License-Identifier: GPL-3.0-or-later
# The functions of numpy that constructors of models use; appended to __init__.py.
_smallest, _largest, _round, _sum, _magnitude, _truth, _every, _sorted = (
    min, max, round, sum, abs, bool, all, sorted)  # numpy has these names below
def _unary(name):
    def apply(values, dtype=None, out=None):
        if __is_proxy__(values):
            raise ValueError('invalid __array_struct__')
        scalar = not isinstance(values, (list, tuple, ndarray))
        kind = values.dtype if isinstance(values, (ndarray, generic)) else _kind_of(values) if scalar else None
        if not scalar:
            values = array(values)
            kind = values.dtype
        if kind.kind == 'b' or (kind.kind != 'f' and name not in _keeping):
            kind = _doubles
        if name not in _exact:
            _require_exact(name, kind, scalar)
        if scalar:
            return _number(__array_unary__(name, [__plain_number__(values)])[0], kind)
        return _made(__array_unary__(name, values._data), values.shape, kind)
    return apply
_exact = ('abs', 'neg', 'square', 'sign', 'floor', 'ceil', 'trunc', 'rint', 'sqrt')
_keeping = ('abs', 'neg', 'square', 'sign', 'floor', 'ceil', 'trunc')
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
def isinf(values): return _operate('eq', absolute(values), inf, _truths)
def isfinite(values): return _operate('lt', absolute(values), inf, _truths)
def isnan(values): return _operate('ne', array(values), array(values), _truths)
# Not Python's: 2.675 * 100 is 267.5, and becomes 268.
def round(values, decimals=0):
    if isinstance(values, (list, tuple)):
        values = array(values)
    if not isinstance(values, (ndarray, generic)):
        values = _number(values, _kind_of(values))
    if values.dtype.kind != 'f' and decimals >= 0:
        return values
    if values.dtype.kind != 'f':
        return _given([_round(each, decimals) for each in _parts(values)[0]], values.shape, values.dtype)
    scale = 10.0 ** _magnitude(decimals)
    if decimals == 0:
        return rint(values)
    return rint(values * scale) / scale if decimals > 0 else rint(values / scale) * scale
around = round_ = round
def _binary(name, kind=None): return lambda a, b, **options: _operate(name, a, b, kind)
add, subtract, multiply, divide, true_divide, floor_divide = (
    _binary('add'), _binary('sub'), _binary('mul'), _binary('truediv'), _binary('truediv'), _binary('floordiv'))
power, mod, remainder, maximum, minimum = (_binary('pow'), _binary('mod'), _binary('mod'), _binary('maximum'),
                                           _binary('minimum'))
equal, not_equal, less, greater = (_binary('eq', _truths), _binary('ne', _truths), _binary('lt', _truths),
                                   _binary('gt', _truths))
logical_and, logical_or = _binary('and', _truths), _binary('or', _truths)
def logical_not(values): return _operate('eq', array(values), 0, _truths)
arctan2, hypot = _binary('atan2', _doubles), _binary('hypot', _doubles)
def clip(values, low=None, high=None, a_min=None, a_max=None):
    low, high = a_min if low is None else low, a_max if high is None else high
    if __is_proxy__(values):
        return values.clip(low, high, out=None)
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
# What numpy does with objects that are not its own: it calls their method.
def _reducing(name):
    def apply(values, *args, **options):
        if not __is_proxy__(values):
            return getattr(array(values), name)(*args, **options)
        axis = options.pop('axis', args[0] if args else None)
        kinds = {'dtype': options.pop('dtype', None)} if name in ('mean', 'std', 'var') else {}
        return getattr(values, name)(axis=axis, **kinds, out=options.pop('out', None), **options)
    return apply
prod, sum, mean, std, var = _reducing('prod'), _reducing('sum'), _reducing('mean'), _reducing('std'), _reducing('var')
max, min, any, all = _reducing('max'), _reducing('min'), _reducing('any'), _reducing('all')
amax, amin, argmax, argmin = max, min, _reducing('argmax'), _reducing('argmin')
def average(values, axis=None, weights=None):
    return mean(values, axis) if weights is None else (array(values) * weights).sum(axis) / array(weights).sum(axis)
class AxisError(ValueError, IndexError): pass
# Applies a function of lists to each line along an axis.
def _along(values, axis, function, kind=None):
    values = array(values)
    if axis is None:
        values, axis = values.flatten(), -1
    if not -values.ndim <= axis < values.ndim:
        raise AxisError(f'axis {axis} is out of bounds for array of dimension {values.ndim}')
    lines, width, data, size = values.swapaxes(axis, -1), values.shape[axis], [], 0
    for at in range(0, values.size, width or 1):
        line = function(lines._data[at:at + width])
        data.extend(line)
        size = len(line)
    return _made(data, lines.shape[:-1] + (size,), kind or values.dtype).swapaxes(axis, -1)
def _of_lines(values, axis, function, kind=None):
    out = _along(values, axis, lambda line: [function(line)], kind)
    return out.squeeze(-1 if axis is None else axis) if out.ndim > 1 else _number(out._data[0], out.dtype)
def _middle(line):
    data, half = _sorted(line), len(line) // 2
    return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2
def median(values, axis=None): return _of_lines(values, axis, _middle, _doubles)
def _running(step):
    def apply(values, axis=None, dtype=None):
        values = array(values)
        kind = values._whole() if dtype is None else _known(dtype)
        def run(line):
            out = []
            for each in line:
                out.append(__rounded__(step(out[-1], each) if out else each, kind.name))
            return out
        return _along(values.astype(kind), axis, run, kind)
    return apply
cumsum, cumprod = _running(lambda a, b: a + b), _running(lambda a, b: a * b)
def diff(values, n=1, axis=-1):
    values = array(values)
    for _ in range(n):
        before = (slice(None),) * (axis % values.ndim)
        values = values[before + (slice(1, None),)] - values[before + (slice(None, -1),)]
    return values
def concatenate(parts, axis=0):
    parts = [array(each) for each in parts]
    if axis is None:
        parts, axis = [each.flatten() for each in parts], 0
    axis = axis % parts[0].ndim
    kind = parts[0].dtype
    for each in parts[1:]:
        kind = _promoted(kind, each.dtype)
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
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes, sizes = [each % (values.ndim + len(axes)) for each in axes], list(values.shape)
    return values.reshape([1 if at in axes else sizes.pop(0) for at in range(values.ndim + len(axes))])
def stack(parts, axis=0): return concatenate([expand_dims(each, axis) for each in parts], axis)
def _at_least(dimensions):
    def made(*values):
        out = tuple([array(each, ndmin=dimensions) for each in values])
        return out[0] if len(out) == 1 else out
    return made
atleast_1d, atleast_2d = _at_least(1), _at_least(2)
def vstack(parts): return concatenate([array(each, ndmin=2) for each in parts], 0)
def hstack(parts): return concatenate(parts, 0 if array(parts[0]).ndim == 1 else 1)
def column_stack(parts): return concatenate([array(each, ndmin=2).T if array(each).ndim < 2 else each for each in parts], 1)
def append(values, more, axis=None):
    return concatenate([array(values).flatten(), array(more, ndmin=1).flatten()]) if axis is None else concatenate(
        [values, more], axis)
def split(values, sections, axis=0):
    if isinstance(sections, int) and sections > 0 and array(values).shape[axis] % sections:
        raise ValueError('array split does not result in an equal division')
    return array_split(values, sections, axis)
def array_split(values, sections, axis=0):
    values = array(values)
    size = values.shape[axis]
    if isinstance(sections, int):
        if sections <= 0:
            raise ValueError('number sections must be larger than 0.')
        least, longer = divmod(size, sections)  # the first parts have one more
        ends = [at * least + _smallest((at, longer)) for at in range(1, sections)]
    else:
        ends = list(sections)
    before = (slice(None),) * (axis % values.ndim)
    return [values[before + (slice(begin, end),)] for begin, end in zip([0] + ends, ends + [size])]
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
    reps = _shaped(reps)
    values = values.reshape((1,) * (len(reps) - values.ndim) + values.shape)
    for axis, count in enumerate((1,) * (values.ndim - len(reps)) + reps):
        values = concatenate([values] * count, axis)
    return values
def repeat(values, repeats, axis=None):
    values = array(values).flatten() if axis is None else array(values)
    axis = 0 if axis is None else axis % values.ndim
    counts = array(repeats).flatten().tolist()
    if len(counts) == 1:
        counts = counts * values.shape[axis]
    places = [at for at, count in enumerate(counts) for _ in range(count)]
    return values[(slice(None),) * axis + (places,)]
# BLAS adds in an order of its own. That shows unless all numbers are whole, or a sum has one term beside zeros.
def _summed(products, axis, name):
    if products.dtype.name == 'float32' and __draws_weights__():
        terms = (products != 0).sum(axis)
        if _largest(_parts(terms)[0], default=0) > 1 and not _every(
                [each % 1 == 0 and _magnitude(each) < 1024 for each in products._data]):
            __refuse_computed__(f'numpy.{name} of float32')
    return products.sum(axis)
def matmul(a, b):
    a, b = array(a), array(b)
    if not a.ndim or not b.ndim:
        raise ValueError(f'matmul: Input operand {int(a.ndim > 0)} does not have enough dimensions (has 0, gufunc core '
                         'with signature (n?,k),(k,m?)->(n?,m?) requires 1)')
    if a.ndim == 1 and b.ndim == 1:
        return _summed(a * b, None, 'matmul')
    if b.ndim == 1:
        return _summed(a * b, -1, 'matmul')
    if a.ndim == 1:
        return _summed(a[:, None] * b, -2, 'matmul')
    return _summed(a[..., :, :, None] * b[..., None, :, :], -2, 'matmul')
def dot(a, b):
    a, b = array(a), array(b)
    if not a.ndim or not b.ndim:
        return a * b
    if a.ndim < 3 and b.ndim < 3 or b.ndim == 1:
        return matmul(a, b)
    columns = b.swapaxes(-2, -1).reshape(-1, b.shape[-2]).T
    return matmul(a.reshape(-1, a.shape[-1]), columns).reshape(a.shape[:-1] + b.shape[:-2] + b.shape[-1:])
def inner(a, b): return dot(a, array(b).swapaxes(-1, -2) if array(b).ndim > 1 else b)
def vdot(a, b): return dot(array(a).flatten(), array(b).flatten())
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
    total = _summed(total, gone, 'einsum') if gone else total
    return array(total).transpose([kept.index(each) for each in output]) if kept else total
def outer(a, b): return array(a).flatten()[:, None] * array(b).flatten()[None, :]
def sort(values, axis=-1): return _along(values, axis, _sorted)
def _order(line, stable=False):
    if len(line) > 16 and len(set(line)) < len(line) and not stable:
        __refuse_computed__('numpy.argsort of equal numbers')  # their order is that of the processor
    return _sorted(range(len(line)), key=lambda at: line[at])
def argsort(values, axis=-1, kind=None):
    return _along(values, axis, lambda line: _order(line, kind in ('stable', 'mergesort')), _longs)
def unique(values, return_index=False, return_inverse=False, return_counts=False):
    values = array(values)
    kept = _sorted(set(values._data))
    places = {each: at for at, each in enumerate(kept)}
    out = [_made(kept, (len(kept),), values.dtype)]
    if return_index:
        firsts = {}
        for at, each in enumerate(values._data):
            firsts.setdefault(each, at)
        out.append(array([firsts[each] for each in kept], dtype=int))
    if return_inverse:
        out.append(_made([places[each] for each in values._data], values.shape, _longs))
    if return_counts:
        counts = {each: 0 for each in kept}
        for each in values._data:
            counts[each] += 1
        out.append(array([counts[each] for each in kept], dtype=int))
    return tuple(out) if len(out) > 1 else out[0]
def isscalar(value): return isinstance(value, (int, float, str, generic))
def allclose(a, b, rtol=1e-05, atol=1e-08):
    return _truth((absolute(array(a) - array(b)) <= absolute(array(b)) * rtol + atol).all())
def array_equal(a, b): return array(a).shape == array(b).shape and array(a)._data == array(b)._data
def shape(values): return array(values).shape
def ndim(values): return array(values).ndim
def size(values): return array(values).size
def sinc(values):
    y = array(values) * pi
    return where(y == 0, 1.0, sin(where(y == 0, 1.0e-20, y)) / where(y == 0, 1.0e-20, y))
def _sliced(each):
    if isinstance(each.step, complex):
        __refuse_computed__('numpy.mgrid of complex steps')
    return arange(each.start or 0, each.stop, 1 if each.step is None else each.step)
class _Grid:
    def __init__(self, sparse): self._sparse = sparse
    def __getitem__(self, key):
        axes = [_sliced(each) for each in (key if isinstance(key, tuple) else (key,))]
        if not isinstance(key, tuple):
            return axes[0]
        grids = meshgrid(*axes, indexing='ij', sparse=self._sparse)
        return grids if self._sparse else stack(grids)
ogrid, mgrid = _Grid(True), _Grid(False)
class _Columns:
    def __getitem__(self, key):
        return concatenate([_sliced(each) if isinstance(each, slice) else array(each, ndmin=1)
                            for each in (key if isinstance(key, tuple) else (key,))])
r_ = _Columns()
def _window(whole, *waves):
    def made(n):
        if n < 2:
            return ones(_largest(n, 0))
        at, out = pi * arange(1 - n, n, 2) / (n - 1), whole
        for times, height in enumerate(waves, 1):
            out = out + height * cos(at * times if times > 1 else at)
        return out
    return made
hanning, hamming = _window(0.5, 0.5), _window(0.54, 0.46)
def copy(values): return array(values)
def swapaxes(values, a, b): return array(values).swapaxes(a, b)
def moveaxis(values, source, destination):
    values = array(values)
    order = [at for at in range(values.ndim) if at != source % values.ndim]
    order.insert(destination % values.ndim, source % values.ndim)
    return values.transpose(order)
def fliplr(values): return flip(values, 1)
def flipud(values): return flip(values, 0)
def rot90(values, k=1):
    values = array(values)
    for _ in range(k % 4):
        values = flip(values.swapaxes(0, 1), 0)
    return values
def roll(values, shift, axis=None):
    if isinstance(shift, (tuple, list)) or isinstance(axis, (tuple, list)):
        for by, along in zip(shift, axis):
            values = roll(values, by, along)
        return values
    def turned(line): return line[-shift % len(line):] + line[:-shift % len(line)] if line else line
    return _along(values, axis, turned).reshape(array(values).shape)
def take(values, places, axis=None):
    values = array(values).flatten() if axis is None else array(values)
    return values[(slice(None),) * (0 if axis is None else axis % values.ndim) + (places,)]
def trace(values): return diag(values).sum()
def tri(n, m=None, k=0, dtype=float): return tril(ones((n, n if m is None else m), dtype), k)
def pad(values, width, mode='constant', constant_values=0):
    if mode != 'constant':
        __refuse_computed__(f'numpy.pad with mode {mode!r}')
    values = array(values)
    for axis, (before, after) in enumerate(broadcast_to(width, (values.ndim, 2)).tolist()):
        for count, at in ((before, 0), (after, 1)):
            shape = values.shape[:axis] + (count,) + values.shape[axis + 1:]
            more = full(shape, constant_values, values.dtype)
            values = concatenate([values, more] if at else [more, values], axis)
    return values
def kron(a, b):
    a, b = array(a), array(b)
    dims = _largest(a.ndim, b.ndim)
    a, b = a.reshape((1,) * (dims - a.ndim) + a.shape), b.reshape((1,) * (dims - b.ndim) + b.shape)
    sizes = [x for pair in zip(a.shape, [1] * dims) for x in pair], [x for pair in zip([1] * dims, b.shape) for x in pair]
    return (a.reshape(sizes[0]) * b.reshape(sizes[1])).reshape([x * y for x, y in zip(a.shape, b.shape)])
def indices(dimensions): return mgrid[tuple([slice(0, each) for each in dimensions])]
def bincount(values, minlength=0):
    data = array(values)._data
    return array([data.count(at) for at in range(_largest([minlength, *[each + 1 for each in data]]))], dtype=int)
def count_nonzero(values, axis=None): return (array(values) != 0).sum(axis)
def ptp(values, axis=None): return max(values, axis) - min(values, axis)
def isin(values, test):
    values, data = array(values), set(array(test)._data)
    return _made([each in data for each in values._data], values.shape, _truths)
def fromiter(values, dtype): return array(list(values), dtype=dtype)
def searchsorted(values, found, side='left'):
    data = array(values)._data
    places = [len([each for each in data if each < x or side == 'right' and each == x]) for x in _parts(found)[0]] if (
        not isinstance(found, (list, tuple))) else searchsorted(values, array(found), side)._data
    return _given(places, array(found).shape, _longs)
class finfo:
    def __init__(self, kind):
        about = torch.finfo(_torch(_known(kind) if not isinstance(kind, ndarray) else kind.dtype))
        self.eps, self.max, self.min, self.tiny = [
            _number(each, _known(kind)) for each in (about.eps, about.max, about.min, about.tiny)]
        self.dtype, self.bits = _known(kind), about.bits
class iinfo:
    def __init__(self, kind):
        about = torch.iinfo(_torch(_known(kind)))
        self.max, self.min = about.max, about.min
def _torch(kind): return getattr(torch, kind.name)
bool = bool_
