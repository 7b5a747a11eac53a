// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of Python's library and small parts of torch, as far as model sources use them, written in Python.
#include "core/python/sources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fx::python {

extern const std::string_view kTorchModules, kForwards, kRegular; // torch_modules.cpp, forwards.cpp, regular.cpp

namespace {

constexpr std::string_view kFunctools = R"(
class partial:
    def __init__(self, func, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords
    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})
def wraps(wrapped, *args, **kwargs):
    return lambda function: __wraps__(function, wrapped)
def update_wrapper(wrapper, wrapped, *args, **kwargs):
    return __wraps__(wrapper, wrapped)
def lru_cache(maxsize=128, typed=False):
    return maxsize if callable(maxsize) else lambda function: function
def cache(function):
    return function
def total_ordering(cls):
    return cls
def singledispatch(function):
    return function
def reduce(function, values, *initial):
    values = iter(values)
    result = initial[0] if initial else next(values)
    for value in values:
        result = function(result, value)
    return result
cached_property = cached_property
)";

constexpr std::string_view kItertools = R"(
class _Chain:
    def __call__(self, *iterables):
        return (value for each in iterables for value in each)
    def from_iterable(self, iterables):
        return (value for each in iterables for value in each)
chain = _Chain()
class _Count:
    def __init__(self, start, step):
        self.at, self.step = start, step
    def __iter__(self):
        return self
    def __next__(self):
        value = self.at
        self.at += self.step
        return value
def count(start=0, step=1):
    return _Count(start, step)
def repeat(value, times=None):
    return [value] * times if times is not None else (value for _ in count())
def cycle(values):
    values = list(values)
    return (value for _ in count() for value in values)
def islice(values, *bounds):
    start, stop, step = 0, bounds[0], 1
    if len(bounds) > 1:
        start, stop = bounds[0] or 0, bounds[1]
    if len(bounds) > 2:
        step = bounds[2] or 1
    out = []
    if stop is not None and stop <= 0:
        return iter(out)
    for at, value in enumerate(values):
        if at >= start and (at - start) % step == 0:
            out.append(value)
        if stop is not None and at + 1 >= stop:
            break
    return iter(out)
def accumulate(values, function=None, initial=None):
    out = [] if initial is None else [initial]
    for value in values:
        out.append(value if not out else function(out[-1], value) if function else out[-1] + value)
    return iter(out)
def product(*iterables, repeat=1):
    rows = [()]
    for values in [list(each) for each in iterables] * repeat:
        rows = [row + (value,) for row in rows for value in values]
    return iter(rows)
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
    lists = [list(each) for each in iterables]
    length = max([len(each) for each in lists], default=0)
    return iter([tuple(each[i] if i < len(each) else fillvalue for each in lists) for i in range(length)])
def starmap(function, rows):
    return (function(*row) for row in rows)
def takewhile(test, values):
    out = []
    for value in values:
        if not test(value):
            break
        out.append(value)
    return iter(out)
def pairwise(values):
    values = list(values)
    return zip(values, values[1:])
def groupby(values, key=None):
    out = []
    for value in values:
        own = key(value) if key else value
        if out and out[-1][0] == own:
            out[-1][1].append(value)
        else:
            out.append((own, [value]))
    return iter(out)
)";

constexpr std::string_view kCollections = R"(
OrderedDict, defaultdict = OrderedDict, defaultdict
def namedtuple(typename, field_names, *, rename=False, defaults=(), module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    return __namedtuple__(typename, list(field_names), defaults or ())
class Counter(dict):
    def __init__(self, values=()):
        for value in values:
            self[value] = self.get(value, 0) + 1
    def __missing__(self, key):
        return 0
    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: -item[1])[:n]
class deque(list):
    def __init__(self, values=(), maxlen=None):
        self.extend(values)
    def popleft(self):
        return self.pop(0)
    def appendleft(self, value):
        self.insert(0, value)
class UserDict(dict):
    pass
)";

constexpr std::string_view kCollectionsAbc = R"(
class Iterable:
    __accepts__ = ['list', 'tuple', 'dict', 'set', 'str', 'generator', 'range', 'OrderedDict', 'frozenset',
                   'ModuleList', 'Sequential', 'Proxy']
class Sequence:
    __accepts__ = ['list', 'tuple', 'str', 'range']
class MutableSequence:
    __accepts__ = ['list']
class Mapping:
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
class MutableMapping(Mapping):
    __accepts__ = ['dict', 'OrderedDict', 'defaultdict']
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

constexpr std::string_view kContextlib = R"(
class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
    def __exit__(self, *args):
        return None
class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions
    def __enter__(self):
        return None
    def __exit__(self, kind, value, trace):
        return value is not None and isinstance(value, self.exceptions)
def contextmanager(function):
    return function
class ExitStack:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return None
    def enter_context(self, context):
        return context.__enter__() if hasattr(context, '__enter__') else context
class ContextDecorator: pass
class AbstractContextManager: pass
)";

constexpr std::string_view kDataclasses = R"(
class _Missing: pass
MISSING = _Missing()
KW_ONLY = _Missing()
class Field:
    def __init__(self, default, default_factory, init):
        self.default, self.default_factory, self.init, self.name = default, default_factory, init, None
def field(*, default=MISSING, default_factory=MISSING, init=True, **options):
    return Field(default, default_factory, init)
InitVar = __opaque__('dataclasses.InitVar')
def _default(cls, name):
    return getattr(cls, name, MISSING)
def dataclass(cls=None, **options):
    if cls is None:
        return lambda made: dataclass(made, **options)
    names = []
    for base in reversed(cls.__mro__):
        if base is cls or hasattr(base, '__dataclass_fields__'):
            for name in __annotated__(base):
                if name not in names and name != '_':
                    names.append(name)
    fields = {}
    for name in names:
        value = _default(cls, name)
        made = value if isinstance(value, Field) else Field(value, MISSING, True)
        made.name = name
        fields[name] = made
    def __init__(self, *args, **kwargs):
        wanted = [name for name in names if fields[name].init]
        if len(args) > len(wanted):
            raise TypeError(f"{cls.__name__}.__init__() takes {len(wanted) + 1} positional arguments "
                            f"but {len(args) + 1} were given")
        given = dict(zip(wanted, args))
        for key, value in kwargs.items():
            if key not in wanted:
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
            if isinstance(self, Module):
                setattr(self, name, value)
            else:
                __raw_set__(self, name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__()
        if options.get('frozen'):
            __raw_set__(self, '__made__', True)
    if '__init__' not in cls.__dict__ and options.get('init', True):
        cls.__init__ = __init__
    cls.__dataclass_fields__ = fields
    cls.__match_args__ = tuple(names)
    return __record__(cls, names, options.get('frozen', False))
from torch.nn import Module
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

constexpr std::string_view kFuture = R"(
annotations = division = print_function = absolute_import = None
)";

const std::array<std::pair<std::string_view, std::string_view>, 24> kModules = {{
    {"functools", kFunctools},
    {"itertools", kItertools},
    {"re", kRegular},
    {"collections", kCollections},
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

} // namespace

std::string_view ownModule(std::string_view name) {
    if (name == "torch.nn.modules") return kForwards;
    if (name.starts_with("torch")) return sectionOf(kTorchModules, name);
    const auto found =
        std::find_if(kModules.begin(), kModules.end(), [&](const auto& each) { return each.first == name; });
    return found == kModules.end() ? std::string_view() : found->second;
}

} // namespace fx::python
