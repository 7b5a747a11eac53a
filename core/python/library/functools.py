# SPDX-License-Identifier: GPL-3.0-or-later
# As the documentation of functools does it.
class partial:
    def __init__(self, func, *args, **keywords):
        if not callable(func):
            raise TypeError('the first argument must be callable')
        if isinstance(func, partial):
            func, args, keywords = func.func, func.args + args, {**func.keywords, **keywords}
        self.func, self.args, self.keywords = func, args, keywords
    def __call__(self, /, *args, **keywords):
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
def _cached(function, maxsize, typed):
    known = {}
    def cached(*args, **kwargs):
        key = (args, tuple(kwargs.items()))
        if typed:
            key += (tuple([type(each) for each in args]), tuple([type(each) for each in kwargs.values()]))
        if key in known:
            value = known.pop(key)
        else:
            value = function(*args, **kwargs)
            known.pop(key, None)
        if maxsize is None or maxsize > 0:
            known[key] = value  # the last one that was used
        if maxsize is not None and len(known) > maxsize:
            del known[next(iter(known))]
        return value
    cached.cache_clear = known.clear
    cached.cache_info = __opaque__('functools.cache_info')
    cached.__wrapped__ = function
    return __wraps__(cached, function)
def cache(user_function, /): return _cached(user_function, None, False)
def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize, 128, False)
    return lambda function: _cached(function, maxsize, typed)
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
                kinds = [each for name, each in cls.__annotations__.items() if name not in ('self', 'return')]
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
def reduce(function, iterable, /, *initial):
    values = iter(iterable)
    try:
        result = initial[0] if initial else next(values)
    except StopIteration:
        raise TypeError('reduce() of empty iterable with no initial value') from None
    for value in values:
        result = function(result, value)
    return result
cached_property = cached_property
class _Key:
    def __init__(self, compare, obj): self._compare, self.obj = compare, obj
    def __lt__(self, other): return self._compare(self.obj, other.obj) < 0
    def __gt__(self, other): return self._compare(self.obj, other.obj) > 0
    def __le__(self, other): return self._compare(self.obj, other.obj) <= 0
    def __ge__(self, other): return self._compare(self.obj, other.obj) >= 0
    def __eq__(self, other): return self._compare(self.obj, other.obj) == 0
def cmp_to_key(mycmp): return lambda obj: _Key(mycmp, obj)
