# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs pyflakes (Debian's pyflakes3) on the modules of a folder as tools/library packs them: lint.py FOLDER BUILTIN...

The further arguments are names that Lancet's interpreter has beside Python's; so are all `__names__` in double underscores.
"""

import ast
import pathlib
import re
import sys

from pyflakes import checker, messages

folder, builtins = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
faults = []
for path in sorted(folder.rglob("*.py")):
    if path.name.endswith(".part.py"):
        continue
    parts = sorted(path.parent.glob("*.part.py")) if path.name == "__init__.py" else []
    text = "".join(part.read_text() for part in [path, *parts])
    names = builtins | set(re.findall(r"\b__\w+__\b", text))
    for fault in checker.Checker(ast.parse(text), str(path), builtins=names).messages:
        if isinstance(fault, (messages.UnusedImport, messages.ImportStarUsed, messages.ImportStarUsage)):
            continue  # a module offers what it imports
        faults.append(str(fault))
print(*faults, sep="\n", end="\n" if faults else "")
sys.exit(bool(faults))
