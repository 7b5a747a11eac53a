# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/pt2: small exports, and what PyTorch 2.13 shows after loading them.

    python tests/data/make_pt2_fixtures.py

NAME.pt2 comes with NAME.graph.txt and NAME.code.txt: str(ExportedProgram.graph) and graph_module.code after
torch.export.load, followed by those of nested graphs. bad_*.pt2 are exports that were damaged afterwards and come alone.
"""
import json
import os
import shutil
import warnings
import zipfile

import torch
from torch import nn
from torch._higher_order_ops import while_loop
from torch.export import Dim, export, load, save
from torch.export.pt2_archive._package import package_pt2

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "pt2")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn(self.lin(x)).relu()


class Tied(nn.Module):
    """Tied parameters, two views of one storage, a buffer that is not saved, tensor constants, a module called twice."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight
        base = torch.randn(8)
        self.register_buffer("view1", base[:4])
        self.register_buffer("view2", base[4:])
        self.register_buffer("transient", torch.ones(4), persistent=False)
        self.register_buffer("short", torch.tensor([1.5, -2.0], dtype=torch.float16))
        self.constant = torch.arange(4.0)
        self.blocks = nn.ModuleList([Block(), nn.Sequential(nn.ReLU())])

    def forward(self, x):
        x = self.b(self.a(x)) + self.view1 * self.view2 + self.transient + self.constant
        for block in self.blocks:
            x = block(x)
        return self.blocks[0](x) + torch.tensor([1.0, 2, 3, 4]) + self.short.sum()


class Dynamic(nn.Module):
    def forward(self, x, y, n: int):
        m = x.shape[0]
        z = x.view(-1, 4)[:, :3].sum(1) + torch.zeros(m // 2, dtype=torch.float64)[0] * (m / 3)
        return z, torch.cat([y, y, y[1:]]), x.new_ones(2 * m + n), torch.sym_max(m, 7), y.reshape(-1)[: y.shape[0] - 1]


class Control(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, flag):
        def yes(x):
            def inner_yes(x):
                return self.lin(x) * 2

            def inner_no(x):
                return x * 3

            return torch.cond(x.sum() > 5, inner_yes, inner_no, (x,)), x.sin()

        def no(x):
            return x - 1, x.cos()

        a, _ = torch.cond(flag, yes, no, (x,))
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), a))


class Outputs(nn.Module):
    """Unused outputs, lists of outputs, names that Python reserves, nested inputs and outputs."""

    def forward(self, input, lists, *, type, lambda_):
        _, indices = torch.topk(input, 2)
        a, b, _ = input.split(2, 1)
        with torch.no_grad():
            largest = (input * 2 + 1).max(1)
        return {"out": [a + b, (indices, None, 1.5)], "max": largest[0], "sum": lists[0]["k"].sum() + lists[1] + type, "l": lambda_}


class Literals(nn.Module):
    def forward(self, x, count, text, flag, nothing=None):
        y = x.to(torch.bfloat16).to(memory_format=torch.channels_last)
        w = torch.full((2,), float("-inf"), device="cpu", layout=torch.strided) * count
        v = torch.where(w > 0, float("nan"), 1e-05) + torch.full((2,), 1 + 2j)
        u = nn.functional.pad(x, (1, 1), mode="constant", value=-0.0)
        index = x[torch.tensor([0]), :, torch.tensor([1])] if flag else x
        return y, v, u, index, torch.empty_like(x, dtype=torch.int64, memory_format=torch.preserve_format), float("inf"), 3, True, None


class Mutating(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.steps.add_(1)
        x.mul_(2)
        return x + self.steps


class DataDependent(nn.Module):
    def forward(self, x, y):
        n = x.item()
        torch._check(n >= 0)
        torch._check(n < 100)
        return torch.ones(n), torch.nonzero(y), torch.vmap(lambda row: row.sin())(y)


def nested(module, prefix=""):
    for node in module.graph.nodes:
        child = getattr(module, node.target, None) if node.op == "get_attr" else None
        if isinstance(child, torch.fx.GraphModule):
            yield prefix + node.target, child
            yield from nested(child, prefix + node.target + ".")


def anonymous(program):
    """Stack traces without the folders of this machine."""
    site = os.path.dirname(os.path.dirname(torch.__file__))
    for module in [program.graph_module] + [child for _, child in nested(program.graph_module)]:
        for node in module.graph.nodes:
            if "stack_trace" in node.meta:
                node.meta["stack_trace"] = node.meta["stack_trace"].replace(HERE + os.sep, "").replace(site + os.sep, "")
    return program


def write(name, module, args, kwargs=None, decompose=False, **options):
    torch.manual_seed(0)
    program = export(module(), args, kwargs, **options)
    program = anonymous(program.run_decompositions() if decompose else program)
    save(program, path(name))
    expect(name, load(path(name)))


def expect(name, program):
    with open(path(name, ".graph.txt"), "w") as graphs, open(path(name, ".code.txt"), "w") as codes:
        for prefix, module in [("", program.graph_module), *nested(program.graph_module)]:
            title = f"== {prefix}\n" if prefix else ""
            graphs.write(f"{title}{module.graph}\n")
            codes.write(f"{title}{module.code}\n")


def path(name, suffix=".pt2"):
    return os.path.join(OUT, name + suffix)


def write_several():
    torch.manual_seed(0)
    programs = {n: anonymous(export(nn.Sequential(layer), (torch.randn(2, 3),))) for n, layer in (("model", nn.Linear(3, 2)), ("second", nn.ReLU()))}
    package_pt2(path("several"), exported_programs=programs, extra_files={"note.txt": "kept"})
    expect("several", load(path("several")))


def damage(name, source, model=lambda document: None, files=lambda files: None):
    """Rewrites an export, deflated; `model` changes the JSON document, `files` the map from record to bytes."""
    with zipfile.ZipFile(path(source)) as archive:
        records = {n.split("/", 1)[1]: archive.read(n) for n in archive.namelist()}
    document = json.loads(records["models/model.json"])
    model(document)
    records["models/model.json"] = json.dumps(document).encode()
    files(records)
    with zipfile.ZipFile(path(name), "w", zipfile.ZIP_DEFLATED) as archive:
        for record, content in records.items():
            archive.writestr(zipfile.ZipInfo("other/" + record), content, zipfile.ZIP_DEFLATED)


def nodes(document):
    return document["graph_module"]["graph"]["nodes"]


def write_bad():
    def weights(change):
        def apply(records):
            config = json.loads(records["data/weights/model_weights_config.json"])
            change(config["config"])
            records["data/weights/model_weights_config.json"] = json.dumps(config).encode()

        return apply

    def compiled(records):
        del records["models/model.json"]
        records["data/aotinductor/model/model.so"] = b"\x7fELF"

    def reversed_and_newer(document):
        document["added_later"] = {"kept": [1, 2]}
        document["schema_version"]["minor"] = 99
        for node in nodes(document):
            node["inputs"].reverse()

    damage("deflated", "mutating", reversed_and_newer)
    expect("deflated", load(path("deflated")))
    damage("bad_schema", "mutating", lambda d: d["schema_version"].update(major=9))
    damage("bad_no_signature", "mutating", lambda d: d["graph_module"].pop("signature"))
    damage("bad_undefined", "mutating", lambda d: nodes(d)[1]["inputs"][0]["arg"]["as_tensor"].update(name="nowhere"))
    damage("bad_twice", "mutating", lambda d: nodes(d)[1]["outputs"][0]["as_tensor"].update(name=nodes(d)[0]["outputs"][0]["as_tensor"]["name"]))
    damage("bad_compiled", "mutating", files=compiled)
    damage("bad_no_weight", "mutating", files=lambda r: r.pop("data/weights/weight_0"))
    damage("bad_no_config", "mutating", files=lambda r: r.pop("data/weights/model_weights_config.json"))
    damage("bad_geometry", "tied", files=weights(lambda c: c["a.weight"]["tensor_meta"]["strides"].__setitem__(0, {"as_int": 1000})))
    damage("bad_version", "mutating", files=lambda r: r.update(archive_version=b"7"))
    damage("bad_json", "mutating", files=lambda r: r.update({"models/model.json": r["models/model.json"][:-20]}))
    damage("bad_deep", "mutating", files=lambda r: r.update({"models/model.json": b"[" * 100000}))

    def unknown(document):
        first = nodes(document)[0]
        first["target"] = "torch.ops.mylib.twist.default"
        first["inputs"].append({"name": "how", "arg": {"as_hologram": {"depth": 3}}, "kind": 2})
        first["inputs"].append({"name": "dtype", "arg": {"as_scalar_type": 77}, "kind": 2})

    damage("unknown_operator", "mutating", unknown)


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    x = torch.randn(3, 4)
    write("tied", Tied, (x,), dynamic_shapes=({0: Dim("batch", min=2, max=64)},))
    write("tied_core", Tied, (x,), decompose=True)
    d = Dim("d", min=2, max=50)
    write("dynamic", Dynamic, (torch.randn(16), torch.randn(5, 2), 4), dynamic_shapes=({0: 4 * d}, {0: Dim.DYNAMIC}, Dim.DYNAMIC))
    write("control", Control, (torch.randn(3), torch.tensor(True)))
    write("outputs", Outputs, (torch.randn(3, 6), [{"k": torch.randn(3)}, torch.randn(3)]), {"type": torch.randn(3), "lambda_": torch.randn(2)})
    write("literals", Literals, (torch.randn(1, 3, 4, 4), 3, "text", True))
    write("mutating", Mutating, (torch.randn(3),))
    write("mutating_core", Mutating, (torch.randn(3),), decompose=True)
    write("data_dependent", DataDependent, (torch.tensor(5), torch.randn(3, 2)))
    write_several()
    write_bad()
