#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads weights with `lancet convert NET.py:NET --weights FILE` and with load_state_dict, from files in which people keep
them: state dicts, whole modules, checkpoints, both forms of torch.save, files of CUDA tensors, and parts. Compares the
tensors bit for bit, and what strict=False reports. Does the same for models in files of each format, and compares what
they compute with the new weights."""

import argparse
import collections
import copy
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.serialization

warnings.filterwarnings("ignore")

SOURCE = '''
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return x + torch.relu(self.norm(self.conv(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 1)
        self.blocks = nn.Sequential(Block(4), Block(4))
        self.cell = nn.Embedding(7, 4)
        self.head = nn.Linear(4, 5)
        self.tied = nn.Linear(4, 5, bias=False)
        self.tied.weight = self.head.weight
        self.register_buffer("scale", torch.tensor(2.0))
        self.register_buffer("scratch", torch.zeros(2), persistent=False)

    def forward(self, x):
        y = self.blocks(self.stem(x)).mean((2, 3))
        return self.head(y) + self.tied(y) * self.scale + self.cell.weight.sum()


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 1)
        self.out = nn.Linear(8, 1)
'''


class Holder:
    """An object of a training script."""

    def __init__(self, model):
        self.step, self.shadow = 3, model


def cases(module):
    """Names, objects to save, and the state dict that is meant; None if the file has to be refused."""
    torch.manual_seed(1)
    net, ema, other = module.Net(), module.Net(), module.Other()
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.randn(2, 3, 4, 4)).sum().backward()
    optimizer.step()
    state, averaged = net.state_dict(), ema.state_dict()
    wrapped = {"module." + name: value for name, value in state.items()}
    yield "state", state, state
    yield "plain_dict", dict(state), state
    yield "whole", net, state
    yield "parallel", torch.nn.DataParallel(net), state
    yield "wrapped", wrapped, state
    yield "checkpoint", {"epoch": 1, "model": state, "optimizer": optimizer.state_dict()}, state
    yield "unusual_key", {"g": state, "o": optimizer.state_dict(), "rng": torch.get_rng_state()}, state
    yield "modules", {"net": net, "opt": optimizer, "loss": torch.tensor(1.0)}, state
    yield "deep", {"a": [{"b": ({"c": wrapped},)}]}, state
    yield "holder", Holder(net), state
    yield "two_nets", {"netG": state, "netD": other.state_dict()}, state
    yield "two_modules", [other, net], state
    yield "half", collections.OrderedDict((name, value.half() if value.is_floating_point() else value)
                                          for name, value in state.items()), state
    yield "views", {name: torch.stack([value, value])[1] for name, value in state.items()}, state
    yield "transposed", {name: value.t().contiguous().t() if value.dim() == 2 else value for name, value in state.items()}, state
    uncounted = {name: value for name, value in state.items() if not name.endswith("num_batches_tracked")}
    yield "no_counters", uncounted, uncounted
    yield "ambiguous", {"model": state, "ema": averaged}, None
    yield "ambiguous#ema", {"model": state, "ema": averaged}, averaged
    yield "other", other.state_dict(), None
    yield "optimizer", optimizer.state_dict(), None
    yield "missing", {name: value for name, value in state.items() if name != "head.bias"}, None
    yield "wrong_shape", {**state, "head.bias": torch.zeros(4)}, None


def same(path, expected, net):
    """Whether the model that Lancet wrote has the tensors that load_state_dict gives."""
    net.load_state_dict(expected)
    got, wanted = torch.load(path, weights_only=False).state_dict(), net.state_dict()
    return [name for name, value in got.items() if not torch.equal(value, wanted[name]) or value.device.type != "cpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    options = parser.parse_args()
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "net_module.py"
        source.write_text(SOURCE)
        spec = importlib.util.spec_from_file_location("net_module", source)
        module = importlib.util.module_from_spec(spec)
        sys.modules["net_module"] = module
        spec.loader.exec_module(module)

        def lancet(files, *words):
            weights = [word for file in files for word in ("--weights", str(file))]
            done = subprocess.run([options.lancet, "convert", f"{source}:Net", "-o", str(folder / "out.pt"), "--json", *weights,
                                   *words], capture_output=True, text=True)
            return done.returncode, json.loads(done.stdout) if done.stdout else {}

        tag = torch.serialization.location_tag
        for label, value, expected in cases(module):
            for form in "new", "old", "cuda":
                name, _, key = label.partition("#")
                path = folder / f"{name}_{form}.pth"
                torch.serialization.location_tag = (lambda storage: "cuda:0") if form == "cuda" else tag
                torch.save(value, path, _use_new_zipfile_serialization=form != "old")
                torch.serialization.location_tag = tag
                code, answer = lancet([f"{path}#{key}" if key else path])
                count += 1
                if expected is None:
                    if code == 0: wrong.append(f"{label} {form}: loaded")
                elif code != 0:
                    wrong.append(f"{label} {form}: {answer}")
                elif bad := same(folder / "out.pt", rounded(value, expected) if name == "half" else expected, module.Net()):
                    wrong.append(f"{label} {form}: other values of {bad}")
        count += 1
        wrong += partly(folder, module.Net(), lancet, module)
        found, more = into_files(options.lancet, folder, module)
        wrong, count = wrong + found, count + more
    for line in wrong:
        print(line)
    print(f"{count} files, {len(wrong)} wrong")
    return 1 if wrong else 0


def rounded(value, expected):
    return {name: value[name].to(each.dtype) for name, each in expected.items()}


def partly(folder, net, lancet, module):
    """Parts in several files, and strict=False."""
    state = {name: value.clone() for name, value in net.state_dict().items()}
    head = {name: value for name, value in state.items() if name.startswith("head.")}
    rest = {name: value for name, value in state.items() if name not in head}
    torch.save(head, folder / "head.pth"), torch.save(rest, folder / "rest.pth")
    wrong = []
    code, answer = lancet([folder / "head.pth", folder / "rest.pth"])
    if code != 0 or same(folder / "out.pt", state, module.Net()):
        wrong.append(f"two parts: {answer}")
    loose = {**copy.deepcopy(rest), "extra.weight": torch.ones(1), "more": torch.ones(2)}
    torch.save(loose, folder / "loose.pth")
    torch.manual_seed(0)
    fresh = module.Net()
    keys = fresh.load_state_dict(loose, strict=False)
    code, answer = lancet([folder / "loose.pth"], "--no-strict")
    said = {each["code"]: each["arguments"]["names"] for each in answer.get("warnings", [])}
    for kind, names in ("make.weights_missing", keys.missing_keys), ("make.weights_left", keys.unexpected_keys):
        if {part.strip('"') for part in said.get(kind, "").split(", ")} != set(names):
            wrong.append(f"strict=False: {said.get(kind)} for {names}")
    if code != 0 or same(folder / "out.pt", fresh.state_dict(), module.Net()):
        wrong.append(f"strict=False: {answer}")
    return wrong


def model_files(lancet, folder, module):
    """A model with other weights in a file of each format, and how Python reads the state dict of a written one."""
    net, x = module.Net().eval(), torch.randn(2, 3, 4, 4)
    gm = torch.fx.symbolic_trace(net)
    of_module = lambda path: torch.load(path, weights_only=False).state_dict()  # noqa: E731
    of_program = lambda path: torch.export.load(path).state_dict  # noqa: E731
    of_script = lambda path: torch.jit.load(path).state_dict()  # noqa: E731
    torch.save(gm, folder / "gm.pt")
    yield folder / "gm.pt", "out.pt", of_module
    torch.save(gm, folder / "gm_old.pt", _use_new_zipfile_serialization=False)
    yield folder / "gm_old.pt", "out.pt", of_module
    gm.to_folder(folder / "gm_folder", "Net")
    yield folder / "gm_folder", "out.pt", of_module
    subprocess.run([lancet, "convert", folder / "gm.pt", "-o", folder / "gm.json", "--quiet"], check=True)
    yield folder / "gm.json", "out.pt", of_module
    torch.export.save(torch.export.export(net, (x,)), folder / "net.pt2")
    yield folder / "net.pt2", "out.pt2", of_program
    del net.scratch  # scripts do not keep that a buffer is not persistent
    torch.jit.script(net).save(folder / "scripted.ts")
    yield folder / "scripted.ts", "out.ts", of_script
    torch.jit.trace(net, x).save(folder / "traced.ts")
    yield folder / "traced.ts", "out.ts", of_script


def into_files(lancet, folder, module):
    """Loads into models that have weights, and runs them."""
    torch.manual_seed(7)
    wrong, count, trained = [], 0, module.Net().eval()
    for buffer in trained.buffers():
        if buffer.is_floating_point() and buffer.dim():
            buffer.uniform_(0.5, 2)
    state, x = trained.state_dict(), torch.randn(2, 3, 4, 4)
    torch.save({"x": x}, folder / "x.pt")
    torch.save({"epoch": 1, "model": {"module." + name: value for name, value in state.items()}}, folder / "checkpoint.pth")
    torch.save({name: value for name, value in state.items() if "bias" not in name} | {"more": torch.ones(2)}, folder / "loose.pth")
    torch.save(module.Other().state_dict(), folder / "other.pth")
    biases = [name for name in state if "bias" in name]
    for model, out, read in model_files(lancet, folder, module):
        def run(verb, weights, *words):
            done = subprocess.run([lancet, verb, model, "--weights", folder / weights, "--json", *words], capture_output=True, text=True)
            return done.returncode, json.loads(done.stdout) if done.stdout else {}

        count += 1
        code, answer = run("convert", "checkpoint.pth", "-o", folder / out)
        if code != 0:
            wrong.append(f"{model.name}: {answer}")
            continue
        got = read(folder / out)
        if bad := [name for name, value in got.items() if not torch.equal(value.cpu(), state[name])]:
            wrong.append(f"{model.name}: other values of {bad}")
        code, answer = run("run", "checkpoint.pth", "--inputs", folder / "x.pt", "-o", folder / "y.pt")
        result = torch.load(folder / "y.pt") if code == 0 else {}
        values = [value for value in (result.values() if isinstance(result, dict) else [result]) if torch.is_tensor(value)]
        with torch.no_grad():
            expected = trained(x)
        if len(values) != 1 or not torch.allclose(values[0], expected, rtol=1e-4, atol=1e-5):
            wrong.append(f"{model.name}: other results: {answer}")
        for verb in "convert", "run":
            code, answer = run(verb, "other.pth", *(("-o", folder / out) if verb == "convert" else ()))
            if code != 4 or answer["error"]["code"] != "make.state_dict_misfits":
                wrong.append(f"{model.name}: {verb} with others: exit {code} {answer}")
        code, answer = run("convert", "loose.pth", "--no-strict", "-o", folder / out)
        said = {each["code"]: each["arguments"].get("names") for each in answer.get("warnings", [])}
        names = {part.strip('"') for part in said.get("make.weights_missing", "").split(", ")}
        if code != 0 or said.get("make.weights_left") != '"more"' or names != set(biases) & set(got):
            wrong.append(f"{model.name}: strict=False: exit {code} {said}")
    return wrong, count


if __name__ == "__main__":
    sys.exit(main())
