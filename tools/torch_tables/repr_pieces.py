# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a module's extra_repr() as a list of pieces, read from its source, and their evaluation."""

import ast
import inspect
import re
import textwrap

import torch


class Unsupported(Exception):
    """The text cannot be told as a list of pieces."""


def extra_repr_pieces(cls):
    """[(condition, template)]: templates hold {attribute} and {attribute!r}; no condition is ``."""
    function = cls.extra_repr
    if function is torch.nn.Module.extra_repr:
        return []
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return merge(run_body(tree.body[0].body, {}))


def merge(pieces):
    merged = []
    for condition, text in pieces:
        if merged and merged[-1][0] == condition == "":
            merged[-1] = ("", merged[-1][1] + text)
        elif text:
            merged.append((condition, text))
    return merged


def run_body(statements, variables):
    for statement in statements:
        if isinstance(statement, ast.Return):
            return pieces_of(statement.value, variables)
        run(statement, variables, "")
    raise Unsupported("no return")


def run(statement, variables, condition):
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    if isinstance(statement, ast.If):
        wanted = condition_of(statement.test)
        if condition:
            raise Unsupported("nested conditions")
        for inner in statement.body:
            run(inner, variables, wanted)
        for inner in statement.orelse:
            run(inner, variables, negated(wanted))
        return
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if not isinstance(target, ast.Name):
        raise Unsupported(ast.unparse(statement))
    value = [(condition or own, text) for own, text in pieces_of(statement.value, variables)]
    before = variables.get(target.id, []) if condition or isinstance(statement, ast.AugAssign) else []
    variables[target.id] = before + value


def pieces_of(node, variables):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [("", node.value)]
    if isinstance(node, ast.Name):
        return variables[node.id]
    if isinstance(node, ast.JoinedStr):
        return [piece for value in node.values for piece in pieces_of(value, variables)]
    if isinstance(node, ast.FormattedValue):
        if isinstance(node.value, ast.Name):
            return variables[node.value.id]
        return [("", field(node.value))]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return pieces_of(node.left, variables) + pieces_of(node.right, variables)
    if isinstance(node, ast.IfExp):
        condition = condition_of(node.test)
        return [(condition, text) for _, text in pieces_of(node.body, variables)] + [
            (negated(condition), text) for _, text in pieces_of(node.orelse, variables) if text]
    if isinstance(node, ast.Call):
        return call_pieces(node, variables)
    raise Unsupported(ast.unparse(node))


def call_pieces(node, variables):
    if isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
        return [("", field(node if node.func.id == "repr" else node.args[0]))]
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "format":
        raise Unsupported(ast.unparse(node))
    pieces = pieces_of(node.func.value, variables)
    for keyword in node.keywords:
        if keyword.arg:
            pieces = [(c, text.replace("{" + keyword.arg + "}", field(keyword.value))) for c, text in pieces]
        elif isinstance(keyword.value, ast.DictComp):
            pieces = [(c, text.replace("}", "!r}")) for c, text in pieces]
    return pieces


def field(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "repr":
        return "{" + attribute(node.args[0]) + "!r}"
    if isinstance(node, ast.Compare):
        return "{" + condition_of(node) + "}"
    return "{" + attribute(node) + "}"


def attribute(node):
    text = ast.unparse(node)
    if not re.fullmatch(r"self(\.\w+)+", text):
        raise Unsupported(text)
    return text[5:]


def condition_of(node):
    """`x`, `x is None`, `x != 2`, `x != zeros`; a condition on an attribute that is not there is false."""
    text = ast.unparse(node)
    text = re.sub(r"'\w+' in self.__dict__ and ", "", text)
    text = re.sub(r"\(([01]),\) \* len\(self\.\w+\)", lambda m: "ones" if m[1] == "1" else "zeros", text)
    if not re.fullmatch(r"self\.\w+( (is|is not|!=|==) \S+)?", text):
        raise Unsupported(text)
    return text[5:]


def negated(condition):
    words = condition.split(" ", 1)
    if len(words) == 1:
        return condition + " is False"
    for one, other in (("is not ", "is "), ("is ", "is not "), ("!= ", "== "), ("== ", "!= ")):
        if words[1].startswith(one):
            return words[0] + " " + other + words[1][len(one):]
    raise Unsupported(condition)


def evaluate(pieces, instance):
    """The text that the pieces give, as Lancet computes it."""
    def value(name):
        thing = instance
        for part in name.split("."):
            thing = getattr(thing, part)
        return thing

    def holds(condition):
        words = condition.split(" ")
        if not hasattr(instance, words[0]):
            return False
        actual = value(words[0])
        if len(words) == 1:
            return bool(actual)
        operator, literal = " ".join(words[1:-1]), words[-1]
        if literal in ("zeros", "ones"):
            return (actual != (int(literal == "ones"),) * len(actual)) == (operator == "!=")
        wanted = ast.literal_eval(literal)
        if operator in ("is", "is not"):  # alone: weights without values cannot be compared
            return (actual is wanted) == (operator == "is")
        return (actual == wanted) == (operator == "==")

    def filled(match):
        name, representation = match[1], match[2]
        if " " in name:
            return str(holds(name))
        return repr(value(name)) if representation else format(value(name))

    return "".join(re.sub(r"\{([^}!]+)(!r)?\}", filled, text) for condition, text in pieces if not condition or holds(condition))
