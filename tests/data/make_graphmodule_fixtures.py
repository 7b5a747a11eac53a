#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/graphmodule: small files of torch.save(graph_module), and expected.json, what torch.load makes of them."""
import collections
import contextlib
import enum
import io
import json
import pathlib
import pickle
import re
import sys
import types
import warnings
import zipfile

import torch
import torch.ao.nn.quantized as nnq
import torch.ao.nn.quantized.dynamic as nnqd
import torch.fx
from torch import nn

OUT = pathlib.Path(__file__).parent / "graphmodule"
warnings.filterwarnings("ignore")

# Classes that Lancet cannot know, in a module of their own so that they pickle by name.
own = types.ModuleType("own_classes")
sys.modules["own_classes"] = own


class Unknown(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.factor = 3
        self.config = Config()

    def forward(self, x):
        return self.inner(x) * self.factor


class Config:
    def __init__(self):
        self.depth = 3


class Colour(enum.Enum):
    RED = 1


class TensorSubclass(torch.Tensor):
    pass


Pair = collections.namedtuple("Pair", "a b")
for cls in (Unknown, Config, Colour, TensorSubclass, Pair):
    cls.__module__ = "own_classes"
    cls.__qualname__ = cls.__name__
    setattr(own, cls.__name__, cls)


def relu(x):
    return torch.relu(x)


def graph_module(module, forward=lambda self, x: x):
    class Traced(type(module)):
        pass
    module.__class__ = type(type(module).__name__, (type(module),), {"forward": forward})
    gm = torch.fx.symbolic_trace(module)
    for k, v in list(module._parameters.items()) + list(module._buffers.items()) + list(module._modules.items()):
        if not hasattr(gm, k):
            if k in module._buffers:
                gm.register_buffer(k, v, persistent=k not in module._non_persistent_buffers_set)
            elif v is None:
                (gm._parameters if k in module._parameters else gm._modules)[k] = None
            else:
                setattr(gm, k, v)
    for k, v in module.__dict__.items():
        if not hasattr(gm, k):
            setattr(gm, k, v)
    return gm


def module(**members):
    m = nn.Module()
    for k, v in members.items():
        setattr(m, k, v)
    return m


FIXTURES = {}


def fixture(f):
    FIXTURES[f.__name__] = f
    return f


@fixture
def attributes():
    m = module(lin=nn.Linear(2, 3))
    m.values = [0, -1, 2**40, 2**70, 1.5, float("inf"), float("nan"), True, None, ..., "text", b"\x00\xff", 1 + 2j]
    m.containers = {"t": (1, (2,)), "l": [1, [2]], "d": {1: "a"}, "s": slice(1, None, 2), "r": range(1, 9, 2), "e": ()}
    m.torch_values = [torch.float32, torch.device("cuda", 1), torch.device("cpu"), torch.Size([1, 2]), torch.strided, torch.per_tensor_affine]
    m.ordered = collections.OrderedDict(b=1, a=2)
    m.objects = [{1, 2}, frozenset([1]), Config(), Colour.RED, Pair(1, 2), relu_of_torch, nn.ReLU, bytearray(b"x")]
    m.plain_tensor = torch.arange(3)
    m.tensors = [torch.ones(2), (torch.zeros(1),)]
    return graph_module(m, lambda self, x: self.lin(x))


@fixture
def long_integer():
    m = module(lin=nn.Linear(2, 3))
    m.long = 7**9000  # more digits than Python writes
    return graph_module(m, lambda self, x: self.lin(x))


relu_of_torch = torch.nn.functional.relu


@fixture
def dtypes():
    m = nn.Module()
    names = ("float32 float64 float16 bfloat16 int8 uint8 int16 int32 int64 bool complex32 complex64 complex128 uint16 uint32 uint64 "
             "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu")
    for name in names.split():
        m.register_buffer("t_" + name, torch.tensor([0, 1, 2, 4]).to(getattr(torch, name)))
    m.register_buffer("scalar", torch.tensor(7.0))
    m.register_buffer("empty", torch.zeros(0, 3))
    m.register_buffer("quantized", torch.quantize_per_tensor(torch.tensor([0.0, 1.0, 2.0]), 0.5, 3, torch.quint8))
    m.register_buffer("per_channel", torch.quantize_per_channel(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0.1, 0.5]),
                                                                torch.tensor([0, 1]), 0, torch.qint8))
    m.register_buffer("conj", torch.tensor([1 + 2j, 3 - 1j]).conj())
    m.register_buffer("neg", torch.tensor([1 + 2j, 3 - 1j]).conj().imag)
    m.register_buffer("sparse", torch.eye(3).to_sparse())
    m.register_buffer("csr", torch.eye(3).to_sparse_csr())
    m.register_buffer("meta", torch.empty(2, 3, device="meta"))
    return graph_module(m)


@fixture
def sharing():
    m = nn.Module()
    base = torch.arange(24, dtype=torch.float32)
    m.register_buffer("rows", base.view(4, 6)[1:3])
    m.register_buffer("column", base.view(4, 6)[:, 2])
    m.register_buffer("transposed", base.view(4, 6).t())
    m.register_buffer("expanded", base[3:4].expand(5))
    m.a = nn.Linear(3, 3)
    m.b = nn.Linear(3, 3)
    m.b.weight = m.a.weight
    m.again = m.a
    m.w1 = nn.Parameter(torch.ones(2))
    m.w2 = m.w1
    m.w3 = m.w1
    m.register_buffer("transient", torch.zeros(2), persistent=False)
    m.sub = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(3))
    m.sub.register_buffer("hidden", torch.ones(1), persistent=False)
    m.tagged = nn.Parameter(torch.ones(1), requires_grad=False)
    m.tagged.note = "kept"
    m.register_buffer("subclass", torch.ones(2).as_subclass(TensorSubclass))
    m.register_buffer("with_state", torch.ones(1))
    m.with_state.note = 1
    m.register_parameter("none", None)
    m.register_buffer("no_buffer", None)
    m.register_module("no_module", None)
    gm = graph_module(m, lambda self, x: self.again(self.sub[1](x)) + self.w3)
    gm.again, gm.w2, gm.w3 = gm.a if hasattr(gm, "a") else m.a, m.w1, m.w1
    return gm


@fixture
def nested():
    inner = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    inner.register_buffer("np", torch.ones(1), persistent=False)

    class Leaves(torch.fx.Tracer):
        def is_leaf_module(self, m, path):
            return True

    def leaf_traced(m, forward):
        m.__class__ = type("Holder", (nn.Module,), {"forward": forward})
        return torch.fx.GraphModule(m, Leaves().trace(m))

    middle = leaf_traced(module(deep=inner, first=nn.ReLU()), lambda self, x: self.deep(self.first(x)))
    return leaf_traced(module(fused_0=middle, same=middle, own=Unknown()), lambda self, x: self.own(self.fused_0(x)))


@fixture
def pytree():
    return torch.fx.symbolic_trace(lambda x, d: x + d["a"][0], concrete_args={"d": {"a": (torch.fx.PH, 1)}})


@fixture
def hooks():
    gm = graph_module(module(lin=nn.Linear(1, 1)), lambda self, x: self.lin(x))
    gm.lin.register_forward_hook(torch.nn.functional.relu)
    return gm


@fixture
def torch_nn():
    """One of each class of torch.nn that can be made."""
    arguments = {
        "Linear": (2, 3), "Bilinear": (2, 2, 2), "Embedding": (3, 2), "EmbeddingBag": (3, 2), "LSTM": (2, 2), "GRU": (2, 2), "RNN": (2, 2),
        "RNNBase": ("GRU", 2, 2), "LSTMCell": (2, 2), "GRUCell": (2, 2), "RNNCell": (2, 2), "MultiheadAttention": (4, 2),
        "Transformer": (4, 2, 1, 1, 4), "TransformerEncoderLayer": (4, 2, 4), "TransformerDecoderLayer": (4, 2, 4),
        "TransformerEncoder": (nn.TransformerEncoderLayer(4, 2, 4), 1), "TransformerDecoder": (nn.TransformerDecoderLayer(4, 2, 4), 1),
        "AdaptiveLogSoftmaxWithLoss": (4, 6, [2]), "GroupNorm": (1, 2), "Threshold": (0.1, 20), "Unflatten": (1, (1, 2)),
        "PixelShuffle": (2,), "PixelUnshuffle": (2,), "ChannelShuffle": (2,), "Upsample": (2,), "UpsamplingNearest2d": (2,),
        "UpsamplingBilinear2d": (2,), "CosineSimilarity": (), "ModuleDict": ({"a": nn.ReLU()},), "ModuleList": ([nn.ReLU()],),
        "Sequential": (nn.ReLU(),), "ParameterList": ([torch.ones(1)],), "ParameterDict": ({"p": torch.ones(1)},), "LayerNorm": (2,),
        "RMSNorm": (2,), "CrossMapLRN2d": (2,), "LocalResponseNorm": (2,), "Fold": ((2, 2), (1, 1)), "Unfold": ((2, 2),),
        "FractionalMaxPool2d": (2, 1), "FractionalMaxPool3d": (2, 1), "LPPool1d": (1, 2), "LPPool2d": (1, 2), "LPPool3d": (1, 2),
        "SyncBatchNorm": (2,), "NonDynamicallyQuantizableLinear": (2, 2),
    }
    torch.manual_seed(0)
    root = nn.Module()
    for name in sorted(dir(nn)):
        cls = getattr(nn, name)
        if not (isinstance(cls, type) and issubclass(cls, nn.Module)) or name in ("Module", "Container", "DataParallel"):
            continue
        if name.startswith("Lazy"):
            continue
        made = None
        for args in [arguments[name]] if name in arguments else [(), (1,), (2, 2), (2, 2, 1)]:
            with contextlib.suppress(Exception):
                made = cls(*args)
                break
        if made is None:
            print("cannot make", name)
            continue
        setattr(root, name, made)
    root.LazyLinear = nn.LazyLinear(2)
    return graph_module(root)


@fixture
def quantized():
    root = nn.Module()
    root.linear = nnq.Linear(2, 2)
    root.dynamic = nnqd.Linear(2, 2)
    root.lstm = nnqd.LSTM(2, 2)
    root.functional = nnq.QFunctional()
    root.observer = torch.ao.quantization.HistogramObserver()
    root.fake = torch.ao.quantization.FakeQuantize()
    return graph_module(root)


@fixture
def class_name_and_traces():
    """As torch.package saves the body: class name and stack traces beside the code."""
    gm = graph_module(module(lin=nn.Linear(1, 1)), lambda self, x: self.lin(x) + 1)
    gm._graphmodule_cls_name = "Renamed"
    gm._graphmodule_graph_node_meta_stack_trace = {"add": "File \"net.py\", line 3"}
    return gm


class FixtureTracer(torch.fx.Tracer):
    pass


FixtureTracer.__module__, own.FixtureTracer = "own_classes", FixtureTracer


@fixture
def other_tracer():
    m = nn.Sequential(nn.ReLU())
    return torch.fx.GraphModule(m, FixtureTracer().trace(m))


def old_body(gm):
    """The body that PyTorch 1.13 and before wrote: OrderedDicts, fewer hook fields, `code`."""
    body = dict(gm.__dict__)
    for key in ("_graph", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs",
                "_backward_pre_hooks", "_state_dict_pre_hooks", "_replace_hooks", "_create_node_hooks", "_erase_node_hooks",
                "_deepcopy_hooks", "shape_env", "_lineno_map", "_prologue_start"):
        body.pop(key, None)
    for key in ("_parameters", "_buffers", "_modules"):
        body[key] = collections.OrderedDict(body[key])
    body["code"] = body.pop("_code")
    return body


class OldForm:
    def __init__(self, gm):
        self.gm = gm

    def __reduce__(self):
        return torch.fx.graph_module.reduce_graph_module, (old_body(self.gm), self.gm.__reduce__()[1][1])


@fixture
def old_form():
    return OldForm(graph_module(module(lin=nn.Linear(2, 2), b=nn.BatchNorm1d(2)), lambda self, x: self.b(self.lin(x))))


def describe(gm):
    storages, tensors = {}, {}

    def tensor(t):
        if t is None:
            return None
        result = {"same": tensors.setdefault(id(t), len(tensors)), "dtype": str(t.dtype), "param": isinstance(t, nn.Parameter)}
        if isinstance(t, torch.nn.parameter.UninitializedTensorMixin):
            return dict(result, dtype="torch.nn.parameter." + type(t).__name__)
        result.update(sizes=list(t.shape), grad=t.requires_grad, layout=str(t.layout))
        if t.layout == torch.strided and t.device.type != "meta":
            result.update(strides=list(t.stride()), offset=t.storage_offset(),
                          storage=storages.setdefault(t.untyped_storage()._cdata, len(storages)))
            if t.numel() and not t.dtype.is_complex:
                values = t.dequantize() if t.is_quantized else t.resolve_neg()
                values = values.double()
                result["sum"] = float(values[values.isfinite()].sum())
        return result

    names = lambda m: f"{type(m).__module__}.{type(m).__qualname__}"
    known = set(nn.Module().__dict__) | {"_graph", "_code", "_lineno_map", "_prologue_start", "_tracer_cls", "_tracer_extras", "meta",
                                         "_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks", "shape_env"}
    modules = []
    for path, m in gm.named_modules():
        modules.append({
            "path": path,
            "type": "torch.fx.graph_module." + type(m).__name__ if isinstance(m, torch.fx.GraphModule) else names(m),
            "training": m.training,
            "parameters": [[k, tensor(p)] for k, p in m._parameters.items()],
            "buffers": [[k, tensor(b), k not in m._non_persistent_buffers_set] for k, b in m._buffers.items()],
            "children": [k for k in m._modules],
            "attributes": [k for k in m.__dict__ if k not in known],
        })
    nodes = [[n.op, n.target] for n in gm.graph.nodes if n.op in ("get_attr", "call_module")]
    return {"code": gm.code, "class_name": type(gm).__name__, "modules": modules, "nodes": nodes,
            "node_names": [n.name for n in gm.graph.nodes]}


def fixed(data):
    """The archive with nothing in it that changes from run to run."""
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name in source.namelist():
            content = source.read(name)
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), b"0" * 40 if name.endswith("serialization_id") else content)
    return out.getvalue()


def saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return fixed(buffer.getvalue()) if options.get("_use_new_zipfile_serialization", True) else buffer.getvalue()


def deflated(data):
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name in source.namelist():
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), source.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def write_good():
    OUT.mkdir(exist_ok=True)
    expected = {}
    for name, make in FIXTURES.items():
        torch.manual_seed(0)
        data = saved(make())
        (OUT / f"{name}.pt").write_bytes(data)
        expected[name] = describe(torch.load(io.BytesIO(data), weights_only=False))
    (OUT / "deflated.pt").write_bytes(deflated((OUT / "sharing.pt").read_bytes()))
    expected["deflated"] = expected["sharing"]
    protocol4 = saved(FIXTURES["nested"](), pickle_protocol=4)
    (OUT / "protocol4.pt").write_bytes(protocol4)
    expected["protocol4"] = describe(torch.load(io.BytesIO(protocol4), weights_only=False))
    (OUT / "expected.json").write_text(json.dumps(expected, indent=1, allow_nan=False) + "\n")


class ReadsPacked(nn.Module):
    """Its graph reads what a quantised layer packs for itself: the root gets that in plain modules."""
    def __init__(self):
        super().__init__()
        self.words = nnq.Embedding(10, 12)

    def forward(self, x):
        return torch.ops.quantized.embedding_byte(self.words._packed_params._packed_weight, x)


def write_packed():
    torch.manual_seed(0)
    (OUT / "packed_in_plain_modules.pt").write_bytes(saved(torch.fx.symbolic_trace(ReadsPacked())))


class Packaged:
    def __reduce__(self):
        return torch.fx.graph_module.reduce_package_graph_module, ({}, "fx-generated._0")


def write_refused():
    """What is not a GraphModule; the file name says what it is."""
    folder = OUT / "refused"
    folder.mkdir(exist_ok=True)
    linear = nn.Linear(2, 2)
    put = lambda name, data: (folder / name).write_bytes(data)
    put("state_dict.pt", saved(linear.state_dict()))
    put("checkpoint.pt", saved({"epoch": 3, "model": linear.state_dict(), "optimizer": {"lr": 0.1}}))
    put("whole_module.pt", saved(Unknown()))
    put("tensor.pt", saved(torch.ones(2)))
    put("list.pt", saved([torch.ones(2), 3]))
    put("settings.pt", saved({"a": 1, "b": [2]}))
    put("number.pt", saved(3))
    put("object.pt", saved(Config()))
    put("package_module.pt", saved(Packaged()))
    put("plain.pkl", pickle.dumps(Config(), 2))
    put("damaged.pkl", pickle.dumps({"a": list(range(50))}, 2)[:-20])
    script = io.BytesIO()
    torch.jit.save(torch.jit.script(linear), script)
    put("script.pt", script.getvalue())
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    put("weights.safetensors", len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    put("model.onnx", b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:\x00")
    put("pointer.pt", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    put("page.pt", b"<!DOCTYPE html><html></html>")
    put("empty.pt", b"")
    put("random.pt", bytes((i * 73 + 41) % 251 for i in range(1000)))
    put("archive.tar", b"model\0".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 300)
    put("array.npy", b"\x93NUMPY\x01\0" + b"\0" * 100)
    put("net.py.txt", b"import torch\nclass Net(torch.nn.Module): pass\n")

    def archive(members):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for name, content in members.items():
                z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
        return out.getvalue()

    put("arrays.npz", archive({"a.npy": b"\x93NUMPY"}))
    put("compiled.pt2", archive({"m/archive_format": "pt2", "m/data/aotinductor/model/w.so": b""}))
    put("old_export.pt2", archive({"version": "1.6", "serialized_exported_program.json": "{}"}))
    put("package.pt", archive({"p/.data/extern_modules": "", "p/model/model.pkl": b"\x80\x02N."}))
    put("document.docx", archive({"[Content_Types].xml": "", "word/document.xml": ""}))
    good = (OUT / "sharing.pt").read_bytes()
    put("cut.pt", good[: len(good) // 2])

    def edited(change):
        source, out = zipfile.ZipFile(io.BytesIO(good)), io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for name in source.namelist():
                content = change(name, source.read(name))
                if content is not None:
                    z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
        return out.getvalue()

    put("no_weights.pt", edited(lambda name, c: None if name.endswith("/data/0") else c))
    put("short_weights.pt", edited(lambda name, c: c[:4] if name.endswith("/data/0") else c))
    put("big_endian.pt", edited(lambda name, c: b"big" if name.endswith("/byteorder") else c))
    put("cut_pickle.pt", edited(lambda name, c: c[:-100] if name.endswith("/data.pkl") else c))


def write_folders():
    for name, make in {"folder": folder_model}.items():
        folder = OUT / name
        with contextlib.chdir(OUT):
            torch.manual_seed(0)
            gm = make()
            gm.to_folder(name, "Folded")
        for file in folder.glob("*.pt"):
            file.write_bytes(fixed(file.read_bytes()))
    # What 1.13 wrote: plain assignments, no weights_only.
    old = OUT / "folder_1_13"
    old.mkdir(exist_ok=True)
    source = (OUT / "folder" / "module.py").read_text()
    def assignment(match):
        value, comment = re.fullmatch(r"(.*?)\)( # .*)?", match[2]).groups() if " # " in match[2] else (match[2][:-1], None)
        return f"self.{match[1]} = {value}{comment or ''}"

    source = re.sub(r"setattr\(self, '(\w+)', (.*)$", assignment, source, flags=re.M)
    (old / "module.py").write_text(source.replace(", weights_only=False", "").replace("'folder/", "'elsewhere/folder_1_13/"))
    for file in (OUT / "folder").glob("*.pt"):
        (old / file.name).write_bytes(file.read_bytes())


def folder_model():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1, dilation=2, bias=False)
            self.bn = nn.BatchNorm2d(4, momentum=None)
            self.relu = nn.ReLU(inplace=True)
            self.lin = nn.Linear(4, 5, bias=False)
            self.w = nn.Parameter(torch.ones(5, dtype=torch.float16))
            self.register_buffer("table", torch.arange(5).view(1, 5))

        def forward(self, x, y: int = 3):
            x = self.relu(self.bn(self.conv(x))).mean((2, 3))
            return self.lin(x) * self.w + self.table + y

    gm = torch.fx.symbolic_trace(Net())
    gm.add_submodule("own", Unknown())
    return gm


if __name__ == "__main__":
    write_good()
    write_packed()
    write_refused()
    write_folders()
