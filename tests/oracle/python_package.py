# SPDX-License-Identifier: GPL-3.0-or-later
"""The package tools/python in this Python: the questions that it passes to `lancet`, what it writes for the window, and its wheel.

    python_package.py --lancet BIN [--only NAME]

The window's part is tests/app/gui/drive_python.py. Exit 1: a difference.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile

import torch
from torch import fx, nn

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"
sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True
import lancet  # noqa: E402
from lancet import _files  # noqa: E402


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(3, 3, 1) for _ in range(3))

    def forward(self, x):
        for conv in self.convs:
            x = torch.relu(conv(x))
        return x


class Branches(nn.Module):
    """torch.fx cannot trace it, torch.export can."""

    def forward(self, x):
        return x * 2 if x.shape[0] > 1 else x.sin()


def lints():
    graph = fx.symbolic_trace(Net())
    assert lancet.lint(graph) == []
    nodes = list(graph.graph.nodes)
    nodes[2].args = (nodes[-2],)  # used before it is made
    assert len(lancet.lint(graph)) == 1, lancet.lint(graph)


def matches():
    pattern = "import torch\ndef pattern(a, b: torch.nn.Conv2d):\n    return torch.relu(b(a))\n"
    found = lancet.match(Net(), pattern)
    assert len(found) == 3 and all(isinstance(match, dict) for match in found), found
    try:
        lancet.match(Net(), "import torch\ndef pattern(a):\n    return torch.reluu(a)\n")
    except lancet.LancetError as error:
        assert error.code and "reluu" in str(error)
    else:
        raise AssertionError("a pattern that calls nothing was taken")


def partitions():
    rules = {"supported": [{"op": "call_module", "module_type": "torch.nn.Conv2d"}]}
    result = lancet.partition(Net(), rules, "--allow-single")
    assert len(result["partitions"]) == 3, result


def draws():
    drawing = lancet.draw(Net())
    assert drawing._repr_svg_().lstrip().startswith(("<?xml", "<svg")) and "relu_2" in str(drawing)


def writes():
    x = torch.randn(2, 3, 4, 4)
    traced = _files.graph_module(Net())
    path = _files.write_model(traced)
    assert torch.load(path, weights_only=False).code == traced.code
    told = json.loads(_files.write_inputs(traced, (x,), path).read_text())
    assert told["inputs"][0]["sizes"] == [2, 3, 4, 4] and torch.equal(torch.load(told["inputs"][0]["file"])[0], x)
    exported = _files.graph_module(Branches(), (x,))
    assert isinstance(exported, torch.export.ExportedProgram) and _files.write_model(exported).suffix == ".pt2"
    try:
        _files.graph_module(Branches())
    except TypeError as error:
        assert "pass inputs" in str(error)
    else:
        raise AssertionError("control flow was traced")


class Nested(nn.Module):
    def forward(self, x, more):
        return x + more["a"][0] - more["a"][1]


def writes_nested_inputs():
    """An exported program takes the leaves."""
    inputs = torch.ones(2), {"a": [torch.ones(2), torch.zeros(2)]}
    exported = torch.export.export(Nested(), inputs)
    told = json.loads(_files.write_inputs(exported, inputs, _files.write_model(exported)).read_text())["inputs"]
    values = torch.load(told[0]["file"])
    assert [(each["name"], each["sizes"]) for each in told] == [("x", [2]), ("more_a_0", [2]), ("more_a_1", [2])], told
    assert torch.equal(values[int(told[1]["entry"])], torch.ones(2)) and torch.equal(values[int(told[2]["entry"])], torch.zeros(2))


def writes_sizes_that_are_symbols():
    """torch.compile gives them to its backend as inputs; they must become numbers without a guard."""
    written = []

    def noting(graph, inputs):
        written.append(json.loads(_files.write_inputs(graph, inputs, _files.write_model(graph, "compiled")).read_text())["inputs"])
        return graph.forward

    compiled = torch.compile(lambda x, n: (x * n).sum() + x.shape[0], backend=noting, dynamic=True)
    for rows, factor in ((3, 5), (6, 7)):
        x = torch.randn(rows, 4)
        assert torch.equal(compiled(x, factor), (x * factor).sum() + rows)
    assert len(written) == 1, "the inputs added guards"
    values = torch.load(written[0][0]["file"])
    assert sorted(value for value in values if isinstance(value, int)) == [3, 4, 5], values
    assert [each["sizes"] for each in written[0] if each["dtype"] == "torch.float32"] == [[3, 4]], written


def inputs_that_cannot_be_saved():
    traced = fx.symbolic_trace(Net())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert _files.write_inputs(traced, (lambda: None,), _files.write_model(traced)) is None
    assert any("cannot save" in str(each.message) for each in told)


def keeps_the_model():
    """Handing a model over must not change it."""
    traced = fx.symbolic_trace(Net())
    traced.meta["mine"] = 1
    before = traced.code, traced.training, dict(traced.meta), type(traced)
    _files.write_model(traced)
    assert before == (traced.code, traced.training, dict(traced.meta), type(traced))


def edit_returns_while_the_window_lives():
    """The window that lancet-gui starts for a file outlives it."""
    with tempfile.TemporaryDirectory() as folder:
        gui = pathlib.Path(folder) / "lancet-gui"
        gui.write_text("#!/bin/sh\nsleep 10 &\n")
        gui.chmod(0o700)
        programs = os.environ["LANCET_BIN"]
        os.environ["LANCET_BIN"] = folder
        try:
            traced, start = fx.symbolic_trace(Net()), time.monotonic()
            assert lancet.edit(traced) is traced and time.monotonic() - start < 8
            gui.write_text("#!/bin/sh\necho no display >&2\nexit 4\n")
            try:
                lancet.edit(traced)
            except lancet.LancetError as error:
                assert "no display" in str(error), error
            else:
                raise AssertionError("a window that failed was not told")
        finally:
            os.environ["LANCET_BIN"] = programs


def wheel():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "package"
        subprocess.run(["cp", "-r", PACKAGE, copy], check=True)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, copy], check=True)
        names = zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl"))).namelist()
        assert {f"lancet/{path.name}" for path in (PACKAGE / "lancet").glob("*.py")} <= set(names), names


CASES = [lints, matches, partitions, draws, writes, writes_nested_inputs, writes_sizes_that_are_symbols, inputs_that_cannot_be_saved, keeps_the_model,
         edit_returns_while_the_window_lives, wheel]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(XDG_CACHE_HOME=cache, LANCET_BIN=str(pathlib.Path(arguments.lancet).resolve().parent))
        for case in CASES:
            if arguments.only not in case.__name__:
                continue
            try:
                case()
            except Exception as error:  # whatever it is, the others are tried, too
                failed += 1
                print(f"{case.__name__}: {type(error).__name__}: {error}")
    print(f"{len(CASES)} cases, {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
