# SPDX-License-Identifier: GPL-3.0-or-later
"""Folding of batch normalisation where torch.fx's `fuse` computes other values, or raises an error.

    folding.py --lancet BIN [--only NAME]

`conv_bn_fuse`, `optimize_for_inference` and `onednn` keep the numbers of each model, with its inputs or without any, and fold what `folds` says where they have the inputs.
With `as_torch_fx` the numbers are those of torch.fx, with a warning where they are others. Exit 1: a difference.
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
from torch.fx.experimental import optimization

warnings.filterwarnings("ignore")


class Net(nn.Module):
    """`layers` in a row, or a forward that is a function of them."""

    def __init__(self, run=None, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.names, self.body = list(layers), run

    def forward(self, x):
        if self.body:
            return self.body(self, x)
        for name in self.names:
            x = getattr(self, name)(x)
        return x


class Weights(nn.Module):
    """The tensors of a layer and of a normalisation, for calls of functions."""

    def __init__(self, *sizes):
        super().__init__()
        self.w, self.n = nn.Parameter(torch.empty(sizes)), nn.BatchNorm1d(4)

    def norm(self, x):
        return F.batch_norm(x, self.n.running_mean, self.n.running_var, self.n.weight, self.n.bias)


def buffered(layer, name):
    tensor = getattr(layer, name).detach().clone()
    delattr(layer, name)
    layer.register_buffer(name, tensor)
    return layer


def without(layer, name):
    delattr(layer, name)
    setattr(layer, name, None)
    return layer


def changed(net, change):
    change(net)
    return net


def models():
    """By name: the model, the shape of its input, how many normalisations are folded, and whether torch.fx's result computes other values."""
    out = {}

    def one(name, net, shape, folds, torch_differs=False):
        out[name] = (net, shape, folds, torch_differs)

    linear, conv, norm1, norm2 = lambda **s: nn.Linear(5, 4, **s), lambda **s: nn.Conv2d(3, 4, 1, **s), lambda n=4, **s: nn.BatchNorm1d(n, **s), lambda n=4, **s: nn.BatchNorm2d(n, **s)
    image = (2, 3, 5, 5)
    one("matrix", Net(l=linear(), n=norm1()), (3, 5), 1)
    one("sequence", Net(l=linear(bias=False), n=norm1()), (2, 4, 5), 0, True)
    one("sequence_of_one_feature", Net(l=linear(), n=norm1(1)), (2, 1, 5), 1)
    one("sequence_of_other_length", Net(l=linear(), n=norm1(3), c=nn.Conv1d(3, 2, 1), m=norm1(2)), (2, 3, 5), 1)
    one("tokens_of_an_image", Net(lambda s, x: s.m(s.l(s.n(s.c(x)).flatten(2).transpose(1, 2))), c=nn.Conv2d(3, 4, 3), n=norm2(), l=nn.Linear(4, 9), m=norm1(9)), image, 1, True)
    one("head", Net(lambda s, x: s.m(s.l(s.n(s.c(x)).mean((2, 3)))), c=conv(), n=norm2(), l=nn.Linear(4, 6), m=norm1(6)), image, 2)
    one("signal", Net(l=nn.Conv1d(3, 4, 1), n=norm1()), (2, 3, 6), 1)
    one("signal_without_batch", Net(l=nn.Conv1d(3, 4, 1), n=norm1()), (3, 4), 0, True)
    for kind in (1, 2, 3):
        for groups in (1, 2, 4):
            up = getattr(nn, f"ConvTranspose{kind}d")(4, 8, 3, groups=groups, stride=2, output_padding=1, bias=groups != 2)
            one(f"transposed_{kind}_{groups}", Net(l=up, n=getattr(nn, f"BatchNorm{kind}d")(8)), (2, 4) + (3,) * kind, 1)
    one("volume", Net(l=nn.Conv3d(4, 8, 2, groups=2, dilation=2, padding_mode="circular", padding=1), n=nn.BatchNorm3d(8, affine=False)), (2, 4, 4, 4, 4), 1)
    one("norms_in_a_row", Net(c=conv(bias=False), n=norm2(), m=norm2(affine=False), o=norm2(eps=0.3)), image, 3)
    one("bias_only", Net(c=conv(), n=changed(norm2(), lambda n: n.register_parameter("weight", None))), image, 1)
    one("statistics_of_the_batch", Net(c=conv(), n=norm2(track_running_stats=False)), image, 0)
    one("statistics_though_not_tracked", Net(c=conv(), n=changed(norm2(), lambda n: setattr(n, "track_running_stats", False))), image, 1)
    one("weight_is_read", Net(lambda s, x: s.n(s.c(x)) * s.c.weight.sum(), c=conv(), n=norm2()), image, 0, True)
    one("bias_is_read", Net(lambda s, x: s.n(s.c(x)) + s.c.bias[0], c=conv(), n=norm2()), image, 0, True)
    one("weight_is_another_layer's", Net(lambda s, x: F.linear(s.n(s.l(x)), s.l.weight.t()), l=linear(), n=norm1()), (3, 5), 0, True)
    shared = conv()
    one("layer_of_two_names", Net(lambda s, x: s.n(s.c(x)) + s.d.weight.sum(), c=shared, d=shared, n=norm2()), image, 0, True)
    tied, other = conv(), conv()
    other.weight = tied.weight
    one("tied_weights", Net(lambda s, x: s.n(s.c(x)) + s.d(x), c=tied, d=other, n=norm2()), image, 1)
    one("shared_norm", Net(lambda s, x: s.n(s.c(x)) + s.n(s.d(x)), c=conv(), d=conv(bias=False), n=norm2()), image, 2)
    one("shared_layer", Net(lambda s, x: s.n(s.c(x)) + s.c(x), c=conv(), n=norm2()), image, 0, True)
    one("several_users", Net(lambda s, x: (lambda y: s.n(y) + y)(s.c(x)), c=conv(), n=norm2()), image, 0)
    one("weight_is_a_buffer", Net(c=buffered(conv(), "weight"), n=norm2()), image, 1)
    one("bias_is_a_buffer", Net(c=buffered(conv(), "bias"), n=norm2()), image, 1)
    one("bias_is_plain_none", Net(c=without(conv(bias=False), "bias"), n=norm2()), image, 1)
    lazy = Net(c=nn.LazyConv2d(4, 1), n=nn.LazyBatchNorm2d())
    lazy(torch.zeros(image))
    one("lazy", lazy, image, 1)
    function = lambda run, *sizes: changed(Net(lambda s, x: s.f.norm(run(x, s.f.w))), lambda n: setattr(n, "f", Weights(*sizes)))  # noqa: E731
    one("functions", function(F.conv2d, 4, 3, 1, 1), image, 1)
    one("functions_without_batch", function(F.conv2d, 4, 3, 1, 1), (3, 4, 5), 0)
    one("linear_function", function(F.linear, 4, 5), (3, 5), 1)
    one("linear_function_of_a_sequence", function(F.linear, 4, 5), (2, 4, 5), 0)
    one("between_dtypes", Net(lambda s, x: s.m(s.d(s.n(s.c(x.double()).float()))), c=conv().double(), n=norm2(), d=nn.Conv2d(4, 4, 1), m=norm2()), image, 1)
    one("norm_in_training", Net(c=conv(), n=norm2(), d=nn.Conv2d(4, 4, 1), m=norm2()), image, 1)
    one("half", Net(lambda s, x: s.m(s.d(s.n(s.c(x.bfloat16())).float())), c=conv().bfloat16(), n=norm2(), d=nn.Conv2d(4, 4, 1), m=norm2()), image, 1)
    return out


def prepared(net, number):
    torch.manual_seed(number)
    for parameter in net.parameters():
        nn.init.normal_(parameter)
    for name, buffer in net.named_buffers():
        if name.endswith("running_mean"):
            nn.init.normal_(buffer)
        elif name.endswith("running_var"):
            nn.init.uniform_(buffer, 0.3, 2)
        elif buffer.is_floating_point():
            nn.init.normal_(buffer)
    return net.eval()


def are_close(a, b):
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-3, atol=1e-3 * float(b.abs().max()))


def norms(gm):
    return sum(node.op == "call_module" and "BatchNorm" in type(gm.get_submodule(node.target)).__name__ or "batch_norm" in str(node.target) for node in gm.graph.nodes)


PASSES = {"conv_bn_fuse": "conv_bn_fuse", "optimize_for_inference": 'optimize_for_inference={"mkldnn_layout_optimize": false}', "onednn": 'onednn={"measure": false}'}


def problems(program, name, given, number, folder):
    net, shape, folds, torch_differs = given
    model, out = folder / "net.pt", folder / "out.pt"
    gm = fx.symbolic_trace(prepared(net, number))
    if name == "norm_in_training":
        gm.n.train()
    torch.save(gm, model)
    x = torch.randn(shape)
    inputs = ("--input", "x=" + "x".join(map(str, shape)))
    expected, before = gm(x), norms(gm)

    def after(word, *words):
        out.unlink(missing_ok=True)
        done = subprocess.run([program, "pass", model, word, *words, "-o", out], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{word}: exit {done.returncode} {done.stderr}")
        return (torch.load(out, weights_only=False) if out.exists() else gm), done.stderr

    for key, word in PASSES.items():
        if key == "onednn" and name == "norm_in_training":  # which refuses it
            continue
        for words in ((inputs,) if key == "onednn" else (inputs, (), ("--guess",))):
            result, told = after(word, *words)
            if not are_close(result(x), expected):
                yield f"{key} {words}: off by {(result(x) - expected).abs().max()} of {expected.abs().max()}"
            if key == "conv_bn_fuse" and words == inputs and before - norms(result) != folds:
                yield f"{key}: folded {before - norms(result)}, expected {folds}\n{told}"
    try:
        theirs = optimization.fuse(copy.deepcopy(gm), no_trace=True)
    except Exception:
        return
    if name == "half":  # which Lancet does not fold
        return
    result, told = after('conv_bn_fuse={"as_torch_fx": true}', *inputs)
    differs = not are_close(theirs(x), expected)
    if differs != torch_differs:
        yield f"torch.fx computes {'other' if differs else 'the same'} values"
    if "is also used elsewhere" in told:  # stays, though torch.fx folds
        return
    if not are_close(result(x), theirs(x)):
        yield f"as_torch_fx: off by {(result(x) - theirs(x)).abs().max()}"
    if differs != ("computes other values" in told):
        yield f"as_torch_fx: {told or 'no warning'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    counts = {"compared": 0, "differ": 0}
    with tempfile.TemporaryDirectory() as name, torch.no_grad():
        for number, (title, given) in enumerate(models().items()):
            if options.only not in (None, title):
                continue
            found = []
            try:
                found.extend(problems(options.lancet, title, given, number, pathlib.Path(name)))
            except RuntimeError as error:
                found.append(str(error))
            counts["differ" if found else "compared"] += 1
            for each in found:
                print(f"FAIL {title}: {each}", flush=True)
    print(json.dumps(counts))
    sys.exit(1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
