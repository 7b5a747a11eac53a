"""Libraries of which Lancet may lack parts: what it lacks never answers."""

import abc
import argparse
import ast
import base64
import bisect
import calendar
import codecs
import collections
import colorsys
import configparser
import contextlib
import copy
import csv
import datetime
import decimal
import difflib
import fractions
import functools
import hashlib
import inspect
import io
import itertools
import json
import keyword
import locale
import logging
import math
import numbers
import operator
import os
import pathlib
import pickle
import platform
import queue
import random
import re
import shlex
import statistics
import string
import struct
import sys
import tempfile
import textwrap
import threading
import time
import types
import typing
import unicodedata
import uuid
import warnings
import weakref
import zlib
from typing import Dict, List, Optional, Tuple, Union, get_args, get_origin

import torch
from torch import nn


def _raised(function):
    try:
        return repr(function())
    except Exception as error:
        return type(error).__name__


def platform_equals(x):
    return x + (1 if platform.system() == "Linux" else 2)


def platform_in(x):
    return x + (1 if platform.system() in ("Linux", "Darwin") else 2)


def platform_contains(x):
    return x + (1 if "inu" in platform.system() else 2)


def platform_is_none(x):
    return x + (1 if platform.system() is None else 2)


def platform_truth(x):
    return x + (1 if platform.system() else 2)


def platform_shown(x):
    return x, str(platform.system()) == "Linux"


def platform_formatted(x):
    return x, f"{platform.system()}"


def platform_repr(x):
    return x, repr(platform.system())


def platform_indexed(x):
    return x, platform.system()[0] == "L"


def platform_key(x):
    return x, {"Linux": 1}.get(platform.system(), 2)


def platform_in_dict(x):
    return x, platform.system() in {"Linux": 1}


def platform_in_list(x):
    return x, [platform.system()] == ["Linux"], ("Linux",) == (platform.system(),)


def platform_count(x):
    return x, ["Linux"].count(platform.system())


def platform_set(x):
    return x, len({"Linux", platform.system()})


def platform_isinstance(x):
    return x, isinstance(platform.system(), str)


def platform_type(x):
    return x, type(platform.system()) is str, type(platform.system()).__name__


def platform_startswith(x):
    return x, platform.system().lower().startswith("lin")


def platform_has(x):
    return x, hasattr(platform, "system"), hasattr(platform, "no_such_function"), hasattr(platform.system(), "lower")


def platform_getattr_default(x):
    return x, getattr(platform, "no_such_function", None) is None


def platform_callable(x):
    return x, callable(platform.system), callable(platform.system())


def platform_unequal(x):
    return x + (1 if platform.system() != "Windows" else 2)


def platform_compared(x):
    return x + (1 if platform.python_version_tuple() >= ("3", "0") else 2)


def platform_length(x):
    return x, len(platform.system())


def platform_iterated(x):
    return x, list(platform.system())[:1]


def platform_unpacked(x):
    a, *b = platform.system()
    return x, a


def platform_sorted(x):
    return x, sorted([platform.system(), "A"])


def platform_hashed(x):
    return x, hash(platform.system()) == hash("Linux")


def platform_id(x):
    return x, platform.system is platform.system, platform.system() is platform.machine()


def platform_as_argument(x):
    return torch.add(x, 1 if max(platform.system(), "A") == "A" else 2)


def platform_by_match(x):
    match platform.system():
        case "Linux":
            return x + 1
        case _:
            return x + 2


def platform_not(x):
    return x + (1 if not platform.system() else 2)


def platform_and(x):
    return x, (platform.system() and 1), (platform.system() or 1) == 1


def platform_with(x):
    with contextlib.suppress(Exception):
        if platform.system() == "Linux":
            return x + 1
    return x + 2


def platform_tried(x):
    try:
        made = platform.system() == "Linux"
    except Exception:
        made = False
    return x + (1 if made else 2)


def platform_any(x):
    return x + (1 if any(platform.system() == each for each in ("Linux", "Darwin")) else 2)


def platform_attribute_of_call(x):
    return x, platform.uname().system == "Linux"


def json_loads_equals(x):
    return x, json.loads("[3]") == [3], json.loads('{"a": [1, 2.5, null, true, "b\\u00e9"]}') == {"a": [1, 2.5, None, True, "b\u00e9"]}


def json_dumps(x):
    return x, json.dumps({"a": [1, None, True, 1.5, "é"]}), json.dumps([1, 2], indent=2), json.dumps({"b": 1, "a": 2}, sort_keys=True), json.dumps({1: 2})


def json_wrong(x):
    return x, _raised(lambda: json.loads("[3")), _raised(lambda: json.dumps(object())), _raised(lambda: json.loads("")), json.loads(" 3 ")


def get_origin_is(x):
    return x + (1 if get_origin(list[int]) is list else 2)


def get_origin_kinds(x):
    made = [get_origin(List[int]) is list, get_origin(Dict[str, int]) is dict, get_origin(Optional[int]) is Union, get_origin(int) is None, get_origin(Tuple[int, ...]) is tuple, get_origin(typing.Callable[[int], int]) is collections.abc.Callable]
    return x, made


def get_args_kinds(x):
    return x, get_args(list[int]) == (int,), get_args(Dict[str, int]) == (str, int), get_args(Optional[int]) == (int, type(None)), get_args(int) == (), get_args(typing.Literal["a", "b"])


def generic_aliases(x):
    return x, list[int] == list[int], list[int] == list, List[int] is list, list[int] is list, repr(list[int]), isinstance([1], list), List[int] == List[int], Optional[int] == Union[int, None], (int | None) == Optional[int], type(list[int]) is type


def generic_isinstance(x):
    return x, _raised(lambda: isinstance([1], list[int])), isinstance([1], List), list[int]([1, 2]), dict[str, int]().get("a")


def type_hints_of(x):
    def made(a: int, b: "str" = "x") -> None:
        pass

    return x, sorted(typing.get_type_hints(made)), made.__annotations__.get("a") is int


def union_members(x):
    made = int | str
    return x, isinstance(1, made), isinstance(1.5, made), isinstance(None, int | None), made == Union[int, str], int in get_args(made)


def literal_checked(x):
    Kind = typing.Literal["a", "b"]
    if "a" in typing.get_args(Kind):
        return x + 1
    return x + 2


def type_variables(x):
    T = typing.TypeVar("T")
    return x, T.__name__, str(T), T == T, isinstance(T, typing.TypeVar)


def protocols(x):
    @typing.runtime_checkable
    class Has(typing.Protocol):
        def run(self): ...

    class Made:
        def run(self):
            return 1

    return x, isinstance(Made(), Has), isinstance(3, Has)


def numpy_random_free(x):
    rng = random.Random(3)
    return x, rng.random() < 1, [rng.randint(1, 1) for _ in range(2)]


def random_seeded(x):
    random.seed(0)
    return x, random.random(), random.randint(0, 9), random.choice([1, 2, 3]), random.sample(range(10), 3), random.uniform(0, 1), random.gauss(0, 1)


def random_shuffled(x):
    items = list(range(5))
    random.Random(1).shuffle(items)
    return x, items


def hashlib_digest(x):
    return x, hashlib.md5(b"abc").hexdigest()[:8]


def regular_expressions(x):
    made = [re.match(r"(\w+)-(\d+)", "ab-12").groups(), re.sub("a", "b", "aXa"), re.findall(r"\d", "a1b2"), re.search("z", "a") is None, re.split(",", "a,b"), bool(re.fullmatch("a+", "aaa")), re.compile("(?P<n>a)").match("a").group("n"), re.escape("a.b"), re.sub(r"(\w)", r"<\1>", "ab"), re.sub("a", lambda m: m.group().upper(), "aba", count=1)]
    return x, made, re.match("a", "a") == re.match("a", "a"), re.match("b", "abc"), re.I == re.IGNORECASE


def pathlib_parts(x):
    p = pathlib.Path("a/b") / "c.txt"
    return x, str(p), p.name, p.suffix, p.stem, str(p.parent), p == pathlib.Path("a/b/c.txt"), p.parts


def pathlib_exists(x):
    return x + (1 if pathlib.Path("/").exists() else 2)


def os_path_kinds(x):
    made = [os.path.join("a", "/b"), os.path.join("a", "", "b"), os.path.basename("a/b.c"), os.path.splitext("a/b.tar.gz"), os.path.dirname("/a"), os.path.normpath("a/../b//c"), os.path.splitext(".a"), os.path.isabs("a"), os.sep]
    return x, made


def os_path_exists(x):
    return x + (1 if os.path.exists("/") else 2)


def os_environment(x):
    return x, os.environ.get("NO_SUCH_VARIABLE_HERE"), os.environ.get("NO_SUCH_VARIABLE_HERE", "3"), "NO_SUCH_VARIABLE_HERE" in os.environ, os.getenv("NO_SUCH_VARIABLE_HERE", "a")


def os_path_home(x):
    return x + (1 if os.path.expanduser("~") == "~" else 2)


def os_environment_path(x):
    return x + (1 if "PATH" in os.environ else 2)


def os_lists(x):
    return x + (1 if os.listdir("/") else 2)


def os_counts(x):
    return x + (1 if os.cpu_count() == 0 else 2)


def os_getpid(x):
    return x + (1 if os.getpid() == 0 else 2)


def sys_kinds(x):
    return x, sys.version_info >= (3, 8), sys.version_info.major, sys.version_info[0] == 3, sys.maxsize == 2**63 - 1, sys.byteorder, sys.platform == "linux"


def sys_modules(x):
    return x + (1 if "torch" in sys.modules else 2)


def sys_argv(x):
    return x + (1 if len(sys.argv) > 100 else 2)


def sys_recursion(x):
    return x + (1 if sys.getrecursionlimit() > 10 else 2)


def sys_sizes(x):
    return x + (1 if sys.getsizeof([]) == 0 else 2)


def datetime_compared(x):
    return x + (1 if datetime.datetime(2020, 1, 1) < datetime.datetime(2021, 1, 1) else 2)


def datetime_equal(x):
    return x + (1 if datetime.date(2020, 1, 1) == datetime.date(2020, 1, 1) else 2)


def datetime_shown(x):
    return x, str(datetime.date(2020, 1, 2))


def decimal_equal(x):
    return x + (1 if decimal.Decimal("1.0") == 1 else 2)


def fraction_equal(x):
    return x + (1 if fractions.Fraction(1, 2) == 0.5 else 2)


def statistics_mean(x):
    return x + statistics.mean([1, 2, 3])


def struct_sizes(x):
    return x + struct.calcsize("i")


def uuid_made(x):
    return x + (1 if uuid.UUID(int=0) == uuid.UUID(int=0) else 2)


def string_io(x):
    buffer = io.StringIO()
    buffer.write("ab")
    return x + (1 if buffer.getvalue() == "ab" else 2)


def weak_references(x):
    class Made:
        pass

    made = Made()
    return x + (1 if weakref.ref(made)() is made else 2)


def threads(x):
    lock = threading.Lock()
    with lock:
        y = x + 1
    return y


def thread_local(x):
    local = threading.local()
    local.a = 1
    return x + local.a


def queues(x):
    q = queue.Queue()
    q.put(1)
    return x + (1 if q.empty() else 2)


def literal_eval(x):
    return x + (1 if ast.literal_eval("[1]") == [1] else 2)


def keyword_checked(x):
    return x + (1 if keyword.iskeyword("for") else 2)


def shlex_split(x):
    return x, shlex.split("a 'b c'") == ["a", "b c"]


def base64_kinds(x):
    return x + (1 if base64.b64encode(b"a") == b"YQ==" else 2)


def zlib_crc(x):
    return x + (1 if zlib.crc32(b"a") == 0 else 2)


def difflib_matches(x):
    return x, difflib.get_close_matches("appel", ["ape", "apple"]) == ["apple", "ape"]


def unicode_names(x):
    return x, unicodedata.normalize("NFC", "a") == "a"


def calendars(x):
    return x + (1 if calendar.isleap(2020) else 2)


def codecs_kinds(x):
    return x + (1 if codecs.encode("a", "rot13") == "n" else 2)


def colors(x):
    return x + (1 if colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0) else 2)


def config_parser(x):
    parser = configparser.ConfigParser()
    parser.read_string("[a]\nb = 1")
    return x + (1 if parser["a"]["b"] == "1" else 2)


def pickled(x):
    return x + (1 if pickle.loads(pickle.dumps([1])) == [1] else 2)


def csv_rows(x):
    return x, list(csv.reader(["a,b"])) == [["a", "b"]]


def logging_kinds(x):
    logger = logging.getLogger("net")
    logger.info("seen %s", 1)
    return x + (1 if logger.isEnabledFor(logging.DEBUG) else 2), logging.INFO, logger.name


def warnings_caught(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("seen")
    return x + len(caught)


def time_differs(x):
    start = time.time()
    return x + (1 if time.time() - start < 0 else 2)


def textwrap_kinds(x):
    return x, textwrap.dedent("  a\n   b"), textwrap.indent("a\nb", "> "), textwrap.shorten("hello world", 8) if False else 0


def bisect_kinds(x):
    return x, bisect.bisect([1, 2, 2, 3], 2), bisect.bisect_left([1, 2, 2, 3], 2)


def argparse_kinds(x):
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=3)
    parser.add_argument("--flag", action="store_true")
    return x, parser.parse_args([]).width, vars(parser.parse_args(["--width", "5", "--flag"]))


def abstract_classes(x):
    class Base(abc.ABC):
        @abc.abstractmethod
        def run(self): ...

        @property
        @abc.abstractmethod
        def size(self): ...

    class Made(Base):
        size = 3

        def run(self):
            return 1

    return x, _raised(lambda: Base()), Made().run(), inspect.isabstract(Base), inspect.isabstract(Made), isinstance(Made(), Base), Base.__abstractmethods__ == {"run", "size"}


def registered_abstract(x):
    class Base(abc.ABC):
        pass

    Base.register(int)
    return x, isinstance(3, Base), issubclass(int, Base)


def numbers_kinds(x):
    return x, isinstance(1, numbers.Number), isinstance(1.0, numbers.Integral), isinstance(True, numbers.Integral), isinstance(1.0, numbers.Real), isinstance("1", numbers.Number), isinstance(1j, numbers.Complex)


def types_kinds(x):
    made = types.MappingProxyType({"a": 1})
    return x, made["a"], _raised(lambda: made.__setitem__("b", 2)), types.SimpleNamespace(a=1) == types.SimpleNamespace(a=1), isinstance(len, types.BuiltinFunctionType), isinstance((lambda: 1), types.LambdaType), isinstance(torch, types.ModuleType)


def inspect_kinds(x):
    class Made:
        """About."""

        def run(self, a):
            return a

    return x, inspect.isclass(Made), inspect.isfunction(Made.run), inspect.ismethod(Made().run), inspect.isbuiltin(len), inspect.getdoc(Made), inspect.isgeneratorfunction(Made.run), inspect.ismodule(torch)


def context_kinds(x):
    log = []

    @contextlib.contextmanager
    def run(name):
        log.append("in " + name)
        try:
            yield name
        finally:
            log.append("out " + name)

    with contextlib.ExitStack() as stack:
        names = [stack.enter_context(run(name)) for name in "ab"]
    with contextlib.nullcontext(5) as five, contextlib.suppress(KeyError):
        raise KeyError
    return x, names, log, five


def printed(x):
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        print("a")
    return x + (1 if buffer.getvalue() else 2)


def files_read(x):
    try:
        with open("/no/such/file") as file:
            made = file.read()
    except FileNotFoundError:
        made = "none"
    return x, made


def input_read(x):
    return x, _raised(lambda: eval("1 + 2")), _raised(lambda: exec("a = 1"))


def eval_kinds(x):
    scale = 3
    return x, eval("scale * 2"), eval("a + 1", {"a": 4}), eval("[i for i in range(3)]")


def exec_kinds(x):
    space = {}
    exec("def f(a):\n    return a + 1", space)
    return x, space["f"](2)


def globals_kinds(x):
    return x, "torch" in globals(), globals()["_raised"] is _raised, "no_such" in globals(), __name__ == "__main__"


def bytes_kinds(x):
    made = b"abc"
    return x, made[0], str(made[1:]), repr(made + b"d"), made == b"abc", len(made), "abc".encode("utf-8") == made, made.decode(), bytearray(2) == b"\0\0", b"a" in made, made.hex(), list(made), isinstance(made, bytes)


def complex_kinds(x):
    made = 1 + 2j
    return x, made * 2, made.real, made.imag, abs(3 + 4j), made.conjugate(), made == complex(1, 2), made != 1, complex("1+2j")


def torch_version(x):
    return x, torch.__version__ >= "1.8", tuple(int(each) for each in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 0), torch.__version__.startswith("2.")


def torch_backends(x):
    return x + (1 if torch.cuda.is_available() else 2), torch.backends.cudnn.is_available() if False else 0


def torch_threads(x):
    return x + (1 if torch.get_num_threads() == 0 else 2)


def torch_cudnn(x):
    return x + (1 if torch.backends.cudnn.enabled else 2)


def torch_default_dtype(x):
    return x, torch.get_default_dtype() == torch.float32, torch.is_grad_enabled(), torch.is_tensor(x), torch.is_tensor(torch.zeros(1))


def torch_finfo(x):
    return x + torch.finfo(torch.float32).eps, torch.finfo(torch.float16).max, torch.iinfo(torch.int8).min


def torch_unknown_part(x):
    return x + (1 if torch.backends.mkldnn.is_available() else 2)


def torch_jit_scripting(x):
    return x + (1 if torch.jit.is_scripting() or torch.jit.is_tracing() else 2)


def torch_distributed(x):
    return x + (1 if torch.distributed.is_available() and torch.distributed.is_initialized() else 2)


def torch_unknown_truth(x):
    if torch.overrides.has_torch_function((x,)):
        return x + 1
    return x + 2
