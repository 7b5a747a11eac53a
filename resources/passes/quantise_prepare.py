"""Prepares a model for quantisation, as readable as possible: observers after activations, rounded weights.

Each convolution, linear layer and ReLU is followed by a FakeQuantize, which notes the range of what passes and rounds it
to 8 bits; the weights of convolutions and linear layers are rounded once, per output channel. Run the result on your data
to fill the ranges. The classes stand in this file: keep it importable where the model is loaded.
"""
import torch
from torch import fx, nn

QUANTISED = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)
OBSERVED = QUANTISED + (nn.ReLU, nn.ReLU6)
FUNCTIONS = (torch.relu, nn.functional.relu)


class Observer(nn.Module):
    """Keeps the smallest and the largest value that it has seen."""

    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.zeros(()))

    def forward(self, x):
        self.low.copy_(torch.minimum(self.low, x.detach().min()))
        self.high.copy_(torch.maximum(self.high, x.detach().max()))
        return x


class FakeQuantize(nn.Module):
    """Rounds to what 8 bits can say of the range that its observer has seen."""

    def __init__(self):
        super().__init__()
        self.observer = Observer()

    def forward(self, x):
        x = self.observer(x)
        scale = torch.clamp((self.observer.high - self.observer.low) / 255, min=1e-8)
        zero = torch.round(-self.observer.low / scale)
        whole = torch.clamp(torch.round(x / scale) + zero, 0, 255)
        return (whole - zero) * scale


def _rounded(weight):
    """Signed 8 bits with one scale for each output channel."""
    largest = weight.detach().abs().flatten(1).amax(dim=1)
    scale = torch.clamp(largest / 127, min=1e-8).reshape([-1] + [1] * (weight.dim() - 1))
    return torch.clamp(torch.round(weight / scale), -128, 127) * scale


def prepare(gm: fx.GraphModule) -> fx.GraphModule:
    for module in gm.modules():
        if isinstance(module, QUANTISED):
            module.weight = nn.Parameter(_rounded(module.weight))
    count = 0
    for node in list(gm.graph.nodes):
        of_module = node.op == "call_module" and isinstance(gm.get_submodule(node.target), OBSERVED)
        if not of_module and not (node.op == "call_function" and node.target in FUNCTIONS):
            continue
        path = f"fake_quantize_{count}"
        count += 1
        gm.add_submodule(path, FakeQuantize())
        with gm.graph.inserting_after(node):
            new = gm.graph.call_module(path, (node,))
        node.replace_all_uses_with(new, lambda user, new=new: user is not new)
    gm.graph.lint()
    gm.recompile()
    return gm
