# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds classes with too many methods, counted over all of their files.

classes_are_small.py SOURCE_FOLDER

A method is a definition: in the class, or `Class::method(…) {` at the start of a line of any source.
"""

import collections
import pathlib
import re
import sys

MOST = 60

NOT_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""", re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_~]\w*|::|[{}()<>;=,\[\]:]|\S")
OUTSIDE = re.compile(r"^(?:[\w:<>,&* ~\[\]]*[\s&*])?((?:[A-Z]\w*::)+)(~?\w+|operator[^\s(]+|operator\(\))\(", re.M)
NAMESPACE = re.compile(r"^(?:inline )?namespace ([\w:]+) \{", re.M)


def code_of(path):
    return NOT_CODE.sub(lambda match: " " if match[0][0] in "/#" else '""', path.read_text())


def inline_methods(code):
    """Yields the name of the class (with the classes around it) for each method that is defined in its body."""
    scopes = []  # (kind, name): "namespace", "class" or "other"
    head, depth = [], 0  # the tokens since the last statement; depth of parentheses
    for match in TOKEN.finditer(code):
        token = match[0]
        depth += (token in "([") - (token in ")]")
        if depth > 0 or token not in "{};":
            head.append(token)
            continue
        if token == "{":
            scopes.append(scope_of(head, scopes))
            if scopes[-1][0] == "method":
                yield "::".join(name for kind, name in scopes if kind in ("namespace", "class"))
        elif token == "}" and scopes:
            scopes.pop()
        head = []


def scope_of(head, scopes):
    if "namespace" in head:
        return "namespace", "".join(head[head.index("namespace") + 1:])
    if "enum" in head:
        return "other", ""
    around = scopes[-1][0] if scopes else "namespace"
    for word in ("class", "struct"):
        if word in head and "(" not in head[:head.index(word)] and around in ("namespace", "class"):
            names = [token for token in head[head.index(word) + 1:] if re.match(r"[A-Za-z_]", token)]
            if "template" in head[:head.index(word)] or names:
                return "class", names[0] if names else ""
    if around == "class" and "(" in head and "=" not in head[:head.index("(")]:
        return "method", ""
    return "other", ""


def outside_methods(code):
    """Yields the name of the class for each method that is defined outside its body."""
    names = [(match.start(), match[1]) for match in NAMESPACE.finditer(code)]
    for match in OUTSIDE.finditer(code):
        rest = code[match.end():]
        end = re.search(r"[{;]", rest)
        if not end or end[0] == ";":
            continue
        around = [name for start, name in names if start < match.start()]
        yield "::".join([*around[:1], match[1][:-2]])


root = pathlib.Path(sys.argv[1]).resolve()
counts = collections.Counter()
for folder in ("core", "ui", "app"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in (".h", ".cpp"):
            code = code_of(path)
            counts.update(inline_methods(code))
            counts.update(outside_methods(code))
wrong = [f"{name} has {count} methods, at most {MOST} are allowed: split it"
         for name, count in counts.most_common() if count > MOST]
print(f"{len(counts)} classes; the largest: {counts.most_common(9)}")
if wrong:
    sys.exit("\n".join(wrong))
