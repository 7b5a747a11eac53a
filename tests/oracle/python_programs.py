# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs of the Python that Lancet promises, for python_fuzz.py."""

import random

ERRORS = ["ZeroDivisionError", "IndexError", "KeyError", "ValueError", "TypeError", "AttributeError", "OverflowError", "Exception",
          "LookupError", "ArithmeticError", "(TypeError, ValueError)", "StopIteration", "AssertionError", "RuntimeError"]
WORDS = ["", "a", "ab", "Abc", "x y", "Straße", "a,b,c", "  pad ", "12", "3.5", "tab\\there", "line\\nbreak", "it's", "\u00e9t\u00e9", "\U0001F600"]
SPECS = {
    "int": ["d", "5d", "05d", "<6d", "^7d", "+d", " d", "x", "#x", "o", "b", "#b", "X", ",", "_", "c", "e", ".2f", "n", "_x", "%", "*^9", "#010x", "=+8d", ""],
    "float": ["", ".2f", "8.3f", "+.1e", "g", ".3g", "%", ".0%", "10", "<10", "^10.2f", "010.2f", ",.2f", "_.3f", "#.3g", "G", "E", ".10", "n", "=+9.1f"],
    "str": ["", "s", "5", "<5", ">5", "^5", "*^7", ".2", "5.1", "0>4", "s"],
    "bool": ["", "d", "5", ">5"],
}
CONVERSIONS = ["", "", "", "!r", "!s", "!a"]


class Program:
    """Writes one program. Each variable has a kind, so that most operations make sense; a few do not, and raise."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {}  # names by kind
        self.count = 0
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def new(self, kind):
        self.count += 1
        name = f"v{self.count}"
        return name

    def bind(self, name, kind):
        self.names.setdefault(kind, []).append(name)

    def variable(self, kind):
        names = self.names.get(kind)
        return self.random.choice(names) if names else None

    # ── expressions ──
    def expression(self, kind, depth=3):
        if self.chance(1.5):
            kind = self.pick("int", "str", "float", "list", "dict", "set", "none", "strs", "tuple", "bool")  # the wrong one
        if depth <= 0 or self.chance(25):
            found = self.variable(kind)
            return found if found and self.chance(70) else getattr(self, "plain_" + kind)()
        return getattr(self, "make_" + kind)(depth - 1)

    def plain_int(self):
        return self.pick("0", "1", "2", "3", "-1", "7", "10", "-3", "255", "1000", "True", str(self.random.randint(-50, 50)),
                         *(["2**63", "-2**63", "10**20", "0xFFFFFFFFFFFFFFFF"] if self.chance(15) else []))
    def plain_float(self):
        return self.pick("0.0", "1.0", "-0.0", "2.5", "0.1", "1e10", "-3.75", "1e-7", "100.0", "1e16", "1/3", "float('inf')", "float('nan')", "123456.789")
    def plain_str(self): return "'" + self.pick(*WORDS).replace("'", "\\'") + "'"
    def plain_bool(self): return self.pick("True", "False")
    def plain_none(self): return "None"
    def plain_list(self): return self.pick("[]", "[1]", "[3, 1, 2]", "[0, 1, 2, 3, 4]", "[5, -1, 5]", "[True, 2]")
    def plain_strs(self): return self.pick("[]", "['a']", "['b', 'a', 'B']", "['x', 'yy', 'zzz']", "'a b c'.split()")
    def plain_tuple(self): return self.pick("()", "(1,)", "(1, 'a')", "(2, 1, 0)", "(1.5, None)", "((1, 2), 3)")
    def plain_dict(self): return self.pick("{}", "{'a': 1}", "{'b': 2, 'a': 1}", "dict(x=3, y=-1)", "{'k': 0, 'a': 5, 'z': 9}")
    def plain_set(self): return self.pick("set()", "{1}", "{3, 1, 2}", "{10, 20, 5, 1}", "{-1, 0, 8}", "frozenset([4, 2])", "{5, 13, 21, 29}")

    def make_int(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"({e('int', d)} {r('+', '-', '*', '//', '%', '&', '|', '^')} {e('int', d)})",
            lambda: f"({e('int', d)} {r('<<', '>>', '**')} {r('0', '1', '2', '3', '-1')})",
            lambda: f"{r('-', '~', '+', 'abs', 'int')}({e('int', d)})",
            lambda: f"len({e(r('list', 'strs', 'str', 'dict', 'set', 'tuple'), d)})",
            lambda: f"{r('sum', 'max', 'min')}({e('list', d)})",
            lambda: f"{r('max', 'min')}({e('list', d)}, default={e('int', d)})",
            lambda: f"{e('list', d)}[{e('int', d)}]",
            lambda: f"{e('dict', d)}[{e('str', d)}]",
            lambda: f"{e('dict', d)}.get({e('str', d)}, {e('int', d)})",
            lambda: f"{e('list', d)}.{r('count', 'index')}({e('int', d)})",
            lambda: f"{e('str', d)}.{r('find', 'count', 'rfind', 'index')}({e('str', d)})",
            lambda: f"int({e(r('float', 'str', 'bool'), d)})",
            lambda: f"round({e('float', d)})",
            lambda: f"({e('int', d)} if {e('bool', d)} else {e('int', d)})",
            lambda: f"({e('int', d)} {r('and', 'or')} {e('int', d)})",
            lambda: f"{r('divmod', 'pow')}({e('int', d)}, {e('int', d)})" + r("", "[0]"),
            lambda: f"int({e('str', d)}, {r('10', '16', '2', '0')})",
            lambda: f"ord({e('str', d)})", lambda: f"hash(int({e('int', d)}))",
            lambda: f"({self.fresh()} := {e('int', d)})",
            lambda: f"({e('int', d)}).{r('bit_length()', 'real', 'bit_count()', 'numerator')}",
            lambda: f"next(iter({e(r('list', 'tuple'), d)}), {e('int', d)})",
        )()

    def fresh(self):
        self.count += 1
        return f"w{self.count}"

    def make_float(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"({e('float', d)} {r('+', '-', '*', '/', '//', '%')} {e(r('float', 'int'), d)})",
            lambda: f"({e('int', d)} / {e('int', d)})", lambda: f"float({e(r('int', 'str'), d)})",
            lambda: f"{r('abs', '-')}({e('float', d)})", lambda: f"round({e('float', d)}, {r('0', '1', '2', '-1', '5')})",
            lambda: f"({e('float', d)} ** {r('2', '0.5', '-1', '0')})", lambda: f"sum({e('list', d)}, 0.5)",
            lambda: f"math.{r('floor', 'ceil', 'trunc', 'sqrt', 'fabs', 'exp', 'log')}({e('float', d)})",
            lambda: f"max({e('float', d)}, {e('int', d)})",
        )()

    def make_str(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"({e('str', d)} + {e('str', d)})", lambda: f"({e('str', d)} * {r('0', '1', '2', '3', '-1')})",
            lambda: f"{e('str', d)}.{r('upper', 'lower', 'title', 'strip', 'swapcase', 'capitalize', 'casefold', 'lstrip', 'rstrip')}()",
            lambda: f"{e('str', d)}.replace({e('str', d)}, {e('str', d)}{r('', ', 1')})",
            lambda: f"{e('str', d)}{self.slice(d)}", lambda: f"{e('str', d)}[{e('int', d)}]",
            lambda: f"{e('str', d)}.join({e('strs', d)})", lambda: f"{r('str', 'repr', 'ascii')}({e(self.any_kind(), d)})",
            lambda: self.fstring(d), lambda: self.fstring(d), lambda: self.percent(d),
            lambda: f"format({e('float', d)}, '{r(*SPECS['float'])}')",
            lambda: f"'{r('{}', '{0}-{1}', '{a}', '{0!r:>8}', '{:>{}}', '{0[0]}', '{{}}{}')}'.format({e(self.any_kind(), d)}, {e('int', d)}, a={e('int', d)})",
            lambda: f"{e('str', d)}.{r('center', 'ljust', 'rjust')}({r('3', '8')}{r('', ', 1 * chr(42)')})",
            lambda: f"{e('str', d)}.zfill({r('2', '6')})", lambda: f"chr({r('65', '233', '10', e('int', d))})",
            lambda: f"{r('hex', 'bin', 'oct')}({e('int', d)})", lambda: f"type({e(self.any_kind(), d)}).__name__",
            lambda: f"{e('str', d)}.{r('removeprefix', 'removesuffix')}({e('str', d)})",
            lambda: f"({e('str', d)} if {e('bool', d)} else {e('str', d)})",
            lambda: f"{e('str', d)}.expandtabs(4)", lambda: f"{e('str', d)}.translate({{97: 'X', 98: None}})",
        )()

    def percent(self, d):
        e, r = self.expression, self.pick
        return r(lambda: f"('%{r('d', '5d', '-5d', '05d', 'x', '+d', 's', 'i')}' % {e('int', d)})",
                 lambda: f"('%{r('.2f', 'g', 'e', '8.3f', 's', 'r')}' % {e('float', d)})",
                 lambda: f"('%s=%r' % ({e('str', d)}, {e('str', d)}))", lambda: f"('%(a)s' % {e('dict', d)})",
                 lambda: f"('%{r('5s', '-5s', '.1s', 'c', '%')}' % {e('str', d)})")()

    def fstring(self, d):
        parts = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.pick("int", "float", "str", "bool", "list", "tuple", "dict")
            value = self.expression(kind, d)
            if any(each in value for each in "'\\{}!:="):  # no quotes or backslashes in 3.11
                value = self.variable(kind) or "1"
            conversion = self.pick(*CONVERSIONS)
            spec = self.pick(*SPECS["str" if conversion else kind]) if kind in SPECS and self.chance(70) else ""
            if self.chance(5):
                spec = "{1 + 4}"
            equals = "=" if self.chance(8) else ""
            parts.append(self.pick("", "x", "{{", "}}", " ") + "{" + value + equals + conversion + (":" + spec if spec else "") + "}")
        return "f'" + "".join(parts) + "'"

    def make_bool(self, d):
        e, r = self.expression, self.pick
        kind = r("int", "float", "str", "list", "tuple", "set")
        return r(
            lambda: f"({e(kind, d)} {r('<', '<=', '>', '>=', '==', '!=')} {e(kind, d)})",
            lambda: f"({e('int', d)} {r('<', '<=', '>')} {e('int', d)} {r('<', '<=', '!=')} {e('float', d)})",
            lambda: f"(not {e(self.any_kind(), d)})", lambda: f"({e('bool', d)} {r('and', 'or')} {e('bool', d)})",
            lambda: f"({e('int', d)} {r('in', 'not in')} {e(r('list', 'set', 'tuple'), d)})",
            lambda: f"({e('str', d)} {r('in', 'not in')} {e(r('str', 'strs', 'dict'), d)})",
            lambda: f"{r('any', 'all')}({e(r('list', 'strs'), d)})", lambda: f"bool({e(self.any_kind(), d)})",
            lambda: f"isinstance({e(self.any_kind(), d)}, {r('int', 'str', '(int, float)', 'list', 'dict', 'bool', 'object')})",
            lambda: f"{e('str', d)}.{r('isdigit', 'isalpha', 'isupper', 'islower', 'isspace', 'isidentifier', 'isalnum', 'istitle')}()",
            lambda: f"{e('str', d)}.{r('startswith', 'endswith')}({e('str', d)})", lambda: f"({e('list', d)} is None)",
            lambda: f"{e('set', d)}.{r('issubset', 'issuperset', 'isdisjoint')}({e('set', d)})",
            lambda: f"math.{r('isnan', 'isinf', 'isfinite')}({e('float', d)})",
        )()

    def make_none(self, d): return "None"

    def slice(self, d):
        at = lambda: self.pick("", "", "1", "-1", "2", self.expression("int", 0))
        return f"[{at()}:{at()}{self.pick('', '', ':' + self.pick('', '2', '-1', '-2'))}]"

    def comprehension(self, value, d, condition=None):
        """`VALUE for NAME in ITERABLE if CONDITION` with an int as variable."""
        name = self.fresh()
        source = self.expression(self.pick("list", "set"), d) if self.chance(60) else f"range({self.random.randint(0, 6)})"
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.bind(name, "int")
        shown = value()
        test = f" if {self.expression('bool', d)}" if self.chance(40) else ""
        inner = f" for {self.fresh()} in range({self.pick('2', '3')})" if self.chance(15) else ""
        self.names = saved
        return f"{shown} for {name} in {source}{test}{inner}".replace(":=", "-")

    def make_list(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"[{', '.join(e('int', d) for _ in range(self.random.randint(0, 4)))}]", lambda: f"({e('list', d)} + {e('list', d)})",
            lambda: f"{e('list', d)}{self.slice(d)}", lambda: f"[{self.comprehension(lambda: e('int', d), d)}]",
            lambda: f"sorted({e(r('list', 'set', 'tuple'), d)}{r('', ', reverse=True', ', key=lambda q: -q', ', key=lambda q: (q % 3, q)', ', key=abs')})",
            lambda: f"list({r('range(5)', 'reversed(' + e('list', d) + ')', e('set', d), 'map(lambda q: q * 2, ' + e('list', d) + ')', 'filter(None, ' + e('list', d) + ')', e('dict', d) + '.values()')})",
            lambda: f"({e('list', d)} * {r('0', '1', '2', '-1')})", lambda: f"[*{e('list', d)}, *{e(r('list', 'tuple', 'set'), d)}]",
            lambda: f"list(range({self.random.randint(-5, 9)}, {self.random.randint(-5, 20)}, {r('1', '2', '-1', '3')}))", lambda: f"{e('list', d)}.copy()",
            lambda: f"list(itertools.{r('accumulate', 'chain')}({e('list', d)}))",
            lambda: f"[q for p in zip({e('list', d)}, {e('list', d)}) for q in p]",
        )()

    def make_strs(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"[{', '.join(e('str', d) for _ in range(self.random.randint(0, 3)))}]",
            lambda: f"{e('str', d)}.{r('split()', 'splitlines()', 'split(chr(44))', 'rsplit(None, 1)', 'splitlines(True)')}",
            lambda: f"sorted({e('strs', d)}{r('', ', key=len', ', reverse=True', ', key=str.lower', ', key=lambda q: (len(q), q)')})",
            lambda: f"list({e(r('str', 'dict'), d)})", lambda: f"[{self.comprehension(lambda: e('str', d), d)}]",
            lambda: f"list(map(str, {e('list', d)}))", lambda: f"{e('strs', d)}{self.slice(d)}",
            lambda: f"list({e('str', d)}.{r('partition', 'rpartition')}({e('str', d)}))",
        )()

    def make_tuple(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"({e(self.any_kind(), d)}, {e(self.any_kind(), d)})", lambda: f"({e('tuple', d)} + {e('tuple', d)})",
            lambda: f"tuple({e(r('list', 'str', 'set'), d)})", lambda: f"{e('tuple', d)}{self.slice(d)}", lambda: f"divmod({e('int', d)}, {e('int', d)})",
            lambda: f"(*{e('list', d)}, {e('int', d)})", lambda: f"tuple(zip({e('list', d)}, {e('strs', d)}))", lambda: f"tuple(enumerate({e('strs', d)}, {r('0', '1')}))",
            lambda: f"tuple({e('dict', d)}.items())",
        )()

    def make_dict(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"{{{', '.join(e('str', d) + ': ' + e('int', d) for _ in range(self.random.randint(0, 3)))}}}",
            lambda: f"({e('dict', d)} | {e('dict', d)})", lambda: f"{{**{e('dict', d)}, {e('str', d)}: {e('int', d)}}}",
            lambda: f"dict(zip({e('strs', d)}, {e('list', d)}))", lambda: f"{{{self.comprehension(lambda: e('str', d) + ': ' + e('int', d), d)}}}",
            lambda: f"dict.fromkeys({e('strs', d)}, {e('int', d)})", lambda: f"{e('dict', d)}.copy()",
            lambda: f"dict({e('dict', d)}, a={e('int', d)})", lambda: f"dict(sorted({e('dict', d)}.items(), key=lambda q: q[1]))",
            lambda: f"collections.Counter({e('str', d)})", lambda: f"collections.OrderedDict({e('dict', d)})",
        )()

    def make_set(self, d):
        e, r = self.expression, self.pick
        return r(
            lambda: f"{{{', '.join(e('int', d) for _ in range(self.random.randint(1, 5)))}}}", lambda: f"set({e(r('list', 'tuple'), d)})",
            lambda: f"({e('set', d)} {r('|', '&', '-', '^')} {e('set', d)})", lambda: f"{{{self.comprehension(lambda: e('int', d), d)}}}",
            lambda: f"{e('set', d)}.{r('union', 'intersection', 'difference', 'symmetric_difference')}({e('list', d)})",
            lambda: f"frozenset({e('list', d)})", lambda: f"{{{', '.join(str(self.random.randint(0, 99)) for _ in range(self.random.randint(3, 9)))}}}",
        )()

    def any_kind(self):
        return self.pick("int", "float", "str", "bool", "none", "list", "strs", "tuple", "dict", "set")
