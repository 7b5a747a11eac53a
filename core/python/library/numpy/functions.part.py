# SPDX-License-Identifier: GPL-3.0-or-later
# The functions of numpy that constructors of models use; appended to __init__.py.
_smallest, _round, _sum, _magnitude, _truth = min, round, sum, abs, bool  # numpy has these names below
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
def round(values, decimals=0):
    if isinstance(values, (list, tuple, ndarray)):
        values = array(values)
        return _made([_round(each, decimals) for each in values._data], values.shape, values.dtype)
    return _number(_round(__plain_number__(values), decimals), _kind_of(values))
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
amax, amin, argmax, argmin, argsort = max, min, _reducing('argmax'), _reducing('argmin'), _reducing('argsort')
average = mean
def median(values):
    data = sorted(array(values)._data)
    half = len(data) // 2
    return _number(data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2, _doubles)
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
    shape = list(values.shape)
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
    return values.reshape(shape)
def stack(parts, axis=0): return concatenate([expand_dims(each, axis) for each in parts], axis)
def _at_least(dimensions):
    def made(*values):
        out = tuple([array(each, ndmin=dimensions) for each in values])
        return out[0] if len(out) == 1 else out
    return made
atleast_1d, atleast_2d = _at_least(1), _at_least(2)
def vstack(parts): return concatenate([array(each, ndmin=2) for each in parts], 0)
def hstack(parts): return concatenate(parts, 0 if array(parts[0]).ndim == 1 else 1)
def column_stack(parts): return stack(parts, 1)
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
        self.eps, self.max, self.min, self.tiny = [
            _number(each, _known(kind)) for each in (about.eps, about.max, about.min, about.tiny)]
        self.dtype, self.bits = _known(kind), about.bits
class iinfo:
    def __init__(self, kind):
        about = torch.iinfo(_torch(_known(kind)))
        self.max, self.min = about.max, about.min
def _torch(kind): return getattr(torch, kind.name)
bool = bool_
