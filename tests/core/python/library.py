# SPDX-License-Identifier: GPL-3.0-or-later
"""Python itself compiles every module of core/python/library, and each is in the packed array: library.py FOLDER PACKED."""

import pathlib
import re
import sys

folder, packed = map(pathlib.Path, sys.argv[1:])
names = set(re.findall(r'^\{"([^"]+)", R"lancet', packed.read_text(), re.M))
failed = []
for path in sorted(folder.rglob("*.py")):
    module = path.relative_to(folder).as_posix()
    module = re.sub(r"(/__init__|/[^/]+\.part)?\.py$", "", module).replace("/", ".")
    if module not in names:
        failed.append(f"{path}: not in core/python/CMakeLists.txt")
    try:
        compile(path.read_text(), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        failed.append(f"{path}:{error.lineno}: {error.msg}")
print(f"{len(names)} modules")
sys.exit("\n".join(failed) if failed or not names else 0)
