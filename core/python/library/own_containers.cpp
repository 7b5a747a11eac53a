// SPDX-License-Identifier: GPL-3.0-or-later
// The modules collections, operator, dataclasses and enum, written in Python.
#include <string_view>

namespace fx::python {

extern const std::string_view kCollections, kOperator, kCollectionsAbc, kDataclasses, kEnum;

const std::string_view kCollections = R"(
OrderedDict, defaultdict = OrderedDict, defaultdict
def namedtuple(typename, field_names, *, rename=False, defaults=(), module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    return __namedtuple__(typename, list(field_names), defaults or ())
class Counter(dict):
    def __init__(self, values=(), **counts):
        self.update(values, **counts)
    def __missing__(self, key):
        return 0
    def __repr__(self):
        return 'Counter(' + (repr(dict(self.most_common())) if self else '') + ')'
    def _add(self, sign, values, counts):
        pairs = list(values.items()) if isinstance(values, dict) else [(each, 1) for each in values]
        for key, count in pairs + list(counts.items()):
            self[key] = self[key] + sign * count
    def update(self, values=(), **counts):
        self._add(1, values, counts)
    def subtract(self, values=(), **counts):
        self._add(-1, values, counts)
    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: -item[1])[:n]
    def elements(self):
        return iter([key for key, count in self.items() for _ in range(count)])
    def total(self):
        return sum(self.values())
    def _merged(self, other, how):
        out = Counter()
        for key in list(self) + [key for key in other if key not in self]:
            count = how(self[key], other[key])
            if count > 0:
                out[key] = count
        return out
    def __add__(self, other): return self._merged(other, lambda a, b: a + b)
    def __sub__(self, other): return self._merged(other, lambda a, b: a - b)
    def __and__(self, other): return self._merged(other, min)
    def __or__(self, other): return self._merged(other, max)
class deque(list):
    def __init__(self, values=(), maxlen=None):
        self.maxlen = maxlen
        self.extend(values)
    def __repr__(self):
        return f'deque({list(self)!r}' + ('' if self.maxlen is None else f', maxlen={self.maxlen}') + ')'
    def append(self, value):
        super().append(value)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop(0)
    def extend(self, values):
        for value in values:
            self.append(value)
    def popleft(self):
        if not self:
            raise IndexError('pop from an empty deque')
        return self.pop(0)
    def appendleft(self, value):
        self.insert(0, value)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop()
    def extendleft(self, values):
        for value in values:
            self.appendleft(value)
    def rotate(self, n=1):
        for _ in range(n % len(self) if self else 0):
            self.insert(0, self.pop())
class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]
    def __getitem__(self, key):
        for each in self.maps:
            if key in each:
                return each[key]
        raise KeyError(key)
    def __setitem__(self, key, value): self.maps[0][key] = value
    def __contains__(self, key): return any(key in each for each in self.maps)
    def __len__(self): return len(list(iter(self)))
    def __iter__(self):
        out = {}
        for each in reversed(self.maps):
            out.update({key: None for key in each})
        return iter(out)
    def get(self, key, default=None): return self[key] if key in self else default
    def keys(self): return list(self)
    def values(self): return [self[key] for key in self]
    def items(self): return [(key, self[key]) for key in self]
    def new_child(self, m=None, **kwargs): return ChainMap({**(m or {}), **kwargs}, *self.maps)
    @property
    def parents(self): return ChainMap(*self.maps[1:])
class UserDict(dict):
    pass
)";

const std::string_view kOperator = R"(
def attrgetter(*names):
    def one(value, name):
        for part in name.split('.'):
            value = getattr(value, part)
        return value
    return lambda value: one(value, names[0]) if len(names) == 1 else tuple([one(value, each) for each in names])
def itemgetter(*keys):
    return lambda value: value[keys[0]] if len(keys) == 1 else tuple([value[each] for each in keys])
def methodcaller(name, *args, **kwargs):
    return lambda value: getattr(value, name)(*args, **kwargs)
)";

const std::string_view kCollectionsAbc = R"(
class Iterable:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str', 'generator', 'range', 'OrderedDict', 'frozenset',
                   'dict_keys', 'dict_values', 'dict_items', 'odict_keys', 'odict_values', 'odict_items',
                   'ModuleList', 'Sequential', 'Proxy']
class Sequence:
    __accepts__ = ['list', 'tuple', 'str', 'range']
    def __contains__(self, value): return any(each is value or each == value for each in self)
    def __reversed__(self): return (self[at] for at in reversed(range(len(self))))
    def index(self, value): return list(self).index(value)
    def count(self, value): return list(self).count(value)
class MutableSequence(Sequence):
    __accepts__ = ['list']
    def append(self, value): self.insert(len(self), value)
    def extend(self, values):
        for each in list(values):
            self.append(each)
    def __iadd__(self, values):
        self.extend(values)
        return self
class Mapping:
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True
    def keys(self): return list(self)
    def values(self): return [self[key] for key in self]
    def items(self): return [(key, self[key]) for key in self]
_missing = object()
class MutableMapping(Mapping):
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
    def pop(self, key, default=_missing):
        if key not in self:
            if default is _missing:
                raise KeyError(key)
            return default
        value = self[key]
        del self[key]
        return value
    def clear(self):
        for key in list(self):
            del self[key]
    def update(self, other=(), **kwargs):
        for key, value in dict(other, **kwargs).items():
            self[key] = value
    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]
class Callable:
    __accepts__ = ['function', 'method', 'builtin_function_or_method', 'type', 'Module', 'partial']
class Iterator:
    __accepts__ = ['generator']
class Generator:
    __accepts__ = ['generator']
class Hashable:
    __accepts__ = ['str', 'int', 'tuple', 'float']
class KeysView:
    __accepts__ = ['dict_keys', 'odict_keys']
class ValuesView:
    __accepts__ = ['dict_values', 'odict_values']
class ItemsView:
    __accepts__ = ['dict_items', 'odict_items']
_views = KeysView.__accepts__ + ValuesView.__accepts__ + ItemsView.__accepts__
class Set:
    __accepts__ = ['set', 'frozenset'] + KeysView.__accepts__ + ItemsView.__accepts__
class Sized:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str'] + _views
class Container:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str'] + _views
class Collection:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str'] + _views
class Awaitable: pass
class Coroutine: pass
class AsyncIterator: pass
)";

const std::string_view kDataclasses = R"(
class _Missing: pass
MISSING = _Missing()
KW_ONLY = _Missing()
class Field:
    def __init__(self, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True,
                 metadata=None, kw_only=MISSING, doc=None):
        self.default, self.default_factory, self.init, self.name = default, default_factory, init, None
        self.repr, self.hash, self.compare, self.metadata = repr, hash, compare, metadata or {}
        self.kw_only, self.type = kw_only, None
def field(**options):
    return Field(**options)
class _Parameters:
    def __init__(self, options):
        self.init, self.repr, self.eq = options.get('init', True), options.get('repr', True), options.get('eq', True)
        self.order, self.frozen = options.get('order', False), options.get('frozen', False)
InitVar = __opaque__('dataclasses.InitVar')
def _default(cls, name):
    return getattr(cls, name, MISSING)
def dataclass(cls=None, **options):
    if cls is None:
        return lambda made: dataclass(made, **options)
    fields, inits, words = {}, set(), options.get('kw_only', False)
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get('__dataclass_fields__', {}))
    for name, kind in cls.__annotations__.items():
        if kind == 'KW_ONLY' or kind.endswith('.KW_ONLY'):
            words = True
            continue
        if kind.startswith('ClassVar') or kind.startswith('typing.ClassVar') or name == '_':
            continue
        value = _default(cls, name)
        made = value if isinstance(value, Field) else Field(value)
        made.name, made.type = name, kind
        if made.kw_only is MISSING:
            made.kw_only = words
        if kind.startswith('InitVar') or kind.startswith('dataclasses.InitVar'):
            inits.add(name)
        fields[name] = made
    for name, made in fields.items():
        if isinstance(cls.__dict__.get(name), Field):
            if made.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, made.default)
    names = list(fields)
    def __init__(self, *args, **kwargs):
        wanted = [name for name in names if fields[name].init and not fields[name].kw_only is True]
        allowed = [name for name in names if fields[name].init]
        if len(args) > len(wanted):
            raise TypeError(f"{cls.__name__}.__init__() takes {len(wanted) + 1} positional arguments "
                            f"but {len(args) + 1} were given")
        given, passed = dict(zip(wanted, args)), []
        for key, value in kwargs.items():
            if key not in allowed:
                raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument '{key}'")
            given[key] = value
        for name in names:
            if name in given:
                value = given[name]
            elif fields[name].default is not MISSING:
                value = fields[name].default
            elif fields[name].default_factory is not MISSING:
                value = fields[name].default_factory()
            elif not fields[name].init:
                continue
            else:
                raise TypeError(f"{cls.__name__}.__init__() missing 1 required positional argument: '{name}'")
            if name in inits:
                passed.append(value)
            elif options.get('frozen'):
                __raw_set__(self, name, value)
            else:
                setattr(self, name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__(*passed)
        if options.get('frozen'):
            __raw_set__(self, '__made__', True)
    if '__init__' not in cls.__dict__ and options.get('init', True):
        cls.__init__ = __init__
    if '__repr__' not in cls.__dict__ and options.get('repr', True):
        cls.__repr__ = _shown
    cls.__dataclass_fields__ = {name: made for name, made in fields.items() if name not in inits}
    cls.__dataclass_params__ = _Parameters(options)
    kept = [name for name in names if name not in inits]
    cls.__match_args__ = tuple(name for name in names if fields[name].init and fields[name].kw_only is not True)
    if options.get('order'):
        for name, sign, how in _orders:
            setattr(cls, name, _ordering(sign, how))
    compared = [name for name in kept if fields[name].compare] if options.get('eq', True) else None
    return __record__(cls, kept, options.get('frozen', False), compared)
_orders = [('__lt__', '<', lambda a, b: a < b), ('__le__', '<=', lambda a, b: a <= b),
           ('__gt__', '>', lambda a, b: a > b), ('__ge__', '>=', lambda a, b: a >= b)]
def _ordering(sign, how):
    def compare(self, other):
        if type(other) is not type(self):
            raise TypeError(f"'{sign}' not supported between instances of '{type(self).__name__}' and "
                            f"'{type(other).__name__}'")
        return how(_compared(self), _compared(other))
    return compare
def _compared(value):
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)
def _shown(self):
    parts = [f'{each.name}={getattr(self, each.name)!r}' for each in fields(self) if each.repr]
    return type(self).__name__ + '(' + ', '.join(parts) + ')'
def make_dataclass(name, given, bases=(), namespace=None, **options):
    made, rows = type(name, bases, dict(namespace or {})), []
    for each in given:
        rows.append(each if isinstance(each, str) else each[0])
        if not isinstance(each, str) and len(each) > 2:
            setattr(made, each[0], each[2])
    __annotate__(made, rows)
    return dataclass(made, **options)
def fields(value):
    return tuple(value.__dataclass_fields__.values())
def is_dataclass(value):
    return hasattr(value, '__dataclass_fields__')
def asdict(value, dict_factory=dict):
    if is_dataclass(value):
        return {each.name: asdict(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return type(value)(*[asdict(each) for each in value])
    if isinstance(value, (list, tuple)):
        return type(value)([asdict(each) for each in value])
    if isinstance(value, dict):
        return {key: asdict(each) for key, each in value.items()}
    return value
def astuple(value):
    return tuple(getattr(value, each.name) for each in fields(value))
def replace(value, **changes):
    given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    given.update(changes)
    return type(value)(**given)
)";

const std::string_view kEnum = R"(
Enum = __Enum__
class IntEnum(int, __Enum__):
    def __str__(self):
        return str(self.value)
class StrEnum(str, __Enum__):
    def __str__(self):
        return self.value
class Flag(__Enum__):
    _is_flag_ = True
    _keeps_unknown_ = False
    def __repr__(self):
        shown = type(self).__name__ if self._name_ is None else f'{type(self).__name__}.{self._name_}'
        return f'<{shown}: {self._value_!r}>'
    def __str__(self):
        name = type(self).__name__
        return f'{name}({self._value_})' if self._name_ is None else f'{name}.{self._name_}'
    @classmethod
    def _missing_(cls, value):
        return __flag__(cls, value) if isinstance(value, int) else None
    def __or__(self, other): return type(self)(self._value_ | getattr(other, '_value_', other))
    def __and__(self, other): return type(self)(self._value_ & getattr(other, '_value_', other))
    def __xor__(self, other): return type(self)(self._value_ ^ getattr(other, '_value_', other))
    def __invert__(self):
        every = 0
        for each in type(self):
            every = every | each._value_
        return type(self)(every & ~self._value_)
    def __contains__(self, other): return other._value_ & self._value_ == other._value_
    def __iter__(self): return iter([each for each in type(self) if each._value_ & self._value_])
    def __len__(self): return len([each for each in type(self) if each._value_ & self._value_])
    def __bool__(self): return self._value_ != 0
class IntFlag(int, Flag):
    _keeps_unknown_ = True
    def __str__(self):
        return str(self.value)
class EnumMeta: pass
class EnumType: pass
auto = __auto__
def unique(cls):
    return cls
)";

} // namespace fx::python
