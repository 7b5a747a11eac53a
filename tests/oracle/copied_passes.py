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
import re
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
          "experimental.schema_type_annotation": ("AnnotateTypesWithSchema",),
          "subgraph_rewriter": ("replace_relu",),
          "passes.infra.pass_base": ("with_class",),
          "passes.infra.pass_manager": ("with_manager",),
          "passes.pass_manager": ("with_old_manager",),
          "passes.annotate_getitem_nodes": ("annotated",),
          "passes.dialect.common.cse_pass": ("shared",),
          "passes.graph_manipulation": ("replaced",),
          "passes.operator_support": ("supported",),
          "passes.utils.source_matcher_utils": ("sources",),
          "passes.tools_common": ("legalize_graph", "stable_topological_sort")}

# What a user adds to the copy, to make a pass of it.
ADDED = {
    "subgraph_rewriter": """
def replace_relu(gm):
    replace_pattern(gm, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))
    return gm
""",
    "passes.infra.pass_base": """
import torch
class Mine(PassBase):
    def requires(self, gm):
        gm.graph.lint()
    def call(self, gm):
        for node in gm.graph.nodes:
            if node.target is torch.relu:
                node.target = torch.tanh
        return PassResult(gm, True)
def with_class(gm):
    result = Mine()(gm)
    result.graph_module.recompile()
    return result.graph_module
""",
    "passes.infra.pass_manager": """
import torch
def one(gm):
    for node in gm.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.tanh
    return PassResult(gm, True)
def with_manager(gm):
    return PassManager(passes=[one], run_checks_after_each_pass=True)(gm).graph_module
""",
    "passes.pass_manager": """
import torch
def one(gm):
    for node in gm.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.tanh
    return gm
def with_old_manager(gm):
    return PassManager(passes=[loop_pass(one, n_iter=2)])(gm)
""",
    "passes.annotate_getitem_nodes": """
def annotated(gm):
    annotate_getitem_nodes(gm.graph)
    gm.recompile()
    return gm
""",
    "passes.dialect.common.cse_pass": """
def shared(gm):
    return CSEPass()(gm).graph_module
""",
    "passes.graph_manipulation": """
import torch
def replaced(gm):
    replace_target_nodes_with(gm, "call_function", torch.relu, "call_function", torch.sigmoid)
    return gm
""",
    "passes.operator_support": """
def supported(gm):
    support = chain(create_op_support(lambda modules, node: node.op == "call_function"), OpSupports.decline_if_node_in_names({"relu"}))
    for node in gm.graph.nodes:
        if support.is_node_supported({}, node):
            node.name = node.name + "_s"
    gm.recompile()
    return gm
""",
    "passes.utils.source_matcher_utils": """
import torch
def sources(gm):
    assert not get_source_partitions(gm.graph, [torch.nn.Linear])
    return gm
"""}


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


def imports_made_absolute(text, module):
    def absolute(match):
        package = module
        for _ in match.group(1):
            package = package.rpartition(".")[0]
        return f"from {package}{'.' * bool(match.group(2))}{match.group(2)} import"
    return re.sub(r"from (\.+)([\w.]*) import", absolute, text)


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
                copied.write_text(imports_made_absolute(text, f"torch.fx.{file}") + ADDED.get(file, ""))
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
