#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks `lancet anonymize`: every name and text of the models below contains "zq", so that none may be left in what is
written, in any format; PyTorch loads and runs the result, with the calls and shapes of the original."""

import argparse
import collections
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile

import torch
import torch.ao.quantization.quantize_fx
from torch import nn

warnings.filterwarnings("ignore")

SOURCE = '''
import torch
from torch import nn


class ZqBlock(nn.Module):
    """zq: a block"""

    def __init__(self, zq_width):
        super().__init__()
        self.zq_conv = nn.Conv2d(zq_width, zq_width, 3, padding="same", padding_mode="zeros")
        self.zq_norm = nn.BatchNorm2d(zq_width)
        self.zq_note = "zq note"

    def forward(self, zq_x):
        zq_y = self.zq_norm(self.zq_conv(zq_x))
        return nn.functional.interpolate(torch.relu(zq_y), scale_factor=2, mode="bilinear", align_corners=False)


class ZqNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.zq_stem = nn.Sequential(nn.Conv2d(3, 4, 1), nn.GELU(approximate="tanh"))
        self.zq_stages = nn.ModuleDict({"zq_a": ZqBlock(4), "zq_b": ZqBlock(4)})
        self.zq_attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.zq_head = nn.Linear(4, 5)
        self.zq_tied = nn.Linear(4, 5, bias=False)
        self.zq_tied.weight = self.zq_head.weight
        self.register_buffer("zq_scale", torch.tensor([2.0]))
        self.register_buffer("zq_index", torch.tensor([0, 4, 2]))
        self.zq_bias = nn.Parameter(torch.randn(5))

    def forward(self, zq_image, zq_mask=None):
        zq_y = self.zq_stages["zq_b"](self.zq_stages["zq_a"](self.zq_stem(zq_image)))
        zq_rows = zq_y.flatten(2).transpose(1, 2)
        zq_rows = self.zq_attention(zq_rows, zq_rows, zq_rows)[0]
        zq_rows = torch.einsum("zqe,ye->zqy", zq_rows, self.zq_tied.weight) + self.zq_bias
        zq_out = self.zq_head(zq_y.mean((2, 3))) * self.zq_scale
        return {"zq_logits": zq_out[:, self.zq_index], "zq_rows": zq_rows}
'''


class ZqTupled(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.zq_inner = net

    def forward(self, zq_image):
        return tuple(self.zq_inner(zq_image).values())


def models(folder):
    """File names, with whether the file can be run."""
    path = folder / "zq_net.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("zq_module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["zq_module"] = module
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    net = module.ZqNet().eval()
    image = torch.randn(2, 3, 4, 4)
    yield f"{path}:ZqNet", image
    graph_module = torch.fx.GraphModule(net, torch.fx.Tracer().trace(net), "ZqTraced")
    graph_module.zq_note = "zq note"
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and node.name == "relu":
            node.name = "zq_renamed"
            break
    graph_module.recompile()
    torch.save(graph_module, folder / "zq.pt")
    yield str(folder / "zq.pt"), image
    torch.save(graph_module, folder / "zq_old.pt", _use_new_zipfile_serialization=False)
    yield str(folder / "zq_old.pt"), image
    program = torch.export.export(net, (image,))
    torch.export.save(program, folder / "zq.pt2", extra_files={"zq_extra.txt": "zq extra"})
    yield str(folder / "zq.pt2"), image
    traced = torch.jit.trace(ZqTupled(net), image, check_trace=False)
    traced.save(str(folder / "zq.ts"), _extra_files={"zq_extra.txt": b"zq extra"})
    yield str(folder / "zq.ts"), image
    prepared = torch.ao.quantization.quantize_fx.prepare_fx(
        nn.Sequential(collections.OrderedDict(zq_a=nn.Linear(3, 4), zq_b=nn.ReLU(), zq_c=nn.Linear(4, 2))).eval(),
        torch.ao.quantization.get_default_qconfig_mapping("x86"), (torch.randn(2, 3),))
    prepared(torch.randn(4, 3))
    torch.save(torch.ao.quantization.quantize_fx.convert_fx(prepared), folder / "zq_int8.pt")
    yield str(folder / "zq_int8.pt"), torch.randn(2, 3)


def contents(path):
    """Names and bytes of all files, with those in archives."""
    paths = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    if path.suffix == ".json":
        paths.append(path.with_suffix(".safetensors"))
    for each in paths:
        data = each.read_bytes()
        yield each.name, data
        if zipfile.is_zipfile(each):
            with zipfile.ZipFile(each) as archive:
                for name in archive.namelist():
                    yield name, archive.read(name)


def left(path):
    """Where a text of the model is left. Weights are random: two letters may come up there."""
    found = []
    for name, data in contents(path):
        for part, pattern in (name.encode(), rb"zq"), (data, rb"zq[_A-Z ]|ZqB|ZqN|ZqT|/zq|zqe"):
            for match in re.finditer(pattern, part, re.IGNORECASE if part is data else 0):
                found.append(f"{name}: {part[max(0, match.start() - 20):match.end() + 20]!r}")
    return found


def calls(lancet, model):
    """The targets of functions and methods, and the number of nodes."""
    done = subprocess.run([lancet, "graph", model, "--json", "--quiet"], capture_output=True, text=True)
    import json
    nodes = json.loads(done.stdout)["nodes"]
    return [each["target"] for each in nodes if each["op"] in ("call_function", "call_method")], len(nodes)


def shapes_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [tuple(each.shape) for each in (value if isinstance(value, (tuple, list)) else [value])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    options = parser.parse_args()
    wrong, count = [], collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        for model, given in models(folder):
            for target in ("bug.pt", "bug.json", "bug/", "bug.py", "bug.lancet", "bug.ts", "bug.pt2"):
                output = folder / "out" / target
                (folder / "out" / "bug.names.json").unlink(missing_ok=True)
                done = subprocess.run([options.lancet, "anonymize", model, "-o", str(output) + ("/" if target == "bug/" else ""),
                                       "--json"], capture_output=True, text=True)
                label = f"{pathlib.Path(model).name} as {target}"
                if done.returncode == 4:
                    count["refused"] += 1
                    print(f"{label}: {done.stderr.splitlines()[0]}")
                    continue
                if done.returncode != 0:
                    wrong.append(f"{label}: {done.stdout[-500:]} {done.stderr[-500:]}")
                    continue
                count["written"] += 1
                wrong += [f"{label}: {text}" for text in left(output)[:5]]
                if '"surviving": []' not in done.stdout:
                    wrong.append(f"{label}: {done.stdout[-600:]}")
                table = folder / "out" / "bug.names.json"
                if "zq_" not in table.read_text():
                    wrong.append(f"{label}: no table of names")
                if target == "bug.json" and not model.endswith(".ts"):
                    if calls(options.lancet, str(output)) != calls(options.lancet, model) and ".py:" not in model:
                        wrong.append(f"{label}: other calls")
                if target in ("bug.pt", "bug.ts"):
                    load = torch.jit.load if target == "bug.ts" else lambda path: torch.load(path, weights_only=False)
                    try:
                        made = load(str(output))
                        result = made(given)
                        if any(value == () for value in shapes_of(result)):
                            wrong.append(f"{label}: no shape")
                    except Exception as error:
                        wrong.append(f"{label}: {type(error).__name__}: {str(error)[:300]}")
    for line in wrong:
        print(line)
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())) + f"; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
