# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs passes of PyTorch's own files, copied as users copy them, in Python and with `lancet pass --file`.

    copied_passes.py --lancet BIN

The generated code and the classes of called modules must be equal; where Python raises, lancet must refuse. Exit 1: a
difference.
"""

import argparse
import copy
import importlib.util
import inspect
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from torch import nn

# Of each file of torch.fx the passes that take a GraphModule alone.
PASSES = {"experimental.optimization": ("fuse", "remove_dropout", "optimize_for_inference"),
          "experimental.normalize": ("NormalizeArgs",),
          "experimental.merge_matmul": ("merge_matmul",),
          "passes.tools_common": ("legalize_graph", "stable_topological_sort")}


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.drop = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Dropout(0.3)
        self.more = nn.Sequential(nn.Conv2d(4, 4, 1, bias=False), nn.ReLU(), nn.MaxPool2d(2))
        self.norm_alone = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = self.more(self.drop(x)) + 1
        return self.head(torch.sigmoid(self.norm_alone(x)).mean((2, 3)))


class Products(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(3, 3)

    def forward(self, x, y):
        return torch.matmul(x, y), torch.matmul(x + 1, y), self.b(torch.relu(input=self.a(x))) * 2


def in_python(copied, name, model):
    spec = importlib.util.spec_from_file_location(copied.stem, copied)
    module = sys.modules[copied.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    what = getattr(module, name)
    try:
        result = what(copy.deepcopy(model)).transform() if inspect.isclass(what) else what(copy.deepcopy(model))
    except Exception:
        return "refused", {}
    result.recompile()
    classes = {node.target: type(result.get_submodule(node.target)).__name__ for node in result.graph.nodes if node.op == "call_module"}
    return result.code, classes


def in_lancet(lancet, path, copied, name):
    output = path.with_suffix(".json")
    run = subprocess.run([lancet, "pass", path, "--file", f"{copied}:{name}", "-o", output, "--show", "code"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        return ("refused" if run.returncode == 4 and copied.name in run.stderr else run.stderr), {}
    shown = output if run.returncode == 0 else path
    nodes = json.loads(subprocess.run([lancet, "graph", shown, "--json"], capture_output=True, text=True).stdout)["nodes"]
    types = {each["path"]: each["type"].rpartition(".")[2] for each in json.loads(subprocess.run([lancet, "modules", shown, "--json"], capture_output=True, text=True).stdout)["modules"]}
    return run.stdout, {node["target"]: types[node["target"]] for node in nodes if node["op"] == "call_module"}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lancet", required=True)
    options = options.parse_args()
    warnings.filterwarnings("ignore")
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for net in (Convolutions, Products):
            torch.manual_seed(0)
            path = folder / f"{net.__name__}.pt"
            torch.save(torch.fx.symbolic_trace(net().eval()), path)
            model = torch.load(path, weights_only=False)
            for file, names in PASSES.items():
                copied = folder / f"my_{file.rpartition('.')[2]}.py"
                text = pathlib.Path(importlib.import_module(f"torch.fx.{file}").__file__).read_text()
                copied.write_text(text.replace("from .", f"from torch.fx.{file.rpartition('.')[0]}."))
                for name in names:
                    runs += 1
                    expected, got = in_python(copied, name, model), in_lancet(options.lancet, path, copied, name)
                    if (expected[0].strip(), expected[1]) != (got[0].strip(), got[1]):
                        failures += 1
                        print(subprocess.run([options.lancet, "pass", path, "--file", f"{copied}:{name}"], capture_output=True, text=True).stderr)
                        print(f"{net.__name__}, {file}.{name}: expected\n{expected[0]}\n{expected[1]}\ngot\n{got[0]}\n{got[1]}")
    print(f"{runs} passes of PyTorch's files, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
