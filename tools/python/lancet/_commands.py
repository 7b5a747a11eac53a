# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions that the command line answers."""

import json
import os
import pathlib
import shutil
import subprocess

from . import _files


class LancetError(RuntimeError):
    """A command failed. `code` tells why, for programs; the text is for people."""

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


def program(name):
    """The path of lancet or lancet-gui."""
    beside = os.environ.get("LANCET_BIN")
    found = shutil.which(name, path=beside) if beside else shutil.which(name)
    if not found:
        raise LancetError(f"{name} not found {'in ' + beside if beside else 'on PATH'}: set LANCET_BIN to the folder of Lancet's programs")
    return found


def ask(verb, model, *options):
    """The JSON result of `lancet VERB`; both answers, yes and no, are results."""
    made = _files.graph_module(model)
    path = _files.write_model(made)
    done = subprocess.run([program("lancet"), verb, str(path), *options, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        raise LancetError(done.stderr.decode(errors="replace").strip() or f"lancet {verb} ended with {done.returncode}") from None
    error = result.get("error")
    if error:
        raise LancetError("\n".join(filter(None, [error.get("message"), error.get("where"), error.get("hint")])), error.get("code"))
    return result


def lint(model):
    """What is wrong with a graph: [] or the error's keys. For a GraphModule, Graph.lint of torch.fx is asked first."""
    import torch

    if isinstance(model, torch.fx.GraphModule):
        try:
            model.graph.lint()
        except RuntimeError as error:
            return [{"code": "lint", "what": str(error)}]
    target = _files.folder() / "lint.json"
    try:
        ask("edit", model, "--step", '{"step": "lint"}', "-o", str(target), "--no-verify")
    except LancetError as error:
        if error.code is None:
            raise  # not an answer of lint
        return [{"code": error.code, "what": str(error)}]
    return []


def match(model, pattern, *options):
    """The matches of a pattern: a path, `P.py:name`, or Python source that defines `pattern`."""
    return ask("match", model, "--pattern", _source(pattern), *options)["matches"]


def partition(model, rules, *options):
    """`partitions` and `unassigned`, with rules as data (shared with `lancet partition`) or the path of a file."""
    if not isinstance(rules, (str, os.PathLike)):
        path = _files.folder() / "rules.json"
        path.write_text(json.dumps(rules), encoding="utf-8")
        rules = path
    return ask("partition", model, "--support", str(rules), *options)


def _source(pattern):
    if isinstance(pattern, str) and "\n" in pattern:
        path = _files.folder() / "pattern.py"
        path.write_text(pattern, encoding="utf-8")
        return str(path)
    return str(pattern)


class Drawing:
    """A picture of a graph that draws itself in Jupyter."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def __str__(self):
        return self.svg


def draw(model, *options):
    """The picture of a model; options are those of `lancet draw`, such as "--expand", "all"."""
    made = _files.graph_module(model)
    path = _files.write_model(made)
    target = pathlib.Path(path).with_suffix(".svg")
    done = subprocess.run([program("lancet"), "draw", str(path), "-o", str(target), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise LancetError(done.stderr.decode(errors="replace").strip())
    return Drawing(target.read_text(encoding="utf-8"))
