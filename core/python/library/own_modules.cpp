// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of Python's library and small parts of torch, as far as model sources use them, written in Python.
#include "core/python/imports/sources.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace fx::python {

extern const std::string_view kTorchModules, kNnHelpers, kRegular; // torch_modules.cpp, nn_helpers.cpp, regular.cpp
extern const std::string_view kNnModule, kNnLayers;                // nn_module.cpp, nn_layers.cpp
extern const std::string_view kFxModules, kFxPasses;               // fx_modules.cpp, fx_passes.cpp
extern const std::string_view kParametrizations;                   // parametrizations.cpp
extern const std::string_view kCollections, kOperator, kCollectionsAbc, kDataclasses, kEnum; // own_containers.cpp
extern const std::string_view kNumpyArrays, kNumpyFunctions, kNumpyRandom;                   // numpy_*.cpp
extern const std::string_view kBuiltinMethods, kArgparse;                                    // own_methods.cpp
extern const std::string_view kHeapq, kBisect;                                               // own_numbers.cpp
extern const std::string_view kTextwrap, kJson;                                              // own_texts.cpp
extern const std::string_view kFunctools, kItertools, kContextlib;                           // own_iteration.cpp

namespace {

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
class MethodType:
    __accepts__ = ['method']
    def __new__(cls, function, instance): return __bind__(function, instance)
BuiltinMethodType = type([].append)
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
    def split(self, path): return (self.dirname(path), self.basename(path))
    def splitext(self, path):
        stem, dot, end = path.rpartition('.')
        return (stem, dot + end) if stem and '/' not in end and not stem.endswith('/') else (path, '')
    def isabs(self, path): return path.startswith('/')
    def normpath(self, path): return path
    def relpath(self, path, start=None): return path
    def expanduser(self, path): return path
    def abspath(self, path): return path
    def realpath(self, path): return path
path = _Path()
sep = '/'
name = 'posix'
)";

constexpr std::string_view kOsPath = R"(
from os import path as _path
join, exists, isfile, isdir, dirname = _path.join, _path.exists, _path.isfile, _path.isdir, _path.dirname
basename, split, splitext, isabs = _path.basename, _path.split, _path.splitext, _path.isabs
normpath, relpath, expanduser = _path.normpath, _path.relpath, _path.expanduser
abspath, realpath, sep = _path.abspath, _path.realpath, _path.sep
)";

constexpr std::string_view kSys = R"(
version_info = __namedtuple__('version_info', ['major', 'minor', 'micro', 'releaselevel', 'serial'], [])(
    3, 11, 2, 'final', 0)
class _Implementation:
    name, version, cache_tag = 'cpython', version_info, 'cpython-311'
implementation = _Implementation()
class _FloatInfo:
    max, min, epsilon, dig, mant_dig = 1.7976931348623157e+308, 2.2250738585072014e-308, 2.220446049250313e-16, 15, 53
    max_exp, min_exp, max_10_exp, min_10_exp, radix, rounds = 1024, -1021, 308, -307, 2, 1
float_info = _FloatInfo()
byteorder, executable, hexversion = 'little', '', 51052272
def exit(status=None): raise SystemExit(status)
def getrecursionlimit(): return 1000
def setrecursionlimit(limit): return None
def getsizeof(value, default=0): return 64
version = '3.11.2'
platform = 'linux'
maxsize = 9223372036854775807
modules = __modules__
argv = []
path = []
)";

constexpr std::string_view kAbc = R"(
class ABCMeta: pass
class ABC(metaclass=ABCMeta): pass
def abstractmethod(function): return __abstract__(function)
def abstractproperty(function): return property(__abstract__(function))
def abstractclassmethod(function): return classmethod(__abstract__(function))
def abstractstaticmethod(function): return staticmethod(__abstract__(function))
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
def dataclass_transform(*, eq_default=True, order_default=False, kw_only_default=False, frozen_default=False,
                        field_specifiers=(), **kwargs):
    return lambda value: value
def deprecated(message, /, *, category=None, stacklevel=1): return lambda value: value
def assert_type(value, kind, /): return value
def reveal_type(value, /): return value
def TypeVar(name, *args, **kwargs): return __opaque__(name)
def ParamSpec(name, *args, **kwargs): return __opaque__(name)
def NewType(name, kind): return kind
def get_type_hints(*args, **kwargs): return {}
def get_origin(kind): return None
def get_args(kind): return ()
)";

constexpr std::string_view kNumbers = R"(
class Number:
    __accepts__ = ['int', 'float', 'bool', 'complex', 'number']
class Real:
    __accepts__ = ['int', 'float', 'bool', 'integer', 'floating']
class Integral:
    __accepts__ = ['int', 'bool', 'integer']
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

constexpr std::string_view kFuture = R"(
annotations = division = print_function = absolute_import = None
)";

const std::array<std::pair<std::string_view, std::string_view>, 37> kModules = {{
    {"importlib", kImportlib},
    {"importlib.util", kImportlibUtil},
    {"importlib.machinery", kImportlibMachinery},
    {"importlib.metadata", kImportlibMetadata},
    {"pathlib", kPathlib},
    {"string", kString},
    {"textwrap", kTextwrap},
    {"json", kJson},
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
    {"argparse", kArgparse},
    {"numpy.random", kNumpyRandom},
    {"_builtin_methods", kBuiltinMethods},
    {"builtins", "__name__ = 'builtins'\n"},
    {"os.path", kOsPath},
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
    // Modules whose text stands in two files.
    static const std::string modules = std::string(kNnModule) + std::string(kNnLayers);
    static const std::string numpy = std::string(kNumpyArrays) + std::string(kNumpyFunctions);
    if (name == "torch.nn.modules") return modules;
    if (name == "numpy") return numpy;
    if (name.starts_with("torch")) {
        for (const std::string_view text : {kTorchModules, kNnHelpers, kFxModules, kFxPasses, kParametrizations})
            if (const std::string_view section = sectionOf(text, name); !section.empty()) return section;
        return {};
    }
    const auto found =
        std::find_if(kModules.begin(), kModules.end(), [&](const auto& each) { return each.first == name; });
    return found == kModules.end() ? std::string_view() : found->second;
}

} // namespace fx::python
