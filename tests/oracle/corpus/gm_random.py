# SPDX-License-Identifier: GPL-3.0-or-later
"""Random graphs with fixed seeds: any operation on any values, in any nesting."""

import functools
import math
import operator
import random

import torch
import torch.nn.functional as F
from torch import nn

from corpus import support

COUNT = 120
FUNCTIONS = [torch.relu, torch.sigmoid, torch.neg, torch.abs, torch.exp, torch.tanh, torch.flatten, torch.squeeze]
PAIRS = [torch.add, torch.mul, torch.sub, torch.matmul, torch.maximum, torch.div, torch.pow]
PYTHON = [F.relu, F.silu, F.elu, F.leaky_relu, F.hardtanh, F.softplus, F.mish]
INFIX = [operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.pow, operator.lt,
         operator.eq, operator.floordiv, operator.mod, operator.and_]
METHODS = ["relu", "sum", "float", "view", "t", "contiguous", "add_", "max", "size", "item", "type", "detach", "any_name"]
ATTRIBUTES = ["shape", "dtype", "device", "T", "mT", "ndim", "data"]
ATEN = [torch.ops.aten.relu.default, torch.ops.aten.neg.default, torch.ops.aten.sum, torch.ops.aten.cos]
LITERALS = [0, 1, -1, 2.5, True, None, float("inf"), "text", 1e-5, torch.float32, torch.device("cpu"), 10**20, 1j, ...]
NAMES = ["x", "input", "a_1", "a", "relu", "add", "getitem", "Value", "_", "x_1", "sum", "tensor"]
CLASSES = [lambda: nn.Linear(2, 3), nn.ReLU, lambda: nn.Conv2d(1, 2, 3), lambda: nn.BatchNorm1d(4), nn.Identity,
           lambda: nn.Dropout(0.25), support.Leaf, lambda: nn.LayerNorm([2, 3]), lambda: nn.Embedding(5, 2), nn.GELU]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.graph = torch.fx.Graph()
        self.root = nn.Module()
        self.values = []
        self.real = {}  # values that are real tensors when the file is loaded: PyTorch computes on them
        self.tame = seed % 4 != 0
        self.paths = []
        self.tensors = []

    def pick(self):
        values = [value for value in self.values if not self.tame or value not in self.real]
        return self.random.choice(values[-12:] if self.random.random() < 0.8 else values)

    def second(self):
        """An operand beside a traced one: also a buffer, or a number."""
        return self.random.choice([self.pick(), *list(self.real)[-1:], 2, 0.5, -1])

    def argument(self, depth=2):
        kind = self.random.randrange(10 if depth else 5)
        if kind < 3:
            return self.pick()
        if kind < 6:
            return self.random.choice(LITERALS)
        inner = [self.argument(depth - 1) for _ in range(self.random.randrange(4))]
        return {6: tuple(inner), 7: inner, 8: {f"k{i}": value for i, value in enumerate(inner)},
                9: slice(*([None, self.pick(), 3][:self.random.randrange(1, 4)]))}[kind]

    def module(self):
        if not self.paths or self.random.random() < 0.7:
            path = ".".join(self.random.choice(["layer", "block", "0", "1", "Inner", "conv", "a b"])
                            for _ in range(self.random.randrange(1, 4)))
            owner = self.root
            *folders, last = path.split(".")
            for folder in folders:
                child = owner._modules.get(folder)
                if child is None:
                    child = nn.Module()
                    owner.add_module(folder, child)
                owner = child
            if last not in owner._modules:
                owner.add_module(last, self.random.choice(CLASSES)())
            self.paths.append(path)
        return self.graph.call_module(self.random.choice(self.paths), (self.pick(),))

    def attribute(self):
        if not self.tensors or self.random.random() < 0.5:
            name = self.random.choice(["weight", "bias", "scale", "w"]) + str(len(self.tensors))
            tensor = torch.randn(self.random.randrange(4), 3)
            if self.random.random() < 0.5:
                self.root.register_parameter(name, nn.Parameter(tensor))
            else:
                self.root.register_buffer(name, tensor, persistent=self.random.random() < 0.5)
            self.tensors.append(name)
        name = self.random.choice(self.tensors)
        node = self.graph.get_attr(name)
        if name in self.root._buffers:
            self.real[node] = None
        return node

    def step(self):
        graph, choose = self.graph, self.random.choice
        kind = self.random.randrange(13)
        if kind == 0:
            return graph.call_function(choose(FUNCTIONS), (self.pick(),))
        if kind == 1:
            return graph.call_function(choose(PAIRS), (self.pick(), self.pick()))
        if kind == 2:
            return graph.call_function(choose(PYTHON), (self.pick(),))
        if kind == 3:
            return graph.call_function(choose(INFIX), (self.pick(), self.second()))
        if kind == 4:
            return graph.call_function(choose(INFIX), (choose([3, 1.5]), self.pick()))
        if kind == 5:
            return graph.call_method(choose(METHODS), (self.pick(), self.argument()), {"k": self.argument()})
        if kind == 6:
            return graph.call_function(getattr, (self.pick(), choose(ATTRIBUTES)))
        if kind == 7:
            return graph.call_function(operator.getitem, (self.pick(), self.argument()))
        if kind == 8:
            return graph.call_function(choose(ATEN), (self.pick(),))
        if kind == 9:
            return graph.call_function(math.sqrt, (self.pick(),))
        if kind == 10:
            return self.attribute()
        if kind == 11:
            return support.call_wrapped(graph, support.wrapped_leaf, (self.pick(), self.argument()), {"a": self.argument()})
        return self.module()

    def make(self):
        names = self.random.sample(NAMES, self.random.randrange(1, 5))
        for name in names:
            self.values.append(self.graph.placeholder(name))
        for _ in range(self.random.choice([3, 8, 20, 60, 150])):
            self.values.append(self.step())
        outputs = [self.pick() for _ in range(self.random.randrange(1, 4))]
        self.graph.output(outputs[0] if self.random.random() < 0.5 else self.random.choice([tuple, list])(outputs))
        return torch.fx.GraphModule(self.root, self.graph)


def items():
    return {f"random_{seed:03}": lambda seed=seed: Maker(seed).make() for seed in range(COUNT)}
