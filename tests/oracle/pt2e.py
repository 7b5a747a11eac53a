#!/usr/bin/env python3
"""Compares `lancet quantize` on .pt2 files with prepare_pt2e and convert_pt2e of torchao and its X86InductorQuantizer.

    pt2e.py --lancet build/release/bin/lancet [--only TEXT] [--mode static] [--every N] [-v]

Each model of pt2e_models.py is exported, saved and loaded; torchao quantises `torch.export.load(FILE).module()`.
"""
import argparse
import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings

import torch

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

MODES = ("static", "dynamic", "qat")
# Scale and zero point of quantize_per_tensor.default, which depend on statistics.
NUMBERS = re.compile(r"(quantize_per_tensor\.default\]\(args = \(%\w+, )[-0-9.e]+, -?\d+,")


def masked(text):
    return NUMBERS.sub(r"\1S, Z,", text)


class Refused(Exception):
    pass


def remember_patterns():
    """torchao exports dozens of patterns for each model in QAT; they are the same ones each time."""
    import copy

    from torchao.quantization.pt2e import qat_utils
    export = qat_utils._get_aten_graph_module_for_pattern
    known = {}

    def remembered(pattern, example_inputs, is_cuda=False, **kwargs):
        function = pattern.fn
        cells = [str(cell.cell_contents) for cell in function.__closure__ or ()]
        key = (function.__qualname__, *cells, *kwargs, *(tuple(each.shape) for each in example_inputs))
        if key not in known:
            known[key] = export(pattern, example_inputs, is_cuda, **kwargs)
        return copy.deepcopy(known[key])

    qat_utils._get_aten_graph_module_for_pattern = remembered


def torchao(path, mode, batches):
    """Graph texts after prepare and convert, and the converted module."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
    from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
        X86InductorQuantizer, get_default_x86_inductor_quantization_config)
    config = get_default_x86_inductor_quantization_config(is_qat=mode == "qat", is_dynamic=mode == "dynamic")
    quantizer = X86InductorQuantizer().set_global(config)
    with contextlib.redirect_stdout(io.StringIO()):
        module = torch.export.load(path).module()
        try:
            prepared = (prepare_qat_pt2e if mode == "qat" else prepare_pt2e)(module, quantizer)
            texts = [str(prepared.graph)]
            for args, kwargs in batches:
                prepared(*args, **kwargs)
            converted = convert_pt2e(prepared)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
    return texts + [str(converted.graph)], converted


def lancet(command, path, mode, stage):
    arguments = [command, "quantize", path, "--backend", "x86", "--mode", mode, "--show", "graph"]
    if stage == "prepare":
        arguments.append("--prepared")
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"lancet failed with {done.returncode} on {path}: {done.stderr}")
    return (done.stdout.rstrip("\n") if done.returncode == 0 else None), done.stderr.strip()


def difference(expected, got):
    lines = difflib.unified_diff(expected.splitlines(), got.splitlines(), "torchao", "lancet", n=0, lineterm="")
    return "\n".join("    " + line[:230] for line in list(lines)[:14])


def compare(name, spec, mode, options, folder, counts):
    module, inputs, settings = spec
    settings = dict(settings)
    kwargs = settings.pop("kwargs", {})
    path = os.path.join(folder, f"{name}.{mode}.pt2")
    module.train(mode == "qat")
    torch.export.save(torch.export.export(module, inputs, kwargs, **settings), path)
    batches = [(inputs, kwargs)] * 2
    stages = ("prepare", "convert")
    try:
        expected, _ = torchao(path, mode, batches)
    except Refused as refusal:
        got, error = lancet(options.lancet, path, mode, "convert")
        counts["both refuse" if got is None else "torchao refuses"] += 1
        if options.verbose:
            print(f"  {name} {mode}: torchao {str(refusal)[:100]!r}; lancet {error.splitlines()[:1]}")
        return True
    equal = True
    for stage, want in zip(stages, expected):
        got, error = lancet(options.lancet, path, mode, stage)
        if got is not None and masked(got) == masked(want):
            counts[f"{stage} equal"] += 1
            continue
        equal = False
        counts[f"{stage} different"] += 1
        print(f"  {name} {mode} {stage}: {'refused: ' + error if got is None else 'different'}")
        if options.verbose and got is not None:
            print(difference(masked(want), masked(got)))
    return equal


GOLDEN = {"residual_only": ("static", "qat"), "cat_of_cats": ("static",), "attention_sdpa": ("dynamic",),
          "names": ("qat",), "shared_relu": ("static",)}


def write_golden(folder, specs):
    """Files for tests/core/quant/pt2e, with what torchao makes of them."""
    for name, modes in GOLDEN.items():
        module, inputs, settings = specs[name]
        for mode in modes:
            path = os.path.join(folder, f"{name}.{mode}.pt2")
            module.train(mode == "qat")
            torch.export.save(torch.export.export(module, inputs, **settings), path)
            with open(path.replace(".pt2", ".module.txt"), "w") as file:
                file.write(str(torch.export.load(path).module().graph) + "\n")
            try:
                texts, _ = torchao(path, mode, [(inputs, {})] * 2)
            except Refused:
                continue
            for stage, text in zip(("prepared", "converted"), texts):
                with open(path.replace(".pt2", f".{stage}.txt"), "w") as file:
                    file.write(masked(text) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", help="the command")
    parser.add_argument("--golden", metavar="FOLDER", help="only write the files of tests/data/pt2e")
    parser.add_argument("--only", default="")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    try:
        import torchao.quantization.pt2e  # noqa: F401
    except ImportError:
        print("pt2e: torchao is not installed, nothing compared")
        return 0
    from pt2e_models import models
    remember_patterns()
    torch.manual_seed(0)
    if options.golden:
        write_golden(options.golden, models())
        return 0
    counts = dict.fromkeys(("prepare equal", "convert equal", "both refuse", "torchao refuses", "prepare different",
                            "convert different"), 0)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, spec) in enumerate(models().items()):
            if options.only not in name or i % options.every:
                continue
            for mode in options.mode or MODES:
                try:
                    failed += not compare(name, spec, mode, options, folder, counts)
                except Exception as error:
                    print(f"  {name} {mode}: {type(error).__name__}: {str(error)[:300]}")
                    failed += 1
    print("pt2e: " + ", ".join(f"{value} {key}" for key, value in counts.items()))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
