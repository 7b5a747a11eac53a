"""Built-in types: what they make, slices, identity, enums and named tuples."""

import collections
import dataclasses
import enum
import functools
import math
import operator
import string
import types
import typing
from enum import Enum, EnumMeta, Flag, IntEnum, IntFlag

import torch
from torch import nn


def _raised(function):
    try:
        return repr(function())
    except Exception as error:
        return type(error).__name__


def _set(target, key, value):
    operator.setitem(target, key, value)
    return target


def _del(target, key):
    operator.delitem(target, key)
    return target


class _Mode(Enum):
    A = "a"
    B = "b"


_Shape = typing.Tuple[int, ...]
_Maybe = typing.Optional[torch.Tensor]
_Pairs = dict[str, list[torch.Tensor]]


def annotated_by_aliases(x: _Shape, y: _Maybe = None, z: _Pairs = None, u: "list[int]" = None):
    return x


def generic_bases(x):
    class Items(typing.List[int]):
        pass

    class Table(dict[str, int]):
        def total(self):
            return sum(self.values())

    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self, value):
            self.value = value

    return x, repr((Items([1, 2]), isinstance(Items(), list), Table(a=1, b=2).total(), Box[int](3).value, Box.__mro__[0] is Box))


def int_new(x):
    class Even(int):
        def __new__(cls, value):
            return super().__new__(cls, value * 2)

        @property
        def half(self):
            return self // 2

    made = Even(3)
    return x, repr((made + 1, made, made.half, type(made).__name__, type(made + 1).__name__, made == 6, hash(made) == 6,))


def int_new_with_more(x):
    class Named(int):
        def __new__(cls, value, name):
            self = int.__new__(cls, value)
            self.name = name
            return self

    made = Named(3, name="three")
    return x, repr((made * 2, made.name, [1, 2, 3, 4][made], isinstance(made, int),))


def str_new(x):
    class Upper(str):
        def __new__(cls, text, mark="!"):
            made = super().__new__(cls, text.upper() + mark)
            made.mark = mark
            return made

    made = Upper("abc", mark="?")
    return x, repr((made, made.mark, made.lower(), made + "d", f"{made:>6}", len(made), {made: 1}["ABC?"], made == "ABC?",))


def tuple_new(x):
    class Pair(tuple):
        def __new__(cls, a, b):
            return super().__new__(cls, (a, b))

        @property
        def first(self):
            return self[0]

    made = Pair(1, 2)
    a, b = made
    return x, repr((made, a + b, made.first, len(made), made + (3,), made == (1, 2), [*made],))


def float_new(x):
    class Half(float):
        def __new__(cls, value):
            return float.__new__(cls, value / 2)

    made = Half(3)
    return x, repr((made, made + 1, round(made), int(made), type(made * 1).__name__,))


def namedtuple_new(x):
    class Point(collections.namedtuple("Point", "a b")):
        __slots__ = ()

        def __new__(cls, a, b=None):
            return super().__new__(cls, a, a if b is None else b)

        def total(self):
            return self.a + self.b

    made = Point(3)
    return x, repr((made, made.total(), made._replace(b=5), made._asdict(), Point._fields, Point._make([1, 2]), made == (3, 3),))


def namedtuple_kinds(x):
    Point = collections.namedtuple("Point", ["a", "b"], defaults=[7])
    made = Point(1)
    wrong = [_raised(lambda: Point()), _raised(lambda: Point(1, 2, 3)), _raised(lambda: Point(c=1)), _raised(lambda: setattr(made, "a", 2))]
    return x, repr((made, made._fields, Point._field_defaults, made.index(7), made[-1], wrong, Point(1, a=2) if False else None,))


def namedtuple_doubled_argument(x):
    Point = collections.namedtuple("Point", ["a", "b"])
    return x, repr((_raised(lambda: Point(1, a=2)), _raised(lambda: Point(1, 2, b=3)),))


def typed_namedtuple(x):
    class Point(typing.NamedTuple):
        a: int
        b: int = 4

        def sum(self):
            return self.a + self.b

    return x, repr((Point(1), Point(b=1, a=2).sum(), Point.__annotations__ == {"a": int, "b": int}, Point(1) < Point(2), isinstance(Point(1), tuple),))


def dict_subclass(x):
    class Attr(dict):
        def __getattr__(self, name):
            return self[name]

        def __setattr__(self, name, value):
            self[name] = value

        def __missing__(self, key):
            return "missing " + key

    made = Attr(a=1)
    made.b = 2
    return x, repr((made, made.a, made["z"], made.get("z"), "z" in made, dict(made), {**made}, type(made.copy()).__name__,))


def list_subclass(x):
    class Stack(list):
        def __init__(self, *items):
            super().__init__(items)

        def push(self, item):
            self.append(item)
            return self

    made = Stack(1, 2).push(3)
    return x, repr((made, made[1:], type(made[1:]).__name__, made + [4], type(made + [4]).__name__, made == [1, 2, 3], len(made),))


def set_subclass(x):
    class Bag(set):
        def add(self, item):
            super().add(item * 2)

    made = Bag([1])
    made.add(3)
    return x, repr((sorted(made), isinstance(made, set), sorted(made | {9}), 6 in made,))


def object_new(x):
    log = []

    class One:
        made = None

        def __new__(cls, *args):
            if cls.made is None:
                cls.made = super().__new__(cls)
            return cls.made

        def __init__(self, value=0):
            log.append(value)

    first, second = One(1), One(2)
    return x, repr((first is second, log,))


def new_of_another_class(x):
    class Other:
        pass

    class Made:
        def __new__(cls):
            return Other()

        def __init__(self):
            raise ValueError

    return x, repr((type(Made()).__name__,))


def list_extended_slices(x):
    items = list(range(6))
    made = [
        _set(list(items), slice(None, None, 2), "abc"),
        _set(list(items), slice(1, 3), []),
        _set(list(items), slice(None, None, -1), range(6)),
        _set(list(items), slice(4, 1, -2), [8, 9]),
        _set(list(items), slice(2, 2), [7, 7]),
        _set(list(items), slice(10, 20), [7]),
        _set(list(items), slice(4, 2), [7]),
        _set(list(items), slice(-2, None), (1,)),
    ]
    wrong = [
        _raised(lambda: _set(list(items), slice(None, None, 2), [1])),
        _raised(lambda: _set(list(items), slice(None, None, 0), [1])),
        _raised(lambda: _set(list(items), slice(None, None, -1), [1])),
        _raised(lambda: _set(list(items), slice(0, 2), 3)),
        _raised(lambda: _set(list(items), slice("a", 2), [3])),
    ]
    return x, repr((made, wrong,))


def list_slices_by_statement(x):
    a = list(range(8))
    a[::2] = [10, 11, 12, 13]
    b = list(range(8))
    del b[::2]
    c = list(range(8))
    del c[::-3]
    d = list(range(8))
    d[::-1] = range(8)
    e = list(range(8))
    e[2:6] = "xy"
    f = list(range(8))
    del f[5:2:-1], f[0]
    g = list(range(4))
    g[1:3] += [9]
    h = list(range(4))
    h[:] = reversed(h)
    return x, repr((a, b, c, d, e, f, g, h,))


def list_deleted_slices(x):
    items = list(range(6))
    made = [_del(list(items), slice(1, None, 3)), _del(list(items), slice(None)), _del(list(items), slice(-1, -4, -2)), _del(list(items), slice(4, 2))]
    return x, repr((made, _raised(lambda: _del(list(items), 6)), _raised(lambda: _del(list(items), "a")), _raised(lambda: _del((1, 2), 0)),))


def sequences_sliced(x):
    made = []
    for each in ([1, 2, 3, 4], (1, 2, 3, 4), "abcd", range(4)):
        made.append([each[::-1], each[-3:], each[1:-1], each[::2], each[5:], each[3:0:-2], each[-10:10]])
    return x, repr((made,))


def range_kinds(x):
    r = range(2, 20, 3)
    made = [len(r), r[2], r[-1], r[1:3], r[::-1], 5 in r, 6 in r, r.index(8), r.count(8), r == range(2, 18, 3), hash(r) == hash(range(2, 20, 3))]
    wrong = [_raised(lambda: range(1.5)), _raised(lambda: range(1, 2, 0)), _raised(lambda: r.index(3)), _raised(lambda: range()), _raised(lambda: r[9])]
    return x, repr((made, wrong, list(range(True)), bool(range(0)), repr(r), range(0) == range(2, 2), range(3).start, "2" in r, 5.0 in r,))


def slice_kinds(x):
    s = slice(1, None, 2)
    return x, repr((s, s.start, s.stop, s.indices(6), slice(3), slice(-1, None).indices(4), s == slice(1, None, 2), _raised(lambda: slice()),))


def identity_of_constants(x, mode="normal"):
    a, b = "normal", "normal"
    return x, repr((mode is "normal", a is b, None is None, True is True, () is (), 1 is 1, mode is not "xavier", (1, 2) is (1, 2),))


def identity_by_calls(x):
    def pick(mode="normal", act="relu"):
        return [mode is "normal", act is "gelu", mode == "normal"]

    return x, repr((pick(), pick("normal"), pick(mode="xavier", act="gelu"),))


def identity_of_made(x):
    a = [1]
    b = a
    c = list(a)
    t = (1, 2)
    return x, repr((a is b, a is c, t is tuple(t), [] is [], {} is not {}, a[:] is a, float("nan") is float("nan"), type(1) is int,))


def identity_of_numbers(x):
    a = 5
    b = 2 + 3
    return x, repr((a is b, True is 1, 1.0 is 1, a is True, None is False, 0 is False,))


def identity_of_functions(x):
    class Made:
        def method(self):
            return 1

        @staticmethod
        def static():
            return 1

    made = Made()
    return x, repr((Made.method is Made.method, made.method is made.method, made.method == made.method, made.static is Made.static, len is len,))


def nan_in_containers(x):
    nan = float("nan")
    return x, repr((nan in [nan], [nan] == [nan], (nan,) == (nan,), nan == nan, {nan: 1}[nan], [nan].index(nan), [nan].count(nan), float("nan") in [nan], len({nan, nan}), {"a": nan} == {"a": nan}, max([nan, 1.0]), min(1.0, nan),))


def enum_meta(x):
    made = [isinstance(_Mode, EnumMeta), isinstance(_Mode, type), isinstance(_Mode.A, EnumMeta), isinstance(int, EnumMeta), type(_Mode) is EnumMeta]
    return x, repr((made, isinstance(_Mode.A, Enum), issubclass(_Mode, Enum), isinstance(_Mode, enum.EnumType), type(_Mode).__name__, type(_Mode.A) is _Mode,))


def enum_kinds(x):
    class Number(IntEnum):
        ONE = 1
        TWO = 2
        UNO = 1

    made = [Number.ONE + 1, Number(2), Number["TWO"], Number.UNO is Number.ONE, list(Number), len(Number), Number.TWO > 1, 2 in Number._value2member_map_, Number.UNO.name]
    wrong = [_raised(lambda: Number(3)), _raised(lambda: Number["X"]), _raised(lambda: Number.X), _raised(lambda: setattr(Number, "ONE", 4))]
    return x, repr((made, wrong, [str(Number.ONE), repr(Number.ONE), f"{Number.ONE}"], list(Number.__members__), [1, 2, 3][Number.ONE], {1: "a"}[Number.ONE],))


def enum_by_value(x):
    made = [_Mode("a"), _Mode["A"], _Mode.A.value, _Mode.A.name, str(_Mode.A), repr(_Mode.A), _Mode.A == "a", _Mode.A in _Mode, _Mode.A is _Mode("a")]
    return x, repr((made, hash(_Mode.A) == hash(_Mode.A), {_Mode.A: 1}[_Mode("a")], _raised(lambda: _Mode("z")), _raised(lambda: _Mode.A < _Mode.B), [each.value for each in _Mode], _raised(lambda: "a" in _Mode),))


def enum_str(x):
    class Kind(str, Enum):
        RELU = "relu"
        GELU = "gelu"

    class Plain(enum.StrEnum):
        ONE = enum.auto()

    return x, repr((Kind.RELU == "relu", Kind("gelu").upper(), f"{Kind.RELU}", str(Kind.RELU), Plain.ONE, str(Plain.ONE), Kind.RELU in ("relu",), {"relu": 1}[Kind.RELU], Kind.RELU + "x", isinstance(Kind.RELU, str),))


def enum_flags(x):
    class Perm(Flag):
        R = enum.auto()
        W = enum.auto()
        X = enum.auto()

    class Bits(IntFlag):
        A = 1
        B = 2

    made = [Perm.R | Perm.W, Perm.R & Perm.W, ~Perm.R, Perm.R in (Perm.R | Perm.W), bool(Perm.R & Perm.W), list(Perm.R | Perm.X), (Perm.R | Perm.W).value]
    return x, repr((made, Bits.A | Bits.B, Bits.A + 1, Bits(3) == 3, Bits.A | 4, Perm(3), Perm(0),))


def enum_with_methods(x):
    class Shape(Enum):
        SQUARE = (2, 3)
        ROUND = (1, 1)

        def __init__(self, a, b):
            self.a, self.b = a, b

        @property
        def area(self):
            return self.a * self.b

        @classmethod
        def default(cls):
            return cls.ROUND

        @classmethod
        def _missing_(cls, value):
            return cls.SQUARE

    return x, repr((Shape.SQUARE.area, Shape.default(), Shape("?"), Shape((1, 1)), Shape.SQUARE.value, [each.a for each in Shape],))


def enum_new(x):
    class Level(Enum):
        def __new__(cls, value, label):
            obj = object.__new__(cls)
            obj._value_ = value
            obj.label = label
            return obj

        LOW = (1, "low")
        HIGH = (2, "high")

    return x, repr((Level.LOW.label, Level(2), Level.HIGH.value, [each.label for each in Level],))


def enum_functional(x):
    Animal = Enum("Animal", "CAT DOG")
    Other = IntEnum("Other", {"A": 5, "B": 6})
    return x, repr((list(Animal), Animal.DOG.value, Other.A + 1, [each.name for each in Other], Animal(1),))


def enum_cannot_be_extended(x):
    def extend():
        class More(_Mode):
            C = "c"

    def unique():
        @enum.unique
        class Twice(Enum):
            A = 1
            B = 1

    return x, repr((_raised(extend), _raised(unique),))


def enum_members_are_not_attributes(x):
    return x, repr((hasattr(_Mode, "A"), hasattr(_Mode, "Z"), hasattr(_Mode.A, "value"), _raised(lambda: _Mode.A.B) in ("<_Mode.B: 'b'>",), callable(_Mode),))


def list_methods(x):
    a = [3, 1, 2]
    made = [a.index(1), a.count(3), a.pop(), a.insert(-1, 9), a.copy(), a.reverse(), list(a), a.sort(), a.remove(9), a]
    wrong = [_raised(lambda: a.pop(5)), _raised(lambda: a.remove(77)), _raised(lambda: a.index(77)), _raised(lambda: a.append()), _raised(lambda: a.append(1, 2))]
    wrong += [_raised(lambda: [].pop()), _raised(lambda: a["x"]), _raised(lambda: a[1.0]), _raised(lambda: a.index(3, 1)), _raised(lambda: a.missing)]
    return x, repr((made, wrong, [1, 2, 1].index(1, 1), [1, 2, 3].index(3, -1), [1] * -1, 2 * [1, 2], [1, 2] < [1, 3], [1] == (1,),))


def list_arithmetic(x):
    a = b = [1]
    a += [2]
    a *= 2
    c = a
    c = c + [5]
    wrong = [_raised(lambda: [1] + (2,)), _raised(lambda: [1] * 1.5), _raised(lambda: [1] - [1]), _raised(lambda: [1] * [2]), _raised(lambda: "a" + 1), _raised(lambda: 1 + "a"), _raised(lambda: [] + None)]
    return x, repr((a, b, a is b, c, wrong,))


def list_of_shared_rows(x):
    rows = [[0] * 2] * 2
    rows[0][0] = 1
    return x, repr((rows, rows[0] is rows[1],))


def tuple_methods(x):
    t = (1, 2, 1)
    wrong = [_raised(lambda: _set(t, 0, 1)), _raised(lambda: t.index(9)), _raised(lambda: t + [1]), _raised(lambda: t[3]), _raised(lambda: hash(([],)))]
    u = t
    u += (3,)
    return x, repr((t.count(1), t.index(1, 1), t * 2, t == (1, 2, 1), t < (1, 3), hash(t) == hash((1, 2, 1)), t, u, wrong, (1,) == (1.0,),))


def tuple_augmented_item(x):
    t = ([1], 2)

    def run():
        t[0] += [2]

    return x, repr((_raised(run), t,))


def dict_methods(x):
    d = {"a": 1, "b": 2}
    made = [d.get("z"), d.get("z", 3), d.pop("a"), d.pop("a", None), d.setdefault("c", 5), d.setdefault("b", 9), list(d.items()), d.popitem(), len(d)]
    wrong = [_raised(lambda: d.pop("zz")), _raised(lambda: {}.popitem()), _raised(lambda: d["q"]), _raised(lambda: {[]: 1}), _raised(lambda: d.get([])), _raised(lambda: _del(d, "q"))]
    return x, repr((made, wrong, {1: "a"} | {1: "b", 2: "c"}, dict.fromkeys("ab", 0), {1: 1} == {1.0: True}, {True: "a"}[1], {"a": 1} == {"a": 1, "b": 2},))


def dict_keeps_first_key(x):
    d = {1: "a"}
    d[True] = "b"
    d[1.0] = "c"
    s = {1, True, 1.0}
    return x, repr((d, s, {True: 1, 1: 2}, list(d)[0] is 1,))


def dict_views(x):
    d = {"a": 1, "b": 2}
    keys, values, items = d.keys(), d.values(), d.items()
    d["c"] = 3
    made = [list(keys), list(values), list(items), "c" in keys, ("a", 1) in items, ("a", 2) in items, 3 in values, len(items)]
    return x, repr((made, keys & {"a", "z"}, keys == {"a", "b", "c"}, repr(keys), keys - {"a", "b"}, values == d.values(), items == d.items(), _raised(lambda: keys[0]),))


def dict_order(x):
    d = {"a": 1, "b": 2, "c": 3}
    del d["a"]
    d["a"] = 4
    d["b"] = 5
    o = collections.OrderedDict(d)
    o.move_to_end("c")
    made = [list(o), o.popitem(last=False), list(o), o == {"a": 4, "c": 3}, o == collections.OrderedDict([("c", 3), ("a", 4)]), list(reversed(d))]
    return x, repr((d, made, str(o),))


def ordered_dict_equality(x):
    a = collections.OrderedDict([("a", 1), ("b", 2)])
    b = collections.OrderedDict([("b", 2), ("a", 1)])
    return x, repr((a == b, a == dict(b), a != b, dict(a) == dict(b), repr(a), repr(collections.OrderedDict()),))


def defaultdict_kinds(x):
    d = collections.defaultdict(list)
    d["a"].append(1)
    made = [d.get("z"), "z" in d, d["y"], dict(d), len(d), d.default_factory is list, repr(d) == "defaultdict(<class 'list'>, {'a': [1], 'y': []})"]
    e = collections.defaultdict(lambda: 5, {"k": 1})
    return x, repr((made, e["k"], e["m"], _raised(lambda: collections.defaultdict(3)), _raised(lambda: collections.defaultdict()["x"]), d == {"a": [1], "y": []},))


def set_methods(x):
    s = {1, 2, 3}
    made = [s & {2, 9}, s | {4}, s - {1}, s ^ {3, 4}, s <= {1, 2, 3, 4}, s > {1}, s.isdisjoint({7}), s.union([5], [6]), s.intersection([1, 2], [2]), s.issubset(range(9))]
    wrong = [_raised(lambda: s.remove(9)), _raised(lambda: s | [1]), _raised(lambda: {[]}), _raised(lambda: set().pop()), _raised(lambda: s + s), _raised(lambda: hash(s)), _raised(lambda: s[0])]
    s.discard(9)
    s.symmetric_difference_update({1, 7})
    s |= {8}
    t = frozenset([1, 2])
    return x, repr((made, wrong, sorted(s), t == {1, 2}, hash(t) == hash(frozenset([2, 1])), {t: 1}[frozenset([2, 1])], type(t | {3}).__name__, type({3} | t).__name__, _raised(lambda: t.add(1)),))


def set_equality(x):
    return x, repr(({1, 2} == [1, 2], {1} == frozenset([1]), set() == {}, {1} != {1.0}, {(1, 2)} == {(1.0, 2)}, {1} < {1}, {1} < {2}, {1} >= set(),))


def set_order_of_numbers(x):
    s = {3, 1, 2}
    t = {100, 33, 7, 64, 8, -1}
    u = set(range(20, 0, -3))
    u.discard(5)
    u.add(40)
    v = {2.5, 1, 0.5, True}
    made = [list(s), list(t), list(u), list(v), s.pop(), list(s | t), list(t & {8, 100, 7}), list(t - {7}), [each for each in {(2, 1), (1, 2)}]]
    return x, repr((made, t, frozenset([9, 1, 17]), max({1, 5}, key=lambda each: 0), *s, dict.fromkeys({30, 20, 10})))


def set_order_after_growth(x):
    s = set()
    for each in range(0, 400, 17):
        s.add(each * 31 % 257)
    for each in range(0, 200, 3):
        s.discard(each)
    t = set(s)
    t.update([900, 3, 77])
    return x, repr((list(s), list(t), sorted(s) == sorted(set(s)), list(s.copy()), list(s ^ t)))


def str_methods(x):
    s = "Hello, World"
    made = [s.find("o", 5), s.rfind("o"), s.replace("o", "0", 1), s.split(", "), s.partition(","), s.rpartition("z"), s.upper(), s.swapcase(), s.title(), s.center(20, "*"), s.zfill(15), s.startswith(("x", "H")), s.endswith("d", 0, -1)]
    made += ["a,b,,c".split(","), " a  b ".split(), "a b c".split(None, 1), "a b c".rsplit(" ", 1), "x\ny\r\nz".splitlines(), "xxabxx".strip("x"), "abc".removeprefix("a"), "ab".ljust(4) + "|", "1.5".isdigit(), "abc".isalpha(), "a1".isalnum(), "".isdigit()]
    wrong = [_raised(lambda: s.index("z")), _raised(lambda: "a".split("")), _raised(lambda: s[99]), _raised(lambda: s + 1), _raised(lambda: "a" * "b"), _raised(lambda: _set(s, 0, "x")), _raised(lambda: s.find()), _raised(lambda: "a".join("b", "c"))]
    return x, repr((made, wrong, "abc" < "abd", "a" in "abc", "" in "a", s[-1], s[::-1], "é"[0], len("é"), "ab" * 2, "%s-%d-%5.2f" % ("a", 3, 2.5), "a" "b", "%r" % ("q",),))


def str_formats(x):
    made = [f"{3:04d}", f"{3.14159:.2f}", f"{1000000:,}", f"{0.25:.1%}", f"{'a':>5}", f"{'a':^5}|", f"{255:x}", f"{255:#b}", f"{1e10}", f"{1e16}", f"{0.1 + 0.2}", f"{1 / 3}", f"{True}", f"{None}", f"{3!r:>4}", f"{'a'!r}", f"{[1, 'a']}", f"{1e-5}", f"{123456789.0}", f"{-0.0}", f"{float('inf')}", f"{5:+d}", f"{5:e}", f"{1.0:g}", f"{x.__class__.__name__ if False else 2}", f"{2=}"]
    made += ["{} {}".format(1, "b"), "{1}{0}".format("a", "b"), "{a[0]}{b.real}".format(a=[1], b=2), "{:>{w}}".format("a", w=3), "{{}}".format()]
    wrong = [_raised(lambda: "{}".format()), _raised(lambda: f"{'a':d}"), _raised(lambda: "{a}".format()), _raised(lambda: "%d" % "a"), _raised(lambda: "%d" % ()), _raised(lambda: "a" % 1)]
    return x, repr((made, wrong,))


def number_arithmetic(x):
    made = [7 // 2, -7 // 2, 7 % -3, -7 % 3, 2**10, 2**-1, 7 / 2, 1e3 // 7, 5.5 % 2, divmod(-7, 2), abs(-3), round(2.5), round(3.5), round(2.675, 2), round(-2.5), round(1234, -2), pow(3, 4, 5), int(-3.7), int("0x1f", 16), float("1e3"), bool("False"), True + True, 3 & 5, 3 | 4, 3 ^ 1, ~3, 1 << 4, -9 >> 1, 2**70, 10**20 // 3, -(2**63)]
    wrong = [_raised(lambda: 1 / 0), _raised(lambda: 1 % 0), _raised(lambda: 1.0 // 0), _raised(lambda: int("a")), _raised(lambda: int(None)), _raised(lambda: float("x")), _raised(lambda: int("1.5")), _raised(lambda: 0**-1), _raised(lambda: 1 + None), _raised(lambda: [] < 1), _raised(lambda: int(float("nan")))]
    return x, repr((made, wrong,))


def number_kinds(x):
    made = [type(1 + 1.0).__name__, type(True + 1).__name__, type(4 / 2).__name__, type(2**2).__name__, type(2**-2).__name__, type(round(2.0)).__name__, type(round(2.0, 1)).__name__, type(7 // 2.0).__name__, type(True & False).__name__, type(True | 2).__name__, type(abs(True)).__name__, type(-True).__name__, type(+True).__name__, type(~True).__name__, type(int(True)).__name__, type(max(True, 0)).__name__, type(sum([True])).__name__]
    return x, repr((made, (1.5).is_integer(), (2.0).is_integer(), (5).bit_length(), (3).real, 1 == 1.0 == True, hash(1) == hash(1.0), 0.1 + 0.2 == 0.3, math.isclose(0.1 + 0.2, 0.3), 1e400, -1e400,))


def number_comparisons(x):
    return x, repr((1 < 2 < 3, 1 < 3 > 2, 1 == 1 is True, (1 < 2) == True, 3 > 2 > 1 > 0, not 1 == 2, 1 if 0 else 2, 2**53 == 2.0**53, 2**53 + 1 == 2.0**53, 10**30 > 1e29, -1 < True, None == 0, "" == 0, [] == False,))


def isinstance_kinds(x):
    values = [1, True, 1.0, "a", b"a", None, [], (), {}, set(), range(1), len, lambda: 0, int, _Mode, x if False else 1j, slice(1), (i for i in [])]
    kinds = [int, float, str, bytes, bool, list, tuple, dict, set, range, type, object, type(None), complex, slice, types.FunctionType, types.GeneratorType, (int, str)]
    return x, repr(([[int(isinstance(value, kind)) for kind in kinds] for value in values], _raised(lambda: isinstance(1, 1)), _raised(lambda: issubclass(1, int)), isinstance(1, int | str), issubclass(bool, int),))


def isinstance_abstract(x):
    abc = collections.abc
    values = [1, "a", [], (), {}, set(), range(1), len, (i for i in []), iter([]), map(str, []), {}.keys(), collections.OrderedDict(), frozenset()]
    kinds = [abc.Iterable, abc.Sequence, abc.Mapping, abc.Callable, abc.Hashable, abc.Sized, abc.Iterator, abc.Set, abc.MutableSequence, abc.Container, abc.Collection, abc.Generator]
    return x, repr(([[int(isinstance(value, kind)) for kind in kinds] for value in values],))


def isinstance_by_methods(x):
    class Made:
        def __iter__(self):
            return iter([1])

        def __len__(self):
            return 1

        def __call__(self):
            return 1

        def __contains__(self, item):
            return True

        __hash__ = None

    abc = collections.abc
    return x, repr(([isinstance(Made(), kind) for kind in (abc.Iterable, abc.Sized, abc.Callable, abc.Container, abc.Hashable, abc.Sequence, abc.Iterator)], callable(Made()),))


def type_of_values(x):
    values = [1, 1.5, "a", None, [], (), {}, {1}, frozenset(), range(1), slice(1), len, lambda: 0, int, zip(), map(str, []), filter(None, []), enumerate([]), reversed([]), iter([]), iter({}), iter("a"), iter(range(1)), (i for i in []), [].append, "".join, {}.keys(), NotImplemented, Ellipsis, 2**70, b"", 1j, property(), classmethod(len), staticmethod(len), object(), super, type]
    return x, repr(([type(each).__name__ for each in values],))


def repr_of_values(x):
    class Made:
        def __repr__(self):
            return "made"

    values = [1, -0.0, 1e22, 1.0, "a'b", 'a"b', "a\n\t\\", "é", "\x00", None, [1, "a"], (1,), (), {}, {1: "a"}, set(), {1}, frozenset([1]), range(3), slice(1, 2), Made(), [Made()], int, Ellipsis, NotImplemented, True, b"ab\x00", 1 + 2j, collections.Counter("aab"), collections.deque([1]), _Mode, types.SimpleNamespace(a=1), len]
    return x, repr(([repr(each) for each in values], [str(each) for each in values],))


def bool_of_values(x):
    class Empty:
        def __len__(self):
            return 0

    class False_:
        def __bool__(self):
            return False

        def __len__(self):
            return 3

    class Wrong:
        def __bool__(self):
            return 1

    values = [0, 0.0, "", "0", None, [], [0], (), {}, set(), range(0), range(1), Empty(), False_(), object(), len, nn.ModuleList(), nn.Sequential(), nn.ReLU(), 0j, b"", float("nan"), (i for i in [])]
    return x, repr(([bool(each) for each in values], _raised(lambda: bool(Wrong())), _raised(lambda: len(3)), _raised(lambda: len(Wrong())),))


def equality_by_methods(x):
    class Made:
        def __init__(self, value):
            self.value = value

        def __eq__(self, other):
            return self.value == getattr(other, "value", other)

    a, b = Made(1), Made(1)
    return x, repr((a == b, a != b, a == 1, 1 == a, a in [2, 1], [a].index(1), [1].index(a), _raised(lambda: hash(a)), _raised(lambda: {a: 1}), a is b, [1, a] == [a, 1], (a, 2) == (1, 2),))


def operators_by_methods(x):
    class Made:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            return ("add", other) if isinstance(other, int) else NotImplemented

        def __radd__(self, other):
            return ("radd", other)

        def __lt__(self, other):
            return ("lt", other)

        def __getitem__(self, key):
            return key

        def __len__(self):
            return 7

        def __neg__(self):
            return "neg"

        def __index__(self):
            return 2

        def __format__(self, spec):
            return "spec " + spec

        def __contains__(self, item):
            return "yes"

        def __matmul__(self, other):
            return "matmul"

    a = Made(1)
    return x, repr((a + 1, 1 + a, _raised(lambda: a + a), a < 3, 3 > a, a[1:2], a[1, ..., None], len(a), -a, [5, 6, 7][a], f"{a:>3}", 3 in a, a @ 2, _raised(lambda: a - 1), _raised(lambda: a > 3), _raised(lambda: a + "s"), range(a), "abc"[a], [0] * a if False else None, hex(a),))


def inplace_by_methods(x):
    class Made:
        def __init__(self):
            self.log = []

        def __iadd__(self, other):
            self.log.append(other)
            return self

        def __imul__(self, other):
            return "replaced"

    a = b = Made()
    a += 1
    a += 2
    made = a.log
    a *= 3
    return x, repr((made, a, b is a,))


def subclass_mirrored_first(x):
    class Base:
        def __add__(self, other):
            return "base"

        def __eq__(self, other):
            return "base"

    class Derived(Base):
        def __radd__(self, other):
            return "derived"

        def __eq__(self, other):
            return "derived"

    return x, repr((Base() + Derived(), Derived() + Base(), Base() == Derived(), Base() == Base(),))


def attributes_of_objects(x):
    class Made:
        kind = "class"

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return "dynamic " + name

        @property
        def fails(self):
            raise AttributeError("inside")

    a = Made()
    a.own = 1
    made = [a.own, a.other, a.kind, a.fails, hasattr(a, "_x"), getattr(a, "_x", 5), dict(vars(a)), dict(a.__dict__), Made.kind]
    del a.own
    return x, repr((made, a.own, _raised(lambda: a._y), _raised(lambda: delattr(a, "never")), _raised(lambda: Made.missing),))


def slots_and_descriptors(x):
    class Slotted:
        __slots__ = ("a",)

    class Checked:
        def __get__(self, obj, owner=None):
            return self if obj is None else obj.__dict__.get("v", "unset")

        def __set__(self, obj, value):
            obj.__dict__["v"] = value * 2

    class Made:
        v = Checked()

    s, m = Slotted(), Made()
    s.a = 1
    before = m.v
    m.v = 3
    return x, repr((s.a, _raised(lambda: setattr(s, "b", 1)), before, m.v, m.__dict__, isinstance(Made.v, Checked), _raised(lambda: s.__dict__),))


def properties(x):
    class Made:
        def __init__(self):
            self._v = 1

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, value):
            self._v = value + 1

        @v.deleter
        def v(self):
            self._v = "gone"

        @property
        def fixed(self):
            return 1

        @functools.cached_property
        def once(self):
            self._v += 1
            return self._v

        @classmethod
        def make(cls):
            return cls.__name__

        @staticmethod
        def free(a):
            return a

    m = Made()
    m.v = 5
    made = [m.v, m.once, m.once, m.make(), Made.make(), m.free(2), _raised(lambda: setattr(m, "fixed", 1))]
    del m.v
    return x, repr((made, m.v, "once" in m.__dict__,))


def private_names(x):
    class Base:
        def __init__(self):
            self.__v = 1

        def get(self):
            return self.__v

    class Derived(Base):
        def __init__(self):
            super().__init__()
            self.__v = 2

    d = Derived()
    return x, repr((d.get(), sorted(vars(d)), _raised(lambda: d.__v),))


def inheritance_order(x):
    class A:
        def run(self):
            return ["A"]

    class B(A):
        def run(self):
            return ["B", *super().run()]

    class C(A):
        def run(self):
            return ["C", *super().run()]

    class D(B, C):
        def run(self):
            return ["D", *super().run()]

    def conflict():
        class E(A, B):
            pass

    return x, repr((D().run(), [each.__name__ for each in D.__mro__], _raised(conflict), D.__bases__ == (B, C), B.run(D()),))


def metaclasses(x):
    class Meta(type):
        def __new__(mcs, name, bases, members, **kwargs):
            members["added"] = name.lower()
            return super().__new__(mcs, name, bases, members)

        def __call__(cls, *args):
            made = super().__call__(*args)
            made.made_by = "meta"
            return made

        def __len__(cls):
            return 3

        @property
        def title(cls):
            return cls.__name__.upper()

    class Made(metaclass=Meta):
        pass

    return x, repr((Made.added, Made().made_by, len(Made), Made.title, type(Made).__name__, isinstance(Made, Meta), isinstance(Made, type),))


def types_made_by_type(x):
    Made = type("Made", (dict,), {"k": 3, "f": lambda self: self.k})
    return x, repr((Made().f(), Made.__name__, Made(a=1), isinstance(Made(), dict), type("E", (), {})().__class__.__name__,))


def dataclass_kinds(x):
    @dataclasses.dataclass(order=True)
    class Point:
        a: int
        b: list = dataclasses.field(default_factory=list)
        c: int = dataclasses.field(default=3, repr=False, compare=False)

        def __post_init__(self):
            self.d = self.a * 2

    @dataclasses.dataclass(frozen=True)
    class Fixed:
        a: int = 1

    p = Point(1)
    made = [p, p == Point(1, c=9), p < Point(2), p.d, dataclasses.asdict(p), dataclasses.replace(p, a=5), [f.name for f in dataclasses.fields(Point)], dataclasses.is_dataclass(p)]
    return x, repr((made, _raised(lambda: setattr(Fixed(), "a", 2)), hash(Fixed(1)) == hash(Fixed(1)), _raised(lambda: Point()), _raised(lambda: hash(p)), Fixed() == (1,),))


def dataclass_mutable_default(x):
    def build():
        @dataclasses.dataclass
        class Wrong:
            a: list = []

    def order():
        @dataclasses.dataclass
        class Wrong:
            a: int = 1
            b: int

    return x, repr((_raised(build), _raised(order),))


def closures(x):
    def counter():
        n = 0

        def step():
            nonlocal n
            n += 1
            return n

        return step

    a, b = counter(), counter()
    return x, repr((a(), a(), b(),))


def local_before_assignment(x):
    value = 1

    def run():
        before = value
        value = 2
        return before

    def loop():
        for each in []:
            pass
        return each

    def comp():
        [inner for inner in [1]]
        return inner

    def deleted():
        a = 1
        del a
        return a

    def handled():
        try:
            raise ValueError
        except ValueError as error:
            pass
        return error

    return x, repr((_raised(run), _raised(loop), _raised(comp), _raised(deleted), _raised(handled),))


def argument_binding(x):
    def f(a, b=2, *c, d, e=5, **g):
        return a, b, c, d, e, g

    def pos(a, /, b):
        return a, b

    made = [f(1, d=4), f(1, 2, 3, 4, d=5, z=6), f(*[1, 2], **{"d": 3})]
    wrong = [_raised(lambda: f(1)), _raised(lambda: f()), _raised(lambda: f(1, 2, 3, a=2, d=3)), _raised(lambda: pos(1, 2, 3)), _raised(lambda: f(1, d=2, **{"d": 3})), _raised(lambda: pos(1, c=2)), _raised(lambda: len()), _raised(lambda: len([], [])), _raised(lambda: int(1, 2, 3)), _raised(lambda: sorted()), _raised(lambda: abs(1, 2)), _raised(lambda: isinstance(1)), _raised(lambda: "a".upper(1)), _raised(lambda: bool(1, 2)), _raised(lambda: dict(1, 2)), _raised(lambda: list(1, 2)), _raised(lambda: set([1], [2])), _raised(lambda: enumerate()), _raised(lambda: zip(1)), _raised(lambda: getattr(1)), _raised(lambda: {}.get()), _raised(lambda: [].sort(1)), _raised(lambda: [].extend(1)), _raised(lambda: {}.keys(1)), _raised(lambda: "".join()), _raised(lambda: round("a")), _raised(lambda: list(a=1)), _raised(lambda: len(obj=[])), _raised(lambda: print(1, bad=2))]
    return x, repr((made, wrong,))


def match_kinds(x):
    def run(value):
        match value:
            case 0 | 1:
                return "small"
            case [a, b, *rest]:
                return ("seq", a, b, rest)
            case {"k": v, **rest}:
                return ("map", v, rest)
            case str() as s if s:
                return ("str", s)
            case float(f):
                return ("float", f)
            case _Mode.A:
                return "mode"
            case None:
                return "none"
            case _:
                return "other"

    return x, repr(([run(each) for each in (0, True, [1, 2, 3], (1, 2), "ab", "", {"k": 1, "z": 2}, 1.5, _Mode.A, _Mode.B, None, {1}, {})],))


def functools_kinds(x):
    add = functools.partial(lambda a, b, c=0: (a, b, c), 1, c=5)
    log = []

    @functools.lru_cache(maxsize=1)
    def slow(a):
        log.append(a)
        return a

    made = [add(2), add(2, c=6), add.args, add.keywords, slow(1), slow(1), slow(2), slow(1)]
    return x, repr((made, log, functools.reduce(operator.mul, [1, 2, 3]), [sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))],))


def operator_kinds(x):
    made = [operator.itemgetter(1)("ab"), operator.itemgetter(0, 2)("abc"), operator.attrgetter("real")(3), operator.methodcaller("upper")("a"), operator.add([1], [2]), operator.contains([1], 1), operator.concat("a", "b"), operator.index(3), operator.truth([]), operator.not_(1), operator.countOf([1, 1], 1), operator.pos(3), operator.inv(3)]
    return x, repr((made,))


def string_kinds(x):
    return x, repr((string.ascii_lowercase[:3], string.digits, string.Template("$a b").substitute(a=1), ord("a"), chr(98), bin(5), hex(255), oct(8), ascii("é"), "a".encode() == b"a", b"ab".decode(), bytes([1, 2]),))


def math_kinds(x):
    made = [math.sqrt(16), math.ceil(1.2), math.floor(-1.2), math.prod([2, 3]), math.gcd(12, 18), math.log2(8), math.pi, math.inf, math.isnan(math.nan), math.fsum([0.1] * 10), math.comb(5, 2), math.factorial(5), math.trunc(-1.7), math.hypot(3, 4), math.log(8, 2), math.pow(2, 3), math.exp(0)]
    return x, repr((made, _raised(lambda: math.sqrt(-1)), _raised(lambda: math.log(0)), _raised(lambda: math.ceil("a")), type(math.floor(2.5)).__name__,))


def del_and_scopes(x):
    a = b = c = 1
    del a, (b, c)
    return x, repr((_raised(lambda: a), "a" in locals(), "x" in locals(),))


def chained_exceptions(x):
    def run():
        try:
            raise KeyError("a")
        except KeyError as error:
            raise ValueError("b") from error

    try:
        run()
    except ValueError as error:
        seen = [repr(error), repr(error.__cause__), error.args, str(error), isinstance(error, Exception)]
    return x, repr((seen, str(KeyError("k")), repr(KeyError("k")), str(Exception(1, 2)), str(Exception()), [each.__name__ for each in KeyError.__mro__],))


def exceptions_by_kind(x):
    def run(error):
        try:
            raise error
        except (KeyError, IndexError):
            return "lookup"
        except ArithmeticError as e:
            return "math " + str(e)
        except Exception:
            return "other"

    return x, repr(([run(each) for each in (KeyError(), IndexError, ZeroDivisionError("z"), ValueError())], _raised(lambda: run(3)), issubclass(RecursionError, RuntimeError), issubclass(UnicodeDecodeError, ValueError), issubclass(BlockingIOError, OSError), issubclass(StopAsyncIteration, Exception),))


def asserts(x):
    def run(flag):
        assert flag, ("bad", 1)

    try:
        run(0)
    except AssertionError as error:
        seen = error.args
    return x, repr((seen, run(1),))


def copies(x):
    import copy

    a = {"k": [1, (2, [3])]}
    b, c = copy.copy(a), copy.deepcopy(a)
    a["k"][1][1].append(4)
    return x, repr((b, c, b["k"] is a["k"], c["k"] is a["k"],))


def hashes(x):
    return x, repr((hash(1) == hash(True), hash("a") == hash("a"), hash((1, 2)), hash(2**61), hash(-1), hash(1.5), _raised(lambda: hash({})), hash(None) == hash(None), hash(frozenset()) == hash(frozenset()),))


def getattr_with_proxies(x):
    made = getattr(x, "shape")
    return made[0], getattr(x, "relu")(), hasattr(x, "anything"), isinstance(x, torch.Tensor), isinstance(x, torch.fx.Proxy), type(x).__name__, callable(x), x is x, x is None, x is not None
