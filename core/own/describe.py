# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes the interpreter that runs it."""
import sys

sys.path[:] = [path for path in sys.path if path]  # what is imported here comes from no current folder

import importlib.util
import json
import os
import re

spec = importlib.util.find_spec("torch")
version = ""
if spec and spec.origin:
    with open(os.path.join(os.path.dirname(spec.origin), "version.py")) as file:
        found = re.search(r"""__version__ = ['"]([^'"]*)""", file.read())
    version = found.group(1) if found else "unknown"
print("\n" + json.dumps({"program": os.path.abspath(sys.executable), "python": sys.version.split()[0],
                         "torch": version}))
