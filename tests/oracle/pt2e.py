#!/usr/bin/env python3
"""Compares `lancet quantize` on .pt2 files with prepare_pt2e and convert_pt2e of torchao and its X86InductorQuantizer.

    pt2e.py --lancet build/release/bin/lancet [--worker BIN] [--only TEXT] [--mode static] [--every N] [-v]

Each model of pt2e_models.py is exported, saved and loaded; torchao quantises `torch.export.load(FILE).module()`. With --worker, values are
compared too: what each observer holds after the batches, bit for bit, and what the converted model returns, within one quantisation step; as
.json in lancet-worker and as .pt2 in PyTorch.
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
from worker import Died, Refused as Answer, Tables, Worker, bits, tensors  # noqa: E402

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
    """Graph texts after prepare and convert, the state of the observers after the batches, and the converted module."""
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
            seen = {name: buffer.clone() for name, buffer in prepared.named_buffers(remove_duplicate=False)}
            converted = convert_pt2e(prepared)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
    return texts + [str(converted.graph)], seen, converted


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


def varied(inputs):
    """A second batch: other numbers where they are real ones."""
    return tuple(torch.randn_like(each) * 2 if isinstance(each, torch.Tensor) and each.is_floating_point() else each for each in inputs)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bits(a) == bits(b)


def flat(value):
    return [value] if isinstance(value, torch.Tensor) else [each for part in value for each in flat(part)] if isinstance(value, (tuple, list)) else []


def step_of(converted, output):
    """The largest step between quantised values in a model; without a static scale, that of eight bits over the output."""
    scales = [node.args[1] for node in converted.graph.nodes if "quantize_per_tensor.default" in str(node.target)]
    scales = [each for each in scales if isinstance(each, float)]
    return max(scales) if scales else ((output.max() - output.min()) / 255).item()


class Values:
    """Statistics and outputs of one model and mode, torchao's and lancet's."""

    def __init__(self, options, folder, worker, counts):
        self.options, self.folder, self.worker, self.counts = options, folder, worker, counts

    def written(self, path, mode, name, *more):
        target = os.path.join(self.folder, name)
        done = subprocess.run([self.options.lancet, "quantize", path, "--mode", mode, *more, "-o", target, "--quiet"], capture_output=True, text=True)
        return (target, "") if done.returncode == 0 else (None, done.stderr.strip())

    def statistics(self, path, mode, batches, seen):
        target, problem = self.written(path, mode, "prepared.json", "--prepared")
        if not target:
            return [f"prepared.json: {problem}"]
        tables = Tables((batches,))
        message = {"verb": "calibrate", "model": target, "seed": "0", "threads": torch.get_num_threads(), "random": [], "draws": 0, "details": False}
        answer, blob = self.worker.call(message | {"inputs": tables.tree["tuple"][0], "tensors": tables.tensors, "storages": tables.storages})
        known, out, count = tensors(answer, blob), [], 0
        for observer in answer["observers"]:
            for name, row in observer["buffers"]:
                count += 1
                want, got = seen.get(f"{observer['path']}.{name}"), known[row["tensor"]]
                if want is None or not same(want, got):
                    out.append(f"{observer['path']}.{name}: expected {want if want is None else want.flatten()[:3].tolist()}, got {got.flatten()[:3].tolist()}")
        self.counts["statistics equal"] += count - len(out)
        return out

    def outputs(self, path, mode, batches, converted):
        batch_file = os.path.join(self.folder, "batches.pt")
        torch.save(batches, batch_file)
        with torch.no_grad():
            expected, out = flat(converted(*batches[0])), []
        for name in ("converted.json", "converted.pt2"):
            target, problem = self.written(path, mode, name, "--inputs", batch_file)
            if not target:
                out.append(f"{name}: {problem}")
                continue
            with torch.no_grad():
                got = flat(self.worker.run(target, batches[0]) if name.endswith("json") else torch.export.load(target).module()(*batches[0]))
            if len(got) != len(expected):
                out.append(f"{name}: {len(got)} results instead of {len(expected)}")
            elif all(map(same, expected, got)):
                self.counts["outputs equal"] += 1
            else:
                worst = max(((a.double() - b.double()).abs().max().item() / (step_of(converted, a) or 1)) for a, b in zip(expected, got))
                self.counts["outputs within a step"] += worst <= 1
                out += [f"{name}: differs by {worst:.3g} steps"] if not worst <= 1 else []
        return out

    def differences(self, path, mode, batches, seen, converted):
        out = []
        for check in (lambda: self.statistics(path, mode, batches, seen), lambda: self.outputs(path, mode, batches, converted)):
            try:
                out += check()
            except (Answer, Died) as error:
                out.append(f"{type(error).__name__}: {str(error)[:200]}")
        return out


def compare(name, spec, mode, options, folder, counts, values):
    module, inputs, settings = spec
    settings = dict(settings)
    kwargs = settings.pop("kwargs", {})
    path = os.path.join(folder, f"{name}.{mode}.pt2")
    module.train(mode == "qat")
    for each in module.modules():
        if isinstance(each, torch.nn.Dropout):
            each.p = 0.0  # in QAT it draws numbers, and statistics and results could not be compared
        if isinstance(each, torch.nn.MultiheadAttention):
            each.dropout = 0.0
    torch.export.save(torch.export.export(module, inputs, kwargs, **settings), path)
    torch.manual_seed(1)
    batches = [(inputs, kwargs), (varied(inputs), kwargs)]
    stages = ("prepare", "convert")
    try:
        expected, seen, converted = torchao(path, mode, batches)
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
    if values and not kwargs:
        problems = values.differences(path, mode, [args for args, _ in batches], seen, converted)
        counts["values different"] += bool(problems)
        for problem in problems[:6]:
            print(f"  {name} {mode}: {problem}")
        equal = equal and not problems
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
                texts, _, _ = torchao(path, mode, [(inputs, {})] * 2)
            except Refused:
                continue
            for stage, text in zip(("prepared", "converted"), texts):
                with open(path.replace(".pt2", f".{stage}.txt"), "w") as file:
                    file.write(masked(text) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", help="the command")
    parser.add_argument("--worker", help="lancet-worker: compares values")
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
                            "convert different", "statistics equal", "outputs equal", "outputs within a step", "values different"), 0)
    worker = Worker(options.worker) if options.worker else None
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        values = Values(options, folder, worker, counts) if worker else None
        for i, (name, spec) in enumerate(models().items()):
            if options.only not in name or i % options.every:
                continue
            for mode in options.mode or MODES:
                try:
                    failed += not compare(name, spec, mode, options, folder, counts, values)
                except Exception as error:
                    print(f"  {name} {mode}: {type(error).__name__}: {str(error)[:300]}")
                    failed += 1
    if worker:
        worker.stop()
    print("pt2e: " + ", ".join(f"{value} {key}" for key, value in counts.items()))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
