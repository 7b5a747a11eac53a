// SPDX-License-Identifier: GPL-3.0-or-later
// functools, itertools and contextlib, written in Python as their documentation does.
#include <string_view>

namespace fx::python {

extern const std::string_view kFunctools, kItertools, kContextlib;

const std::string_view kFunctools = R"py(
class partial:
    def __init__(self, func, *args, **keywords):
        if isinstance(func, partial):
            func, args, keywords = func.func, func.args + args, {**func.keywords, **keywords}
        self.func, self.args, self.keywords = func, args, keywords
    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})
class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords
    def __get__(self, obj, cls=None):
        get = getattr(self.func, '__get__', None)
        method = partial(self.func, obj) if get is None else get(obj, cls)
        return partial(method, *self.args, **self.keywords)
def wraps(wrapped, *args, **kwargs):
    return lambda function: __wraps__(function, wrapped)
def update_wrapper(wrapper, wrapped, *args, **kwargs):
    return __wraps__(wrapper, wrapped)
def cache(function):
    known = {}
    def cached(*args, **kwargs):
        key = (args, tuple(kwargs.items()))
        if key not in known:
            known[key] = function(*args, **kwargs)
        return known[key]
    cached.cache_clear = known.clear
    cached.__wrapped__ = function
    return __wraps__(cached, function)
def lru_cache(maxsize=128, typed=False):
    return cache(maxsize) if callable(maxsize) else cache
def total_ordering(cls):
    own = cls.__dict__
    if '__lt__' in own:
        made = {'__gt__': lambda a, b: not (a < b or a == b), '__le__': lambda a, b: a < b or a == b,
                '__ge__': lambda a, b: not a < b}
    elif '__le__' in own:
        made = {'__ge__': lambda a, b: not a <= b or a == b, '__lt__': lambda a, b: a <= b and not a == b,
                '__gt__': lambda a, b: not a <= b}
    elif '__gt__' in own:
        made = {'__lt__': lambda a, b: not (a > b or a == b), '__ge__': lambda a, b: a > b or a == b,
                '__le__': lambda a, b: not a > b}
    elif '__ge__' in own:
        made = {'__le__': lambda a, b: not a >= b or a == b, '__gt__': lambda a, b: a >= b and not a == b,
                '__lt__': lambda a, b: not a >= b}
    else:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    for name, function in made.items():
        if name not in own:
            setattr(cls, name, function)
    return cls
def singledispatch(function):
    known = {}
    def dispatch(cls):
        for each in cls.__mro__:
            if each in known:
                return known[each]
        return function
    def dispatched(*args, **kwargs):
        return dispatch(type(args[0]))(*args, **kwargs)
    def register(cls, made=None):
        if made is None:
            if not isinstance(cls, type):
                kinds = [each for name, each in cls.__annotations__.items() if name != 'self']
                if not kinds:
                    raise TypeError('register a function by its class: @name.register(int)')
                return register(kinds[0], cls)
            return lambda made: register(cls, made)
        known[cls] = made
        return made
    dispatched.register, dispatched.dispatch = register, dispatch
    return __wraps__(dispatched, function)
class singledispatchmethod:
    def __init__(self, func): self.func, self.dispatcher = func, singledispatch(func)
    def register(self, cls, method=None): return self.dispatcher.register(cls, method)
    def __get__(self, obj, cls=None):
        def method(*args, **kwargs):
            function = self.dispatcher.dispatch(type(args[0]))
            return function(*args, **kwargs) if obj is None else function(obj, *args, **kwargs)
        return method
def reduce(function, values, *initial):
    values = iter(values)
    result = initial[0] if initial else next(values)
    for value in values:
        result = function(result, value)
    return result
cached_property = cached_property
)py";

const std::string_view kItertools = R"py(
class _Chain:
    def __call__(self, *iterables):
        return self.from_iterable(iterables)
    def from_iterable(self, iterables):
        for each in iterables:
            yield from each
chain = _Chain()
def count(start=0, step=1):
    while True:
        yield start
        start += step
def repeat(value, times=None):
    while times is None or times > 0:
        yield value
        if times is not None:
            times -= 1
def cycle(values):
    kept = []
    for value in values:
        yield value
        kept.append(value)
    while kept:
        yield from kept
def islice(values, *bounds):
    start, stop, step = 0, bounds[0], 1
    if len(bounds) > 1:
        start, stop = bounds[0] or 0, bounds[1]
    if len(bounds) > 2:
        step = bounds[2] or 1
    values = iter(values)
    at = 0
    while stop is None or at < max(start, stop):
        if at >= start and stop is not None and at >= stop:
            return
        value = next(values, _end)
        if value is _end:
            return
        if at >= start and (at - start) % step == 0:
            yield value
        at += 1
class _End: pass
_end = _End()
def accumulate(values, function=None, initial=_end):
    values = iter(values)
    total = next(values, _end) if initial is _end or initial is None else initial
    if total is _end:
        return
    yield total
    for value in values:
        total = function(total, value) if function else total + value
        yield total
def product(*iterables, repeat=1):
    rows = [()]
    for values in [list(each) for each in iterables] * repeat:
        rows = [row + (value,) for row in rows for value in values]
    yield from rows
def combinations(values, r):
    values = list(values)
    if r == 0:
        return iter([()])
    return iter([(value,) + rest for at, value in enumerate(values) for rest in combinations(values[at + 1:], r - 1)])
def permutations(values, r=None):
    values = list(values)
    r = len(values) if r is None else r
    if r == 0:
        return iter([()])
    return iter([(value,) + rest for at, value in enumerate(values)
                 for rest in permutations(values[:at] + values[at + 1:], r - 1)])
def zip_longest(*iterables, fillvalue=None):
    open = [iter(each) for each in iterables]
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
def starmap(function, rows):
    for row in rows:
        yield function(*row)
def takewhile(test, values):
    for value in values:
        if not test(value):
            return
        yield value
def dropwhile(test, values):
    values = iter(values)
    for value in values:
        if not test(value):
            yield value
            break
    yield from values
def filterfalse(test, values):
    for value in values:
        if not (test(value) if test else value):
            yield value
def compress(values, wanted):
    for value, keep in zip(values, wanted):
        if keep:
            yield value
def pairwise(values):
    values = iter(values)
    before = next(values, _end)
    for value in values:
        yield before, value
        before = value
def tee(values, n=2):
    values, kept = iter(values), []
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
def groupby(values, key=None):
    out = []
    for value in values:
        own = key(value) if key else value
        if out and out[-1][0] == own:
            out[-1][1].append(value)
        else:
            out.append((own, [value]))
    return iter([(own, iter(group)) for own, group in out])
)py";

const std::string_view kContextlib = R"py(
class AbstractContextManager:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return None
class ContextDecorator:
    def _recreate_cm(self):
        return self
    def __call__(self, function):
        def inside(*args, **kwargs):
            with self._recreate_cm():
                return function(*args, **kwargs)
        return __wraps__(inside, function)
class _GeneratorContextManager(ContextDecorator, AbstractContextManager):
    def __init__(self, function, args, kwargs):
        self.gen = function(*args, **kwargs)
        self.made = function, args, kwargs
    def _recreate_cm(self):
        return _GeneratorContextManager(*self.made)
    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield")
    def __exit__(self, kind, value, trace):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = kind()
        try:
            self.gen.throw(value)
        except StopIteration as stopped:
            return stopped is not value
        except BaseException as raised:
            if raised is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")
def contextmanager(function):
    def make(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)
    return __wraps__(make, function)
class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self.exceptions = exceptions
    def __enter__(self):
        return None
    def __exit__(self, kind, value, trace):
        return value is not None and isinstance(value, self.exceptions)
class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing
    def __enter__(self):
        return self.thing
    def __exit__(self, *args):
        self.thing.close()
class ExitStack(AbstractContextManager):
    def __init__(self):
        self._exits = []
    def push(self, context):
        self._exits.append(context.__exit__ if hasattr(context, '__exit__') else context)
        return context
    def callback(self, function, *args, **kwargs):
        self._exits.append(lambda kind, value, trace: bool(function(*args, **kwargs)) and False)
        return function
    def enter_context(self, context):
        if not hasattr(context, '__enter__'):
            return context
        value = context.__enter__()
        self._exits.append(context.__exit__)
        return value
    def pop_all(self):
        made = ExitStack()
        made._exits, self._exits = self._exits, []
        return made
    def close(self):
        self.__exit__(None, None, None)
    def __exit__(self, kind, value, trace):
        given = value
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(None if value is None else type(value), value, None):
                    value = None
            except BaseException as raised:
                value = raised
        if value is not None and value is not given:
            raise value
        return given is not None and value is None
)py";

} // namespace fx::python
