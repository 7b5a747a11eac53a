"""What files do with torch.fx themselves: symbolic_trace, tracers of their own, graphs by hand."""

import operator

import torch
from torch import fx, nn
from torch.fx import GraphModule, Tracer, symbolic_trace


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.register_buffer("scale", torch.ones(size))

    def forward(self, x):
        return torch.relu(self.linear(x)) * self.scale


class Net(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.blocks = nn.Sequential(Block(size), Block(size))
        self.head = nn.Linear(size, 2)
        self.weight = nn.Parameter(torch.zeros(3, 5))

    def forward(self, x):
        x = self.blocks(x)
        rows = x.new_ones(self.weight.shape[0])
        return self.head(x), rows * self.weight.size()[1]


class KeepBlocks(Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        if isinstance(m, Block):
            return True
        return super().is_leaf_module(m, module_qualified_name)


class KeepNone(fx.Tracer):
    proxy_buffer_attributes = True

    def is_leaf_module(self, m, name):
        return name == "head"


class Named(fx.Tracer):
    """Notes where each module is called, as feature extraction of torchvision does."""

    def __init__(self):
        super().__init__(param_shapes_constant=True)
        self.paths, self.seen = [], []

    def call_module(self, m, forward, args, kwargs):
        self.paths.append(self.path_of_module(m))
        try:
            return super().call_module(m, forward, args, kwargs)
        finally:
            self.seen.append(self.paths.pop())

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        if kind == "call_module":
            name = "at_" + target.replace(".", "_")
        return super().create_node(kind, target, args, kwargs, name, type_expr)


class Proxied(fx.Tracer):
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        if target is torch.relu:
            kind, target = "call_function", torch.nn.functional.gelu
        return super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)


class Decides(fx.Tracer):
    def to_bool(self, obj):
        return True

    def iter(self, obj):
        return iter([obj[0], obj[1]])


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class TakesPoints(fx.Tracer):
    def create_arg(self, a):
        if isinstance(a, Point):
            return (super().create_arg(a.x), super().create_arg(a.y))
        return super().create_arg(a)


class Reads(fx.Tracer):
    def getattr(self, attr, attr_val, parameter_proxy_cache):
        if attr == "scale":
            return 2.0
        return super().getattr(attr, attr_val, parameter_proxy_cache)


def branches(x):
    if x.sum() > 0:
        x = x + 1
    return [each * 2 for each in x]


def with_point(x):
    return x.index_put(Point(x + 1, 2), x)


def helper(x, factor):
    return x * factor


def calls_helper(x):
    return helper(x + 1, 3)


def by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x")
    linear = graph.call_module("linear", (x,))
    out = graph.call_function(operator.add, (linear, x))
    graph.output(out)
    root = nn.Module()
    root.linear = nn.Linear(3, 3)
    return GraphModule(root, graph, "ByHand")


def traced_with(tracer, root):
    graph = tracer.trace(root)
    return GraphModule(tracer.root, graph)


def twice(tracer):
    """A module that was traced with blocks kept, traced again with them followed."""
    net = nn.Sequential(symbolic_trace(Block(4)), nn.ReLU())
    return traced_with(tracer, net)


class Counts(nn.Module):
    def forward(self, x):
        if x.node.op == "placeholder":
            return x + 1
        return x


traced = symbolic_trace(Net())
specialised = symbolic_trace(lambda x, flag: x + 1 if flag else x, concrete_args={"flag": True})

TRACE = {
    "traced": {},
    "specialised": {},
    "by_hand()": {},
    "traced_with(KeepBlocks(), Net())": {},
    "traced_with(Named(), Net())": {},
    "traced_with(Proxied(), Net())": {},
    "traced_with(Decides(), branches)": {},
    "traced_with(TakesPoints(), with_point)": {},
    "traced_with(Reads(), Net())": {},
    "traced_with(fx.Tracer(autowrap_functions=(helper,)), calls_helper)": {},
    "traced_with(KeepNone(), Block(3))": {},
    "traced_with(fx.Tracer(), Counts())": {},
    "twice(fx.Tracer())": {},
    "symbolic_trace(symbolic_trace(Net()))": {},
    "calls_helper": {"wrap": ["helper"]},
    "Net": {"param_shapes_constant": True},
    "Block": {"init": {"size": 3}, "proxy_buffers": True},
}
