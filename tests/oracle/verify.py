# SPDX-License-Identifier: GPL-3.0-or-later
"""`lancet verify` on pairs of models of which Python knows how they differ: verdict, errors, first difference, exit code.

    verify.py --lancet BIN

Each pair is run in eager PyTorch too, on the same inputs and seed; what verify says of the outputs and of the first node must be what the
tensors there say. Exit 1: something is not as it should be.
"""

import argparse
import concurrent.futures
import copy
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch import fx, nn
from torch.fx.experimental.optimization import fuse
from torch.fx.passes.split_module import split_module

import verify_cuts
import verify_hidden
import verify_limits
import verify_pairs
import verify_rewrites
import verify_scripts
import verify_states
import verify_types

TOLERANCES = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.dropout, self.fc = nn.Dropout(0.5), nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)) + x)
        return self.fc(self.dropout(x.mean((2, 3))))


class Shared(nn.Module):
    """One layer called twice, a normalisation behind the first call only."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = nn.Linear(6, 6), nn.BatchNorm1d(6)

    def forward(self, x):
        return self.layer(torch.relu(self.norm(self.layer(x))))


class Scaled(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(1, 2, 4).reshape(shape))

    def forward(self, x):
        return torch.tanh(x * self.scale).sum()


class Outputs(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        y = torch.sin(x)
        return {"pair": (x, y), "text": (x, "a"), "other text": (x, "b"), "dict": {"a": x, "b": y}, "keys": {"a": x, "c": y}, "single": y, "half": (x, y.half()), "shape": (x, y.flatten()), "nan": (x, torch.sqrt(x))}[self.kind]


class Warned(nn.Module):
    """LibTorch warns of it in every run."""

    def forward(self, x):
        return torch.std(x)


class Nans(nn.Module):
    def __init__(self, everywhere):
        super().__init__()
        self.everywhere = everywhere

    def forward(self, x):
        return torch.sqrt(x) if self.everywhere else torch.sqrt(x).nan_to_num(0.0)


class Halved(nn.Module):
    def forward(self, x):
        return x / 2


class OneGroup(nn.Module):
    def __init__(self, fixed):
        super().__init__()
        self.fixed = fixed

    def forward(self, x):
        return nn.functional.layer_norm(x, (3, 8, 8)) if self.fixed else nn.functional.group_norm(x, 1)


class TwoParts(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = torch.relu(self.c1(x))
        return torch.relu(y + self.c2(y))


def in_parts():
    """A model and the same in two submodules: nodes that stand in each other's place alone are no counterparts."""
    model = traced(made(TwoParts).eval())
    first = ("x", "c1", "relu")
    return model, split_module(copy.deepcopy(model), None, lambda node: int(node.name not in first))


def edited_part():
    """The second part has other weights."""
    model = in_parts()[1]
    with torch.no_grad():
        model.submod_1.c2.weight.mul_(2)
    return model


def traced(module, train=False):
    module = module.train(train)
    graph_module = fx.symbolic_trace(module)
    return graph_module.train(train)


def made(kind, *arguments, seed=3):
    torch.manual_seed(seed)
    module = kind(*arguments)
    for inner in module.modules():
        if isinstance(inner, (nn.BatchNorm1d, nn.BatchNorm2d)):  # statistics and weights that do something
            inner.running_mean.normal_()
            inner.running_var.uniform_(0.5, 2)
            nn.init.normal_(inner.weight)
    return module


def fused_wrongly(module, name):
    """Fused as `fuse` does, but the layer `name` has the bias of before."""
    out = fuse(copy.deepcopy(module))
    with torch.no_grad():
        out.get_submodule(name).bias.add_(0.25)
    return out


def baked(graph_module):
    """The dropout module becomes a call with training=True."""
    for node in list(graph_module.graph.nodes):
        if node.op == "call_module" and node.target == "dropout":
            with graph_module.graph.inserting_after(node):
                new = graph_module.graph.call_function(nn.functional.dropout, (node.args[0], 0.5, True))
            node.replace_all_uses_with(new)
            graph_module.graph.erase_node(node)
            new._rename("dropout")
    graph_module.recompile()
    return graph_module


class Cosines(nn.Module):
    def forward(self, x):
        a = torch.sin(x)
        b = torch.cos(x)
        return a, b


class CosinesLater(nn.Module):
    def forward(self, x):
        b = torch.cos(x)
        a = torch.sin(x)
        return a, b


def shared_fused():
    """What a fuser does that does not look who else calls the layer: the second call gets the folded weights too."""
    module = made(Shared).eval()
    out = traced(copy.deepcopy(module))
    fusion = nn.utils.fusion.fuse_linear_bn_eval(module.layer, module.norm)
    out.layer = fusion
    for node in list(out.graph.nodes):
        if node.target == "norm":
            node.replace_all_uses_with(node.args[0])
            out.graph.erase_node(node)
    out.recompile()
    return traced(module), out


class Linears(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 32), nn.Linear(32, 5)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def quantised(module):
    """B of a pair and what verify says of it."""
    from torch.ao.quantization import get_default_qconfig_mapping, quantize_fx

    torch.manual_seed(11)
    x = torch.randn(16, 6)
    prepared = quantize_fx.prepare_fx(copy.deepcopy(module), get_default_qconfig_mapping("x86"), ())
    prepared(x)
    converted = quantize_fx.convert_fx(prepared)
    a, b = module(x).double(), converted(x).double()
    sqnr = 10 * torch.log10(a.square().sum() / (a - b).square().sum()).item()
    return converted, (16, 6), "different", "any", f"(SQNR) of {sqnr:.1f} dB"


def pairs():
    """name, A, B, input shape, verdict, first difference (None: none, "any": whatever), a word of a remark or reason."""
    net = made(Net).eval()
    linear = made(Linears).eval()
    yield "int8", traced(linear), *quantised(linear)
    yield "identical", traced(net), traced(copy.deepcopy(net)), (2, 3, 8, 8), "equal", None, ""
    yield "reordered", traced(Cosines()), traced(CosinesLater()), (4, 5), "equal", None, ""
    yield "fused", traced(net), fuse(copy.deepcopy(net)), (2, 3, 8, 8), "close", "conv1", ""
    yield "fused wrongly", traced(net), fused_wrongly(net, "conv2"), (2, 3, 8, 8), "different", "conv2", "bias"
    yield "dropout baked in", traced(net), baked(traced(copy.deepcopy(net))), (2, 3, 8, 8), "different", "dropout", "dropout is active in B"
    yield "both train", traced(made(Net), True), traced(made(Net), True), (2, 3, 8, 8), "equal", None, ""
    a, b = shared_fused()
    yield "called twice", a, b, (4, 6), "different", "layer_1", "called 2 times"
    yield "wrong broadcast", traced(made(Scaled, (4,))), traced(made(Scaled, (4, 1))), (4, 4), "different", "scale", ""
    yield "broadcast grows", traced(made(Scaled, (4,))), traced(made(Scaled, (4, 1, 1))), (4, 4), "different", "scale", "shape"
    yield "other weights", traced(made(Net).eval()), traced(made(Net, seed=4).eval()), (2, 3, 8, 8), "different", "conv1", "weight"
    yield "dtype", traced(Outputs("pair")), traced(Outputs("half")), (3, 3), "different", "any", "float32 in A, float16 in B"
    yield "shape", traced(Outputs("pair")), traced(Outputs("shape")), (3, 3), "different", "any", "3×3 in A, 9 in B"
    yield "structure", traced(Outputs("pair")), traced(Outputs("single")), (3, 3), "different", "any", "a tuple of 2 in A"
    yield "keys", traced(Outputs("dict")), traced(Outputs("keys")), (3, 3), "different", "any", "'b'"
    yield "texts", traced(Outputs("text")), traced(Outputs("other text")), (3, 3), "different", "any", "output [1]: 'a' in A, 'b' in B"
    yield "sizes that B fixes", traced(OneGroup(False)), traced(OneGroup(True)), (2, 3, 8, 8), "close", None, "not compared for other sizes"
    yield "parts under other names", *in_parts(), (2, 3, 8, 8), "equal", None, ""
    yield "both NaN", traced(Nans(True)), traced(Nans(True)), (4, 4), "equal", None, "count as equal"
    yield "one NaN", traced(Nans(True)), traced(Nans(False)), (4, 4), "different", "any", "only one"


def run(model, seed, shape):
    """Outputs and the values of nodes by name, as eager PyTorch gives them."""
    torch.manual_seed(seed)
    x = torch.randn(shape)
    values = {}

    class Recorder(fx.Interpreter):
        def run_node(self, node):
            result = super().run_node(node)
            values[node.name] = result.clone() if isinstance(result, torch.Tensor) else result
            return result

    with torch.no_grad():
        return Recorder(copy.deepcopy(model)).run(x), values


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [value]


def errors(a, b):
    both = ~(a.isnan() | b.isnan())
    a, b = a[both].double(), b[both].double()
    off = (a - b).abs()
    relative = torch.where(off == 0, 0.0, off / a.abs())
    return (off.max().item(), relative.max().item()) if off.numel() else (0.0, 0.0)


def close(x, y):
    return abs(x - y) <= 1e-4 * max(abs(x), abs(y)) + 1e-12


def all_pairs():
    for module in (verify_pairs, verify_cuts, verify_hidden, verify_types, verify_states, verify_rewrites, verify_limits):
        yield from (("wrong", pair) for pair in module.wrong())
        yield from (("right", pair) for pair in module.right())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth pair")
    options = parser.parse_args()
    torch.set_num_threads(1)
    failures, count = [], 0

    def check(name, what, good, told=""):
        if not good:
            failures.append(name)
            print(f"FAIL {name}: {what} {told}", flush=True)

    def verify(a, b, *words):
        done = subprocess.run([options.lancet, "verify", a, b, "--threads", "1", "--json", *map(str, words)], capture_output=True, text=True)
        return done, json.loads(done.stdout) if done.stdout else {}

    with tempfile.TemporaryDirectory() as folder:
        a_path, b_path = pathlib.Path(folder, "a.pt"), pathlib.Path(folder, "b.pt")
        for name, a, b, shape, verdict, first, word in itertools.islice(pairs(), 0, None, options.every):
            if options.only not in name:
                continue
            count += 1
            torch.save(a, a_path)
            torch.save(b, b_path)
            a, b = torch.load(a_path, weights_only=False), torch.load(b_path, weights_only=False)  # names as loading gives them
            done, told = verify(a_path, b_path, "--input", "x=" + "x".join(map(str, shape)), "--seed", 11)
            if done.returncode > 1:
                check(name, "failed:", False, done.stderr)
                continue
            check(name, "verdict", told["verdict"] == verdict, json.dumps(told)[:600])
            check(name, "exit code", done.returncode == (0 if verdict in ("equal", "close") else 1))
            check(name, "equal", told["equal"] is (verdict in ("equal", "close")))
            (out_a, values_a), (out_b, values_b) = run(a, 11, shape), run(b, 11, shape)
            if told["code"] not in ("shapes", "not_comparable"):
                for x, y, one in zip(leaves(out_a), leaves(out_b), told["outputs"], strict=True):
                    rtol, atol = TOLERANCES[x.dtype]
                    check(name, "tolerances", (one["rtol"], one["atol"]) == (rtol, atol))
                    check(name, "allclose", one["allclose"] is torch.allclose(y, x, rtol=rtol, atol=atol, equal_nan=True))
                    check(name, "equal output", one["equal"] is torch.equal(x.nan_to_num(), y.nan_to_num()) if verdict == "equal" else True)
                    off, relative = errors(x, y)
                    # Rounding alone is not the same in eager PyTorch, bit for bit, when the allocator aligns otherwise.
                    rounding = verdict == "close"
                    check(name, "max_abs", close(one["max_abs"], off) or (rounding and one["max_abs"] < 1e-5), f"{one['max_abs']} {off}")
                    relative_told = float("inf") if one["max_rel"] is None else one["max_rel"]
                    check(name, "max_rel", relative_told == relative or close(relative_told, relative) or rounding, f"{relative_told} {relative}")
            if first != "any":
                node = told["first_difference"] and told["first_difference"]["node"]
                check(name, "first difference", node == first, f"{node}, not {first}")
                if first and values_a[first].shape == values_b[first].shape:
                    off, _ = errors(values_a[first], values_b[first])
                    check(name, "error there", close(told["first_difference"]["max_abs"], off), f"{told['first_difference']['max_abs']} {off}")
            check(name, f"says '{word}'", word in json.dumps(told, ensure_ascii=False), json.dumps(told, ensure_ascii=False)[:800])

        def judged(a, b, inputs):
            if all(isinstance(value, torch.Tensor) for value in inputs.values()):
                given = a.with_suffix(".in.pt")
                torch.save(inputs, given)
                words = ["--inputs", given]
            else:
                words = [word for key, value in inputs.items() for word in ("--input", f"{key}={value}")]
            out = verify(a, b, "--no-probe", *words)
            a.unlink()
            b.unlink()
            return out

        asked = []  # most of the time is that of LibTorch starting: as many at once as there are processors
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for expected, each in itertools.islice(all_pairs(), 0, None, options.every):
                name, *models, inputs = f"{expected}: {each[0]}", *each[1:]
                if options.only not in name:
                    continue
                is_exported = isinstance(models[0], torch.export.ExportedProgram)
                paths = [pathlib.Path(folder, f"pair{len(asked)}.{side}.{'pt2' if is_exported else 'pt'}") for side in "ab"]
                for model, path in zip(models, paths, strict=True):
                    (torch.export.save if is_exported else torch.save)(model, path)
                asked.append((name, expected, pool.submit(judged, *paths, inputs)))
        for name, expected, answer in asked:
            count += 1
            done, told = answer.result()
            agrees = told.get("verdict") in ("equal", "close")
            check(name, "verdict", agrees == (expected == "right"), done.stderr or json.dumps(told)[:600])
            check(name, "exit code", done.returncode == (0 if agrees else 1))
            check(name, "reason", agrees or told.get("reason"), told)

        for name, a, b, inputs, verdict, code, word in verify_scripts.pairs():
            name = f"script: {name}"
            if options.only not in name:
                continue
            count += 1
            paths = [pathlib.Path(folder, f"{side}.ts") for side in "ab"]
            for module, path in zip((a, b), paths):
                torch.jit.save(torch.jit.script(module), path)
            torch.save(inputs, pathlib.Path(folder, "script.in.pt"))
            done, told = verify(*paths, "--no-probe", "--inputs", pathlib.Path(folder, "script.in.pt"))
            text = json.dumps(told, ensure_ascii=False)
            check(name, "verdict", told.get("verdict") == verdict, done.stderr or text[:600])
            check(name, "code", code in ("any", told.get("code")), text[:600])
            check(name, f"says '{word}'", word in text, text[:600])
            check(name, "says nothing false of dropout", "and not in A" not in text, text[:600])

        if not options.only:
            net, other = made(Net).eval(), made(Net).eval()
            torch.save(traced(net), a_path)
            with torch.no_grad():
                other.fc.bias.add_(1e-3)
            torch.save(traced(other), b_path)
            given = pathlib.Path(folder, "in.pt")
            torch.save((torch.ones(1, 3, 4, 4),), given)
            check("tolerances", "strict", verify(a_path, b_path, "--inputs", given)[0].returncode == 1)
            check("tolerances", "--atol", verify(a_path, b_path, "--inputs", given, "--atol", "1e-2")[0].returncode == 0)
            check("tolerances", "--tolerance", verify(a_path, b_path, "--inputs", given, "--tolerance", "float32=0,1e-2")[0].returncode == 0)
            check("tolerances", "of another type", verify(a_path, b_path, "--inputs", given, "--tolerance", "float16=0,1e-2")[0].returncode == 1)
            torch.save({"x": torch.ones(1, 3, 4, 4)}, given)
            renamed = traced(made(Net).eval())
            placeholder = next(iter(renamed.graph.nodes))
            placeholder.target = "image"
            placeholder._rename("image")
            renamed.recompile()
            torch.save(renamed, pathlib.Path(folder, "renamed.pt"))
            check("inputs", "by name, by position where B calls them otherwise", verify(a_path, pathlib.Path(folder, "renamed.pt"), "--inputs", given)[0].returncode == 0)
            check("usage", "no input and no safe guess", verify(a_path, b_path)[0].returncode == 2)
            guessed, told = verify(a_path, b_path, "--guess")
            check("usage", "--guess", guessed.returncode == 1 and "conv1" in guessed.stderr and told["guessed"])
            check("usage", "wrong shape", verify(a_path, b_path, "--input", "x=1x4x8x8")[0].returncode == 5)
            check("usage", "no file", verify(a_path, pathlib.Path(folder, "none.pt"), "--input", "x=1x3x8x8")[0].returncode == 3)
            torch.save(traced(nn.Sequential(nn.Linear(6, 4), nn.ReLU())), a_path)
            safe, told = verify(a_path, a_path)
            check("usage", "a safe guess is taken and told", safe.returncode == 0 and told["inputs"] == ["input: 2×6 float32, normal"] and "guessed the input" in safe.stderr, safe.stderr)
            torch.save(verify_cuts.unused("no node", 1.0), a_path)
            torch.save(verify_cuts.unused("no node", 2.0), b_path)
            told = verify(a_path, b_path, "--input", "x=3x6")[1]
            check("unused", "named, and not the same model", not told["identical"] and "nothing uses (w)" in json.dumps(told["remarks"]), told)
            _, a, b, inputs = next(each for each in verify_cuts.wrong() if each[0] == "equal: where")
            torch.save(a, a_path)
            torch.save(b, b_path)
            words = [word for key, value in inputs.items() for word in ("--input", f"{key}={value}")]
            verify(a_path, b_path, "--no-probe", "--save-inputs", given, *words)
            with torch.no_grad():
                saved = torch.load(given)
                check("counterexample", "differs", not torch.equal(a(**saved), b(**saved)), saved)
            check("counterexample", "is read", verify(a_path, b_path, "--inputs", given)[1]["verdict"] == "different")
            token = torch.ones(1, 1, 6)
            a, b = verify_cuts.both(lambda m, x: torch.cat([x[:, :1] * 0 + m.w, x], 1), lambda m, x: torch.cat([m.w, x], 1), {"x": "1x3x6"}, w=token)[:2]
            torch.save(a, a_path)
            torch.save(b, b_path)
            told = verify(a_path, b_path, "--no-probe", "--save-inputs", given, "--input", "x=1x3x6")[1]
            check("counterexample", "that B refuses", told["code"] == "other_sizes", told)
            done = verify(a_path, b_path, "--inputs", given)[0]
            check("counterexample", "says who refuses it", done.returncode == 5 and "model A runs on these inputs, model B does not" in done.stderr, done.stderr)
            done, told = verify(a_path, a_path, "--save-inputs", pathlib.Path(folder, "none.in.pt"), "--input", "x=1x3x6")
            check("counterexample", "none is known", "is not written" in json.dumps(told["remarks"]), told)
            torch.manual_seed(2)
            a, b = (traced(nn.Sequential(nn.Linear(6, 4), last)) for last in (nn.ReLU(), nn.ReLU6()))
            b.load_state_dict(a.state_dict())
            torch.save(a, a_path)
            torch.save(b, b_path)
            told = verify(a_path, b_path, "--save-inputs", given, "--input", "input=3x6")[1]
            with torch.no_grad():
                saved = torch.load(given)
                check("counterexample", "of a probe", told["verdict"] == "different" and not torch.equal(a(**saved), b(**saved)), (told, saved))
            torch.save(in_parts()[0], a_path)
            torch.save(edited_part(), b_path)
            told = verify(b_path, a_path, "--input", "x=1x3x8x8")[1]["first_difference"]
            check("cut", "named by the call", (told["node"], told["inner_node"]) == ("submod_1", "c2"), told)
            scaled = nn.Sequential(nn.Linear(6, 4), nn.ReLU())
            torch.save(traced(scaled), a_path)
            with torch.no_grad():
                other = copy.deepcopy(scaled)
                other[0].weight.mul_(2), other[0].bias.mul_(2)
            torch.save(traced(nn.Sequential(other[0], Halved(), nn.ReLU())), b_path)
            told = verify(a_path, b_path, "--input", "input=2x6", "--search", "2")[1]
            check("search", "agrees for two seconds", told["verdict"] in ("equal", "close") and told["further_inputs"] > 100 and 1.9 < told["further_seconds"] < 6, told)
            torch.save(traced(Warned()), a_path)
            check("warnings", "told once", verify(a_path, a_path, "--input", "x=1")[0].stderr.count("degrees of freedom") == 1)
    print(f"verify: {count} pairs, all as it should be" if not failures else f"verify: {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
