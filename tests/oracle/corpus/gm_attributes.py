# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of a module: every dtype and layout, sharing, views, and what get_attr can name."""

import functools

import torch
from torch import nn

from corpus import support
from corpus.support import graph_module

DTYPES = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128", "complex32", "int8", "uint8", "int16",
          "int32", "int64", "bool", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
          "float8_e5m2fnuz", "float8_e8m0fnu"]


def holder(**tensors):
    root = nn.Module()
    for name, tensor in tensors.items():
        if isinstance(tensor, nn.Parameter):
            root.register_parameter(name, tensor)
        else:
            root.register_buffer(name, tensor)
    return root


def used(root, names=None):
    """Each tensor stands beside a traced value, and one is used twice."""
    def fill(graph):
        x = graph.placeholder("x")
        paths = names or [name for name, _ in [*root.named_parameters(remove_duplicate=False),
                                               *root.named_buffers(remove_duplicate=False)]]
        for path in paths:
            x = graph.call_method("take", (x, graph.get_attr(path)))
        graph.output((x, graph.get_attr(paths[0])))

    return graph_module(fill, root)


def strided():
    base = torch.arange(24.0).reshape(2, 3, 4)
    return used(holder(transposed=base.transpose(0, 2), expanded=torch.ones(1, 3).expand(5, 3), part=base[1, 1:, ::2],
                       flipped=base.flip(0), channels_last=torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
                       scalar=torch.tensor(3.5), empty=torch.empty(0), empty_2d=torch.empty(3, 0, 2),
                       one=torch.ones(1), deep=torch.ones([1] * 12), diagonal=torch.eye(3).diagonal()))


def views():
    base = torch.arange(12.0)
    root = holder(whole=base, first=base[:6].view(2, 3), last=base[6:], every=base[::3])
    root.param = nn.Parameter(base[2:5])
    return used(root)


def tied():
    root = nn.Module()
    root.a, root.b = nn.Linear(3, 4), nn.Linear(3, 4)
    root.b.weight = root.a.weight
    root.embedding = nn.Embedding(4, 3)
    root.embedding.weight = root.a.weight
    root.again = root.a.weight
    root.register_buffer("one", torch.ones(2))
    root.register_buffer("two", root.one)
    return used(root)


def tied_module():
    root = nn.Module()
    root.first = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    root.second = root.first
    root.third = nn.Sequential(root.first[0], nn.Linear(2, 2))

    def fill(graph):
        x = graph.placeholder("x")
        for path in ("first.0", "second.0", "third.0", "third.1", "first.1", "second.1"):
            x = graph.call_module(path, (x,))
        graph.output((x, graph.get_attr("second.0.weight")))

    return graph_module(fill, root)


def quantized():
    return used(holder(
        per_tensor=torch.quantize_per_tensor(torch.randn(2, 3), 0.1, 3, torch.quint8),
        signed=torch.quantize_per_tensor(torch.randn(4), 0.25, 0, torch.qint8),
        wide=torch.quantize_per_tensor(torch.randn(4), 1e-5, 0, torch.qint32),
        per_channel=torch.quantize_per_channel(torch.randn(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0,
                                               torch.qint8)))


def sparse():
    dense = torch.eye(3)
    return used(holder(coo=dense.to_sparse(), csr=dense.to_sparse_csr()))


def meta_device():
    return used(holder(m=torch.empty(2, 3, device="meta"), p=nn.Parameter(torch.empty(4, device="meta"))))


def conjugated():
    return used(holder(conj=torch.ones(2, dtype=torch.complex64).conj(), imag=torch.ones(2, dtype=torch.complex64).conj().imag))


def with_python_attributes():
    weight = nn.Parameter(torch.ones(3))
    weight.note = "kept"
    weight.sharded = False
    buffer = torch.zeros(2)
    buffer.tag = {"a": 1}
    return used(holder(weight=weight, buffer=buffer))


def gradients():
    root = holder(frozen=nn.Parameter(torch.ones(2), requires_grad=False), free=nn.Parameter(torch.ones(2)),
                  leaf=torch.ones(2, requires_grad=True))
    return used(root)


def non_persistent():
    root = nn.Module()
    root.register_buffer("kept", torch.ones(2))
    root.register_buffer("dropped", torch.arange(5), persistent=False)
    root.register_buffer("none", None)
    root.register_parameter("no_parameter", None)
    return used(root)


def plain_tensor_attribute():
    root = nn.Module()
    root.constant = torch.arange(4.0)
    root.inner = nn.Module()
    root.inner.table = torch.ones(2, 2)
    return used(root, ["constant", "inner.table"])


def dotted():
    root = nn.Module()
    root.layer = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Sequential(nn.BatchNorm2d(2), support.Leaf()))
    return used(root, ["layer.0.weight", "layer.1.0.running_mean", "layer.1.1.weight", "layer.1.1.steps",
                       "layer.1.0.num_batches_tracked", "layer.0.bias"])


def parameter_collections():
    root = nn.Module()
    root.list = nn.ParameterList([torch.ones(1), torch.ones(2)])
    root.dict = nn.ParameterDict({"a": torch.ones(3), "b c": torch.ones(4)})
    return used(root)


def non_tensor_attribute():
    root = nn.Module()
    root.number, root.text, root.pair = 3, "text", (1, 2)

    def fill(graph):
        x = graph.placeholder("x")
        graph.output(graph.call_method("take", (x, *[graph.get_attr(name) for name in ("number", "text", "pair")])))

    return graph_module(fill, root)


def module_as_attribute():
    root = nn.Module()
    root.sub = nn.Linear(2, 2)

    def fill(graph):
        x = graph.placeholder("x")
        graph.output(graph.call_method("take", (x, graph.get_attr("sub"))))

    return graph_module(fill, root)


def unused_attributes():
    root = holder(p=nn.Parameter(torch.ones(2)), q=nn.Parameter(torch.ones(2)), b=torch.ones(2), c=torch.ones(2))

    def fill(graph):
        x = graph.placeholder("x")
        for name in ("p", "b", "q", "c", "p"):
            graph.get_attr(name)
        graph.output(x)

    return graph_module(fill, root)


def repeated_reads():
    root = holder(p=nn.Parameter(torch.ones(2)), b=torch.ones(2))

    def fill(graph):
        x = graph.placeholder("x")
        for name in ("p", "b", "p", "b", "b"):
            x = graph.call_method("take", (x, graph.get_attr(name)))
        graph.output(x)

    return graph_module(fill, root)


def buffer_in_containers():
    root = holder(p=nn.Parameter(torch.ones(2)), b=torch.ones(2))

    def fill(graph):
        x, b, p = graph.placeholder("x"), graph.get_attr("b"), graph.get_attr("p")
        cat = graph.call_function(torch.cat, ([x, b, p], 0))
        taken = graph.call_method("take", (cat, {"b": b, "s": [b, (p, b)]}))
        graph.output((taken, b, {"p": p, "b": b}))

    return graph_module(fill, root)


def real_values(graph):
    """Operations on buffers alone are done by PyTorch while loading."""
    x, b = graph.placeholder("x"), graph.get_attr("b")
    doubled = graph.call_function(torch.mul, (b, 2))
    size = graph.call_method("size", (doubled, 0))
    shape = graph.call_function(getattr, (b, "shape"))
    graph.output((graph.call_method("view", (x, size, -1)), graph.call_function(torch.add, (x, doubled)), shape))


def all_dtypes(make):
    tensors = {f"t_{name}": torch.arange(6).to(getattr(torch, name)).reshape(2, 3) for name in DTYPES}
    return used(holder(**{name: make(tensor) for name, tensor in tensors.items()}))


def parameter(tensor):
    return nn.Parameter(tensor, requires_grad=False)


def big_offsets():
    return used(holder(window=torch.zeros(100000)[99990:], strides=torch.zeros(1000, 100)[::100, ::50]))


BUILDERS = [strided, views, tied, tied_module, quantized, sparse, meta_device, conjugated, with_python_attributes,
            gradients, non_persistent, plain_tensor_attribute, dotted, parameter_collections, non_tensor_attribute,
            module_as_attribute, unused_attributes, repeated_reads, buffer_in_containers, big_offsets]


def items():
    made = {builder.__name__: builder for builder in BUILDERS}
    made["dtypes_of_buffers"] = functools.partial(all_dtypes, lambda tensor: tensor)
    made["dtypes_of_parameters"] = functools.partial(all_dtypes, parameter)
    made["real_values"] = lambda: graph_module(real_values, holder(b=torch.arange(3.0)))
    return made
