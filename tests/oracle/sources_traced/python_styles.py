import functools, itertools, math, operator, random, sys, time, typing, uuid, warnings, json, os.path as osp, io, string, textwrap, datetime, traceback, threading, pickle, hashlib, struct, glob, shutil, tempfile, subprocess, platform, collections
from collections import OrderedDict
from typing import Annotated, TypedDict, NotRequired, Unpack, ParamSpec, Concatenate, NewType, TypeAlias, Never
import torch
import torch.jit
import torch.nn as nn
import torch.nn.functional as F
import torch.cuda.amp as amp
from torch.amp import autocast
from torch.nn import Module, ModuleList, Sequential, Parameter, Linear, init

P = ParamSpec("P")
Shape: TypeAlias = tuple[int, ...]
UserId = NewType("UserId", int)


class Options(TypedDict, total=False):
    width: int
    depth: NotRequired[int]


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return fn(*args, **kwargs)
        finally:
            wrapper.calls += 1
            wrapper.spent += time.perf_counter() - start

    wrapper.calls, wrapper.spent = 0, 0.0
    return wrapper


def validated(**checks):
    def decorate(cls):
        original = cls.__init__

        @functools.wraps(original)
        def __init__(self, *args, **kwargs):
            for key, check in checks.items():
                if key in kwargs and not check(kwargs[key]):
                    raise ValueError(f"bad {key}: {kwargs[key]!r}")
            original(self, *args, **kwargs)

        cls.__init__ = __init__
        return cls

    return decorate


@validated(width=lambda w: w > 0)
class Wide(nn.Module):
    def __init__(self, width=4, **opts: Unpack[Options]):
        super().__init__()
        self.depth = opts.get("depth", 2)
        self.l = nn.ModuleList([nn.Linear(width, width) for _ in range(self.depth)])

    @timed
    def forward(self, x):
        return functools.reduce(lambda a, m: m(a), self.l, x)


@torch.jit.script
def fused_gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.41421))


@torch.jit.ignore
def ignored(x):
    return x + 1


class Scripted(nn.Module):
    __constants__ = ["k"]

    def __init__(self):
        super().__init__()
        self.k = 3

    @torch.jit.export
    def extra(self, x):
        return x * self.k

    @torch.jit.unused
    def debug(self, x):
        return x

    def forward(self, x):
        if torch.jit.is_scripting():
            return x
        if torch.jit.is_tracing() or torch.onnx.is_in_onnx_export():
            return x
        return ignored(self.extra(x))


class JitUser(nn.Module):
    def forward(self, x):
        return fused_gelu(x) + 1


class Nonlocal(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.n = n

    def forward(self, x):
        count, seen = 0, []

        def visit(y, *, scale=1.0):
            nonlocal count, x
            count += 1
            seen.append(y)
            x = x + y * scale * count
            return x

        for i in range(self.n):
            visit(x, scale=i + 0.5)
        global LAST
        LAST = count
        return torch.stack([*seen, x]), count, LAST


class Counter:
    total = 0

    def __init__(self):
        type(self).total += 1
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return x * self.n

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __getitem__(self, i):
        return i if isinstance(i, int) else i.stop

    def __iter__(self):
        yield from range(self.n)

    def __len__(self):
        return self.n

    def __eq__(self, o):
        return isinstance(o, Counter) and o.n == self.n

    def __hash__(self):
        return hash(self.n)

    def __add__(self, o):
        return self.n + (o.n if isinstance(o, Counter) else o)

    __radd__ = __add__

    def __lt__(self, o):
        return self.n < o.n

    def __bool__(self):
        return True

    def __contains__(self, k):
        return k in range(self.n)

    def __getattr__(self, name):
        if name.startswith("x"):
            return name[1:]
        raise AttributeError(name)


class UsesCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.counters = [Counter() for _ in range(3)]

    def forward(self, x):
        with Counter() as c, torch.no_grad(), autocast("cpu", enabled=False):
            x = c(x) + c(x)
        a, b, *_ = self.counters
        a(x)
        a(x)
        b(x)
        k = max(self.counters)
        total = sum(self.counters)
        s = sorted(self.counters, reverse=True)
        return (
            x * total
            + len(a)
            + k.n
            + Counter.total * 0
            + (1 in a)
            + a[2:5]
            + len(a.xhello)
            + len({*self.counters})
            + s[0].n
        )


class Gen(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict(dict(a=nn.Linear(4, 2), b=nn.Linear(4, 3)))

    def parts(self, x):
        for name, head in self.heads.items():
            got = yield name, head(x)
            if got:
                x = got

    def forward(self, x):
        out = {}
        g = self.parts(x)
        for name, y in g:
            out[name] = y
        flat = [t for pair in zip(out.values(), out.values()) for t in pair if t is not None]
        first = next(iter(out.values()), None)
        squares = {k: v for k, v in ((n, m.out_features**2) for n, m in self.heads.items()) if v > 4}
        return (
            torch.cat(flat, dim=-1),
            first,
            squares,
            {k for k in out} == {"a", "b"},
            any(v > 5 for v in squares.values()),
            all([]),
        )


class Walrus(nn.Module):
    def forward(self, x, k: int = 5):
        if (n := k) > 3:
            x = x + n
        while (n := n - 1) > 2:
            x = x * n
        vals = [last := i for i in range(3)]
        y = [z for i in range(4) if (z := i * 2) > 2]
        return x + last + sum(y) + len(vals)


class Star(nn.Module):
    def f(self, a, /, b, *args, c=1, **kw):
        return a + b * c + sum(args) + sum(kw.values())

    def forward(self, *xs, **kw):
        first, *mid, last = xs if len(xs) > 1 else (1, 2, 3)
        return self.f(first, *mid, last, **{"c": 2, **dict(d=3)}, e=4)


class StarIn(nn.Module):
    def forward(self, x, *rest):
        return x + 1


class KwIn(nn.Module):
    def forward(self, x, **kw):
        return x + 1


class KwOnly(nn.Module):
    def forward(self, x, *, scale=2.0, bias: float = 1):
        return x * scale + bias


class Strings(nn.Module):
    def __init__(self):
        super().__init__()
        w, name = 8, "abc"
        pads = {f"{name:>6}|{w:05.1f}|{w!r}|{name.title()}": 1}
        for i in range(2):
            setattr(self, "_".join(["block", str(i)]), nn.Linear(w, w))
        self.key = next(iter(pads))
        self.table = str.maketrans("ab", "xy")

    def forward(self, x):
        parts = [p.strip() for p in " a, b ,c ".split(",")]
        s = (
            "%s-%03d-%.2f" % ("q", 7, 3.14159)
            + "{0}{1!r:>5}{name}".format(1, "z", name="n")
            + "abc".translate(self.table)
            + ",".join(parts).upper()
        )
        s += (
            textwrap.dedent("  hi")
            + "x".zfill(3)
            + "a-b".replace("-", "_")
            + "AbC".swapcase()
            + "abc"[::-1]
            + "ab".center(6, "*")
            + "a.b.c".rpartition(".")[0]
            + repr("it's")
            + "tab\there"
            + r"\d"
            + "é"
        )
        return (
            x
            + len(s)
            + s.count("a")
            + s.find("q")
            + ord(s[0])
            + int("0x1f", 16)
            + int("1_000")
            + float("1e-3")
            + (s.startswith(("q", "r")))
            + len(json.dumps({"a": [1, 2.5, None, True]}))
        )


class Tries(nn.Module):
    def forward(self, x):
        try:
            [][1]
        except (IndexError, KeyError) as e:
            x = x + len(str(e))
        else:
            x = x * 100
        finally:
            x = x + 1
        try:
            int("q")
        except ValueError as e:
            x = x + len(e.args[0])
        try:
            raise RuntimeError("m") from None
        except Exception as e:
            x = x + (type(e).__name__ == "RuntimeError")
        try:
            {}["k"]
        except KeyError as e:
            x = x + len(repr(e))
        try:
            None.foo
        except AttributeError as e:
            x = x + len(str(e))
        try:
            1 / 0
        except ZeroDivisionError as e:
            x = x + len(str(e))
        try:
            undefined_name
        except NameError as e:
            x = x + len(str(e))
        try:
            assert 1 == 2, "nope"
        except AssertionError as e:
            x = x + len(str(e))
        return x


class Nums(nn.Module):
    def forward(self, x):
        a = [
            round(2.5),
            round(3.567, 2),
            round(1234, -2),
            round(1250.0, -2),
            divmod(-7, 3),
            -7 // 2,
            -7 % 3,
            7 & 3 | 8 ^ 1,
            ~5,
            1 << 4,
            2**10,
            2**-1,
            10**20 % 7,
            abs(-3),
            math.ceil(2.1),
            math.floor(-2.1),
            math.gcd(12, 18),
            math.prod([1, 2, 3]),
            math.isclose(0.1 + 0.2, 0.3),
            math.comb(5, 2),
            math.log2(8),
            math.log(8, 2),
            math.hypot(3, 4),
            math.inf > 1,
            int(3.9),
            int(-3.9),
            float("inf") > 2,
            bool([]),
            sum([0.1] * 3),
            max(1, 2.5),
            min([3, 1]),
            pow(3, 4, 5),
            bin(5),
            hex(255),
            complex(1, 2).real,
            0b11 + 0o7 + 0xF,
            1e3,
            3 // 2.0,
            7.5 % 2,
            math.trunc(-2.5),
            math.lcm(4, 6),
            math.isqrt(17),
            (5).bit_length(),
            (0.5).is_integer(),
            math.fsum([0.1] * 10),
            math.degrees(math.pi),
            math.copysign(1, -0.0),
            math.erf(0.5),
            math.fmod(-7, 3),
            math.modf(2.5)[0],
            math.frexp(8)[1],
            math.nan != math.nan,
            sys.maxsize,
            sys.float_info.epsilon,
            len(sys.implementation.name),
        ]
        return (
            x + sum(float(v) for v in a if isinstance(v, (int, float)) and not isinstance(v, bool) and v < 1e9),
            len(str(a)),
            str(a),
        )


TRACE = {
    k: {}
    for k in [
        "Wide",
        "Wide(8, depth=3)",
        "Scripted",
        "JitUser",
        "Nonlocal",
        "UsesCounter",
        "Gen",
        "Walrus",
        "Star",
        "StarIn",
        "KwIn",
        "KwOnly",
        "Strings",
        "Tries",
        "Nums",
    ]
}
TRACE["Walrus()"] = {"concrete": {"k": 5}}
