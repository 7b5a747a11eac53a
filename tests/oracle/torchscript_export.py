#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes torch.fx traces as .ts with lancet (attention, what train() changes, defaults, parts), and compares torch.jit.load with
the original in both modes."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch import fx, nn
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupport
from torch.fx.passes.split_module import split_module


class Attend(nn.Module):
    """Calls MultiheadAttention with these settings and masks."""

    def __init__(self, call, **settings):
        super().__init__()
        self.attn = nn.MultiheadAttention(16, 4, **settings)
        self.call = call

    def forward(self, q, k, v, mask, padding):
        if self.call == "self":
            return self.attn(q, q, q)
        if self.call == "plain":
            return self.attn(q, k, v, need_weights=False)[0]
        if self.call == "heads":
            return self.attn(q, k, v, average_attn_weights=False)
        if self.call == "masked":
            return self.attn(q, k, v, key_padding_mask=padding, attn_mask=mask)
        return self.attn(q, k, v, padding, False, mask)[0]


class Stack(nn.Module):
    def __init__(self, inner, masked=False):
        super().__init__()
        self.inner, self.masked = inner, masked

    def forward(self, x, y, mask):
        if isinstance(self.inner, (nn.TransformerDecoderLayer, nn.TransformerDecoder)):
            return self.inner(x, y, tgt_mask=mask) if self.masked else self.inner(x, y)
        if isinstance(self.inner, nn.Transformer):
            return self.inner(x, y)
        return self.inner(x, mask) if self.masked else self.inner(x)


def attention(call, bool_masks=False, deep_mask=False, **settings):
    first = settings.get("batch_first", False)
    turn = (lambda x: x) if first else (lambda x: x.transpose(0, 1).contiguous())
    kdim, vdim = settings.get("kdim", 16), settings.get("vdim", 16)
    mask, padding = torch.rand(5, 7) > 0.7, torch.rand(2, 7) > 0.8
    mask[:, 0] = padding[:, 0] = False  # nobody sees nothing at all
    if deep_mask:
        mask = mask.unsqueeze(0).repeat(8, 1, 1)
    if not bool_masks:
        mask, padding = mask * -2.0, padding * -3.0
    return Attend(call, **settings), (turn(torch.randn(2, 5, 16)), turn(torch.randn(2, 7, kdim)), turn(torch.randn(2, 7, vdim)), mask, padding)


def unbatched(call, bool_masks=False, **settings):
    model, (q, k, v, mask, padding) = attention(call, bool_masks, **settings)
    axis = 0 if settings.get("batch_first", False) else 1
    return model, (q.select(axis, 0), k.select(axis, 0), v.select(axis, 0), mask, padding[0])


def stack(inner, masked=False, first=True):
    x, y = torch.randn(2, 5, 16), torch.randn(2, 5, 16)
    if not first:
        x, y = x.transpose(0, 1).contiguous(), y.transpose(0, 1).contiguous()
    return Stack(inner, masked), (x, y, nn.Transformer.generate_square_subsequent_mask(5))


def encoder(**more):
    return nn.TransformerEncoderLayer(16, more.pop("heads", 4), 32, **more)


def decoder(**more):
    return nn.TransformerDecoderLayer(16, 4, 32, **more)


def chain(*modules):
    return nn.Sequential(*modules), (torch.randn(3, 4, 6),)


class Recurrent(nn.Module):
    def __init__(self, rnn):
        super().__init__()
        self.rnn = rnn

    def forward(self, x):
        return self.rnn(x)


def recurrent(kind, **settings):
    return Recurrent(kind(6, 5, 2, dropout=0.4, **settings)), (torch.randn(3, 4, 6),)


class Defaults(nn.Module):
    def forward(self, x, k=2, flag=True, how="floor", sizes=(1, 2), factors=[0.5, 2.0], other=None, dim=-1):
        y = torch.div(x * k + sizes[1] * factors[0], 3, rounding_mode=how)
        return y, torch.softmax(x, dim), torch.sum(x, dim, flag), x.reshape(sizes[0], -1)


class Fixed(nn.Module):
    def forward(self, x, k=2, scale=0.5, flag=True, how="floor", other=None):
        y = x * k if flag else x
        return torch.div(y, scale, rounding_mode=how) if other is None else other


class Parts(nn.Module):
    """Values of all kinds go from part to part: numbers, sizes, lists, states."""

    def __init__(self):
        super().__init__()
        self.norm, self.rnn, self.out, self.drop = nn.LayerNorm(6), nn.LSTM(6, 6, batch_first=True), nn.Linear(6, 6), nn.Dropout(0.3)
        self.register_buffer("shift", torch.randn(6))

    def forward(self, x, k=3):
        rows, columns = x.size(0), x.shape[1]
        y = self.drop(self.norm(x) * k + self.shift)
        halves = torch.chunk(y, 2, dim=-1)
        half = columns / 2 + rows**2
        z, (h, c) = self.rnn(torch.cat([halves[1], halves[0]], -1))
        best, where = torch.max(z, dim=1)
        flat = self.out(z).reshape(rows * columns, -1)
        return flat.view(rows, columns, 6) * half, best + h[0], where, c, self.out(best).sum() * columns


def parts(split):
    """Parts as torch.fx divides a model: `split(node, number)` is the part of a node."""
    traced = fx.symbolic_trace(Parts())
    numbers = {node: number for number, node in enumerate(traced.graph.nodes)}
    return split_module(traced, None, lambda node: split(numbers[node])), (torch.randn(3, 4, 6),)


def twice_split():
    """Parts of parts."""
    outer, inputs = parts(lambda number: number // 12)
    for name, module in list(outer.named_children()):
        if isinstance(module, fx.GraphModule):
            numbers = {node: number for number, node in enumerate(module.graph.nodes)}
            setattr(outer, name, split_module(module, None, lambda node: numbers[node] // 4))
    return outer, inputs


class Small(OperatorSupport):
    def is_node_supported(self, submodules, node):
        return node.op in ("call_module", "call_function") and "drop" not in str(node.target)


def fused():
    traced = fx.symbolic_trace(Parts())
    partitioner = CapabilityBasedPartitioner(traced, Small(), allows_single_node_partition=True)
    return partitioner.fuse_partitions(partitioner.propose_partitions()), (torch.randn(3, 4, 6),)


def shared_part():
    """One part that is called twice, with other kinds of values."""
    inner = fx.Graph()
    x, factor = inner.placeholder("x"), inner.placeholder("factor")
    inner.output(inner.call_function(torch.mul, (inner.call_module("act", (x,)), factor)))
    part = fx.GraphModule({"act": nn.ReLU()}, inner)
    outer = fx.Graph()
    x = outer.placeholder("x")
    first = outer.call_module("part", (x, 2))
    second = outer.call_module("part", (first, x))
    outer.output(outer.call_module("part", (second, outer.call_method("size", (x, 0)))))
    return fx.GraphModule({"part": part}, outer), (torch.randn(3, 4),)


CASES = {
    "defaults": lambda: (Defaults(), (torch.randn(3, 4),)),
    "fixed_inputs": lambda: (fx.symbolic_trace(Fixed(), {"k": 2, "scale": 0.5, "flag": True, "how": "floor", "other": None}), (torch.randn(3, 4),)),
    "split_halves": lambda: parts(lambda number: number // 14),
    "split_fine": lambda: parts(lambda number: number),
    "split_thirds": lambda: parts(lambda number: number // 5),
    "split_twice": twice_split,
    "fused_parts": fused,
    "shared_part": shared_part,
    "dropouts": lambda: chain(nn.Dropout(0.1), nn.Dropout(0.2), nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3), nn.Dropout2d(0.2), nn.RReLU()),
    "batch_norms": lambda: chain(nn.BatchNorm1d(4), nn.BatchNorm1d(4, momentum=None), nn.BatchNorm1d(4, track_running_stats=False)),
    "instance_norms": lambda: chain(nn.InstanceNorm1d(4), nn.InstanceNorm1d(4, track_running_stats=True), nn.InstanceNorm1d(4, momentum=None, affine=True, track_running_stats=True)),
    "lstm": lambda: recurrent(nn.LSTM),
    "gru": lambda: recurrent(nn.GRU, bidirectional=True),
    "rnn": lambda: recurrent(nn.RNN, batch_first=True),
    "conv_same": lambda: chain(nn.Conv1d(4, 5, 3, padding="same"), nn.Conv1d(5, 4, 2, padding="valid")),
    "self": lambda: attention("self", batch_first=True),
    "self_sequence_first": lambda: attention("self"),
    "plain": lambda: attention("plain", batch_first=True),
    "plain_no_bias": lambda: attention("plain", bias=False),
    "heads": lambda: attention("heads", batch_first=True),
    "masked_bool": lambda: attention("masked", True, batch_first=True),
    "masked_float": lambda: attention("masked"),
    "masked_3d": lambda: attention("masked", True, True),
    "positional": lambda: attention("positional", batch_first=True),
    "no_batch": lambda: unbatched("self"),
    "no_batch_masked": lambda: unbatched("masked", True, batch_first=True),
    "other_widths": lambda: attention("plain", kdim=12, vdim=20, batch_first=True),
    "encoder_layer": lambda: stack(encoder(batch_first=True)),
    "encoder_layer_sequence_first": lambda: stack(encoder(), first=False),
    "encoder_layer_gelu_norm_first": lambda: stack(encoder(batch_first=True, activation="gelu", norm_first=True)),
    "encoder_layer_masked": lambda: stack(encoder(batch_first=True), True),
    "encoder_layer_module": lambda: stack(encoder(batch_first=True, activation=nn.SiLU())),
    "decoder_layer": lambda: stack(decoder(batch_first=True)),
    "decoder_layer_masked": lambda: stack(decoder(norm_first=True), True, False),
    "encoder": lambda: stack(nn.TransformerEncoder(encoder(batch_first=True), 3, nn.LayerNorm(16), enable_nested_tensor=False)),
    "decoder": lambda: stack(nn.TransformerDecoder(decoder(batch_first=True), 2, nn.LayerNorm(16))),
    "transformer": lambda: stack(nn.Transformer(16, 4, 2, 2, 32, batch_first=True)),
}


def check(lancet, make, folder):
    torch.manual_seed(0)
    model, inputs = make()
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.uniform_(-0.5, 0.5)
    graph = model if isinstance(model, fx.GraphModule) else fx.symbolic_trace(model)
    torch.save(graph, folder / "model.pt")
    torch.save(inputs, folder / "inputs.pt")
    done = subprocess.run([lancet, "convert", folder / "model.pt", "-o", folder / "model.ts"], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(done.stderr.strip()[:500])
    script = torch.jit.load(folder / "model.ts")
    with torch.no_grad():
        expected, got = graph(*inputs), script(*inputs)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)
    graph.train(), script.train()
    for _ in range(2):  # the second time with what the first one counted
        with torch.no_grad():
            torch.manual_seed(1)
            expected = graph(*inputs)
            torch.manual_seed(1)
            got = script(*inputs)
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5, msg=lambda text: "in training: " + text)
    torch.testing.assert_close(dict(script.state_dict()), dict(graph.state_dict()))
    assert list(script.state_dict()) == list(graph.state_dict()), "the names of the tensors differ"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth case")
    options = parser.parse_args()
    names = [name for name in CASES if options.only in name][:: options.every]
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(options.lancet, CASES[name], pathlib.Path(folder))
            except Exception as error:  # the others are compared all the same
                failed += 1
                print(f"{name}: {type(error).__name__}: {str(error)[:700]}", flush=True)
    print(f"{len(names) - failed} of {len(names)} models give the same as TorchScript")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
