# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program of cpython_tests.py in CPython and prints its results as JSON: judge.py FILE FOLDER_OF_HELPERS."""

import importlib.util
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
for name in ("_testcapi", "_testinternalcapi", "_testbuffer"):
    sys.modules[name] = None  # tests of the C interface are not judged
path = pathlib.Path(sys.argv[1])
sys.path.insert(0, sys.argv[2])
spec = importlib.util.spec_from_file_location(path.stem, path)
module = importlib.util.module_from_spec(spec)
sys.modules[path.stem] = module
spec.loader.exec_module(module)
print("\n" + json.dumps(module.results_of_judge))
