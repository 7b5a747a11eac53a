#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces and scripts the models of torchscript_models.py and torchscript_edge_models.py, and compares what lancet makes of the files with torch.jit.load: numbers of the
imported graph, of what it writes (.ts and .pt, also after an edit), and the types of the modules with those of the original."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

import torch
from torch import nn

import torchscript_edge_models
import torchscript_models

warnings.filterwarnings("ignore")
MODELS = torchscript_models.MODELS + torchscript_edge_models.MODELS
LEAVES = ("torch.nn.modules.",)
FUSED = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)
ONLY_SCRIPT = ("reads_packed_conv", "reads_no_packed_conv", "sparse_coo", "sparse_csr")  # torch.load reads no quantised convolutions, .pt has no sparse tensors
UNREAD = ("Module", "MultiheadAttention", "TransformerEncoderLayer", "Bilinear")  # written as operators, or called with several inputs
CONTAINERS = ("torch.nn.modules.container.",)


def call(lancet, *words, expect=(0,)):
    done = subprocess.run([lancet, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode not in expect:
        raise AssertionError(f"lancet {words[0]} ended with {done.returncode}: {done.stderr.strip()[:600]}")
    return done.stdout


def flat(value):
    if isinstance(value, dict):
        return [item for key in sorted(value) for item in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    return [value]


def lists(value):
    """Where a value has lists, and where tuples."""
    if isinstance(value, dict):
        return {key: lists(item) for key, item in value.items()}
    return [type(value).__name__, *map(lists, value)] if type(value) in (list, tuple, torch.Size) else None


def same(got, expected, what, exact=True):
    if exact:
        assert lists(got) == lists(expected), f"{what}: {lists(got)} instead of {lists(expected)}"
    got, expected = flat(got), flat(expected)
    assert len(got) == len(expected), f"{what}: {len(got)} outputs instead of {len(expected)}"
    for index, (a, b) in enumerate(zip(got, expected)):
        if not isinstance(b, torch.Tensor):
            assert a == b, f"{what}: output {index} is {a} instead of {b}"
            continue
        assert a.dtype == b.dtype and a.shape == b.shape, f"{what}: output {index} is {a.dtype} {tuple(a.shape)} instead of {b.dtype} {tuple(b.shape)}"
        if exact:
            assert torch.equal(a, b) or (a.isnan() & b.isnan() | (a == b)).all(), f"{what}: output {index} differs by {(a - b).abs().max()}"
        else:
            torch.testing.assert_close(a, b, equal_nan=True)


def fresh(inputs):
    return torch.utils._pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, inputs)


def make(name, way, builder, folder):
    torch.manual_seed(0)
    model, inputs = builder()
    for buffer in model.buffers():
        if buffer.layout == torch.strided and buffer.dtype.is_floating_point and buffer.element_size() > 1:
            buffer.uniform_(0.5, 1.5)
    model.eval()
    with torch.no_grad():
        script = torch.jit.script(model) if way == "s" else torch.jit.trace(model, fresh(inputs), strict=way == "t", check_trace=False)
    path = folder / f"{name}_{way}.ts"
    torch.jit.save(script, path)
    torch.save(inputs, folder / "inputs.pt")
    return model, inputs, path


def type_name(module):
    return f"{type(module).__module__}.{type(module).__qualname__}"


def compare_modules(lancet, model, path, counts, verbose):
    """Paths of the original; of torch.nn's classes the type, and the settings as they print."""
    ours = {row["path"]: row for row in json.loads(call(lancet, "modules", path, "--json"))["modules"]}
    inside = []
    for name, module in model.named_modules(remove_duplicate=False):
        leaf = type_name(module).startswith(LEAVES) and not type_name(module).startswith(CONTAINERS)
        if any(name.startswith(outer + ".") for outer in inside):
            continue
        if not leaf:
            continue
        inside.append(name)
        row = ours.get(name)
        if row is None:
            continue  # shared modules are listed once
        known = counts.setdefault(type(module).__name__, [0, 0])
        known[1] += 1
        known[0] += row["type"] == type_name(module)
        assert not path.name.startswith("attends_") or row["type"] == type_name(module), f"{name} is {row['type']}"
        if verbose and row["type"] != type_name(module):
            print(f"{path.name}: {name} is {row['type']} instead of {type_name(module)}")


def compare_written(lancet, folder):
    """A written layer of one input is that layer again, whatever calls it."""
    types = [{row["path"]: row["type"] for row in json.loads(call(lancet, "modules", folder / name, "--json"))["modules"]} for name in ("graph.json", "again.ts")]
    lost = {path: type for path, type in types[0].items() if type.startswith((*LEAVES, "torch.ao.nn.")) and not type.startswith(CONTAINERS) and types[1].get(path) != type}
    lost = {path: type for path, type in lost.items() if not type.endswith(UNREAD) and not any(path.startswith(outer + ".") for outer in types[0] if types[0][outer].endswith(UNREAD))}
    assert not lost, f"types are lost in a written .ts: {lost}"


def check_edit(lancet, path, folder, inputs, expected, exact):
    """The first tensor of the result is negated, where it is the result itself or one of a tuple."""
    nodes = json.loads(call(lancet, "graph", path, "--json"))["nodes"]
    result = nodes[-1]["args"][0]
    first = result if isinstance(result, dict) and "node" in result else (result.get("tuple") or [None])[0] if isinstance(result, dict) else None
    tensor = flat(expected)[0]
    if not (isinstance(first, dict) and "node" in first and isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point):
        return
    if isinstance(expected, torch.Tensor) == (first is not result):
        return  # a tuple that one node gives
    step = {"step": "insert_after", "node": first["node"], "op": "call_function", "target": "torch.ops.aten.neg.default", "args": [first], "rewire_users": True}
    if sum(first["node"] in json.dumps(node["args"]) for node in nodes) > 1:
        return  # others use it too
    call(lancet, "edit", path, "--step", json.dumps(step), "-o", folder / "edited.ts")
    with torch.no_grad():
        got = flat(torch.jit.load(folder / "edited.ts")(*fresh(inputs)))
    same([got[0]], [-tensor], "edited .ts", exact)


def check_fixed(lancet, path, folder, inputs, expected):
    """Of the optional inputs, the first is given: `fx.PH`."""
    fixed = ["--concrete", json.dumps({"mask": {"repr": "PH"}})]
    call(lancet, "run", path, *fixed, "--inputs", folder / "inputs.pt", "-o", folder / "out.pt")
    same(torch.load(folder / "out.pt"), expected, "run with a given input")
    assert not json.loads(call(lancet, "info", path, *fixed, "--json"))["blocks"], "a given input decides its branches"
    call(lancet, "run", path, "--inputs", folder / "inputs.pt", "-o", folder / "out.pt")
    same(torch.load(folder / "out.pt"), expected, "run of the file with an input that is no default")
    call(lancet, "convert", path, *fixed, "-o", folder / "fixed.ts")
    with torch.no_grad():
        same(torch.jit.load(folder / "fixed.ts")(*fresh(inputs)), expected, ".ts with a given input")


def check_extra_files(lancet, folder):
    """`_extra_files` go through a project and an edit; other formats say that they are lost."""
    path, kept = folder / "extra.ts", {"note.txt": b"kept", "a/b.json": b"{}"}
    torch.jit.save(torch.jit.script(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())), path, _extra_files=kept)
    rename = ["--step", '{"step": "rename", "node": "_1", "name": "act"}']
    call(lancet, "convert", path, "-o", folder / "extra.lancet")
    call(lancet, "edit", folder / "extra.lancet", *rename, "-o", folder / "edited.lancet")
    call(lancet, "edit", path, *rename, "-o", folder / "edited.ts")
    for project in ("extra", "edited"):
        call(lancet, "convert", folder / f"{project}.lancet", "-o", folder / f"{project}_again.ts")
    for name in ("edited", "extra_again", "edited_again"):
        got = dict.fromkeys(kept, "")
        loaded = torch.jit.load(folder / f"{name}.ts", _extra_files=got)
        assert got == kept, f"{name}.ts has {got}"
        same(loaded(torch.ones(1, 2)), torch.jit.load(path)(torch.ones(1, 2)), f"{name}.ts with extra files")
    for target in ("extra.json", "extra.pt"):
        warnings = json.loads(call(lancet, "convert", path, "-o", folder / target, "--json"))["warnings"]
        assert "foresee.extra_files_lost" in [each["code"] for each in warnings], f"{target} does not say that extra files are lost"


def check_missing_entry(lancet, folder):
    """An entry that is missing is named."""
    whole, damaged = folder / "whole.ts", folder / "damaged.ts"
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(damaged, "w") as target:
        for name in source.namelist():
            if not name.endswith("/data/0"):
                target.writestr(name, source.read(name))
    done = subprocess.run([lancet, "graph", damaged], capture_output=True, text=True)
    assert done.returncode == 3 and "entry 'data/0' is missing" in done.stderr and "miniz" not in done.stderr, done.stderr


def check(lancet, name, way, builder, folder, counts, exports, verbose):
    model, inputs, path = make(name, way, builder, folder)
    with torch.no_grad():
        expected = torch.jit.load(path)(*fresh(inputs))
    given = ["--inputs", folder / "inputs.pt"]
    exact = True
    file = path
    if name.endswith("_given") and way == "s":  # inputs that the default graph is without
        check_fixed(lancet, path, folder, inputs, expected)
        path = f"{path}#forward (every branch)"
    call(lancet, "run", path, *given, "-o", folder / "out.pt")
    same(torch.load(folder / "out.pt"), expected, "run", exact)
    compare_modules(lancet, model, file, counts, verbose)
    info = json.loads(call(lancet, "info", path, "--json"))
    assert info["dialect"] == "torchscript" and info["format"] == "torchscript", info
    if not info["blocks"] and name not in ONLY_SCRIPT:
        call(lancet, "convert", path, "-o", folder / "out_model.pt")
        loaded = torch.load(folder / "out_model.pt", weights_only=False)
        with torch.no_grad():
            same(loaded(*fresh(inputs)), expected, ".pt in torch.load", exact)
    if exports:
        call(lancet, "convert", path, "-o", folder / "copy.ts")
        assert (folder / "copy.ts").read_bytes() == file.read_bytes(), "an import that was not edited is written as it was"
        call(lancet, "convert", path, "-o", folder / "graph.json")  # which knows nothing of the file
        try:
            call(lancet, "convert", folder / "graph.json", "-o", folder / "again.ts")
        except AssertionError as error:
            if "cannot write a module of type" not in str(error):
                raise
            counts.setdefault("refused", []).append(f"{name}_{way}")
            return info["blocks"]
        fused = any(isinstance(module, FUSED) for module in model.modules())  # written without PyTorch's fused operators
        with torch.no_grad():
            same(torch.jit.load(folder / "again.ts")(*fresh(inputs)), expected, ".ts in torch.jit.load", exact and not fused)
        compare_written(lancet, folder)
        call(lancet, "convert", path, "--leaf", "none", "-o", folder / "operators.json")
        call(lancet, "run", folder / "operators.json", *given, "-o", folder / "out.pt")
        same(torch.load(folder / "out.pt"), expected, "operators alone", exact)
        check_edit(lancet, path, folder, inputs, expected, exact and not fused)
    return info["blocks"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="", help="NAME_t or NAME_s, or a part of it")
    parser.add_argument("--every", type=int, default=1, help="only each Nth model")
    parser.add_argument("--no-export", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the modules that are not recognised")
    options = parser.parse_args()
    cases = [(name, way, builder) for name, ways, builder in MODELS for way in ways]
    cases = [case for case in cases if options.only in f"{case[0]}_{case[1]}"][:: options.every]
    failed, counts, blocks = 0, {}, 0
    for name, way, builder in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                blocks += check(options.lancet, name, way, builder, pathlib.Path(folder), counts, not options.no_export, options.verbose)
            except Exception as error:  # the others are compared all the same
                failed += 1
                print(f"{name}_{way}: {type(error).__name__}: {str(error)[:700]}", flush=True)
    for whole_file, of_file in (("extra_files", check_extra_files), ("missing_entry", check_missing_entry)):
        if not whole_file.startswith(options.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                of_file(options.lancet, pathlib.Path(folder))
            except Exception as error:
                failed += 1
                print(f"{whole_file}: {type(error).__name__}: {str(error)[:700]}", flush=True)
    refused = counts.pop("refused", [])
    recognised, everything = (sum(pair[i] for pair in counts.values()) for i in (0, 1))
    print(f"{len(cases) - failed} of {len(cases)} models as PyTorch runs them; {recognised} of {everything} modules of torch.nn recognised; {blocks} blocks")
    if refused:
        print(f"not written as .ts: {', '.join(refused)}")
    others = {name: f"{a}/{b}" for name, (a, b) in sorted(counts.items()) if a < b}
    if others:
        print(f"not recognised: {others}")
    few = everything and everything >= 100 and recognised < 0.95 * everything
    return 1 if failed or few or not cases or len(refused) > 0.05 * len(cases) + 1 else 0


if __name__ == "__main__":
    sys.exit(main())
