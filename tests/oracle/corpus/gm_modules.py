# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module of torch.nn with the samples of PyTorch's own tests: traced through, and called as a leaf."""

import functools
import re

import torch
from torch import nn
from torch.testing._internal.common_modules import module_db

SAMPLES = 4  # of each module class, spread over all that its tests have


class Caller(nn.Module):
    """Calls the module as a leaf with the sample's arguments: tensors become inputs, the rest stays as written."""

    def __init__(self, module, sample):
        super().__init__()
        self.module = module
        self.sample = sample

    def bind(self):
        """A forward whose parameters are the tensors of the sample."""
        given, texts = [], {}
        for key, value in [*enumerate(self.sample.args), *self.sample.kwargs.items()]:
            if isinstance(value, torch.Tensor):
                name = key if isinstance(key, str) else f"x{key}"
                given.append(name)
                texts[key] = name
            else:
                texts[key] = f"values[{key!r}]"
        arguments = [f"{key}={text}" if isinstance(key, str) else text for key, text in texts.items()]
        values = {**dict(enumerate(self.sample.args)), **self.sample.kwargs}
        scope = {"values": values, "module": self.module}
        source = f"def forward({', '.join(['self', *given])}): return self.module({', '.join(arguments)})"
        exec(source, scope)  # the sample decides the signature
        return type("Caller", (nn.Module,), {"forward": scope["forward"]})


def leaf(module, sample):
    cls = Caller(module, sample).bind()
    root = cls()
    root.module = module
    return torch.fx.symbolic_trace(root)


def samples(info):
    """Those with different settings or other forms of call."""
    found = {}
    for sample in info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False):
        call = sample.forward_input
        if call is None:
            continue
        shape = (tuple(type(value).__name__ for value in call.args),
                 tuple((key, type(value).__name__) for key, value in call.kwargs.items()))
        made = sample.constructor_input
        key = repr((made.args, made.kwargs, shape))
        found.setdefault(re.sub(r"0x[0-9a-f]+", "", key), (made, call))
    chosen = list(found.values())
    step = max(1, len(chosen) // SAMPLES)
    return chosen[::step][:SAMPLES]


def build(form, info, made, call):
    module = info.module_cls(*made.args, **made.kwargs)
    module.train(form == "inline" and isinstance(module, nn.modules.batchnorm._NormBase))
    return leaf(module, call) if form == "leaf" else torch.fx.symbolic_trace(module)


def traces(name):
    try:
        torch.manual_seed(0)
        items()[name]()
        return True
    except Exception:  # control flow on values and the like: not a sample that traces
        return False


def names():
    return [name for name in items() if traces(name)]


@functools.cache
def items():
    found = {}
    for info in module_db:
        for i, (made, call) in enumerate(samples(info)):
            for form in ("inline", "leaf"):
                name = info.name.replace(".", "_").replace("nn_", "", 1)
                found[f"{name}_{i}_{form}"] = functools.partial(build, form, info, made, call)
    return found
