# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes that compute with the tensors of a model. text_pass_values.py runs each in Python and in lancet and compares
the tensors bit by bit."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import fx
from torch.fx.passes.infra.pass_base import PassBase, PassResult


def scale_weights(gm):
    """New parameters of old ones."""
    for module in gm.modules():
        if isinstance(module, nn.Linear):
            module.weight = nn.Parameter(module.weight * 0.5)
            if module.bias is not None:
                module.bias = nn.Parameter(module.bias + module.weight.sum(1))
    gm.recompile()


def write_in_place(gm):
    with torch.no_grad():
        for module in gm.modules():
            if isinstance(module, (nn.Linear, nn.Conv2d)):
                module.weight.mul_(2.0)
                module.weight.data.clamp_(-0.5, 0.5)


def write_through_views(gm):
    with torch.no_grad():
        for module in gm.modules():
            if isinstance(module, nn.Linear):
                flat = module.weight.detach().view(-1)
                flat[::2].zero_()
                module.weight.t()[0].add_(1.0)
                module.weight[0, 0] = 7.0


def assign_data(gm):
    for name, parameter in gm.named_parameters():
        if parameter.dim() > 1:
            parameter.data = parameter.data.abs().sqrt()


def handled_failures(gm):
    """What cannot be computed is halved instead."""
    with torch.no_grad():
        for module in gm.modules():
            if isinstance(module, nn.Linear):
                wide = module.weight.double()
                try:
                    module.weight.copy_(torch.linalg.cholesky(-(wide.t() @ wide)))
                    module.weight.add_(1.0)
                except RuntimeError:
                    module.weight.mul_(0.5)


def decide_by_values(gm):
    """Numbers of tensors decide what is done."""
    for module in gm.modules():
        if isinstance(module, nn.Linear):
            largest = module.weight.abs().max().item()
            if largest > 0.3:
                module.weight = nn.Parameter(module.weight / largest)
            if (module.weight > 0).float().mean() > 0.5:
                module.weight = nn.Parameter(-module.weight)
            rows = [float(row.sum()) for row in module.weight]
            module.weight = nn.Parameter(module.weight * float(rows.index(max(rows)) + 1))


def prune_channels(gm):
    """The smaller half of the rows is set to zero."""
    for module in gm.modules():
        if isinstance(module, nn.Linear):
            norms = module.weight.norm(dim=1)
            keep = norms.topk(max(1, norms.numel() // 2)).indices.tolist()
            mask = torch.zeros_like(module.weight)
            for at in keep:
                mask[at] = 1.0
            module.weight = nn.Parameter(module.weight * mask)


def fold_batch_norm(gm):
    modules = dict(gm.named_modules())
    for node in list(gm.graph.nodes):
        if node.op != "call_module" or not isinstance(modules[node.target], nn.BatchNorm2d):
            continue
        source = node.args[0]
        if source.op != "call_module" or not isinstance(modules[source.target], nn.Conv2d) or len(source.users) > 1:
            continue
        conv, norm = copy.deepcopy(modules[source.target]), modules[node.target]
        factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        conv.weight = nn.Parameter(conv.weight * factor.reshape(-1, 1, 1, 1))
        bias = conv.bias if conv.bias is not None else torch.zeros_like(norm.running_mean)
        conv.bias = nn.Parameter((bias - norm.running_mean) * factor + norm.bias)
        parent, _, name = source.target.rpartition(".")
        setattr(gm.get_submodule(parent), name, conv)
        node.replace_all_uses_with(source)
        gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.recompile()


def add_constants(gm):
    """Buffers that nodes read."""
    gm.register_buffer("table", torch.arange(6, dtype=torch.float32).reshape(2, 3).t().contiguous())
    gm.register_buffer("mask", torch.tril(torch.ones(4, 4)) == 0)
    low, high = torch.linspace(-1, 1, 8).chunk(2)
    gm.register_buffer("low", low.clone())
    gm.register_parameter("high", nn.Parameter(high * 2, requires_grad=False))
    output = next(iter(reversed(gm.graph.nodes)))
    with gm.graph.inserting_before(output):
        read = gm.graph.get_attr("low")
        gm.graph.call_function(torch.add, (read, gm.graph.get_attr("high")))
    gm.recompile()


def quantise_weights(gm):
    """In the manner of weight-only quantisation: scales, rounded integers, dequantised weights."""
    for name, module in list(gm.named_modules()):
        if isinstance(module, nn.Linear):
            scale = module.weight.detach().abs().amax(dim=1, keepdim=True) / 127
            scale = torch.where(scale == 0, torch.ones_like(scale), scale)
            whole = torch.clamp(torch.round(module.weight / scale), -128, 127).to(torch.int8)
            module.register_buffer("scale", scale)
            module.register_buffer("whole", whole)
            module.weight = nn.Parameter(whole.float() * scale)


class Statistics(PassBase):
    """Observes weights and says whether something was out of range."""

    def __init__(self):
        self.ranges = {}

    def call(self, graph_module):
        for name, parameter in graph_module.named_parameters():
            self.ranges[name] = (parameter.min(), parameter.max())
        out = [name for name, (low, high) in self.ranges.items() if not (low >= -0.25 and high <= 0.25)]
        for name in out:
            path, _, last = name.rpartition(".")
            getattr(graph_module.get_submodule(path), last).data.clamp_(-0.25, 0.25)
        return PassResult(graph_module, bool(out))


def merge_equal(gm):
    """Modules with equal weights become one."""
    first = []
    for node in gm.graph.nodes:
        if node.op != "call_module":
            continue
        module = gm.get_submodule(node.target)
        if not isinstance(module, nn.Linear):
            continue
        for target, other in first:
            if other.weight.shape == module.weight.shape and torch.equal(other.weight, module.weight):
                node.target = target
        first.append((node.target, module))
    gm.delete_all_unused_submodules()
    gm.recompile()


class Shapes(fx.Interpreter):
    """Runs the model on ones and notes shapes; nodes of one kind get them in their names."""

    def run_node(self, n):
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            n.meta["shape"] = tuple(result.shape)
        return result


def name_by_shape(gm):
    count = sum(node.op == "placeholder" for node in gm.graph.nodes)
    Shapes(gm).run(*[torch.ones(4, 3, 8, 8) for _ in range(count)])
    for node in gm.graph.nodes:
        if node.op == "call_module":
            node.name = node.name + "_" + "x".join(str(size) for size in node.meta["shape"])
    gm.recompile()


def known_constants(gm):
    """What a run of the graph on known inputs gives becomes a buffer."""
    count = sum(node.op == "placeholder" for node in gm.graph.nodes)
    result = fx.Interpreter(gm).run(*[torch.full((4, 3, 8, 8), 0.5) for _ in range(count)])
    gm.register_buffer("expected", result.detach())


def normalise_rows(gm):
    for module in gm.modules():
        if isinstance(module, nn.Linear):
            with torch.no_grad():
                module.weight.copy_(F.normalize(module.weight, dim=1))
                module.weight += 0.125
                if module.bias is not None:
                    module.bias[:] = module.bias.sort(descending=True)[0]
