# SPDX-License-Identifier: GPL-3.0-or-later
# As the documentation of functools does it.
from types import FunctionType, UnionType
from typing import _UnionGenericAlias, get_args
class partial:
    def __init__(self, func, *args, **keywords):
        if not callable(func):
            raise TypeError('the first argument must be callable')
        if isinstance(func, partial):
            func, args, keywords = func.func, func.args + args, {**func.keywords, **keywords}
        self.func, self.args, self.keywords = func, args, keywords
    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})
    def __repr__(self):
        name = 'functools.partial' if type(self) is partial else type(self).__name__
        return __repr_once__(self, '...', lambda: _shown(name, self))
class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func) and not isinstance(func, (classmethod, staticmethod)) and not hasattr(func, '__get__'):
            raise TypeError(f'{func!r} is not callable or a descriptor')
        if isinstance(func, partialmethod):
            func, args, keywords = func.func, func.args + args, {**func.keywords, **keywords}
        self.func, self.args, self.keywords = func, args, keywords
    def __repr__(self): return _shown(f'functools.{type(self).__qualname__}', self)
    def _method(self):
        def _method(cls_or_self, /, *args, **keywords):
            return self.func(cls_or_self, *self.args, *args, **{**self.keywords, **keywords})
        _method.__isabstractmethod__ = self.__isabstractmethod__
        _method._partialmethod = self
        return _method
    def __get__(self, obj, cls=None):
        if isinstance(self.func, staticmethod):
            return partial(self.func.__func__, *self.args, **self.keywords)
        if isinstance(self.func, classmethod):
            made = partial(__bind__(self.func.__func__, cls), *self.args, **self.keywords)
            made.__self__ = cls
            return made
        get = getattr(self.func, '__get__', None)
        method = self.func if get is None else get(obj, cls)
        if method is not self.func:
            made = partial(method, *self.args, **self.keywords)
            if hasattr(method, '__self__'):
                made.__self__ = method.__self__
            return made
        return self._method() if obj is None else __bind__(self._method(), obj)
    @property
    def __isabstractmethod__(self): return getattr(self.func, '__isabstractmethod__', False)
def _shown(name, made):
    given = [repr(each) for each in made.args] + [f'{key}={each!r}' for key, each in made.keywords.items()]
    return f'{name}({", ".join([repr(made.func)] + given)})'
WRAPPER_ASSIGNMENTS = ('__module__', '__name__', '__qualname__', '__doc__', '__annotations__')
WRAPPER_UPDATES = ('__dict__',)
def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    is_usual = assigned is WRAPPER_ASSIGNMENTS and updated is WRAPPER_UPDATES
    if is_usual and isinstance(wrapper, FunctionType) and isinstance(wrapped, FunctionType):
        return __wraps__(wrapper, wrapped)
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper
def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    return lambda function: update_wrapper(function, wrapped, assigned, updated)
def _cached(function, maxsize, typed):
    known = {}
    def cached(*args, **kwargs):
        key = (args, tuple(kwargs.items()))
        if not typed and not kwargs and len(args) == 1 and type(args[0]) in (int, str):
            key = args[0]
        if typed:
            key += (tuple([type(each) for each in args]), tuple([type(each) for each in kwargs.values()]))
        if key in known:
            value = known.pop(key)
        else:
            value = function(*args, **kwargs)
            if maxsize is not None and key in known:  # by a call in that one
                return value
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
_orderings = {  # in the order in which functools prefers them
    '__lt__': (('__gt__', lambda op, a, b: not op and a != b), ('__le__', lambda op, a, b: op or a == b),
               ('__ge__', lambda op, a, b: not op)),
    '__le__': (('__ge__', lambda op, a, b: not op or a == b), ('__lt__', lambda op, a, b: op and a != b),
               ('__gt__', lambda op, a, b: not op)),
    '__gt__': (('__lt__', lambda op, a, b: not op and a != b), ('__ge__', lambda op, a, b: op or a == b),
               ('__le__', lambda op, a, b: not op)),
    '__ge__': (('__le__', lambda op, a, b: not op or a == b), ('__gt__', lambda op, a, b: op and a != b),
               ('__lt__', lambda op, a, b: not op))}
def _ordering(root, name, how):
    def compare(self, other):
        made = getattr(type(self), root)(self, other)
        return made if made is NotImplemented else how(made, self, other)
    compare.__name__ = name
    return compare
def total_ordering(cls):
    if issubclass(cls, (int, float, str, bytes, list, tuple, set, frozenset)):
        return cls  # has them all
    roots = [name for name in _orderings if any([name in each.__dict__ for each in cls.__mro__])]
    if not roots:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    for name, how in _orderings[roots[0]]:
        if name not in roots:
            setattr(cls, name, _ordering(roots[0], name, how))
    return cls
def _is_union(kind):
    return isinstance(kind, (UnionType, _UnionGenericAlias))
def _classes(kind):
    return get_args(kind) if _is_union(kind) else (kind,)
def _are_classes(kind):
    return all([isinstance(each, type) for each in _classes(kind)])
def singledispatch(func):
    known, unread = {object: func}, []
    def dispatch(cls):
        if unread:
            return __opaque__('functools.singledispatch()')
        order = cls.__mro__
        if order[0] in known:
            return known[order[0]]
        virtual = [each for each in known if each not in order and issubclass(cls, each)]
        found = [each for each in order if each in known]
        if not virtual:
            return known[found[0]] if found else func
        first = [each for each in virtual if all([issubclass(each, other) for other in virtual])]
        if len(first) != 1 or found not in ([], [object]):  # Python orders the abstract classes
            return __opaque__('functools.singledispatch()')
        return known[first[0]]
    def register(cls, func=None):
        unread.append(cls)  # until it is read: what cannot be followed leaves it
        if _are_classes(cls):
            if func is None:
                unread.pop()
                return lambda made: register(cls, made)
        else:
            if func is not None:
                unread.pop()
                raise TypeError(f'Invalid first argument to `register()`. {cls!r} is not a class or union type.')
            kinds = getattr(cls, '__annotations__', {})
            if not kinds:
                unread.pop()
                raise TypeError(f'Invalid first argument to `register()`: {cls!r}. Use either '
                                '`@register(some_class)` or plain `@register` on an annotated function.')
            func, (name, cls) = cls, next(iter(kinds.items()))
            if isinstance(cls, str):
                return func
            if not _are_classes(cls):
                unread.pop()
                problem = 'not all arguments are classes.' if _is_union(cls) else 'is not a class.'
                raise TypeError(f'Invalid annotation for {name!r}. {cls!r} {problem}')
        for each in _classes(cls):
            known[each] = func
        unread.pop()
        return func
    name = getattr(func, '__name__', 'singledispatch function')
    def wrapper(*args, **kwargs):
        if not args:
            raise TypeError(f'{name} requires at least 1 positional argument')
        return dispatch(args[0].__class__)(*args, **kwargs)
    wrapper.register, wrapper.dispatch = register, dispatch
    wrapper.registry = __opaque__('functools.singledispatch().registry')
    return update_wrapper(wrapper, func)
def _bound(member, obj, cls):
    if isinstance(member, staticmethod):
        return member.__func__
    if isinstance(member, classmethod):
        return __bind__(member.__func__, cls)
    get = getattr(member, '__get__', None)
    if get is not None:
        return get(obj, cls)
    return member if obj is None else __bind__(member, obj)
class singledispatchmethod:
    def __init__(self, func):
        if not callable(func) and not isinstance(func, (classmethod, staticmethod)) and not hasattr(func, '__get__'):
            raise TypeError(f'{func!r} is not callable or a descriptor')
        self.func, self.dispatcher = func, singledispatch(func)
    def register(self, cls, method=None): return self.dispatcher.register(cls, func=method)
    def __get__(self, obj, cls=None):
        def _method(*args, **kwargs):
            method = self.dispatcher.dispatch(args[0].__class__)
            return _bound(method, obj, cls)(*args, **kwargs)
        update_wrapper(_method, getattr(self.func, '__func__', self.func))
        _method.__isabstractmethod__ = self.__isabstractmethod__
        _method.register = self.register
        return _method
    @property
    def __isabstractmethod__(self): return getattr(self.func, '__isabstractmethod__', False)
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
