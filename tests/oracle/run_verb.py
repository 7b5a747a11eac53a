# SPDX-License-Identifier: GPL-3.0-or-later
"""`lancet run` as a user calls it: random inputs with PyTorch's bits, files of inputs and outputs, exit codes.

    run_verb.py --lancet BIN

Exit 1: something is not as it should be.
"""

import argparse
import collections
import itertools
import json
import operator
import pathlib
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.utils.prune
from torch import fx
from torch.ao.quantization.quantize_fx import fuse_fx

from running import call, difference

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Everything(torch.nn.Module):
    """Returns each kind of value that a graph can return."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(7, 4)

    def forward(self, x, ids, mask):
        found = self.embedding(ids)
        return {"sum": found.sum(), "max": torch.max(x, 1), "list": [x.half(), mask, x.size(0)], "pair": (x.shape[1], None)}


class Loop(torch.nn.Module):
    def forward(self, x):
        for _ in range(5000):  # of small numbers: it is quick for NaN
            x = torch.linalg.matrix_exp(x.clamp(-1e-3, 1e-3))
        return x


class Big(torch.nn.Module):
    def forward(self, x):
        return (x + 1).repeat(100000, 500000).sum()


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x, y):
        return self.linear(x) + y.sum()


def check_guards(lancet, run, check, folder):
    """Inputs that PyTorch refuses, as the export was made for other sizes, are refused; others run."""
    batch = torch.export.Dim("batch", min=3, max=16)
    example = torch.randn(4, 8), torch.randn(4)
    for name, dynamic in (("fixed", None), ("dynamic", ({0: batch}, {0: batch}))):
        path = folder / f"{name}.pt2"
        torch.export.save(torch.export.export(Two().eval(), example, dynamic_shapes=dynamic), path)
        edited = folder / f"{name}_edited.pt2"
        subprocess.run([lancet, "edit", path, "--step", '{"step": "rename", "node": "linear", "name": "lin"}', "-o", edited], check=True, capture_output=True)
        for x, y in (([4, 8], [4]), ([3, 8], [3]), ([2, 8], [2]), ([16, 8], [16]), ([17, 8], [17]), ([5, 8], [4]), ([4, 8], [4, 2]), ([4, 1], [4])):
            try:
                torch.export.load(path).module()(torch.randn(x), torch.randn(y))
                expected = 0
            except (AssertionError, RuntimeError):
                expected = 5
            for model in (path, edited):
                done = run(model, "--input", "x=" + "x".join(map(str, x)), "--input", "y=" + "x".join(map(str, y)))
                check(f"{model.name}: x {x}, y {y} ends with {expected}", done.returncode == expected)
                check(f"{model.name}: x {x}, y {y} names an input", not expected or "input '" in done.stderr)


class Positions(torch.nn.Module):
    """Exported and unlifted: PyTorch computes much of it from its buffers while it loads the file."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 8)
        self.layers = torch.nn.ModuleList([torch.nn.Linear(8, 8)])
        self.register_buffer("pos", torch.arange(6).float())
        self.register_buffer("k", torch.randn(8, 8))
        self.layers[0].register_buffer("scale", torch.randn(8))

    def forward(self, ids):
        x = self.layers[0](self.embedding(ids))
        x = x + torch.arange(0, 6, device=ids.device).unsqueeze(0).unsqueeze(-1).float()
        x = x * (self.layers[0].scale + 1) @ self.k.T + torch.add(self.pos, 1).view(1, 6, 1)
        return torch.where(torch.tril(torch.ones(6, 6, dtype=torch.bool)).view(1, 6, 6), x @ x.transpose(1, 2), -1.0)


def unlifted(module, inputs):
    """As ExportedProgram.module() gives it, without the hook that cannot be saved."""
    module = torch.export.export(module, inputs).module(check_guards=False)
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    graph.set_codegen(module.graph._codegen)
    return fx.GraphModule(module, graph)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=32, n_head=2, vocab_size=100, n_positions=32, use_cache=False)).eval()


def of_constants(_):
    """Constants of plain tensors, buffers further down, keywords named self, views, and other constants."""
    root = torch.nn.Module()
    root.register_buffer("b", torch.randn(3, 4))
    root.plain = torch.randn(4)
    root.layers = torch.nn.ModuleList([torch.nn.Module()])
    root.layers[0].register_buffer("scale", torch.rand(4))
    graph = fx.Graph()
    x, b, plain, scale = graph.placeholder("x"), *(graph.get_attr(path) for path in ("b", "plain", "layers.0.scale"))
    added = graph.call_function(torch.ops.aten.add.Tensor, (), {"self": b, "other": plain})
    chained = graph.call_method("unsqueeze", (graph.call_function(torch.mul, (added, scale)), 0))
    view = graph.call_function(getattr, (b, "T"))
    graph.output((graph.call_function(operator.add, (x, chained)), graph.call_function(torch.matmul, (x, view)),
                  graph.call_function(operator.mul, (x, graph.call_function(torch.arange, (4,), {"device": torch.device("cpu")})))))
    return fx.GraphModule(root, graph)


def doubled(module, inputs, output):
    return output * 2


def quiet(module, inputs):
    return None


def hooked(kind):
    prune = torch.nn.utils.prune
    if kind == "own":
        net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        net[0].register_forward_hook(doubled)
        net[0].register_forward_pre_hook(quiet, with_kwargs=False)
    elif kind == "prune":
        net = torch.nn.Sequential(prune.l1_unstructured(prune.ln_structured(torch.nn.Linear(4, 4), "weight", 1, 2, 0), "weight", 3),
                                  prune.custom_from_mask(torch.nn.Linear(4, 2), "bias", torch.tensor([1, 0])))
        net[1].bias_orig.data.fill_(3)
    else:
        net = torch.nn.Sequential(getattr(torch.nn.utils, kind)(torch.nn.Linear(4, 4)), torch.nn.ReLU())
        for parameter in net.parameters():
            parameter.data.mul_(2)  # the tensor that the hook has computed is not that of the next call
    return fx.symbolic_trace(net.eval())


def close(a, b):
    """Values in the place of a view can be laid out in another way, and summed in another order then."""
    a, b = torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b)
    return len(a) == len(b) and all(torch.allclose(x, y) for x, y in zip(a, b))


def check_constants(folder, check, run, lancet):
    """What PyTorch computes from tensors of the file while it loads: run, and saved again after an edit."""
    ids = (torch.randint(10, (2, 6)),)
    for name, module, inputs in (("export", lambda inputs: unlifted(Positions(), inputs), ids), ("constants", of_constants, (torch.randn(3, 4),)),
                                 ("gpt2", lambda inputs: unlifted(gpt2(), inputs), ids)):
        path, again, out = (folder / f"{name}{ending}.pt" for ending in ("", "_edited", "_out"))
        torch.manual_seed(2)
        torch.save(module(inputs), path)
        loaded = torch.load(path, weights_only=False)
        torch.save(inputs, folder / "in.pt")
        done = run(path, "--inputs", folder / "in.pt", "-o", out)
        check(f"{name}: the same bits {done.stderr}", done.returncode == 0 and difference(loaded(*inputs), torch.load(out, weights_only=False)) is None)
        graph = subprocess.run([lancet, "graph", path], capture_output=True, text=True).stdout
        check(f"{name}: the same graph", graph.strip() == str(loaded.graph).strip())
        node = next(node.name for node in loaded.graph.nodes if node.op == "call_function")
        (folder / "rules.json").write_text(json.dumps({"unsupported": [{"name": node}]}))
        for way in ("--fuse", "--split"):
            parts = subprocess.run([lancet, "partition", path, "--support", folder / "rules.json", "--allow-single", way, "-o", folder / "parts.pt"], capture_output=True, text=True)
            check(f"{name}: {way} {parts.stderr}", parts.returncode == 0 and close(loaded(*inputs), torch.load(folder / "parts.pt", weights_only=False)(*inputs)))
        step = {"step": "insert_after", "node": node, "op": "call_function", "target": "torch.abs", "args": [{"node": node}], "rewire_users": True}
        (folder / "steps.json").write_text(json.dumps({"lancet_recipe": 1, "steps": [step]}))
        edited = subprocess.run([lancet, "apply", path, folder / "steps.json", "-o", again], capture_output=True, text=True)
        check(f"{name}: an edit is saved {edited.stderr}", edited.returncode == 0)
        with loaded.graph.inserting_after(old := next(n for n in loaded.graph.nodes if n.name == node)):
            new = loaded.graph.call_function(torch.abs, (old,))
        old.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        loaded.recompile()
        reloaded = torch.load(again, weights_only=False)
        check(f"{name}: PyTorch loads what was saved", difference(loaded(*inputs), reloaded(*inputs)) is None)
        graph = subprocess.run([lancet, "graph", again], capture_output=True, text=True).stdout
        check(f"{name}: and has the same graph", graph.strip() == str(reloaded.graph).strip())


def check_fused(folder, check, run):
    """What torch.ao.quantization.fuse_fx makes: modules of torch.ao that hold those of torch.nn."""
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 5), torch.nn.ReLU()).eval()
    path, out = folder / "fused.pt", folder / "fused_out.pt"
    torch.save(fuse_fx(net), path)
    x = torch.randn(2, 3, 8, 8)
    torch.save(x, folder / "in.pt")
    done = run(path, "--inputs", folder / "in.pt", "-o", out)
    check(f"fused: the same bits {done.stderr}", done.returncode == 0 and difference(torch.load(path, weights_only=False)(x), torch.load(out)) is None)


def check_hooks(folder, check, run, lancet):
    x = torch.randn(2, 4)
    torch.save(x, folder / "hooked_in.pt")
    for kind, mode in itertools.product(("spectral_norm", "weight_norm", "prune"), ("--eval", "--train")):
        path, out = folder / f"{kind}.pt", folder / "hooked_out.pt"
        torch.save(hooked(kind), path)
        done = run(path, mode, "--inputs", folder / "hooked_in.pt", "-o", out)
        expected = torch.load(path, weights_only=False).train(mode == "--train")(x)
        check(f"{kind}, {mode}: the same bits {done.stderr}", done.returncode == 0 and "forward hooks" not in done.stderr and difference(expected, torch.load(out)) is None)
        again = folder / "hooked_again.pt"
        subprocess.run([lancet, "convert", path, "-o", again], capture_output=True)
        check(f"{kind}: PyTorch loads what was saved", difference(torch.load(again, weights_only=False)(x), torch.load(path, weights_only=False)(x)) is None)
    for kind in ("own",):
        path = folder / f"{kind}.pt"
        torch.save(hooked(kind), path)
        says = "0 has forward hooks, which Lancet does not run"
        for verb, words in (("run", ()), ("verify", (path,)), ("bench", ("--seconds", 0.1))):
            words = [lancet, verb, path, *words, "--input", "input=2x4"]
            done = subprocess.run([*map(str, words)], capture_output=True, text=True)
            check(f"{kind}, {verb}: a warning {done.stderr}", done.returncode == 0 and f"warning: {says}" in done.stderr)
            told = json.loads(subprocess.run([*map(str, words), "--json"], capture_output=True, text=True).stdout)
            check(f"{kind}, {verb}: a warning in JSON", any(says in warning["what"] for warning in told["warnings"]))
    done = run(ROOT / "resources/samples/resnet.pt", "--input", "x=1x3x64x64", "--json")
    check("no hooks: no warning", done.stderr == "" and json.loads(done.stdout)["warnings"] == [])


MODES = """import torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.norm.running_mean.add_(0.5)
    def forward(self, x):
        x = F.dropout(self.norm(self.conv(x)), 0.5, self.training)
        return x.sum(1) if self.training else x
"""


def check_modes(folder, check, lancet):
    """The mode of source, before its trace, and of a file."""
    source, saved, x, out = (folder / each for each in ("modes.py", "modes.pt", "modes_in.pt", "modes_out.pt"))
    source.write_text(MODES)
    names = {}
    exec(MODES, names)
    torch.manual_seed(0)
    net = names["Net"]()
    torch.save(torch.randn(2, 3, 8, 8), x)
    torch.save(fx.symbolic_trace(net), saved)
    expected = {"source --eval": fx.symbolic_trace(net.eval()), "saved --eval": torch.load(saved, weights_only=False).eval(), "saved --train": torch.load(saved, weights_only=False)}
    says = {"source": "2 calls compute", "saved": "2 calls compute", "saved --eval": "1 call stays in training mode"}
    for words in ("source", "source --eval", "source --train", "saved", "saved --eval", "saved --train"):
        which, *flags = words.split()
        call = [lancet, "run", {"source": source, "saved": saved}[which], *flags, "--inputs", x]
        done = subprocess.run([*map(str, call), "-o", str(out)], capture_output=True, text=True)
        told = json.loads(subprocess.run([*map(str, call), "--json"], capture_output=True, text=True).stdout)
        check(f"{words}: the mode {told.get('mode')}", told.get("mode") == ("eval" if "--eval" in flags else "train"))
        warned = [warning["what"] for warning in told.get("warnings", [told])]
        check(f"{words}: what it says {warned} {done.stderr}", len(warned) == (words in says) and says.get(words, "") in done.stderr and all(says[words] in each for each in warned))
        if words in expected:
            torch.manual_seed(0)
            check(f"{words}: the same bits", difference(expected[words](torch.load(x)), torch.load(out)) is None)


class Views(torch.nn.Module):
    def forward(self, x):
        return x.t(), x[:, 1], x.expand(2, 3, 4), (x + 1).relu()[1:]


class OfLarge(torch.nn.Module):
    def forward(self, x):
        return x.repeat(1000, 1000)[:, 7], x[0]


class Nested(torch.nn.Module):
    """Adds up in a buffer, and takes and returns containers."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, more):
        self.calls.add_(x.sum())
        return self.kind(b=x + self.calls, a=[more["y"] * 2, (x.sum(),)])


def check_views(run, check, folder, out):
    """Outputs keep strides, offsets and what they share; a large storage is not written for a few numbers."""
    x = torch.randn(3, 4)
    torch.save((x,), folder / "views.in")
    run(saved(Views, folder / "views.pt"), "--inputs", folder / "views.in", "-o", out)
    got, expected = torch.load(out), Views()(x)
    check("views: values", difference(expected, got) is None)
    check("views: strides and offsets", all(a.stride() == b.stride() and a.storage_offset() == b.storage_offset() for a, b in zip(expected, got)))
    check("views: one storage", len({part.untyped_storage().data_ptr() for part in got}) == 2)
    run(saved(OfLarge, folder / "large.pt"), "--inputs", folder / "views.in", "-o", out)
    got = torch.load(out)
    check("views: few numbers of many", difference(OfLarge()(x), got) is None and out.stat().st_size < 1 << 20)


def check_exported(lancet, run, check, folder, out):
    """An exported program, and its description as .json: what its module returns, in the containers that it returns."""
    x, more = torch.randn(3), {"y": torch.randn(2)}
    torch.save((x, more), folder / "nested.in")
    for kind in (dict, collections.OrderedDict):
        path = folder / f"nested_{kind.__name__}.pt2"
        torch.export.save(torch.export.export(Nested(kind), (x, more)), path)
        subprocess.run([lancet, "convert", path, "-o", path.with_suffix(".json")], check=True, capture_output=True)
        expected = Nested(kind)(x, more)
        subprocess.run([lancet, "convert", path.with_suffix(".json"), "-o", path.with_suffix(".pt")], check=True, capture_output=True)
        for model in (path, path.with_suffix(".json"), path.with_suffix(".pt")):
            out.unlink(missing_ok=True)
            run(model, "--inputs", folder / "nested.in", "-o", out)
            got = torch.load(out)
            check(f"{model.name}: the same", type(got) is kind and list(got) == list(expected) and difference(expected, got) is None)
        same = subprocess.run([lancet, "verify", path, path.with_suffix(".json"), "--inputs", folder / "nested.in"], capture_output=True)
        check(f"{path.name}: verify", same.returncode == 0)
        module, original = torch.load(path.with_suffix(".pt"), weights_only=False), Nested(kind)
        for call_number in range(2):
            wanted, got = original(x, more), module(x, more)
            check(f"{path.stem}.pt: the same in call {call_number}", type(got) is kind and difference(wanted, got) is None)


def saved(module, path):
    torch.manual_seed(4)
    torch.save(fx.symbolic_trace(module()), path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=pathlib.Path, required=True)
    lancet = parser.parse_args().lancet
    failures = []

    def check(what, good):
        if not good:
            failures.append(what)
            print(f"FAIL {what}", flush=True)

    def run(*words):
        return subprocess.run([lancet, "run", *map(str, words)], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out, given = folder / "out.pt", folder / "in.pt"

        resnet = ROOT / "resources/samples/resnet.pt"
        done = run(resnet, "--input", "x=2x3x64x64", "--seed", 5, "--threads", torch.get_num_threads(), "-o", out, "--json")
        torch.manual_seed(5)
        expected = call(torch.load(resnet, weights_only=False), (torch.randn(2, 3, 64, 64),))
        check("resnet: the same bits", done.returncode == 0 and difference(expected, torch.load(out)) is None)
        told = json.loads(done.stdout)
        check("resnet: --json", told["outputs"][0]["shape"] == [2, 10] and told["outputs"][0]["dtype"] == "torch.float32" and told["millis"] > 0)
        check("resnet: statistics", abs(told["outputs"][0]["mean"] - expected.mean().item()) < 1e-6)

        model = saved(Everything, folder / "everything.pt")
        done = run(model, "--input", "ids=3:int64<7>", "--input", "x=2x5", "--input", "mask=4:bool", "-o", out)
        torch.manual_seed(0)
        inputs = torch.randn(2, 5), torch.randint(7, (3,)), torch.randint(2, (4,)).bool()
        expected = torch.load(model, weights_only=False)(*inputs)
        got = torch.load(out, weights_only=False)
        check("everything: drawn in the order of the placeholders", done.returncode == 0 and difference(expected, got) is None)
        for x, ids in (("torch.float32", "torch.int64"), ("float", "long"), ("torch.float", "torch.long")):
            out.unlink(missing_ok=True)
            run(model, "--input", f"ids=3:{ids}<7>", "--input", f"x=2x5:{x}", "--input", "mask=4:torch.bool", "-o", out)
            check(f"everything: {x} and {ids}", out.exists() and difference(expected, torch.load(out, weights_only=False)) is None)
        check("everything: exact types", type(got["max"]) is type(expected["max"]) and type(got["pair"]) is tuple and type(got["list"]) is list)
        for form in (inputs, list(inputs), dict(zip(("x", "ids", "mask"), inputs))):
            torch.save(form, given)
            out.unlink(missing_ok=True)
            run(model, "--inputs", given, "-o", out)
            check(f"everything: inputs as {type(form).__name__}", out.exists() and difference(expected, torch.load(out, weights_only=False)) is None)

        torch.save(dict(zip(("x", "ids", "musk"), inputs)), given)
        unknown = run(model, "--inputs", given, "--json")
        check("unknown name in a file: exit 2 and the names", unknown.returncode == 2 and "'musk'" in unknown.stderr and "x, ids, mask" in unknown.stderr)
        check("missing input: exit 2", run(model, "--input", "x=2x5").returncode == 2)
        check("unknown input: exit 2", run(resnet, "--input", "x=1x3x64x64", "--input", "z=1").returncode == 2)
        check("integers without range: exit 2", run(model, "--input", "x=2x5", "--input", "ids=3:int64", "--input", "mask=4:bool").returncode == 2)
        check("no file: exit 3", run(folder / "nowhere.pt", "--input", "x=1").returncode == 3)
        wrong = run(resnet, "--input", "x=1x5x64x64", "--json")
        check("wrong shape: exit 5 and the node", wrong.returncode == 5 and json.loads(wrong.stdout)["error"]["node"] == "conv1")
        big = run(saved(Big, folder / "big.pt"), "--input", "x=10x10", "--json")
        check("too much memory: exit 5 and the node", big.returncode == 5 and json.loads(big.stdout)["error"]["node"] == "repeat")
        slow, started = saved(Loop, folder / "loop.pt"), time.time()
        late = run(slow, "--input", "x=300x300", "--timeout", 3, "--json")  # the worker may take a second to start
        check("timeout: exit 6 and the node", late.returncode == 6 and str(json.loads(late.stdout)["error"]["node"]).startswith(("linalg_matrix_exp", "clamp")))
        print(f"timeout of 3 s told after {time.time() - started:.1f} s")
        check_views(run, check, folder, out)
        check_exported(lancet, run, check, folder, out)
        check_guards(lancet, run, check, folder)
        check_constants(folder, check, run, lancet)
        check_hooks(folder, check, run, lancet)
        check_modes(folder, check, lancet)
        check_fused(folder, check, run)
    print("run: all as it should be" if not failures else f"run: {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
