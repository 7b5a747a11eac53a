# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the passes of the text_pass_*.py listed below and of resources/passes in Python and with `lancet pass --file`, on
random graphs.

    text_passes.py --lancet BIN [--graphs N] [--seed S] [--only PASS|FILE]

The code must be equal, and in the files of PRINTING what is printed; where Python raises, lancet must refuse and name the line. Exit 1: a difference.
"""

import argparse
import contextlib
import importlib.util
import inspect
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
import torch.fx
from torch.fx.passes.infra.pass_base import PassBase

from surgery import random_module, saved

HERE = pathlib.Path(__file__).parent
FILES = [HERE / "text_pass_cases.py", HERE / "text_pass_tutorials.py", HERE / "text_pass_styles.py", HERE / "text_pass_idioms.py", HERE / "text_pass_backends.py",
         *(HERE / f"text_pass_{each}.py" for each in ("tutorial_helpers", "rewriters", "lowering", "graph_api")),
         *sorted((HERE.parent.parent / "resources" / "passes").glob("*.py"))]

PRINTING = {"text_pass_tutorial_helpers", "text_pass_rewriters", "text_pass_lowering", "text_pass_graph_api"}  # what they print is compared, too


def passes():
    for file in FILES:
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # where dataclasses look their annotations up
        spec.loader.exec_module(module)
        for name, value in list(vars(module).items()):
            is_pass = inspect.isfunction(value) or inspect.isclass(value) and issubclass(value, (PassBase, torch.fx.Transformer))
            if is_pass and value.__module__ == module.__name__ and not name.startswith("_"):
                yield file, name, value


def in_python(path, what):
    gm = torch.load(path, weights_only=False)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = applied(what, gm)
        result = getattr(result, "graph_module", result)
        result = gm if result is None else result
        result.graph.lint()
        result.recompile()
        return result.code, printed.getvalue()
    except Exception as error:
        return error, ""


def applied(what, gm):
    if inspect.isclass(what):
        return what(gm).transform() if issubclass(what, torch.fx.Transformer) else what()(gm)
    return what(gm)


def in_lancet(lancet, path, file, name):
    return subprocess.run([lancet, "pass", path, "--file", f"{file}:{name}", "--show", "code"], capture_output=True, text=True)


def printed_by_lancet(lancet, path, file, name):
    run = subprocess.run([lancet, "pass", path, "--file", f"{file}:{name}", "--json"], capture_output=True, text=True)
    return "\n".join(each["what"] for each in json.loads(run.stdout).get("report", []))


def loadable(folder, count, seed):
    """Saved random models. Some cannot be loaded: what they do to weights alone runs then, and may not fit."""
    models = []
    while len(models) < count:
        torch.manual_seed(seed)
        path = folder / f"{seed}.pt"
        try:
            saved(random_module(random.Random(seed)), path)
            models.append(path)
        except (RuntimeError, TypeError, ValueError):
            pass
        seed += 1
    return models


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lancet", required=True)
    options.add_argument("--graphs", type=int, default=20)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only")
    options = options.parse_args()
    failures = runs = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        models = loadable(pathlib.Path(folder), options.graphs, options.seed)
        for file, name, what in passes():
            if options.only and options.only not in (name, file.stem):
                continue
            for number, model in enumerate(models):
                expected, printed = in_python(model, what)
                got = in_lancet(options.lancet, model, file, name)
                runs += 1
                if isinstance(expected, Exception):
                    refused += 1
                    equal = got.returncode == 4 and (file.name in got.stderr or "\n  node: " in got.stderr)
                else:
                    equal = got.returncode in (0, 1) and got.stdout.strip() == expected.strip()
                    if equal and printed.strip() and "0x" not in printed and file.stem in PRINTING:
                        expected, said = printed, printed_by_lancet(options.lancet, model, file, name)
                        equal = said.strip() == printed.strip()
                        got.stdout = said
                if not equal:
                    failures += 1
                    print(f"{name} on graph {number} (seed {options.seed}):\n--- Python\n{expected}\n--- lancet {got.returncode}\n{got.stdout}{got.stderr}")
    print(f"{runs} runs, {refused} of them refused by both, {failures} differences")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
