# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of modules: nesting, sharing, hooks, custom classes, quantisation's modules, other ways of saving, size."""

import functools
import operator

import torch
import torch.ao.nn.quantized as nnq
from torch import nn
from torch.fx import GraphModule, symbolic_trace

from corpus import support
from corpus.support import Written, graph_module


def chain_of(root, paths):
    def fill(graph):
        x = graph.placeholder("x")
        for path in paths:
            x = graph.call_module(path, (x,))
        graph.output(x)

    return graph_module(fill, root)


def graph_in_graph():
    inner = symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    middle = nn.Module()
    middle.inner, middle.plain = inner, nn.Linear(2, 2)
    middle = chain_of(middle, ["inner", "plain", "inner"])
    outer = nn.Module()
    outer.middle, outer.inner = middle, inner
    return chain_of(outer, ["middle", "inner", "middle.inner"])


def graph_with_constants_inside():
    def fill(graph):
        graph.output(graph.call_function(torch.add, (graph.placeholder("x"), graph.call_function(torch.ones, (2,)))))

    outer = nn.Module()
    outer.inner = graph_module(fill)
    return chain_of(outer, ["inner"])


def same_module_many_times():
    root = nn.Module()
    root.act, root.layer = nn.ReLU(), nn.Linear(2, 2)
    return chain_of(root, ["layer", "act"] * 5)


def unused_children():
    root = nn.ModuleDict({"used": nn.Linear(2, 2), "unused": nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))})
    gm = chain_of(root, ["used"])
    gm.add_submodule("left.over", nn.Linear(3, 3))
    gm.spare = nn.Parameter(torch.ones(5))
    gm.register_buffer("spare_buffer", torch.zeros(7))
    return gm


def extra_attributes():
    gm = chain_of(nn.ModuleDict({"a": nn.ReLU()}), ["a"])
    gm.note, gm.number, gm.things = "note", 3.5, [1, {"k": (None, True, b"x")}, {1, 2}, frozenset([3]), 1j, ...]
    gm.big, gm.tensor_list, gm.dtype = 2**100, [torch.ones(2), torch.ones(2)], torch.float16
    gm.meta["key"] = {"nested": [1, 2]}
    gm.enum, gm.pair, gm.slice, gm.range = support.Color.RED, support.Pair(1, 2), slice(1, 2), range(3)
    return gm


def training_flags():
    gm = symbolic_trace(nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(3), nn.Dropout()))
    gm.eval()
    gm.get_submodule("0").train()
    return gm


def hooked(module, inputs, output=None):
    return None


def hooks():
    root = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})
    root["a"].register_forward_hook(hooked)
    root["a"].register_forward_pre_hook(hooked)
    root["b"].register_full_backward_hook(hooked)
    gm = chain_of(root, ["a", "b"])
    gm.register_forward_hook(hooked)
    return gm


def weight_norm():
    return symbolic_trace(nn.Sequential(torch.nn.utils.weight_norm(nn.Linear(3, 2)), nn.ReLU()))


def containers():
    root = nn.Module()
    root.seq = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh())))
    root.list = nn.ModuleList([nn.Linear(2, 2), nn.ModuleList([nn.ReLU()])])
    root.dict = nn.ModuleDict({"one": nn.Linear(2, 2), "two.".strip("."): nn.ReLU()})
    return chain_of(root, ["seq.0", "seq.1.0", "seq.1.1.0", "list.0", "list.1.0", "dict.one", "dict.two", "seq", "seq.1"])


def custom_leaf():
    root = nn.Module()
    root.custom, root.more = support.Leaf(2, "it's"), nn.Sequential(support.Leaf(3))
    return chain_of(root, ["custom", "more.0", "custom"])


def quantized_modules():
    root = nn.Module()
    root.quant, root.dequant = nnq.Quantize(0.1, 3, torch.quint8), nnq.DeQuantize()
    root.observer = torch.ao.quantization.MinMaxObserver()
    root.fake = torch.ao.quantization.FakeQuantize()
    root.stub = torch.ao.quantization.QuantStub()
    return chain_of(root, ["stub", "observer", "fake", "quant", "dequant"])


class _ReadsPacked(nn.Module):
    """The graph reads what quantised layers pack for themselves: the root gets it in plain modules."""
    def __init__(self):
        super().__init__()
        self.words = nnq.Embedding(10, 12)
        self.small = nnq.EmbeddingBag(8, 4, mode="sum", include_last_offset=True, dtype=torch.quint4x2)
        self.small.set_weight(torch.quantize_per_channel(torch.rand(8, 4), torch.full((8,), 0.1), torch.zeros(8), 0, torch.quint4x2))
        self.line = nnq.Linear(12, 3)

    def forward(self, x):
        words = torch.ops.quantized.embedding_byte(self.words._packed_params._packed_weight, x)
        more = torch.ops.quantized.embedding_byte(self.words._packed_params._packed_weight, x + 1)
        small = torch.ops.quantized.embedding_4bit(self.small._packed_params._packed_weight, x)
        words = torch.quantize_per_tensor(words + more, 0.1, 3, torch.quint8)
        return small, torch.ops.quantized.linear(words, self.line._packed_params._packed_params, 0.1, 0)


def packed_by_layers():
    return symbolic_trace(_ReadsPacked())


def reference_quantized():
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_to_reference_fx, prepare_fx

    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3)).eval()
    inputs = (torch.randn(1, 1, 8, 8),)
    prepared = prepare_fx(model, get_default_qconfig_mapping("fbgemm"), inputs)
    prepared(*inputs)
    return convert_to_reference_fx(prepared)


def every_stateful_module():
    root = nn.ModuleDict({
        "lstm": nn.LSTM(2, 3, 2, bidirectional=True, dropout=0.1), "gru": nn.GRU(2, 3, batch_first=True),
        "rnn": nn.RNN(2, 3, nonlinearity="relu"), "attention": nn.MultiheadAttention(4, 2, batch_first=True),
        "layer": nn.TransformerEncoderLayer(4, 2, 8), "decoder": nn.TransformerDecoderLayer(4, 2, 8, activation="gelu"),
        "bag": nn.EmbeddingBag(5, 2, mode="max"), "same": nn.Conv2d(1, 2, 3, padding="same"), "prelu": nn.PReLU(2),
        "circular": nn.Conv1d(1, 2, 3, padding_mode="circular"), "bilinear": nn.Bilinear(2, 3, 4, bias=False),
        "adaptive": nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5]), "fold": nn.Fold((2, 2), 1),
        "up": nn.Upsample(scale_factor=2, mode="bilinear"), "unflatten": nn.Unflatten(1, (2, 2)),
        "sync": nn.SyncBatchNorm(3), "cell": nn.LSTMCell(2, 2), "crossmap": nn.CrossMapLRN2d(3), "t3": nn.ConvTranspose3d(1, 1, 2)})

    def fill(graph):
        x = graph.placeholder("x")
        graph.output([graph.call_module(name, (x,)) for name in root])

    return graph_module(fill, root)


def other_class_name():
    return GraphModule(nn.ModuleDict({"a": nn.ReLU()}), chain_of(nn.ModuleDict({"a": nn.ReLU()}), ["a"]).graph, "MyName")


def own_tracer():
    tracer = support.CustomTracer()
    root = nn.Sequential(nn.ReLU(), nn.Sequential(support.Leaf(), nn.ReLU()))
    return GraphModule(root, tracer.trace(root))


def from_transformer():
    return torch.fx.Transformer(symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))).transform()


def split_module():
    from torch.fx.passes.split_module import split_module as split

    gm = symbolic_trace(nn.Sequential(*[nn.Linear(2, 2) for _ in range(6)]))
    count = iter(range(100))
    return split(gm, None, lambda node: next(count) // 3)


def fused_partitions():
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupport

    class Support(OperatorSupport):
        def is_node_supported(self, modules, node):
            return node.op == "call_function"

    gm = symbolic_trace(lambda x, y: (torch.relu(x + y) * 2).sum() + (x - y).view(-1))
    return CapabilityBasedPartitioner(gm, Support()).partition_and_fuse() if hasattr(
        CapabilityBasedPartitioner, "partition_and_fuse") else gm


def exported_module():
    """The module form of an exported program is a GraphModule, too."""
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()).eval()
    gm = torch.export.export(model, (torch.randn(1, 1, 8, 8),)).module()
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(gm.graph, {}))
    for node in graph.nodes:
        if node.op == "call_module":  # the check of the inputs, a module that cannot be saved
            graph.erase_node(node)
            break
    return GraphModule(gm, graph)


def saved_again():
    """Loaded from a file and saved once more."""
    import io

    file = io.BytesIO()
    torch.save(graph_in_graph(), file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def deep_path():
    root = module = nn.Module()
    path = []
    for i in range(60):
        child = nn.Module()
        module.add_module(f"level{i}", child)
        path.append(f"level{i}")
        module = child
    module.leaf = nn.Linear(1, 1)
    return chain_of(root, [".".join([*path, "leaf"])])


def long_chain(graph):
    x = graph.placeholder("x")
    for i in range(3000):
        x = graph.call_function([torch.relu, operator.neg, torch.sigmoid][i % 3], (x,))
    graph.output(x)


def wide(graph):
    x = graph.placeholder("x")
    parts = [graph.call_function(operator.getitem, (x, i)) for i in range(1500)]
    graph.output(graph.call_function(torch.cat, (parts,), {"dim": 0}))


def many_inputs(graph):
    nodes = [graph.placeholder(f"x{i % 7}_{i}") for i in range(400)]
    graph.output(functools.reduce(lambda a, b: graph.call_function(torch.add, (a, b)), nodes))


def many_names(graph):
    nodes = [graph.placeholder("x")]
    for i in range(1200):
        nodes.append(graph.call_function([torch.add, torch.mul, torch.sub][i % 3], (nodes[-1], nodes[i // 2])))
    graph.output(nodes[-1])


def with_protocol(protocol):
    return Written(lambda path: torch.save(graph_in_graph(), path, pickle_protocol=protocol))


def old_keys(path):
    """As PyTorch 1.13 wrote it: fewer fields, ordered dicts, the key `code`."""
    import collections
    import pickle

    class Old:
        def __init__(self, gm):
            self.gm = gm

        def __reduce__(self):
            body = self.gm.__dict__.copy()
            del body["_graph"]
            for key in ("_backward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
                        "_forward_pre_hooks_with_kwargs", "_state_dict_pre_hooks", "_tracer_extras", "meta", "shape_env",
                        "_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks", "_lineno_map",
                        "_prologue_start"):
                body.pop(key, None)
            for key in ("_parameters", "_buffers", "_modules"):
                body[key] = collections.OrderedDict(body[key])
            imports = torch.fx.graph_module._format_import_block(self.gm._graph.python_code("self").globals,
                                                                 torch.package.sys_importer)
            body["code"] = body.pop("_code")
            return torch.fx.graph_module.reduce_graph_module, (body, imports)

    torch.save(Old(same_module_many_times()), path, pickle_module=pickle)


def file_names(name):
    return lambda: Written(lambda path: torch.save(chain_of(nn.ModuleDict({"a": nn.Linear(2, 2)}), ["a"]), path))


BUILDERS = [graph_in_graph, graph_with_constants_inside, same_module_many_times, unused_children, extra_attributes,
            training_flags, hooks, weight_norm, containers, custom_leaf, quantized_modules, packed_by_layers,
            reference_quantized, every_stateful_module, other_class_name, own_tracer, from_transformer, split_module, fused_partitions,
            exported_module, saved_again, deep_path]


def items():
    made = {builder.__name__: builder for builder in BUILDERS}
    for fill in (long_chain, wide, many_inputs, many_names):
        made[fill.__name__] = functools.partial(graph_module, fill)
    for protocol in (3, 4, 5):
        made[f"protocol_{protocol}"] = functools.partial(with_protocol, protocol)
    made["old_keys"] = lambda: Written(old_keys)
    for name in ("name.with.dots", "name with spaces", "ünïcode"):
        made[name] = file_names(name)
    return made
