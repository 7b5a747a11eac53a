# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python says of the tables of texts: sources and their trees, literals, JSON, names and schemas (make_tables.py)."""

import ast
import json
import re

import torch
from torch.fx.graph import _Namespace, _snake_case

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.And: "and", ast.Or: "or",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
COMPREHENSIONS = {ast.ListComp: "all[", ast.GeneratorExp: "all(", ast.SetComp: "allset", ast.DictComp: "all{"}


def by_line(say):
    """A case whose lines are independent: what is said of each. An exception is its type."""
    def said(_preamble, case):
        lines = []
        for line in case.input:
            try:
                lines.append(say(line))
            except Exception as error:
                lines.append(type(error).__name__)
        return "\n".join(lines) + "\n"
    return said


def annotation(line):
    """The text of an annotation, as `from __future__ import annotations` stores it."""
    scope = {}
    exec(f"from __future__ import annotations\ndef f(x: {line}): pass\n", scope)
    return scope["f"].__annotations__["x"]


def literal(line):
    return repr(ast.literal_eval(line))


def json_of(line):
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except json.JSONDecodeError as error:
        return f"column {error.colno}"
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):x}", text)


def schema(line):
    """The schema of an operator, with its defaults as Python prints them."""
    namespace, name, overload = line.split(".")
    given = getattr(getattr(getattr(torch.ops, namespace), name), overload)._schema
    text = str(given)
    for each in given.arguments:
        if each.has_default_value():
            default = each.default_value
            text = re.sub(rf"\b{each.name}=(\[[^\]]*\]|\"[^\"]*\"|[^,)]*)", lambda _: f"{each.name}={default!r}", text)
    return re.sub(r"-> (\S+ \w+)$", r"-> (\1)", text)


def names(_preamble, case):
    """The names that a graph gives to these candidates, one after the other."""
    namespace = _Namespace()
    return "".join(namespace.create_name(line, None) + "\n" for line in case.input)


# ── trees ──

def group(head, items):
    return "(" + " ".join([head, *map(tree, items)]) + ")"


def joined(values):
    """Parts of an f-string; the suffix of a value is its conversion and format."""
    parts = []
    for value in values:
        if isinstance(value, ast.Constant):
            parts.append(repr(value.value))
            continue
        suffix = f"!{chr(value.conversion)}" if value.conversion != -1 else ""
        spec = value.format_spec.values if value.format_spec else []
        is_computed = any(isinstance(part, ast.FormattedValue) for part in spec)
        if spec and not is_computed:
            suffix += ":" + "".join(part.value for part in spec)
        parts.append(group("{}" + suffix, [value.value]) if not is_computed else
                     f"({{}}{suffix} {tree(value.value)} {joined(spec)})")
    return " ".join(["(f", *parts]) + ")"


def chain(operators, operands):
    """`a < b < c` is `a < b and b < c`."""
    pairs = [group(OPERATORS[type(o)], operands[i:i + 2]) for i, o in enumerate(operators)]
    out = pairs[0]
    for pair in pairs[1:]:
        out = f"(and {out} {pair})"
    return out


def folded(operator, values):
    out = tree(values[0])
    for value in values[1:]:
        out = f"({OPERATORS[type(operator)]} {out} {tree(value)})"
    return out


def comprehension(e):
    parts = [e.key, e.value] if isinstance(e, ast.DictComp) else [e.elt]
    clauses = [group("for", [c.target, c.iter, *c.ifs]) for c in e.generators]
    return "(" + " ".join([COMPREHENSIONS[type(e)], *map(tree, parts), *clauses]) + ")"


def call(e):
    given = [(a.lineno, a.col_offset, tree(a.value), "*") if isinstance(a, ast.Starred) else (a.lineno, a.col_offset, tree(a), "")
             for a in e.args]
    given += [(k.lineno, k.col_offset, tree(k.value), k.arg or "**") for k in e.keywords]
    words = [(name + "=" if name else "") + text for *_, text, name in sorted(given, key=lambda each: each[:2])]
    return "(" + " ".join(["call", tree(e.func), *words]) + ")"


TREES = {
    ast.Name: lambda e: e.id,
    ast.Constant: lambda e: repr(e.value),
    ast.Attribute: lambda e: group("." + e.attr, [e.value]),
    ast.Subscript: lambda e: group("[]", [e.value, e.slice]),
    ast.Call: call,
    ast.Tuple: lambda e: group("tuple", e.elts) if e.elts else "(tuple)",
    ast.List: lambda e: group("list", e.elts),
    ast.Set: lambda e: group("set", e.elts),
    ast.Dict: lambda e: group("dict", [part for pair in zip(e.keys, e.values) for part in pair]),
    ast.Slice: lambda e: group("slice", [e.lower, e.upper, e.step]),
    ast.UnaryOp: lambda e: group(OPERATORS[type(e.op)], [e.operand]),
    ast.BinOp: lambda e: group(OPERATORS[type(e.op)], [e.left, e.right]),
    ast.BoolOp: lambda e: folded(e.op, e.values),
    ast.Compare: lambda e: chain(e.ops, [e.left, *e.comparators]),
    ast.IfExp: lambda e: group("if", [e.body, e.test, e.orelse]),
    ast.Starred: lambda e: group("*", [e.value]),
    ast.Lambda: lambda e: f"(lambda ({parameters(e.args)}) {tree(e.body)})",
    ast.NamedExpr: lambda e: group(":= " + e.target.id, [e.value]),
    ast.JoinedStr: lambda e: joined(e.values),
    ast.Yield: lambda e: group("yield", [e.value] if e.value else []),
    ast.YieldFrom: lambda e: group("yieldfrom", [e.value]),
    **{kind: comprehension for kind in COMPREHENSIONS},
}


def tree(e):
    """An expression as an S-expression, so that precedence shows."""
    return "_" if e is None else TREES[type(e)](e)


def parameter(a, prefix="", default=None):
    return prefix + a.arg + (f": {tree(a.annotation)}" if a.annotation else "") + (f" = {tree(default)}" if default else "")


def parameters(a):
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    words = []
    for i, each in enumerate(positional):
        words.append(parameter(each, "/ " if i < len(a.posonlyargs) else "", defaults[i]))
    if a.vararg:
        words.append(parameter(a.vararg, "*"))
    words += [parameter(each, "key ", default) for each, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        words.append(parameter(a.kwarg, "**"))
    return ", ".join(words)


def aliases(imports):
    return ", ".join(each.name + (f" as {each.asname}" if each.asname else "") for each in imports)


def function(s):
    return f"def {s.name}({parameters(s.args)})" + (f" -> {tree(s.returns)}" if s.returns else "")


def klass(s):
    words = [tree(base) for base in s.bases] + [f"{k.arg or '**'}={tree(k.value)}" for k in s.keywords]
    return f"class {s.name}({', '.join(words)})"


def with_items(s):
    return "with " + ", ".join(tree(i.context_expr) + (f" as {tree(i.optional_vars)}" if i.optional_vars else "") for i in s.items)


HEADS = {
    ast.Assign: lambda s: group("=", [*s.targets, s.value]),
    ast.AnnAssign: lambda s: group(":", [s.target, s.annotation, s.value]),
    ast.AugAssign: lambda s: group(OPERATORS[type(s.op)] + "=", [s.target, s.value]),
    ast.Expr: lambda s: tree(s.value),
    ast.Return: lambda s: "return" + (f" {tree(s.value)}" if s.value else ""),
    ast.Pass: lambda s: "pass", ast.Break: lambda s: "break", ast.Continue: lambda s: "continue",
    ast.Import: lambda s: "import " + aliases(s.names),
    ast.ImportFrom: lambda s: f"from {'.' * s.level}{s.module or ''} import {aliases(s.names)}",
    ast.FunctionDef: function, ast.ClassDef: klass, ast.With: with_items,
    ast.If: lambda s: f"if {tree(s.test)}", ast.While: lambda s: f"while {tree(s.test)}",
    ast.For: lambda s: f"for {tree(s.target)} in {tree(s.iter)}",
    ast.Assert: lambda s: f"assert {tree(s.test)}",
    ast.Raise: lambda s: "raise" + (f" {tree(s.exc)}" if s.exc else "") + (f" from {tree(s.cause)}" if s.cause else ""),
    ast.Delete: lambda s: "del " + ", ".join(map(tree, s.targets)),
    ast.Global: lambda s: "names " + ", ".join(s.names), ast.Nonlocal: lambda s: "names " + ", ".join(s.names),
    ast.Try: lambda s: "try",
}


def statements(body, depth=0):
    """Statements, one a line, with bodies indented."""
    for s in body:
        for decorator in getattr(s, "decorator_list", []):
            yield "  " * depth + "@ " + tree(decorator)
        yield "  " * depth + HEADS[type(s)](s)
        if hasattr(s, "body"):
            yield from statements(s.body, depth + 1)
        for handler in getattr(s, "handlers", []):
            yield "  " * depth + "except" + (f" {tree(handler.type)}" if handler.type else "") + (
                f" as {handler.name}" if handler.name else "")
            yield from statements(handler.body, depth + 1)
        rest = getattr(s, "orelse", [])
        if len(rest) == 1 and isinstance(s, ast.If) and isinstance(rest[0], ast.If) and rest[0].col_offset == s.col_offset:
            first, *others = statements(rest, depth)
            yield "  " * depth + "el" + first.strip()
            yield from others
        elif rest:
            yield "  " * depth + "else"
            yield from statements(rest, depth + 1)
        if getattr(s, "finalbody", []):
            yield "  " * depth + "finally"
            yield from statements(s.finalbody, depth + 1)


def trees(_preamble, case):
    """The tree of a program, or the line with its syntax error."""
    program = "\n".join(case.input) + "\n"
    try:
        compile(program, "case.py", "exec")
        return "\n".join(statements(ast.parse(program).body)) + "\n"
    except SyntaxError as error:
        return f"line {error.lineno}: SyntaxError\n"


AREAS = {"pysrc/expressions": by_line(annotation), "pysrc/literals": by_line(literal), "pysrc/trees": trees,
         "json/": by_line(json_of), "ir/names": names, "ir/snake": by_line(_snake_case), "ops/schemas": by_line(schema)}
