# SPDX-License-Identifier: GPL-3.0-or-later
"""The pass `onednn` on odd blocks: which layers are fused, and that the numbers stay.

    onednn.py --lancet BIN [--every N] [--only NAME]

Each block is optimised without measuring, so that every layer that can be fused is; Lancet runs the result on packed kernels. Its outputs must be as close to those in
float64 as PyTorch's own, but for 1e-6 of their scale per layer (bfloat16: its own rounding), also with another batch, also from the .pt that PyTorch loads and computes the
same from. Blocks in `REFUSED` must be refused. Exit 1: a difference.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn

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
    return nn.Conv2d(i, o, k, **{"padding": 1 if k == 3 else 0} | settings)


IMAGE, ROWS, WORDS = (2, 4, 9, 11), (6, 4), (2, 5, 4)
ACTIVATIONS = {
    "relu": nn.ReLU(), "relu_inplace": nn.ReLU(inplace=True), "relu6": nn.ReLU6(), "hardtanh": nn.Hardtanh(-0.3, 0.4), "hardswish": nn.Hardswish(), "hardsigmoid": nn.Hardsigmoid(),
    "silu": nn.SiLU(inplace=True), "sigmoid": nn.Sigmoid(), "tanh": nn.Tanh(), "gelu": nn.GELU(), "gelu_tanh": nn.GELU(approximate="tanh"), "leaky_relu": nn.LeakyReLU(0.2),
}  # fmt: skip


def in_place_sum(s, x):
    a = s.c(x)
    a += s.d(x)
    return a.relu_()


def written_between(s, x):
    a = torch.sin(x)
    b = s.c(a)
    a.mul_(3)
    return torch.relu(b) + a


def added_and_kept(s, x):
    y = torch.sin(x)
    return torch.relu(s.c(x) + y) * y


def view_written(s, x):
    a = s.c(x)
    a.view(2, -1).mul_(2)
    return torch.relu(a)


def dense_block(s, x):
    y = s.c(x)
    y = torch.cat([y, torch.tanh(y), y[:, :1]], 1)
    z = s.d(s.a(s.b(y)))
    return s.f(F.relu(s.e(torch.cat([y, z], 1))))


def norm_written_between(s, x):
    y = s.c(x)
    z = torch.cat([y, x], 1)
    y.mul_(2)
    return s.b(z) + y.sum()


def stacked(s, x):
    a, b = s.c(x), s.d(x)
    return s.d(torch.relu(a + b) + b) + a


def blocks():
    """Name: (module, shape of the input, number of fused layers and norms)."""
    out = {}
    for name, act in ACTIVATIONS.items():
        out[f"conv_{name}"] = Block(lambda s, x: s.a(s.c(x)), c=conv(), a=act), IMAGE, 1
        out[f"linear_{name}"] = Block(lambda s, x: s.a(s.c(x)), c=nn.Linear(4, 6), a=act), WORDS, 1
        out[f"transposed_{name}"] = Block(lambda s, x: s.a(s.c(x)), c=nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1), a=act), IMAGE, 1
    one = lambda name, run, shape, count, **layers: out.__setitem__(name, (Block(run, **layers), shape, count))  # noqa: E731
    chain = lambda s, x: torch.relu(s.b(s.c(x)))  # noqa: E731
    one("groups", chain, IMAGE, 1, c=conv(groups=2), b=nn.BatchNorm2d(4))
    one("depthwise", chain, IMAGE, 1, c=conv(4, 8, groups=4, bias=False), b=nn.BatchNorm2d(8))
    one("dilation", chain, IMAGE, 1, c=conv(dilation=(2, 1), stride=(1, 2)), b=nn.BatchNorm2d(4))
    one("odd_padding", chain, IMAGE, 1, c=conv(4, 5, (3, 1), padding=(0, 2)), b=nn.BatchNorm2d(5))
    one("transposed_groups", chain, IMAGE, 1, c=nn.ConvTranspose2d(4, 6, 3, groups=2, dilation=2, bias=False), b=nn.BatchNorm2d(6))
    one("conv3d", lambda s, x: F.relu(s.c(x)), (1, 4, 5, 6, 7), 1, c=nn.Conv3d(4, 3, 3, padding=1))
    one("transposed3d", lambda s, x: F.relu(s.c(x)), (1, 4, 3, 4, 5), 1, c=nn.ConvTranspose3d(4, 3, 2))
    one("conv1d", lambda s, x: F.relu(s.c(x)), (2, 4, 9), 0, c=nn.Conv1d(4, 3, 3))
    one("padding_same", lambda s, x: F.relu(s.c(x)), IMAGE, 1, c=nn.Conv2d(4, 3, 3, padding="same"))
    one("padding_reflect", lambda s, x: F.relu(s.c(x)), IMAGE, 0, c=nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect"))
    one("unbatched", lambda s, x: F.relu(s.c(x)), (4, 9, 11), 1, c=conv())
    one("empty_batch", lambda s, x: F.relu(s.c(x)), (0, 4, 9, 11), 1, c=conv())
    one("vector", lambda s, x: F.relu(s.c(x)), (4,), 1, c=nn.Linear(4, 3))
    one("many_dimensions", lambda s, x: F.relu(s.c(x)), (2, 3, 2, 5, 4), 1, c=nn.Linear(4, 3, bias=False))
    one("shared_module", lambda s, x: s.c(torch.relu(s.c(torch.relu(s.c(x))))), IMAGE, 3, c=conv())
    one("shared_with_norm", lambda s, x: s.b(s.c(x)) + s.c(torch.sin(x)), IMAGE, 2, c=conv(), b=nn.BatchNorm2d(4))
    one("several_users", lambda s, x: (lambda a: torch.relu(a) * a + s.d(a))(s.c(x)), IMAGE, 2, c=conv(), d=conv())
    one("residual", lambda s, x: torch.relu(s.d(torch.relu(s.c(x))) + x), IMAGE, 2, c=conv(), d=conv())
    one("residual_turned", lambda s, x: torch.relu(torch.sin(x) + s.c(x)), IMAGE, 1, c=conv())
    one("two_branches", lambda s, x: torch.relu(s.c(x) + s.d(x)), IMAGE, 2, c=conv(), d=conv(4, 4, 1))
    one("in_place_sum", in_place_sum, IMAGE, 2, c=conv(), d=conv(4, 4, 1))
    one("added_and_kept", added_and_kept, IMAGE, 1, c=conv())
    one("added_input", lambda s, x: s.c(x) + x, IMAGE, 1, c=conv())
    one("added_broadcast", lambda s, x: torch.relu(s.c(x) + x.mean((2, 3), keepdim=True)), IMAGE, 1, c=conv())
    one("added_double", lambda s, x: s.c(x) + x.double(), IMAGE, 1, c=conv())
    one("added_alpha", lambda s, x: torch.add(s.c(x), x, alpha=2), IMAGE, 1, c=conv())
    one("added_number", lambda s, x: torch.relu(s.c(x) + 1), IMAGE, 1, c=conv())
    one("linear_residual", lambda s, x: s.d(F.gelu(s.c(x))) + x, WORDS, 2, c=nn.Linear(4, 9), d=nn.Linear(9, 4))
    one("written_between", written_between, IMAGE, 1, c=conv())
    one("view", lambda s, x: s.d(torch.relu(s.c(x)).view(x.size(0), -1)), IMAGE, 2, c=conv(), d=nn.Linear(4 * 9 * 11, 3))
    one("view_written", view_written, IMAGE, 0, c=conv())
    one("as_strided", lambda s, x: torch.as_strided(torch.sin(s.c(x)), (3, 4), (4, 1)), IMAGE, 1, c=conv())
    one("reshape", lambda s, x: torch.relu(s.c(x)).reshape(2, -1).sin(), IMAGE, 1, c=conv())
    one("permuted_view", lambda s, x: s.c(x).permute(0, 2, 3, 1).reshape(2, -1, 4).transpose(1, 2).contiguous().view(2, -1), IMAGE, 1, c=conv())
    one("pools_and_cat", lambda s, x: s.d(torch.cat([F.max_pool2d(s.c(x), 2), F.avg_pool2d(x, 2)], 1)), IMAGE, 2, c=conv(), d=conv(8, 3, 1))
    one("norm_between", lambda s, x: s.d(torch.relu(s.b(torch.cat([s.c(x), x], 1)))), IMAGE, 3, c=conv(), b=nn.BatchNorm2d(8), d=conv(8, 3, 1))
    one("dense_block", dense_block, IMAGE, 5, c=conv(), b=nn.BatchNorm2d(9), a=nn.ReLU(inplace=True), d=conv(9, 5, 1), e=nn.BatchNorm2d(14, affine=False), f=conv(14, 3))
    one("norm_of_one_twice", lambda s, x: s.b(torch.cat([s.c(x)] * 2, dim=1)), IMAGE, 2, c=conv(), b=nn.BatchNorm2d(8, eps=0.1))
    one("norm_3d", lambda s, x: s.b(F.max_pool3d(s.c(x), 2)).relu(), (2, 4, 4, 5, 6), 2, c=nn.Conv3d(4, 6, 3, padding=1), b=nn.BatchNorm3d(6))
    one("norm_with_other_users", lambda s, x: (lambda y: s.b(y).relu() + y)(torch.cat([s.c(x), x], 1)), IMAGE, 2, c=conv(), b=nn.BatchNorm2d(8))
    one("norm_written_between", norm_written_between, IMAGE, 1, c=conv(), b=nn.BatchNorm2d(8))
    one("norm_of_other_sizes", lambda s, x: s.b(torch.cat([s.c(x), x], 2)).relu(), IMAGE, 2, c=conv(), b=nn.BatchNorm2d(4))
    one("functional", lambda s, x: F.silu(F.conv2d(x, s.w, s.v, stride=2, padding=1)), IMAGE, 1, w=nn.Parameter(torch.randn(5, 4, 3, 3)), v=nn.Parameter(torch.randn(5)))
    one("functional_transposed", lambda s, x: F.conv_transpose2d(x, s.w, None, 2, 1, 1, 2, 1), IMAGE, 1, w=nn.Parameter(torch.randn(4, 3, 3, 3)))
    one("aten", lambda s, x: torch.ops.aten.relu.default(torch.ops.aten.conv2d.default(x, s.w, s.v, [1, 1], [1, 1])), IMAGE, 1, w=nn.Parameter(torch.randn(5, 4, 3, 3)), v=nn.Parameter(torch.randn(5)))
    one("computed_weight", lambda s, x: F.linear(x, s.w * 2), ROWS, 0, w=nn.Parameter(torch.randn(5, 4)))
    one("double", lambda s, x: torch.relu(s.c(x.double())), IMAGE, 0, c=conv().double())
    one("bfloat16", lambda s, x: torch.relu(s.b(s.c(x.bfloat16()))).float(), IMAGE, 1, c=conv().bfloat16(), b=nn.BatchNorm2d(4).bfloat16())
    one("bfloat16_linear", lambda s, x: F.gelu(s.c(x.bfloat16())).float(), WORDS, 1, c=nn.Linear(4, 6).bfloat16())
    one("stacked", stacked, IMAGE, 3, c=conv(), d=conv())
    one("silu_spelled_out", lambda s, x: (lambda a: a * torch.sigmoid(a))(s.c(x)), IMAGE, 1, c=conv())
    one("dropout", lambda s, x: torch.relu(s.p(s.c(x))), IMAGE, 1, c=conv(), p=nn.Dropout(0.5))
    one("two_outputs", lambda s, x: (torch.relu(s.c(x)), s.d(x)), IMAGE, 2, c=conv(), d=conv())
    return out


REFUSED = {
    "dropout_in_training": Block(lambda s, x: s.p(s.c(x)), c=conv(), p=nn.Dropout(0.5).train()),
    "norm_in_training": Block(lambda s, x: s.b(s.c(x)), c=conv(), b=nn.BatchNorm2d(4).train()),
}


def lancet(program, *words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True)


def leaves(value):
    return [each for item in value for each in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def scaled_error(values, exact):
    """The largest difference, against the scale of the value."""
    worst = 0.0
    for a, b in zip(leaves(values), leaves(exact)):
        if a.numel():
            worst = max(worst, float((a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-3)))
    return worst


def run_lancet(program, model, inputs, folder):
    out = folder / "out.pt"
    done = lancet(program, "run", model, "--inputs", inputs, "-o", out)
    return torch.load(out) if done.returncode == 0 else done.stderr


def problem(program, name, block, shape, count, folder):
    torch.manual_seed(len(name))
    block.eval()
    for module in block.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3), module.running_var.uniform_(0.5, 2)
    x = torch.randn(shape)
    model, faster, inputs = folder / "net.pt", folder / "faster.json", folder / "in.pt"
    torch.save(fx.symbolic_trace(block), model)
    torch.save(x, inputs)
    for old in (faster, folder / "faster.pt"):
        old.unlink(missing_ok=True)
    done = lancet(program, "pass", model, 'onednn={"measure": false}', "--inputs", inputs, "-o", faster, "--json")
    if done.returncode not in (0, 1):
        return done.stderr
    fused = [note for note in json.loads(done.stdout).get("report", []) if note["code"] in ("passes.onednn_unmeasured", "passes.onednn_norm")]
    if len(fused) != count:
        return f"{len(fused)} fused, expected {count}: {done.stdout}"
    if count == 0:
        return None
    layers = sum(note["code"] == "passes.onednn_unmeasured" for note in fused)
    batches = [x] if name in ("vector", "unbatched", "view_written", "permuted_view", "reshape") else [x, torch.randn(3 if shape[0] else 2, *shape[1:])]
    if len(shape) < 2 or name in ("view", "as_strided"):
        batches = [x]
    half = name.startswith("bfloat16")
    for given in batches:
        torch.save(given, inputs)
        with torch.no_grad():
            eager = block(given)
            exact = eager if half or name == "added_double" else copy.deepcopy(block).double()(given.double())
        answer = run_lancet(program, faster, inputs, folder)
        if isinstance(answer, str):
            return answer
        if [(each.shape, each.dtype) for each in leaves(answer)] != [(each.shape, each.dtype) for each in leaves(eager)]:
            return "other shapes or types"
        mine, theirs = scaled_error(answer, exact), scaled_error(eager, exact)
        if mine > (2e-2 if half else max(theirs, 1e-6) * 2):
            return f"error {mine:.3g}, PyTorch's own {theirs:.3g}, batch {tuple(given.shape)}"
    return saved_problem(program, faster, folder, given, eager) or operators_problem(program, model, folder, given, eager, layers)


def saved_problem(program, faster, folder, given, eager):
    """As .pt it is what PyTorch loads, and runs as the nodes that it holds."""
    done = lancet(program, "convert", faster, "-o", folder / "faster.pt")
    if done.returncode != 0:
        return done.stderr
    with torch.no_grad():
        loaded = torch.load(folder / "faster.pt", weights_only=False)(given)
    return None if scaled_error(loaded, eager) < 2e-2 else "PyTorch computes something else from the .pt"


def operators_problem(program, model, folder, given, eager, count):
    """With operators on dense weights, which PyTorch runs itself."""
    dense = folder / "dense.pt"
    done = lancet(program, "pass", model, 'onednn={"measure": false, "operators": true}', "--inputs", folder / "in.pt", "-o", dense)
    if done.returncode != 0 or "packing is lost" not in done.stderr:
        return done.stderr or "no warning"
    loaded = torch.load(dense, weights_only=False)
    if (found := str(loaded.graph).count("torch.ops.mkldnn.")) != count:
        return f"{found} operators, expected {count}"
    if given.numel() == 0 or given.dim() in (1, 3):
        return None  # what the operators do not take
    if any(weight.dtype == torch.bfloat16 for weight in loaded.parameters()) and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return None  # nor on this processor
    try:
        with torch.no_grad():
            answer = loaded(given)
    except RuntimeError as error:
        return f"PyTorch: {error}"
    return None if scaled_error(answer, eager) < 2e-2 else "PyTorch computes something else with operators"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only")
    options = parser.parse_args()
    torch.manual_seed(0)
    failures = 0
    every = list(blocks().items())
    chosen = [each for i, each in enumerate(every) if (each[0] == options.only if options.only else i % options.every == 0)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, (block, shape, count) in chosen:
            if why := problem(options.lancet, name, block, shape, count, folder):
                failures += 1
                print(f"{name}: {why}")
        for name, block in REFUSED.items():
            torch.save(fx.symbolic_trace(block), folder / "net.pt")
            if lancet(options.lancet, "pass", folder / "net.pt", "onednn", "--input", "x=2x4x9x11").returncode != 4:
                failures += 1
                print(f"{name}: not refused")
    print(f"onednn: {len(chosen) + len(REFUSED)} blocks, {failures} differ")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
