# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet pass` with the passes of torch.fx, on random graphs and on models of a corpus.

    passes.py --lancet BIN [--graphs N] [--seed S] [--only NUMBER] [--models FILE...]

Where torch.fx has the pass, graphs must be equal apart from names, since torch.fx names nodes anew where lancet keeps their names; weights bit for bit. Other passes must
keep the numbers of random models (pass_nets.py), as GraphModules and as exported programs. Exit 1: a difference.
"""

import argparse
import hashlib
import json
import operator
import pathlib
import random
import re
import sys
import tempfile
import textwrap
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.experimental import optimization
from torch.fx.experimental.normalize import NormalizeArgs, NormalizeOperators
from torch.fx.experimental.const_fold import split_const_subgraphs
from torch.fx.experimental.merge_matmul import merge_matmul, split_result_tensors
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
from torch.fx.passes.annotate_getitem_nodes import annotate_getitem_nodes
from torch.fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from torch.fx.passes.reinplace import reinplace

import pass_nets
from surgery import random_module, run, saved

warnings.filterwarnings("ignore")


def load(model):
    return torch.export.load(model).graph_module if str(model).endswith(".pt2") else torch.load(model, weights_only=False)


def unnamed(text):
    """str(graph) with nodes called by their number."""
    names = {}
    for line in text.splitlines():
        if match := re.match(r"\s+%(\w+) :", line):
            names[match.group(1)] = f"n{len(names)}"
    lines = []
    bare = lambda match: re.sub(r"\b\w+\b", lambda m: names.get(m.group(), m.group()), match.group())  # noqa: E731
    for line in text.splitlines():
        line = re.sub(r"^\s+return .*|slice\([^()]*\)", bare, line)
        lines.append(re.sub(r"%(\w+)", lambda m: "%" + names.get(m.group(1), m.group(1)), line))
    return "\n".join(lines)


def selves(gm):
    """torch.fx calls an argument self of operator overloads input, which they do not take. Higher-order operators lancet leaves alone."""
    if any(isinstance(n.target, torch._ops.HigherOrderOperator) for n in gm.graph.nodes):
        return None
    for node in gm.graph.nodes:
        if not isinstance(node.target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)) or "input" not in node.kwargs:
            continue
        overloads = [node.target] if isinstance(node.target, torch._ops.OpOverload) else node.target.op_overloads()
        if not any(argument.name == "input" for overload in overloads for argument in overload._schema.arguments):
            node.kwargs = {"self" if k == "input" else k: v for k, v in node.kwargs.items()}
    return gm


def types_kept(gm, before):
    """Transformers forget the annotations of inputs; lancet keeps them."""
    types = [n.type for n in before.graph.nodes if n.op == "placeholder"]
    for node, kept in zip([n for n in gm.graph.nodes if n.op == "placeholder"], types):
        node.type = kept
    return gm


def operators(gm):
    """Calls with keywords: torch.fx forgets those, lancet leaves the call alone. None when there is one."""
    remap = NormalizeOperators.binary_magic_method_remap
    if any(n.op == "call_function" and n.target in remap and len(n.args) == 2 and n.kwargs for n in gm.graph.nodes):
        return None
    return NormalizeOperators(gm, False, False, False).transform()


def annotated(gm, items=False):
    """torch.fx also gives types to attributes that are lists or None."""
    gm = AnnotateTypesWithSchema(gm).transform()
    if items:
        annotate_getitem_nodes(gm.graph)
    for node in gm.graph.nodes:
        if node.op == "get_attr" and node.type not in (torch.Tensor, int, float, bool, str):
            return None
    return gm


PASSES = {
    "cse={\"safe\": false}": lambda gm: CSEPass()(gm).graph_module,
    "cse": lambda gm: CSEPass(get_CSE_banned_ops())(gm).graph_module,
    "cse={\"safe\": false, \"banned\": [\"torch.relu\", \"aten.add\"]}": lambda gm: CSEPass({torch.relu, torch.ops.aten.add})(gm).graph_module,
    "normalize_args": lambda gm: selves(NormalizeArgs(gm).transform()),
    "normalize_args={\"only_kwargs\": false}": lambda gm: selves(NormalizeArgs(gm, False).transform()),
    "normalize_operators": operators,
    "annotate_types": annotated,
    "annotate_types={\"getitems\": true}": lambda gm: annotated(gm, True),
}


def value_at(gm, path):
    for atom in path.split("."):
        gm = getattr(gm, atom)
    return gm


def canonical(gm):
    """What a graph computes, whatever its names and order: each node as a term of hashes of its inputs."""
    terms, known = {}, {}

    def term(key):
        name = hashlib.sha1(repr(key).encode()).hexdigest()
        terms[name] = key
        return name

    def of(value):
        if isinstance(value, fx.Node):
            return ("node", known[value])
        if isinstance(value, (tuple, list)):
            return (type(value).__name__ if type(value) in (tuple, list) else "list", *map(of, value))
        if isinstance(value, dict):
            return ("dict", *((k, of(v)) for k, v in value.items()))
        return repr(value)

    for node in gm.graph.nodes:
        target = node.target
        if node.op == "get_attr":
            tensor = value_at(gm, target)
            target = (str(tensor.dtype), tuple(tensor.shape), tuple(tensor.flatten().tolist()), tensor.requires_grad) if isinstance(tensor, torch.Tensor) else target
        elif node.op == "call_module":
            target = target.replace(".", "_")
        elif node.op == "call_function":
            target = torch.typename(target)
        known[node] = term((node.op, str(target), of(node.args), of(node.kwargs)))
    return terms


def same_terms(theirs, ours):
    theirs.graph.eliminate_dead_code(), ours.graph.eliminate_dead_code()
    a, b = canonical(theirs), canonical(ours)
    if a.keys() != b.keys():
        return f"torch.fx:\n{theirs.graph}\nlancet:\n{ours.graph}"
    return None


def folded(gm):
    """run_folding's result, with the items of the ParameterList as torch.load names them."""
    module = split_const_subgraphs(gm)
    if module.const_subgraph_module is None:
        return None
    module.run_folding()
    graph = module.graph
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target.__name__ == "getitem" and getattr(node.args[0], "target", None) == module.fx_const_folded_attrs_name:
            with graph.inserting_before(node):
                made = graph.get_attr(f"{node.args[0].target}.{node.args[1]}")
            node.replace_all_uses_with(made)
            graph.erase_node(node)
    graph.eliminate_dead_code()
    return fx.GraphModule(module, graph)


def with_sizes(gm):
    """merge_matmul with what split_result_tensors does in the graph."""
    for node in list(gm.graph.nodes):
        if node.target is split_result_tensors:
            with gm.graph.inserting_before(node):
                sizes = [gm.graph.call_function(operator.getitem, (gm.graph.call_function(getattr, (x, "shape")), 0)) for x in node.args[1]]
            node.target, node.args, node.kwargs = torch.functional.split, (node.args[0], sizes), {"dim": 0}
    gm.recompile()
    return gm


def transformed(lancet, model, word, folder, *more):
    """The model after the pass; None if there was nothing to do."""
    out = folder / ("after.pt2" if str(model).endswith(".pt2") else "after.pt")
    out.unlink(missing_ok=True)
    done = run(lancet, "pass", model, word, *more, "-o", out)
    if done.returncode == 1:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} {done.stderr}")
    return torch.export.load(out).module() if str(out).endswith(".pt2") else torch.load(out, weights_only=False)


def check_constants(lancet, folder, chance):
    """const_fold as split_const_subgraphs and run_folding."""
    torch.manual_seed(chance.randrange(1 << 30))
    model = folder / "constants.pt"
    gm = saved(fx.symbolic_trace(pass_nets.Constants(chance).eval()), model)
    ours, theirs = transformed(lancet, model, "const_fold", folder), folded(load(model))
    if theirs is None or ours is None:
        return None if theirs is None and ours is None else f"const_fold: torch.fx {theirs and theirs.graph}, lancet {ours and ours.graph}"
    x = torch.randn(2, 4, pass_nets.WIDTH)
    with torch.no_grad():
        if not torch.equal(gm(x), ours(x)):
            return "const_fold: other numbers"
        split = transformed(lancet, model, "split_const", folder)
        if not torch.equal(gm(x), split(x)):
            return "split_const: other numbers"
    inner = same_terms(split_const_subgraphs(load(model)).const_subgraph_module, split.const_subgraph_module)
    return same_terms(theirs, ours) or inner


def check_products(lancet, folder, chance):
    """merge_matmul, as torch.fx does it, and where the shapes allow it."""
    torch.manual_seed(chance.randrange(1 << 30))
    model = folder / "products.pt"
    gm = saved(fx.symbolic_trace(pass_nets.matmuls(chance)), model)
    ours = transformed(lancet, model, "merge_matmul={\"safe\": false}", folder)
    try:
        theirs = with_sizes(merge_matmul(load(model)))
    except RuntimeError as error:  # what stands on the right was merged itself
        return f"skipped: torch.fx raises {error}"
    inputs = torch.randn(4, pass_nets.WIDTH), torch.randn(5, pass_nets.WIDTH)
    difference = same_terms(theirs, ours or load(model))
    if difference:
        return difference
    safe = transformed(lancet, model, "merge_matmul", folder, "--input", f"x=4x{pass_nets.WIDTH}", "--input", f"y=5x{pass_nets.WIDTH}")
    if (safe is None) != (ours is None):
        return "merge_matmul: safe merges something else"
    close = all(torch.allclose(a, b, atol=1e-5) for a, b in zip(gm(*inputs), (safe or gm)(*inputs)))
    return None if close else "merge_matmul: other numbers"


def check_reinplace(lancet, folder, chance):
    model = folder / "functional.pt"
    net, inputs = pass_nets.functional(chance), (torch.randn(4, 4), torch.randn(4, 4))
    gm = saved(make_fx(torch.func.functionalize(net))(*inputs), model)
    theirs = reinplace(load(model), *inputs)
    done = run(lancet, "pass", model, "reinplace", "--input", "x_1=4x4", "--input", "y_1=4x4", "--show", "graph")
    if done.returncode not in (0, 1):
        return f"reinplace: exit {done.returncode} {done.stderr}"
    if unnamed(str(theirs.graph)) != unnamed(done.stdout.rstrip("\n")):
        return f"reinplace of\n{gm.graph}\ntorch.fx:\n{theirs.graph}\nlancet:\n{done.stdout}"
    return None


NUMBERS = ("fuse_patterns", "clean_views", "remove_identities", "deduplicate", "conv_bn_fuse", "const_fold")


def check_numbers(lancet, folder, chance, exported, changes):
    """Passes that torch.fx lacks keep the numbers; all of them in a row, too."""
    torch.manual_seed(chance.randrange(1 << 30))
    net, x = pass_nets.Net(chance).eval(), torch.randn(2, 4, pass_nets.WIDTH)
    model = folder / ("net.pt2" if exported else "net.pt")
    if exported:
        torch.export.save(torch.export.export(net, (x,)), model)
    else:
        saved(fx.symbolic_trace(net), model)
    expected = net(x)
    for words in [(name,) for name in NUMBERS] + [NUMBERS]:
        try:
            ours = transformed(lancet, model, words[0], folder, *words[1:], "--steps", "2")
        except RuntimeError as error:
            return f"{words}: {error}"
        if ours is None:
            continue
        changes["+".join(words)] = changes.get("+".join(words), 0) + 1
        with torch.no_grad():
            result = ours(x)
        if not torch.allclose(expected, result, rtol=1e-4, atol=1e-5):
            return f"{words}: off by {(expected - result).abs().max()}\n{load(model).graph}\n{ours.graph}"
    return None


def check(lancet, model, word, transform):
    gm = load(model)
    before = unnamed(str(gm.graph))
    if run(lancet, "graph", model).stdout != str(gm.graph) + "\n":
        return "skipped: they are not the same before"  # what loads otherwise the second time in a process; run_oracle.py tests that
    try:
        theirs = transform(gm)
    except Exception as error:
        return f"skipped: torch.fx raises {error!r}"
    if theirs is None:
        return "skipped"
    theirs = types_kept(theirs, load(model))
    done = run(lancet, "pass", model, word, "--show", "graph")
    expected = unnamed(str(theirs.graph))
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr}"
    ours = unnamed(done.stdout.rstrip("\n"))
    if ours != expected:
        return "\n".join(f"    {'torch.fx' if i == 0 else 'lancet  '} {line}" for pair in zip(expected.splitlines(), ours.splitlines()) if pair[0] != pair[1] for i, line in enumerate(pair)) or f"{expected}\nlancet:\n{ours}"
    if (done.returncode == 1) != (ours == before):
        return f"exit {done.returncode}, though the graph is {'the same' if ours == before else 'another'}"
    return None


class Blocks(nn.Module):
    """Convolutions, linear layers, normalisations and dropouts in a random chain."""

    def __init__(self, chance):
        super().__init__()
        dims = chance.choice([1, 2, 3])
        conv, norm = getattr(nn, f"Conv{dims}d"), getattr(nn, f"BatchNorm{dims}d")
        width = chance.choice([1, 3, 8])
        self.dims, self.width = dims, width
        layers = []
        for _ in range(chance.randrange(1, 7)):
            kind = chance.randrange(5)
            if kind < 3:
                layers.append(conv(width, width, 1, bias=chance.random() < .5))
                if chance.random() < .7:
                    layers.append(norm(width, eps=chance.choice([1e-5, 1e-3, 0.1]), affine=chance.random() < .7, track_running_stats=chance.random() < .85))
            else:
                layers.append(chance.choice([nn.ReLU(), nn.Dropout(0.3), nn.Dropout(inplace=True), nn.Dropout1d(), norm(width)]))
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(5, width, bias=chance.random() < .5)
        self.head_norm = nn.BatchNorm1d(chance.choice([1, width]))
        self.drop = nn.Dropout()
        self.extra = chance.random() < .3
        self.double_precision = chance.random() < .2
        for parameter in self.parameters():
            nn.init.normal_(parameter)
        for name, buffer in self.named_buffers():
            if name.endswith("running_mean"):
                nn.init.normal_(buffer)
            elif name.endswith("running_var"):
                nn.init.uniform_(buffer, 0.01, 3)

    def forward(self, x, y):
        for i, layer in enumerate(self.layers):
            z = layer(x)
            x = z + x if self.extra and i == 1 else z
        return self.drop(F.relu(x)), self.drop(self.head_norm(self.head(y)))


def same_modules(theirs, ours):
    a, b = theirs.state_dict(), ours.state_dict()
    if a.keys() != b.keys():
        return f"tensors: torch.fx {sorted(a.keys() - b.keys())}, lancet {sorted(b.keys() - a.keys())}"
    for key, tensor in a.items():
        if tensor.dtype != b[key].dtype or not torch.equal(tensor, b[key]):
            return f"{key}: off by {(tensor - b[key]).abs().max()}"
    grads = [{k: p.requires_grad for k, p in m.named_parameters()} for m in (theirs, ours)]
    return f"requires_grad: {grads}" if grads[0] != grads[1] else None


def check_blocks(lancet, folder, chance):
    torch.manual_seed(chance.randrange(1 << 30))
    model, out = folder / "blocks.pt", folder / "blocks_out.pt"
    net = Blocks(chance)
    net = net.double() if net.double_precision else net
    training = chance.random() < .1
    saved(fx.symbolic_trace(net.train(training)), model)
    x, y = torch.randn(2, net.width, *[4] * net.dims), torch.randn(2, 5)
    torch.save([each.double() if net.double_precision else each for each in (x, y)], folder / "blocks_in.pt")
    for word, transform in (('conv_bn_fuse={"as_torch_fx": true}', lambda gm: optimization.fuse(gm, no_trace=True)), ("remove_dropout", optimization.remove_dropout),
                            ("optimize_for_inference", lambda gm: optimization.optimize_for_inference(gm, {"mkldnn_layout_optimize": False}))):
        out.unlink(missing_ok=True)
        gm = load(model)
        setting = '={"mkldnn_layout_optimize": false}' if word == "optimize_for_inference" else ""
        done = run(lancet, "pass", model, word + setting, "--inputs", folder / "blocks_in.pt", "-o", out)
        try:
            theirs = transform(gm)
        except Exception as error:
            if done.returncode != 4:
                return f"{word}: torch.fx raises {error!r}, lancet: exit {done.returncode}"
            continue
        if len(theirs.graph.nodes) == len(gm.graph.nodes):
            if done.returncode != 1 or out.exists():
                return f"{word}: nothing to do, but exit {done.returncode} {done.stderr}"
            continue
        if done.returncode != 0:
            return f"{word}: exit {done.returncode} {done.stderr}"
        ours = torch.load(out, weights_only=False)
        difference = same_modules(theirs, ours) or (None if unnamed(str(ours.graph)) == unnamed(str(theirs.graph)) else f"{theirs.graph}\n{ours.graph}")
        if difference:
            return f"{word}: {difference}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--graphs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--models", nargs="*", default=[])
    options = parser.parse_args()
    lancet = pathlib.Path(options.lancet).resolve()
    counts, changes = {"compared": 0, "skipped": 0, "differ": 0}, {}

    def note(what, difference):
        kind = "compared" if difference is None else "skipped" if difference.startswith("skipped") else "differ"
        counts[kind] += 1
        if kind == "differ":
            print(f"FAIL {what}:\n{textwrap.indent(difference, '  ')}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(options.graphs) if options.only is None else [options.only]:
            chance, gm = random.Random(f"passes {options.seed}.{number}"), None
            while gm is None:
                try:
                    gm = saved(random_module(chance), folder / "model.pt")
                except Exception:  # what does not depend on an input runs while it loads
                    continue
            # In training a batch normalisation has effects, which the safe cse leaves alone and torch.fx's CSEPass does not know of.
            saved(gm.eval(), folder / "evaluated.pt")
            for word, transform in PASSES.items():
                note(f"graph {number} {word}", check(lancet, folder / ("evaluated.pt" if word == "cse" else "model.pt"), word, transform))
            note(f"blocks {number}", check_blocks(lancet, folder, chance))
            note(f"constants {number}", check_constants(lancet, folder, chance))
            note(f"products {number}", check_products(lancet, folder, chance))
            note(f"reinplace {number}", check_reinplace(lancet, folder, chance))
            note(f"numbers {number}", check_numbers(lancet, folder, chance, number % 3 == 2, changes))
        for model in options.models:
            for word in ("cse={\"safe\": false}", "normalize_args", "normalize_operators"):
                try:
                    load(model), load(model)
                except Exception:  # some can be loaded once in a process, some not at all
                    continue
                note(f"{model} {word}", check(lancet, model, word, PASSES[word]))
    print(json.dumps(counts | {"changed": changes}))
    sys.exit(1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
