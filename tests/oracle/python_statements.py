# SPDX-License-Identifier: GPL-3.0-or-later
"""The statements of the random programs of python_fuzz.py."""

from python_programs import ERRORS, Program


class Writer(Program):
    """Writes the statements of one program."""

    def text(self, statements=9):
        self.block(0, statements)
        for kind, names in self.names.items():
            for name in names[-2:]:
                self.show(0, name, kind)
        return "\n".join(self.lines)

    def line(self, level, text):
        self.lines.append("    " * level + text)

    def show(self, level, value, kind=None):
        self.line(level, f"show({value})")

    def block(self, level, most):
        """Statements; their names are known only inside if they are not at the top."""
        saved = {kind: list(names) for kind, names in self.names.items()}
        before = len(self.lines)
        for _ in range(self.random.randint(1, most)):
            self.statement(level)
        if len(self.lines) == before:
            self.line(level, "pass")
        if level > 0:
            self.names = saved

    def statement(self, level):
        deep = level >= 3
        choice = self.pick("assign", "assign", "assign", "show", "augment", "unpack", "change", "change", "delete",
                           *([] if deep else ["condition", "for", "while", "attempt", "attempt", "match", "function", "generator", "klass", "closure", "context"]))
        getattr(self, choice + "_statement")(level)

    def assign_statement(self, level):
        kind = self.any_kind()
        value = self.expression(kind)
        name = self.new(kind)
        if level == 0:  # so that the program goes on
            self.line(0, "try:")
            self.line(1, f"{name} = {value}")
            self.line(0, "except Exception as error:")
            self.line(1, f"show(type(error).__name__, str(error)); {name} = {getattr(self, 'plain_' + kind)()}")
        else:
            self.line(level, f"{name} = {value}")
        self.bind(name, kind)

    def show_statement(self, level):
        value = self.expression(self.any_kind())
        self.line(level, f"attempt(lambda: {value})" if level == 0 else f"show({value})")

    def augment_statement(self, level):
        kind, signs = self.pick(("int", "+ - * // % & | ^ << >>"), ("float", "+ - * /"), ("str", "+"), ("list", "+"), ("set", "| & - ^"), ("dict", "|"), ("tuple", "+"))
        name = self.variable(kind)
        if name:
            sign = self.pick(*signs.split())
            self.line(level, f"{name} {sign}= {self.pick('1', '2') if sign in ('<<', '>>') else self.expression(kind, 2)}")

    def unpack_statement(self, level):
        a, b = self.new("int"), self.new("int")
        e = self.expression
        self.line(level, self.pick(
            lambda: f"{a}, {b} = {e('int')}, {e('int')}", lambda: f"{a}, *{b} = {e('list')}", lambda: f"*{a}, {b} = {e('tuple')}", lambda: f"[{a}, {b}] = {e('list')}",
            lambda: f"({a}, {b}), *_ = [{e('tuple')}]", lambda: f"{a} = {b} = {e('list')}", lambda: f"{a}, {b} = {e('dict')}.items()", lambda: f"{a}, {b} = {e('str')}")())
        self.show(level, f"{a}, {b}")

    def change_statement(self, level):
        e, r = self.expression, self.pick
        kind = r("list", "list", "dict", "set", "strs")
        name = self.variable(kind)
        if not name:
            return self.assign_statement(level)
        if kind == "list":
            text = r(lambda: f"{name}[{e('int', 1)}] = {e('int')}", lambda: f"{name}{self.slice(1)} = {e(r('list', 'tuple'))}", lambda: f"{name}.append({e('int')})",
                     lambda: f"{name}.extend({e(r('list', 'set', 'tuple'))})", lambda: f"{name}.insert({e('int', 1)}, {e('int')})", lambda: f"show({name}.pop({r('', '0', '-1')}))",
                     lambda: f"{name}.remove({e('int')})", lambda: f"{name}.sort({r('', 'reverse=True', 'key=lambda q: -q')})", lambda: f"{name}.reverse()",
                     lambda: f"{name}[{e('int', 1)}] += {e('int')}")()
        elif kind == "dict":
            text = r(lambda: f"{name}[{e('str', 1)}] = {e('int')}", lambda: f"{name}.update({e('dict')})", lambda: f"show({name}.pop({e('str', 1)}{r('', ', None')}))",
                     lambda: f"show({name}.setdefault({e('str', 1)}, {e('int')}))", lambda: f"show({name}.popitem())", lambda: f"{name}[{e('str', 1)}] += {e('int')}",
                     lambda: f"show(list({name}.{r('keys', 'values', 'items')}()))", lambda: f"show({name}.{r('keys', 'values', 'items')}())")()
        elif kind == "set":
            text = r(lambda: f"{name}.add({e('int')})", lambda: f"{name}.discard({e('int')})", lambda: f"{name}.remove({e('int')})", lambda: f"show({name}.pop())",
                     lambda: f"{name}.{r('update', 'difference_update', 'intersection_update')}({e('list')})")()
        else:
            text = r(lambda: f"{name}.append({e('str')})", lambda: f"{name}[{e('int', 1)}] = {e('str')}", lambda: f"{name}.sort(key=len)")()
        self.line(level, text)
        self.show(level, name)

    def delete_statement(self, level):
        kind = self.pick("list", "dict")
        name = self.variable(kind)
        if name:
            self.line(level, f"del {name}" + (self.pick(f"[{self.expression('int', 1)}]", self.slice(0)) if kind == "list" else f"[{self.expression('str', 1)}]"))
            self.show(level, name)

    def condition_statement(self, level):
        self.line(level, f"if {self.expression('bool')}:")
        self.block(level + 1, 3)
        if self.chance(30):
            self.line(level, f"elif {self.expression(self.any_kind())}:")
            self.block(level + 1, 2)
        if self.chance(50):
            self.line(level, "else:")
            self.block(level + 1, 2)

    def for_statement(self, level):
        e, name, other = self.expression, self.new("int"), self.new("int")
        head, kinds = self.pick(
            (f"{name} in range({self.pick('3', '4', '1, 8, 3', '5, 0, -2')})", [(name, "int")]), (f"{name} in {e('list')}[:6]", [(name, "int")]), (f"{name} in {e('str')}[:6]", [(name, "str")]),
            (f"{name}, {other} in enumerate({e('strs')}[:5])", [(name, "int"), (other, "str")]), (f"{name}, {other} in list({e('dict')}.items())", [(name, "str"), (other, "int")]),
            (f"{name}, {other} in zip({e('list')}, {e('list')})", [(name, "int"), (other, "int")]), (f"{name} in sorted({e('set')})", [(name, "int")]))
        self.line(level, f"for {head}:")
        saved = {kind: list(names) for kind, names in self.names.items()}
        for each, kind in kinds:
            self.bind(each, kind)
        self.show(level + 1, name)
        self.block(level + 1, 3)
        if self.chance(30):
            self.line(level + 1, f"if {self.expression('bool')}: {self.pick('break', 'continue')}")
        if self.chance(25):
            self.line(level, "else:")
            self.block(level + 1, 2)
        self.names = saved

    def while_statement(self, level):
        name = self.new("int")
        self.line(level, f"{name} = {self.pick('0', '1', '-1')}")
        self.line(level, f"while {name} < 4:")
        self.line(level + 1, f"{name} += 1")
        self.block(level + 1, 3)
        if self.chance(30):
            self.line(level + 1, f"if {self.expression('bool')}: {self.pick('break', 'continue')}")

    def attempt_statement(self, level):
        self.line(level, "try:")
        self.block(level + 1, 3)
        if self.chance(35):
            self.line(level + 1, self.pick(f"raise {self.pick('ValueError', 'KeyError', 'TypeError', 'IndexError')}({self.expression(self.pick('str', 'int', 'tuple'), 1)})",
                                           f"assert {self.expression('bool')}, {self.expression('str')}", f"1 // {self.expression('int')}"))
        self.line(level, f"except {self.pick(*ERRORS)} as error:")
        self.line(level + 1, "show(type(error).__name__, str(error), error.args)")
        if self.chance(30):
            self.block(level + 1, 2)
        if self.chance(15):
            self.line(level + 1, self.pick("raise", "raise RuntimeError('again') from error"))
        self.line(level, "except Exception as error:")
        self.line(level + 1, "show('other', type(error).__name__, str(error))")
        if self.chance(25):
            self.line(level, "else:")
            self.block(level + 1, 2)
        if self.chance(25):
            self.line(level, "finally:")
            self.block(level + 1, 2)

    def match_statement(self, level):
        self.line(level, f"match {self.expression(self.any_kind())}:")
        for _ in range(self.random.randint(1, 3)):
            a, b = self.fresh(), self.fresh()
            pattern = self.pick("0 | 1 | 2", "'a' | ''", "None", "True", "[]", f"[{a}]", f"[{a}, {b}]", f"[{a}, *{b}]", f"[*_, {a}]", f"({a}, [{b}, *_])", f"{{'a': {a}}}", f"{{'a': {a}, **{b}}}",
                                f"int({a})", f"str() as {a}", f"float({a}) | int({a})", f"list([{a}, *_])", f"{a} if {a}", "-1 | 2.5", "set()", f"dict(keys={a})", "{}")
            names = [each for each in (a, b) if each in pattern]
            guard = f" if {self.expression('bool')}" if self.chance(25) and " if " not in pattern else ""
            self.line(level + 1, f"case {pattern}{guard}:")
            self.line(level + 2, f"show({', '.join([repr(pattern), *names])})")
        self.line(level + 1, "case _:")
        self.line(level + 2, "show('no case')")

    def function_statement(self, level):
        name, saved, e = self.fresh(), self.names, self.expression
        a, b, c = (self.fresh() for _ in range(3))
        form, calls = self.pick(
            (f"{a}, {b}=2, *{c}", ["1", "1, 3", "1, 3, 5, 7", "*[4, 5, 6]", f"{b}=1", "", f"1, {b}=4", f"1, 2, {a}=3"]),
            (f"{a}, /, {b}, *, {c}=0", ["1, 2", f"1, {b}=2, {c}=3", "1, 2, 3", f"{a}=1, {b}=2", f"**{{'{b}': 1}}", "1"]),
            (f"{a}=[], *, {b}, **{c}", [f"{b}=1", f"{b}=1, z=2", "1", f"**dict({b}=2, y=3)", f"1, {b}=1, **{{'{b}': 3}}", f"{b}=1, {a}=5"]))
        self.line(level, f"def {name}({form}):")
        self.names = {"int": [a, b]}
        self.block(level + 1, 3)
        self.line(level + 1, f"return {self.pick(f'({a}, {b}, {c})', e('int'), f'{a}, {b}')}")
        self.names = saved
        self.line(level, f"show({name}({self.pick(*calls)}))")

    def generator_statement(self, level):
        name, a, saved = self.fresh(), self.fresh(), self.names
        self.line(level, f"def {name}({a}):")
        self.names = {"int": [a]}
        got = self.fresh()
        body = self.random.randint(1, 3)
        for _ in range(body):
            self.line(level + 1, self.pick(f"yield {self.expression(self.any_kind())}", f"{got} = yield {self.expression('int')}; show('got', {got})", f"yield from {self.expression(self.pick('list', 'strs', 'tuple'))}",
                                           f"for {got} in range({a} if {a} < 4 else 2): yield {got}"))
        if self.chance(40):
            self.line(level + 1, f"return {self.expression('int')}")
        self.names = saved
        argument = self.expression("int", 1)
        use = self.pick(f"show(list({name}({argument})))", f"show([q for q in {name}({argument}) if q])", f"show(next({name}({argument})))", f"show(*{name}({argument}))")
        if self.chance(40):
            run = self.fresh()
            self.line(level, f"{run} = {name}({argument})")
            self.line(level, f"show(next({run}, 'end'))")
            use = self.pick(f"show({run}.send(5))", f"{run}.close(); show(list({run}))", f"show({run}.throw(ValueError('in')))", f"show(sum(1 for _ in {run}))")
        self.line(level, use)

    def closure_statement(self, level):
        make, inner, state = self.fresh(), self.fresh(), self.fresh()
        self.line(level, f"def {make}({state}):")
        self.line(level + 1, f"def {inner}(step={self.expression('int', 1)}):")
        self.line(level + 2, f"nonlocal {state}")
        self.line(level + 2, f"{state} {self.pick('+', '-', '*')}= step")
        self.line(level + 2, f"return {state}")
        self.line(level + 1, f"return {inner}")
        one = self.fresh()
        self.line(level, f"{one} = {make}({self.expression('int', 1)})")
        self.line(level, f"show({one}(), {one}({self.expression('int', 1)}), {one}(step=2), [f(1) for f in [{make}(1), {one}]])")

    def context_statement(self, level):
        self.line(level, f"with {self.pick('Context', 'Swallowing')}({self.expression('str', 1)}) as {self.fresh()}:")
        self.block(level + 1, 3)

    def klass_statement(self, level):
        name, e, saved = "K" + self.fresh(), self.expression, self.names
        base = self.pick("", "", "(Base)", "(list)", "(dict)", "(int)", "(str)", "(Exception)")
        if self.chance(30):
            self.line(level, self.pick("@dataclasses.dataclass", "@dataclasses.dataclass(order=True)", "@dataclasses.dataclass(frozen=True)"))
            self.line(level, f"class {name}:")
            self.line(level + 1, "a: int")
            self.line(level + 1, self.pick("b: int = 3", "b: list = dataclasses.field(default_factory=list)", "b: str = 'x'"))
            make = self.pick("(1)", "(2, 3)", "(a=1)", "(b=2, a=5)", "()", "(1, 2, 3)")
            self.line(level, f"show({name}{make}, {name}{make} == {name}(1), {self.pick(f'{name}(1) < {name}(2)', f'hash({name}(1)) is None', f'dataclasses.asdict({name}(1))', f'dataclasses.replace({name}(1), a=9)')})")
            return
        self.line(level, f"class {name}{base}:")
        self.line(level + 1, f"kind = {e('int', 1)}")
        self.names = {"int": ["self.kind"]}
        for method in self.random.sample(["__repr__", "__eq__", "__add__", "__len__", "__getitem__", "__call__", "__bool__", "__contains__", "__lt__", "__hash__", "__iter__", "value", "__getattr__", "__radd__", "__format__"], self.random.randint(1, 4)):
            body = {"__repr__": e("str", 1), "__eq__": self.pick("True", "NotImplemented", "False"), "__len__": self.pick("3", "0", "-1"), "__bool__": e("bool", 1), "__hash__": self.pick("1", "7"),
                    "__iter__": f"iter({e('list', 1)})", "__format__": self.pick("rest[0] + 'F'", "'?'")}.get(method, e("int", 1))
            if method == "value":
                self.line(level + 1, "@property")
            parameters = "self" + ("" if method in ("__repr__", "__len__", "__bool__", "__hash__", "__iter__", "value") else ", *rest")
            self.line(level + 1, f"def {method}({parameters}): return {body}")
        self.names = saved
        one = self.fresh()
        self.line(level, f"{one} = {name}({self.pick('', '') if base in ('', '(Base)') else self.pick('', '', '5')})")
        for use in self.random.sample([f"{one} == {one}, {one} != 3", f"{one} + 1", f"1 + {one}", f"len({one})", f"{one}[0]", f"{one}()", f"bool({one})", f"2 in {one}", f"{one} < {one}", f"list({one})", f"{one}.value", f"{one}.missing", f"{one}.kind",
                                       f"type({one}).__name__, {name}.__bases__ == (object,)", f"isinstance({one}, Base)", f"f'{{{one}:x}}'", f"[{one}, {one}].count({one})", f"{{{one}: 1}}[{one}]", f"sorted([{one}, {one}]) is None", f"hasattr({one}, 'zz')",
                                       f"'__add__' in vars({name})", f"{one} is not None and not {one}"], 3):
            self.line(level, f"attempt(lambda: {'(' + use + ')' if ', ' in use else use})")
        self.line(level, f"{one}.extra = {e('int', 1)}; show({one}.extra, {one}.__class__.__name__)")
