# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes programs of the files of CPython's test package: each holds some test methods of one class, with what they use."""

import ast
import re

HELPERS = {"support", "import_helper", "os_helper", "warnings_helper", "script_helper", "threading_helper"}
TAIL = """

import standin_unittest
results_of_judge = []
{calls}
def main(x):
    return [x, {result}]
"""


def standin_names(folder):
    tree = ast.parse((folder / "standin_support.py").read_text())
    return {name for statement in tree.body for name in bound(statement)}


def bound(node):
    """Names that a statement binds in its own scope."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(each.asname or each.name.split(".")[0]) for each in node.names}
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    if isinstance(node, ast.Lambda):
        return set()
    names = {node.name} if isinstance(node, ast.ExceptHandler) and node.name else set()
    return names.union(*[bound(child) for child in ast.iter_child_nodes(node)])


def used(node):
    """Names that may be looked up, here or in a function."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}


class File:
    """One file of the test package."""

    def __init__(self, path, standin):
        self.text = path.read_text()
        self.lines = self.text.split("\n")  # not at form feeds
        self.standin = standin
        self.helpers = set()  # other files that it imports
        self.statements = []  # (text, bound, used, node)
        for node in ast.parse(self.text).body:
            for text in self.rewritten(node):
                self.statements.append((text, *self.names(text, node), node))

    def names(self, text, node):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return set(), set()
        return set().union(*[bound(each) for each in tree.body]), used(tree)

    def lines_of(self, node):
        first = min([node.lineno, *[each.lineno for each in getattr(node, "decorator_list", [])]])
        return first, node.end_lineno

    def source(self, node):
        first, last = self.lines_of(node)
        return "\n".join(self.lines[first - 1:last])

    def rewritten(self, node):
        """The text of a statement, without what only unittest or the package needs."""
        if isinstance(node, ast.If) and "__name__" in used(node.test):
            return
        if isinstance(node, ast.Import):
            for each in node.names:
                name = each.asname or each.name
                if each.name == "unittest":
                    yield f"import standin_unittest as {name}"
                elif not each.name.startswith(("test", "unittest")):
                    yield f"import {each.name}" + (f" as {each.asname}" if each.asname else "")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "test":
            for each in node.names:
                name = each.asname or each.name
                if node.module == "test" and each.name not in HELPERS:
                    self.helpers.add(each.name)
                    yield f"import {each.name} as {name}"
                elif each.name in HELPERS:
                    yield f"import standin_support as {name}"
                elif each.name in self.standin:
                    yield f"from standin_support import {each.name} as {name}"
        else:
            text = self.source(node)
            yield re.sub(r"^(\s*)from unittest import", r"\1from standin_unittest import", text, flags=re.M)

    def whole(self):
        """A helper, rewritten."""
        return "\n".join(text for text, *_ in self.statements) + "\n"

    def tests(self):
        """Classes of the file with the names of their own test methods."""
        for _, _, _, node in self.statements:
            if isinstance(node, ast.ClassDef):
                yield node.name, [each.name for each in node.body if is_test(each)]

    def class_text(self, node, kept):
        """A class without the test methods that are not kept."""
        first, last = self.lines_of(node)
        lines = self.lines[first - 1:last]
        rest = 0
        for each in node.body:
            if is_test(each) and each.name not in kept:
                start, end = self.lines_of(each)
                lines[start - first:end - first + 1] = [None] * (end - start + 1)
            else:
                rest += 1
        text = "\n".join(line for line in lines if line is not None)
        return text + ("" if rest else f"\n{' ' * (node.body[0].col_offset)}pass")

    def program(self, name, judged, answers=True):
        """The class with these methods and everything that it uses."""
        texts, need = {}, {name}
        methods = {*judged, *[part.attr for _, _, _, node in self.statements if isinstance(node, ast.ClassDef) and node.name == name
                               for each in node.body if isinstance(each, ast.Assign) for part in ast.walk(each) if isinstance(part, ast.Attribute)]}
        while True:
            before = len(texts)
            for at, (text, binds, uses, node) in enumerate(self.statements):
                if at in texts or (binds and not binds & need):
                    continue
                if isinstance(node, ast.ClassDef) and any(map(is_test, node.body)):
                    text = self.class_text(node, self.with_calls(node, methods))
                    uses = used(ast.parse(text))
                texts[at] = text
                need |= uses
            if len(texts) == before:
                break
        calls = [f"_answer{at} = standin_unittest.judge(results_of_judge, {f'{name}.{each}'!r}, {name}, {each!r})"
                 for at, each in enumerate(judged)]
        tail = TAIL.format(calls="\n".join(calls), result="results_of_judge" if answers else "_answer0")
        return "\n".join(texts[at] for at in sorted(texts)) + tail

    @staticmethod
    def with_calls(node, methods):
        """The methods, and those that others than tests call."""
        kept = set(methods)
        while True:
            called = {each.attr for part in node.body if not is_test(part) or part.name in kept
                      for each in ast.walk(part) if isinstance(each, ast.Attribute)}
            called |= {each.id for part in node.body if not is_test(part) for each in ast.walk(part) if isinstance(each, ast.Name)}
            more = {part.name for part in node.body if is_test(part) and part.name in called} - kept
            if not more:
                return kept
            kept |= more


def is_test(node):
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")
