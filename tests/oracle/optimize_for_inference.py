# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.fx's `optimize_for_inference` with MKL-DNN layout: the graph, the modules and the numbers.

    optimize_for_inference.py --lancet BIN [--only NAME]

Each model is saved, loaded by PyTorch and by Lancet, and optimised with the default `pass_config`. The graphs must be equal as text, the modules of the same classes, and
Lancet must compute what PyTorch does. `INTENDED` are models whose result does not run in PyTorch, or computes something else: Lancet's must compute what the model does.
`REFUSED` are refused in PyTorch's words. Exit 1: a difference.
"""

import argparse
import copy
import json
import operator
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.experimental import optimization

warnings.filterwarnings("ignore")


class Block(nn.Module):
    """`layers` by name, and a forward that is a function of them."""

    def __init__(self, run, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.body = run

    def forward(self, x):
        return self.body(self, x)


def conv(i=4, o=4, k=3, **settings):
    return nn.Conv2d(i, o, k, **{"padding": 1} | settings)


def linear(i=4, o=4, **settings):
    return nn.Linear(i, o, **settings)


IMAGE, ROWS = (2, 4, 8, 8), (6, 4)


def residual(s, x):
    y = torch.relu(s.b(s.c(x)))
    return F.relu(s.d(y) + y)


def branches(s, x):
    y = s.p(s.c(x))
    return torch.cat([s.d(y), torch.tanh(y)], 1), s.e(y).flatten(1)


def blocks():
    out = {}
    one = lambda name, run, shape, **layers: out.__setitem__(name, (Block(run, **layers), shape))  # noqa: E731
    one("chain", lambda s, x: s.c(s.b(s.a(x))), ROWS, a=linear(), b=linear(bias=False), c=linear(4, 3))
    one("too_short", lambda s, x: torch.relu(s.a(x)), ROWS, a=linear())
    one("just_long_enough", lambda s, x: s.b(torch.relu(s.a(x))), ROWS, a=linear(), b=linear())
    one("two_regions", lambda s, x: s.d(torch.tanh(s.c(torch.relu(s.b(s.a(x)))))), ROWS, a=linear(), b=linear(), c=linear(), d=linear())
    one("conv_bn_relu", lambda s, x: s.r(s.b(s.c(x))), IMAGE, c=conv(), b=nn.BatchNorm2d(4), r=nn.ReLU())
    one("norm_alone", lambda s, x: s.c(torch.relu(s.b(x))), IMAGE, c=conv(), b=nn.BatchNorm2d(4))
    one("residual", residual, IMAGE, c=conv(), b=nn.BatchNorm2d(4), d=conv(bias=False))
    one("sum_of_one", lambda s, x: (lambda y: s.d(y + y))(s.c(x)), IMAGE, c=conv(), d=conv())
    one("sum_with_input", lambda s, x: s.d(s.c(x) + x), IMAGE, c=conv(), d=conv())
    one("sum_of_inputs", lambda s, x: s.d(s.c(x + x)), IMAGE, c=conv(), d=conv())
    one("product", lambda s, x: (lambda y: s.d(y * torch.sigmoid(y)))(s.c(x)), IMAGE, c=conv(), d=conv())
    one("pools", lambda s, x: s.l(s.a(s.q(s.p(s.c(x)))).flatten(1)), IMAGE, c=conv(), p=nn.MaxPool2d(2), q=nn.AvgPool2d(2), a=nn.AdaptiveAvgPool2d(1), l=linear())
    one("functions", lambda s, x: F.adaptive_avg_pool2d(F.avg_pool2d(F.relu(s.c(x)), 2), (1, 1)), IMAGE, c=conv())
    one("transposed", lambda s, x: torch.transpose(s.b(s.a(x)), 0, 1), ROWS, a=linear(), b=linear())
    one("dropout", lambda s, x: s.b(s.p(torch.relu(s.a(x)))), ROWS, a=linear(), b=linear(), p=nn.Dropout())
    one("shared_module", lambda s, x: s.a(torch.relu(s.a(torch.relu(s.a(x))))), ROWS, a=linear())
    one("branches", branches, IMAGE, c=conv(), p=nn.MaxPool2d(2), d=conv(), e=conv(4, 2))
    one("groups", lambda s, x: s.d(torch.relu(s.c(x))), IMAGE, c=conv(groups=2, stride=2, dilation=2), d=conv(4, 8, groups=4))
    one("nested", lambda s, x: s.n(x), IMAGE, n=nn.Sequential(conv(), nn.Sequential(nn.BatchNorm2d(4), nn.ReLU()), conv()))
    one("in_place", lambda s, x: s.d(s.r(s.c(x))), IMAGE, c=conv(), d=conv(), r=nn.ReLU(inplace=True))
    one("nothing", lambda s, x: torch.tanh(x), ROWS)
    return out


def intended():
    out = {}
    one = lambda name, run, shape, **layers: out.__setitem__(name, (Block(run, **layers), shape))  # noqa: E731
    one("sum_with_number", lambda s, x: s.c(torch.relu(s.b(s.a(x))) + 1), ROWS, a=linear(), b=linear(), c=linear())
    one("number_times", lambda s, x: 2 * s.c(torch.relu(s.b(s.a(x)))), ROWS, a=linear(), b=linear(), c=linear())
    one("number_and_input", lambda s, x: s.c(torch.relu(s.b(s.a(x + 1)))), ROWS, a=linear(), b=linear(), c=linear())
    one("reflect", lambda s, x: s.e(s.d(torch.relu(s.c(x)))), IMAGE, c=conv(), d=conv(padding_mode="reflect"), e=conv())
    one("gate", lambda s, x: (lambda y: s.d(y * torch.sigmoid(s.e(s.a(y)))))(s.c(x)), IMAGE, c=conv(), a=nn.AdaptiveAvgPool2d(1), d=conv(), e=conv(k=1, padding=0))
    one("sum_of_sizes", lambda s, x: (lambda y: s.d(y + s.a(y)))(s.c(x)), IMAGE, c=conv(), a=nn.AdaptiveAvgPool2d(1), d=conv())
    one("pool_to_odd_sizes", lambda s, x: s.d(s.a(torch.relu(s.c(x)))), IMAGE, c=conv(), a=nn.AdaptiveAvgPool2d((3, 8)), d=conv())
    one("pool_function", lambda s, x: s.d(F.adaptive_avg_pool2d(torch.relu(s.c(x)), 5)), IMAGE, c=conv(), d=conv())
    one("dilated_pool", lambda s, x: s.d(s.p(torch.relu(s.c(x)))), IMAGE, c=conv(), p=nn.MaxPool2d(2, dilation=2), d=conv())
    one("pool_with_divisor", lambda s, x: s.d(s.p(torch.relu(s.c(x)))), IMAGE, c=conv(), p=nn.AvgPool2d(2, divisor_override=3), d=conv())
    one("same", lambda s, x: s.e(s.d(torch.relu(s.c(x)))), IMAGE, c=conv(), d=conv(padding="same"), e=conv())
    return out


def refused():
    return {
        "double": (Block(lambda s, x: s.b(s.a(x)), a=linear().double(), b=linear().double()), "this pass is only for torch.float modules"),
        "no_affine": (Block(lambda s, x: s.b(torch.relu(x)), b=nn.BatchNorm2d(4, affine=False)), "Only support affine=True for mkldnn path now"),
        "no_statistics": (Block(lambda s, x: s.b(torch.relu(x)), b=nn.BatchNorm2d(4, track_running_stats=False)), "Only support track_running_stats=True for mkldnn path now"),
    }


def lancet(program, *words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True)


def leaves(value):
    return [each for item in value for each in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def are_close(a, b):
    return all(x.shape == y.shape and torch.allclose(x, y, rtol=1e-4, atol=1e-5) for x, y in zip(leaves(a), leaves(b), strict=True))


def classes(program, model):
    told = json.loads(lancet(program, "modules", model, "--json").stdout)
    found = {}
    stack = [told] if isinstance(told, dict) else list(told)
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            if "path" in each and "type" in each:
                found[each["path"]] = each["type"].rsplit(".", 1)[-1]
            stack += each.values()
        elif isinstance(each, list):
            stack += each
    return found


def prepared(name, block):
    torch.manual_seed(len(name))
    block.eval()
    for module in block.modules():
        if isinstance(module, nn.BatchNorm2d) and module.track_running_stats:
            module.running_mean.normal_(0, 0.3), module.running_var.uniform_(0.5, 2)
    return block


def problem(program, name, block, shape, folder, is_intended):
    model, faster, inputs, out = (folder / each for each in ("net.pt", "faster.json", "in.pt", "out.pt"))
    torch.save(fx.symbolic_trace(prepared(name, block)), model)
    x = torch.randn(shape)
    torch.save(x, inputs)
    for each in (faster, out):
        each.unlink(missing_ok=True)
    sizes = ("--inputs", inputs) if is_intended else ()
    done = lancet(program, "pass", model, "optimize_for_inference", *sizes, "-o", faster)
    if done.returncode != 0:
        return done.stderr
    with torch.no_grad():
        eager = copy.deepcopy(block)(x)
        expected = eager
        if not is_intended:
            theirs = optimization.optimize_for_inference(torch.load(model, weights_only=False))
            expected = theirs(x)
            mine = lancet(program, "graph", faster).stdout
            if mine.strip() != str(theirs.graph).strip():
                return f"another graph:\n{mine}\n{theirs.graph}"
            wanted = {path: getattr(each, "original_name", type(each).__name__) for path, each in theirs.named_modules() if path}
            found = classes(program, faster)
            if any(found.get(path) != kind for path, kind in wanted.items()):
                return f"other modules: {found}, PyTorch {wanted}"
    done = lancet(program, "run", faster, "--inputs", inputs, "-o", out)
    if done.returncode != 0:
        return done.stderr
    answer = torch.load(out)
    if not are_close(answer, expected) or not are_close(answer, eager):
        return "other numbers"
    return saved_problem(program, faster, folder)


def saved_problem(program, faster, folder):
    """PyTorch cannot load what it saves with modules of torch.utils.mkldnn."""
    is_mkldnn = any(kind.startswith("Mkldnn") for kind in classes(program, faster).values())
    done = lancet(program, "convert", faster, "-o", folder / "faster.pt")
    if is_mkldnn:
        return None if done.returncode == 4 and "torch.utils.mkldnn" in done.stderr else f"saved: {done.stderr}"
    return None if done.returncode == 0 else done.stderr


def refusal_problem(program, name, block, words, folder):
    model = folder / "net.pt"
    torch.save(fx.symbolic_trace(prepared(name, block)), model)
    try:
        optimization.optimize_for_inference(torch.load(model, weights_only=False))
        return "PyTorch takes it"
    except AssertionError as error:
        if str(error) != words:
            return f"PyTorch says {error}"
    done = lancet(program, "pass", model, "optimize_for_inference", "-o", folder / "faster.json")
    return None if done.returncode == 4 and words in done.stderr else f"exit {done.returncode}: {done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        work = [(name, lambda n=name, c=case: problem(options.lancet, n, *c, folder, False)) for name, case in blocks().items()]
        work += [(name, lambda n=name, c=case: problem(options.lancet, n, *c, folder, True)) for name, case in intended().items()]
        work += [(name, lambda n=name, c=case: refusal_problem(options.lancet, n, *c, folder)) for name, case in refused().items()]
        for name, check in work:
            if options.only and name != options.only:
                continue
            count += 1
            if why := check():
                failures += 1
                print(f"{name}: {why}")
    print(f"optimize_for_inference: {count} models, {failures} differ")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
