# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds sources that the preset `ide` does not know: editors and clang-tidy would not see them.

every_source_has_an_entry.py CMAKE SOURCE_FOLDER [CMake options...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

cmake, root, *options = sys.argv[1:]
root = pathlib.Path(root).resolve()
with tempfile.TemporaryDirectory() as build:
    subprocess.run([cmake, "--preset", "ide", "-S", root, "-B", build, *options], check=True, cwd=root,
                   stdout=subprocess.DEVNULL)
    database = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
known = {pathlib.Path(entry["file"]).resolve() for entry in database}
folders = ("app", "core", "tests", "tools", "ui")
sources = {path for folder in folders for path in (root / folder).rglob("*.cpp")}
unknown = sorted(str(path.relative_to(root)) for path in sources - known)
print(f"{len(sources)} sources, {len(unknown)} without an entry in compile_commands.json")
if unknown:
    sys.exit("\n".join([*unknown, "remedy: list them in the CMakeLists.txt beside them"]))
