# SPDX-License-Identifier: GPL-3.0-or-later
"""What an exported program can have beside plain calls: containers, literals, mutation, symbols, many types."""

import collections

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from corpus.support import Pair, Written


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function  # with the parameters of the function


class Mutation(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("cache", torch.zeros(4, 3), persistent=False)
        self.register_buffer("history", torch.zeros(3))

    def forward(self, x):
        self.count.add_(1)
        self.cache[0] = x
        self.history.copy_(x * 2)
        return x + self.count, self.cache.sum()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
        self.out.weight = self.embedding.weight
        self.alias = self.embedding.weight
        self.twice = self.out

    def forward(self, x):
        return self.twice(self.out(self.embedding(x)).softmax(-1) @ self.alias)


class Constants(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.number, self.pair = torch.arange(3.0), 2.5, (1, 2)
        self.register_buffer("kept", torch.ones(3))
        self.register_buffer("dropped", torch.arange(3), persistent=False)

    def forward(self, x):
        return x * self.table + torch.tensor([1.0, 2.0, 3.0]) + self.kept * self.number + self.dropped + torch.tensor(3)


class Types(nn.Module):
    NAMES = ["float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64",
             "complex128", "uint16", "uint32", "float8_e4m3fn", "float8_e5m2"]

    def __init__(self):
        super().__init__()
        for name in self.NAMES:
            self.register_buffer(f"b_{name}", torch.ones(2).to(getattr(torch, name)))
            self.register_parameter(f"p_{name}", nn.Parameter(torch.ones(2).to(getattr(torch, name)), requires_grad=False))

    def forward(self, x):
        return [x.to(getattr(torch, name)) for name in self.NAMES] + [getattr(self, f"b_{name}").clone() for name in self.NAMES]


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(8.0)
        self.register_buffer("first", base[:4])
        self.register_buffer("last", base[4:])
        self.register_buffer("transposed", torch.randn(2, 3).t())
        self.weight = nn.Parameter(base[2:6])

    def forward(self, x):
        return x + self.first + self.last + self.weight, x.view(2, 2) @ self.transposed[:2]


class Twice(nn.Module):
    """One module called twice, one whose name is no identifier, and containers."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.add_module("a-b", nn.Linear(3, 3))
        self.names = nn.ModuleDict({"class": nn.ReLU(), "x y": nn.Sequential(nn.Linear(3, 3))})
        self.list = nn.ParameterList([torch.ones(3), torch.zeros(3)])

    def forward(self, input, torch_1, sum):
        x = self.layer(self.layer(input)) + getattr(self, "a-b")(torch_1)
        return self.names["x y"](self.names["class"](x)) + self.list[0] * self.list[1] + sum


class TrainingNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.dropout = nn.BatchNorm1d(3), nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(self.norm(x))


def containers(x, d, pair, named, ordered):
    first, (second, third) = pair
    return {"sum": x + d["a"] + d["b"][0], "list": [first, (second, third)], "named": named, "x": x,
            "ordered": collections.OrderedDict(z=ordered["q"] * 2, a=None), "none": None, "number": 3}


def literals(x, count, scale, name, flag, nothing):
    y = x.sum(count) * scale
    return (y if flag and name == "name" else x), count, scale, flag, nothing


def text_output(x, name):
    return x * 2, name


def list_results(x):
    a, b, c = torch.split(x, [1, 1, 2])
    values, indices = torch.topk(x, 2)
    low, high = torch.aminmax(x)
    chunks = x.chunk(2)
    return a + b, c, values, x.max(0).indices, low, chunks[1], torch.unbind(x)[1], x.sort(0)[0]


def unused_results(x):
    values, _ = torch.topk(x, 2)
    q, r = torch.linalg.qr(x)
    return values + r[:4, :2].sum()


def in_place(x, y):
    x = x.clone()
    x.add_(1).mul_(y)
    x[0] = 3.0
    x[:, 1:2].zero_()
    x.index_put_((torch.tensor([0]),), y[0])
    return x.relu_()


def input_mutation(x, y):
    x.add_(y)
    return x * 2


def arguments(x):
    """Every kind of argument that an operator has."""
    return (torch.full((2, 3), float("inf")), torch.full_like(x, float("-inf")), x.clamp(min=0.5), x.clamp(None, 2.0),
            torch.zeros(2, dtype=torch.int32, device="cpu"), torch.empty_like(x, memory_format=torch.contiguous_format),
            x.to(torch.float16, copy=True), torch.arange(0, 10, 2), torch.linspace(0, 1, 5), x.sum([0, 1], keepdim=True),
            torch.einsum("ij,kj->ik", x, x), torch.where(x > 0, x, 1e-5), x.masked_fill(x > 1, 1e16), torch.add(x, x, alpha=2),
            F.gelu(x, approximate="tanh"), torch.div(x, 2, rounding_mode="floor"), x.permute(1, 0).contiguous(),
            F.interpolate(x[None, None], scale_factor=2.0, mode="bilinear"), F.pad(x, (1, 2), value=-1.5), x.std(correction=0),
            x[..., None, 1:, ::1], x[torch.tensor([0, 1])], x[:, torch.tensor([1])], torch.stack([x, x]), x.repeat(2, 1, 1),
            torch.nn.functional.one_hot(torch.tensor([1, 2]), 4), x ** 2, 2 ** x, 1 / x, 1 - x, -x, x.abs() // 3, x % 2,
            torch.tensor(True), torch.full((2,), True), x * 1e-320, x + 10**15, torch.ones(2, dtype=torch.complex64) * (1 + 2j))


def many_calls(x, w):
    y = F.conv2d(x, w, padding="same")
    y = F.conv_transpose2d(y, w.transpose(0, 1), stride=2)
    y = F.max_pool2d(y, 2, ceil_mode=True)
    y = F.adaptive_avg_pool2d(y, (3, 3))
    y = F.instance_norm(y)
    return F.cross_entropy(y.flatten(1), torch.zeros(1, dtype=torch.long), label_smoothing=0.1), F.unfold(y, 2), y.var()


def shape_calls(x, y):
    n, m = x.shape
    z = x.view(n * m)[: n // 2 + 1]
    return z.reshape(-1), torch.zeros(n + 1, m), x.new_ones(n, 2 * m), y[:n], n, n * m, torch.arange(n), x.repeat(1, 2)


def data_dependent(x, count):
    n = count.item()
    torch._check(n >= 1)
    torch._check(n <= 4)
    rows = x.nonzero()
    return x[:n], rows, torch.zeros(n, 2), n + 1, rows.size(0), x.sum().item()


def asserted(x):
    torch._assert(x.shape[0] > 1, "needs rows")
    torch._check(x.shape[1] == 3, lambda: "needs columns")
    return x * 2


def symbolic_numbers(x, n, f):
    return x * n + f, n + 1, f * 2.0, n // 2, n / 2, n % 3, -n


def nested_views(x):
    return x.as_strided((2, 2), (1, 2)), x.unfold(0, 2, 1), x.diagonal(), x.movedim(0, 1), torch.atleast_3d(x), x.mT


def rope(x, position):
    angles = position[:, None].float() * torch.exp(torch.arange(0, 2) * -0.5)
    return torch.view_as_real(torch.view_as_complex(x.reshape(-1, 2, 2)) * torch.polar(torch.ones_like(angles), angles))


def no_tensor_output(x):
    return 3, None, [], {"a": ()}


def same_output(x):
    y = x + 1
    return y, y, x, {"y": y}


def keyword_only(x, *, scale, bias=None):
    return x * scale + bias


def variadic(*args, **kwargs):
    return args[0] + args[1] * kwargs["k"], args


def nothing_done(x):
    return x


def export(model, args, kwargs=None, shapes=None, strict=False, decomposed=False):
    model = model() if isinstance(model, type) else Function(model)
    program = torch.export.export(model.eval(), args, kwargs, dynamic_shapes=shapes, strict=strict)
    return program.run_decompositions() if decomposed else program


def cases():
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    batch, width = Dim("batch", min=2, max=64), Dim("width")
    tree = (x, {"a": x, "b": [y]}, (x, (y, x)), Pair(x, y), collections.OrderedDict(q=x, b=y))
    return {
        "containers": (containers, tree), "literals": (literals, (x, 1, 2.5, "name", True, None)),
        "text_output": (text_output, (x, "name")),
        "list_results": (list_results, (x,)), "unused_results": (unused_results, (x,)), "in_place": (in_place, (x, y)),
        "in_place_decomposed": (in_place, (x, y), None, None, False, True), "input_mutation": (input_mutation, (x, y)),
        "input_mutation_decomposed": (input_mutation, (x, y), None, None, False, True), "arguments": (arguments, (x,)),
        "arguments_decomposed": (arguments, (x,), None, None, False, True),
        "many_calls": (many_calls, (torch.randn(1, 2, 8, 8), torch.randn(2, 2, 3, 3))),
        "shape_calls": (shape_calls, (x, torch.randn(70, 3)), None, ({0: batch, 1: width}, None)),
        "shape_calls_auto": (shape_calls, (x, torch.randn(70, 3)), None, ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO})),
        "derived_dim": (lambda a, b: a + b[1:], (torch.randn(4), torch.randn(5)), None, ({0: batch}, {0: batch + 1})),
        "multiple_dim": (lambda a: a.view(-1, 4), (torch.randn(8),), None, ({0: 4 * Dim("part", max=50)},)),
        "equal_dims": (lambda a, b: a + b, (x, y), None, ({0: batch}, {0: batch})),
        "data_dependent": (data_dependent, (x, torch.tensor(3))), "asserted": (asserted, (x,), None, ({0: Dim.AUTO},)),
        "symbolic_numbers": (symbolic_numbers, (x, 5, 2.5), None, (None, Dim.AUTO, None)),
        "nested_views": (nested_views, (x,)), "rope": (rope, (torch.randn(3, 4), torch.arange(3))),
        "no_tensor_output": (no_tensor_output, (x,)), "same_output": (same_output, (x,)),
        "keyword_only": (keyword_only, (x,), {"scale": 2.0, "bias": y}), "variadic": (variadic, (x, y), {"k": x, "z": y}),
        "nothing_done": (nothing_done, (x,)), "mutation": (Mutation, (torch.randn(3),)),
        "mutation_decomposed": (Mutation, (torch.randn(3),), None, None, False, True),
        "tied": (Tied, (torch.randint(10, (2, 3)),)), "constants": (Constants, (torch.randn(3),)),
        "constants_decomposed": (Constants, (torch.randn(3),), None, None, False, True), "types": (Types, (torch.randn(2),)),
        "views": (Views, (torch.randn(4),)), "twice": (Twice, (x, y, x)), "twice_strict": (Twice, (x, y, x), None, None, True),
        "tied_decomposed": (Tied, (torch.randint(10, (2, 3)),), None, None, False, True),
        "training_norm": (TrainingNorm, (x,)), "complex": (lambda x: x * 1j + x.conj().angle(), (torch.randn(2, dtype=torch.cfloat),)),
        "scalar": (lambda x: x.abs() + torch.pi, (torch.tensor(2.0),)), "empty": (lambda x: x.sum(), (torch.empty(0, 3),)),
        "strict": (arguments, (x,), None, None, True), "fft": (lambda x: torch.fft.rfft(x).abs(), (x,)),
        "sparse_like": (lambda x: x.to_dense() if x.is_sparse else x.cumsum(0), (x,)),
        "random": (lambda x: (torch.rand(2), torch.randn_like(x), torch.randint(3, (2,)), F.dropout(x)), (x,)),
    }


def several_models(path):
    """Two programs in one archive."""
    from torch.export.pt2_archive._package import package_pt2

    programs = {"model": export(Constants, (torch.randn(3),)), "second": export(Tied, (torch.randint(10, (2, 3)),))}
    package_pt2(str(path), exported_programs=programs)


def extra_files(path):
    torch.export.save(export(nothing_done, (torch.ones(2),)), path, extra_files={"note.txt": "kept", "a/b.json": "{}"})


def custom_attributes():
    program = export(Constants, (torch.randn(3),))
    for i, node in enumerate(program.graph.nodes):
        node.meta["custom"] = {"index": i, "note": "kept"}
    return program


def loaded_and_saved():
    import io

    file = io.BytesIO()
    torch.export.save(export(unused_results, (torch.randn(4, 3),)), file)
    file.seek(0)
    return torch.export.load(file)


def edited():
    """A pass has been over it: nodes are added and dead ones left."""
    program = export(arguments, (torch.randn(4, 3),))
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if node.target is torch.ops.aten.mul.Tensor:
            node.target = torch.ops.aten.add.Tensor
            with graph.inserting_after(node):
                graph.call_function(torch.ops.aten.relu.default, (node,)).meta = dict(node.meta)
    program.graph_module.recompile()
    return program


def items():
    made = {name: lambda name=name: export(*cases()[name]) for name in cases()}
    made |= {"several_models": lambda: Written(several_models), "extra_files": lambda: Written(extra_files)}
    return made | {"custom_attributes": custom_attributes, "loaded_and_saved": loaded_and_saved, "edited": edited}
