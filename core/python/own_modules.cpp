// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of Python's library and small parts of torch, as far as model sources use them, written in Python.
#include "core/python/sources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fx::python {

extern const std::string_view kTorchModules, kForwards, kRegular;  // torch_modules.cpp, forwards.cpp, regular.cpp
extern const std::string_view kFxModules;                          // fx_modules.cpp
extern const std::string_view kFunctools, kItertools, kContextlib; // own_iteration.cpp

namespace {

constexpr std::string_view kCollections = R"(
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
class UserDict(dict):
    pass
)";

constexpr std::string_view kOperator = R"(
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

constexpr std::string_view kCollectionsAbc = R"(
class Iterable:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str', 'generator', 'range', 'OrderedDict', 'frozenset',
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
class Set:
    __accepts__ = ['set', 'frozenset']
class Sized:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str']
class Container:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str']
class Collection:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str']
class KeysView: pass
class ValuesView: pass
class ItemsView: pass
class Awaitable: pass
class Coroutine: pass
class AsyncIterator: pass
)";

constexpr std::string_view kDataclasses = R"(
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
    fields, inits, words = {}, {}, options.get('kw_only', False)
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
            inits[name] = made
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
        given = dict(zip(wanted, args))
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
                inits[name] = value
            elif options.get('frozen'):
                __raw_set__(self, name, value)
            else:
                setattr(self, name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__(*inits.values())
        if options.get('frozen'):
            __raw_set__(self, '__made__', True)
    if '__init__' not in cls.__dict__ and options.get('init', True):
        cls.__init__ = __init__
    if '__repr__' not in cls.__dict__ and options.get('repr', True):
        cls.__repr__ = _shown
    cls.__dataclass_fields__ = fields
    cls.__dataclass_params__ = _Parameters(options)
    if not inits:
        inits = {}
    names = [name for name in names if name not in inits]
    cls.__match_args__ = tuple(names)
    return __record__(cls, names, options.get('frozen', False))
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

constexpr std::string_view kEnum = R"(
Enum = __Enum__
class IntEnum(int, __Enum__):
    def __str__(self):
        return str(self.value)
class StrEnum(str, __Enum__):
    def __str__(self):
        return self.value
class Flag(__Enum__): pass
class IntFlag(int, __Enum__):
    def __str__(self):
        return str(self.value)
class EnumMeta: pass
class EnumType: pass
def auto():
    return __opaque__('enum.auto')
def unique(cls):
    return cls
)";

constexpr std::string_view kCopy = R"(
def copy(value):
    return value.__copy__() if hasattr(type(value), '__copy__') else __copy__(value, False)
def deepcopy(value, memo=None):
    return value.__deepcopy__(memo) if hasattr(type(value), '__deepcopy__') else __copy__(value, True)
)";

constexpr std::string_view kTypes = R"(
class SimpleNamespace:
    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)
FunctionType = LambdaType = type(lambda: 0)
MethodType = type([].append)
BuiltinFunctionType = type(len)
ModuleType = module
NoneType = NoneType
MappingProxyType = dict
GenericAlias = __opaque__('types.GenericAlias')
UnionType = __opaque__('types.UnionType')
)";

constexpr std::string_view kWarnings = R"(
def warn(*args, **kwargs): pass
def warn_explicit(*args, **kwargs): pass
def filterwarnings(*args, **kwargs): pass
def simplefilter(*args, **kwargs): pass
class catch_warnings:
    def __init__(self, **options): pass
    def __enter__(self): return []
    def __exit__(self, *args): return None
)";

constexpr std::string_view kLogging = R"(
class Logger:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None
    def isEnabledFor(self, level):
        return False
def getLogger(name=None):
    return Logger()
NOTSET, FATAL = 0, 50
def captureWarnings(capture): pass
class StreamHandler:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None
DEBUG, INFO, WARNING, WARN, ERROR, CRITICAL = 10, 20, 30, 30, 40, 50
class Handler: pass
class Filter: pass
def info(*args, **kwargs): pass
def warning(*args, **kwargs): pass
def debug(*args, **kwargs): pass
def error(*args, **kwargs): pass
def basicConfig(*args, **kwargs): pass
)";

constexpr std::string_view kOs = R"(
class _Environment(dict):
    pass
environ = _Environment()
def getenv(name, default=None):
    return default
class _Path:
    sep = "/"
    def join(self, *parts): return '/'.join(parts)
    def exists(self, path): return False
    def isfile(self, path): return False
    def isdir(self, path): return False
    def dirname(self, path): return path.rpartition('/')[0]
    def basename(self, path): return path.rpartition('/')[2]
    def splitext(self, path): return (path.rpartition('.')[0], '.' + path.rpartition('.')[2])
    def expanduser(self, path): return path
    def abspath(self, path): return path
    def realpath(self, path): return path
path = _Path()
sep = '/'
name = 'posix'
)";

constexpr std::string_view kSys = R"(
version_info = (3, 11, 2)
version = '3.11.2'
platform = 'linux'
maxsize = 9223372036854775807
modules = __modules__
argv = []
path = []
)";

constexpr std::string_view kAbc = R"(
class ABC: pass
class ABCMeta: pass
def abstractmethod(function): return function
abstractproperty = property
def abstractclassmethod(function): return classmethod(function)
def abstractstaticmethod(function): return staticmethod(function)
)";

constexpr std::string_view kTyping = R"(
NamedTuple = __NamedTuple__
TYPE_CHECKING = False
def cast(kind, value): return value
def overload(function): return function
def final(value): return value
def override(function): return function
def runtime_checkable(cls): return cls
def no_type_check(value): return value
def TypeVar(name, *args, **kwargs): return __opaque__(name)
def ParamSpec(name, *args, **kwargs): return __opaque__(name)
def NewType(name, kind): return kind
def get_type_hints(*args, **kwargs): return {}
def get_origin(kind): return None
def get_args(kind): return ()
)";

constexpr std::string_view kNumbers = R"(
class Number:
    __accepts__ = ['int', 'float', 'bool', 'complex']
class Real:
    __accepts__ = ['int', 'float', 'bool']
class Integral:
    __accepts__ = ['int', 'bool']
)";

constexpr std::string_view kInspect = R"(
class _Empty: pass
class Parameter:
    empty = _Empty
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = 0, 1, 2, 3, 4
    def __init__(self, name, kind, default=_Empty):
        self.name, self.kind, self.default, self.annotation = name, kind, default, _Empty
class Signature:
    empty = _Empty
    def __init__(self, function):
        self.parameters = {row[0]: Parameter(*row) for row in __parameters__(function)}
def signature(function, **options): return Signature(function)
def getsource(value):
    text = __source__(getattr(value, '__func__', value))
    if text is None:
        raise OSError('could not get source code')
    return text
def getfile(value): return __import_module__(value.__module__).__file__
getsourcefile = getfile
def getmodule(value): return __import_module__(value.__module__)
def getdoc(value): return value.__doc__
def cleandoc(text): return text
def unwrap(function, stop=None):
    while hasattr(function, '__wrapped__'):
        function = function.__wrapped__
    return function
def isabstract(value): return False
def isroutine(value): return callable(value) and not isinstance(value, type)
def isgenerator(value): return hasattr(value, '__next__')
def ismodule(value): return isinstance(value, module)
def getmembers(value, predicate=None):
    rows = [(name, getattr(value, name)) for name in dir(value)]
    return [row for row in rows if predicate is None or predicate(row[1])]
def isfunction(value): return isinstance(value, type(isfunction))
def isclass(value): return isinstance(value, type)
def ismethod(value): return hasattr(value, '__self__')
)";

constexpr std::string_view kTime = R"(
perf_counter = monotonic = process_time = time = thread_time = __seconds__
def perf_counter_ns(): return int(__seconds__() * 1e9)
time_ns = monotonic_ns = perf_counter_ns
def sleep(seconds): return None
)";

constexpr std::string_view kImportlib = R"(
def import_module(name, package=None):
    if name.startswith('.'):
        dots = len(name) - len(name.lstrip('.'))
        for _ in range(dots - 1):
            package = package.rpartition('.')[0]
        name = package + '.' + name[dots:]
    return __import_module__(name)
def reload(module): return module
def invalidate_caches(): return None
util = __space_of__('importlib.util')
metadata = __space_of__('importlib.metadata')
machinery = __space_of__('importlib.machinery')
)";

constexpr std::string_view kImportlibUtil = R"(
class _Spec:
    def __init__(self, name):
        self.name, self.loader, self.origin, self.submodule_search_locations = name, None, None, None
def find_spec(name, package=None):
    return _Spec(name) if __module_exists__(name) else None
def module_from_spec(spec): return __import_module__(spec.name)
)";

constexpr std::string_view kImportlibMachinery = R"(
class ModuleSpec: pass
class SourceFileLoader: pass
)";

constexpr std::string_view kImportlibMetadata = R"(
class PackageNotFoundError(ModuleNotFoundError): pass
def version(name):
    found = __distribution__(name)
    if found is None:
        raise PackageNotFoundError('No package metadata was found for ' + name)
    return found
def packages_distributions(): return {}
class _Distribution:
    def __init__(self, name):
        self.version, self.metadata = version(name), {'Name': name}
def distribution(name): return _Distribution(name)
def metadata(name): return {'Name': name, 'Version': version(name)}
def requires(name): return []
def entry_points(**options): return []
)";

constexpr std::string_view kPathlib = R"(
class Path:
    def __init__(self, *parts):
        self._text = '/'.join([str(each) for each in parts]) or '.'
    @property
    def parent(self): return Path(self._text.rpartition('/')[0] or '.')
    @property
    def name(self): return self._text.rpartition('/')[2]
    @property
    def stem(self): return self.name.rpartition('.')[0] or self.name
    @property
    def suffix(self): return '.' + self.name.rpartition('.')[2] if '.' in self.name else ''
    @property
    def parts(self): return tuple(self._text.split('/'))
    def __truediv__(self, other): return Path(self._text, other)
    def joinpath(self, *others): return Path(self._text, *others)
    def __str__(self): return self._text
    def __fspath__(self): return self._text
    def __repr__(self): return 'PosixPath(' + repr(self._text) + ')'
    def __eq__(self, other): return isinstance(other, Path) and self._text == other._text
    def __hash__(self): return hash(self._text)
    def absolute(self): return self
    def resolve(self, strict=False): return self
    def expanduser(self): return self
    def exists(self): return False
    def is_file(self): return False
    def is_dir(self): return False
    def as_posix(self): return self._text
    def with_suffix(self, suffix): return Path(self._text[:len(self._text) - len(self.suffix)] + suffix)
    @classmethod
    def home(cls): return Path('~')
    @classmethod
    def cwd(cls): return Path('.')
PurePath = PosixPath = PurePosixPath = Path
)";

constexpr std::string_view kString = R"(
ascii_lowercase = 'abcdefghijklmnopqrstuvwxyz'
ascii_uppercase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
ascii_letters = ascii_lowercase + ascii_uppercase
digits = '0123456789'
hexdigits = '0123456789abcdefABCDEF'
punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
whitespace = ' \t\n\r\v\f'
)";

constexpr std::string_view kTextwrap = R"(
def dedent(text):
    lines = text.split('\n')
    widths = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    width = min(widths) if widths else 0
    return '\n'.join([each[width:] if each.strip() else '' for each in lines])
def indent(text, prefix, predicate=None):
    return '\n'.join([prefix + each if each.strip() else each for each in text.split('\n')])
)";

constexpr std::string_view kNumpy = R"(
import math
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
float16, float32, float64, int32, int64, int8, uint8, bool_ = float, float, float, int, int, int, int, bool
float_, int_, double, integer, floating = float, int, float, int, float
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
    rows = [each * max(count) if isinstance(each, list) and len(each) == 1 else each for each in values]
    return [_each(function, *[row[at] if isinstance(row, list) else row for row in rows]) for at in range(max(count))]
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
    def max(self): return max(_flat(self._values))
    def min(self): return min(_flat(self._values))
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
    return ndarray([start + at * step for at in range(max(0, math.ceil((stop - start) / step)))])
def zeros(shape, dtype=float): return full(shape, dtype(0))
def ones(shape, dtype=float): return full(shape, dtype(1))
def full(shape, value, dtype=None):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return ndarray([full(shape[1:], value)._values if len(shape) > 1 else value for _ in range(shape[0])])
def eye(n): return ndarray([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])
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

constexpr std::string_view kHeapq = R"(
def heappush(heap, item):
    heap.append(item)
    heap.sort()
def heappop(heap): return heap.pop(0)
def heapify(heap): heap.sort()
def nlargest(n, values, key=None): return sorted(values, key=key, reverse=True)[:n]
def nsmallest(n, values, key=None): return sorted(values, key=key)[:n]
)";
constexpr std::string_view kBisect = R"(
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

constexpr std::string_view kFuture = R"(
annotations = division = print_function = absolute_import = None
)";

const std::array<std::pair<std::string_view, std::string_view>, 35> kModules = {{
    {"importlib", kImportlib},
    {"importlib.util", kImportlibUtil},
    {"importlib.machinery", kImportlibMachinery},
    {"importlib.metadata", kImportlibMetadata},
    {"pathlib", kPathlib},
    {"string", kString},
    {"textwrap", kTextwrap},
    {"numpy", kNumpy},
    {"heapq", kHeapq},
    {"bisect", kBisect},
    {"functools", kFunctools},
    {"itertools", kItertools},
    {"re", kRegular},
    {"collections", kCollections},
    {"operator", kOperator},
    {"collections.abc", kCollectionsAbc},
    {"contextlib", kContextlib},
    {"dataclasses", kDataclasses},
    {"enum", kEnum},
    {"copy", kCopy},
    {"time", kTime},
    {"types", kTypes},
    {"warnings", kWarnings},
    {"logging", kLogging},
    {"os", kOs},
    {"sys", kSys},
    {"abc", kAbc},
    {"typing", kTyping},
    {"typing_extensions", kTyping},
    {"numbers", kNumbers},
    {"inspect", kInspect},
    {"__future__", kFuture},
    {"torch.nn.modules", {}},
    {"builtins", "__name__ = 'builtins'\n"},
    {"os.path", kOs},
}};

/// The part of `text` between `# module NAME` and the next such line.
std::string_view sectionOf(std::string_view text, std::string_view name) {
    const std::string head = "# module " + std::string(name) + "\n";
    std::size_t at = text.find(head);
    if (at == std::string_view::npos) return {};
    at += head.size();
    return text.substr(at, text.find("# module ", at) - at);
}

bool isBelow(std::string_view name, std::string_view module) {
    return name.starts_with(module) && (name.size() == module.size() || name[module.size()] == '.');
}

} // namespace

std::string_view ownModule(std::string_view name) {
    if (name == "torch.nn.modules") return kForwards;
    if (name.starts_with("torch"))
        return sectionOf(isBelow(name, "torch.fx") || isBelow(name, "torch._subclasses") || name == "torch._ops"
                             ? kFxModules
                             : kTorchModules,
                         name);
    const auto found =
        std::find_if(kModules.begin(), kModules.end(), [&](const auto& each) { return each.first == name; });
    return found == kModules.end() ? std::string_view() : found->second;
}

} // namespace fx::python
