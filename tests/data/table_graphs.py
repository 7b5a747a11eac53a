# SPDX-License-Identifier: GPL-3.0-or-later
"""What torch.fx says of the tables of graphs: new modules, passes, matches, partitions, shapes and comparisons (make_tables.py)."""

import contextlib
import copy
import io
import json
import operator
import re

import torch
import torch.utils.flop_counter
from torch import fx, nn
from torch.fx.experimental import optimization
from torch.fx.experimental.const_fold import split_const_subgraphs
from torch.fx.experimental.merge_matmul import merge_matmul, split_result_tensors
from torch.fx.experimental.normalize import NormalizeArgs, NormalizeOperators
from torch.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
from torch.fx.passes.annotate_getitem_nodes import annotate_getitem_nodes
from torch.fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupport
from torch.fx.passes.shape_prop import ShapeProp, TensorMetadata
from torch.fx.passes.split_module import split_module
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.subgraph_rewriter import replace_pattern_with_filters
from torch.utils._pytree import tree_leaves


def settings_of(case):
    """The last line: ">> WORD {JSON}"."""
    word, _, rest = case.input[-1].removeprefix(">>").strip().partition(" ")
    if word.startswith("{"):
        word, rest = "", f"{word} {rest}".strip()
    return word, json.loads(rest) if rest else {}


def scope_of(run, preamble, case, lines=1):
    """The names of a program without its last lines; an exception is raised again as text."""
    torch.manual_seed(0)
    scope = {"__name__": "case"}
    case = copy.copy(case)
    case.input = case.input[:len(case.input) - lines]
    said = run(preamble, case, scope)
    if said:
        raise ValueError(said)
    return scope


def traced(scope, name):
    """The function `name`, or the class whose name is `name` with a capital, in eval mode."""
    if name not in scope:
        torch.manual_seed(0)
        return fx.symbolic_trace(scope[name.capitalize()]().eval())
    return fx.symbolic_trace(scope[name])


def lines_of(text):
    return "".join(line + "\n" for line in str(text).splitlines() if line)


def numbered(graph):
    """The graph with its calls called n1, n2: passes of torch.fx name nodes anew, where Lancet keeps names."""
    calls = [node for node in graph.nodes if node.op not in ("placeholder", "output")]
    for i, node in enumerate(calls):
        node.name = f"n{i + 1}"
    return lines_of(graph)


# ── passes ──

def self_named(gm):
    """torch.fx calls an argument self of operator overloads input, which they do not take."""
    for node in gm.graph.nodes:
        if isinstance(node.target, torch._ops.OpOverload) and "input" in node.kwargs:
            if not any(argument.name == "input" for argument in node.target._schema.arguments):
                node.kwargs = {"self" if key == "input" else key: value for key, value in node.kwargs.items()}
    return gm


def cse(gm, safe=True, banned=()):
    ops = {eval(name if name.startswith("torch.") else f"torch.ops.{name}") for name in banned}
    return CSEPass(ops | (set(get_CSE_banned_ops()) if safe else set()))(gm).graph_module


def dead_code(gm):
    gm.graph.eliminate_dead_code()
    return gm


def annotate_types(gm, getitems=False):
    types = {node.name: node.type for node in gm.graph.nodes if node.op == "placeholder"}
    gm = AnnotateTypesWithSchema(gm).transform()
    if getitems:
        for node in gm.graph.find_nodes(op="placeholder"):
            node.type = types[node.name]
        annotate_getitem_nodes(gm.graph)
    return gm


def merged(gm, safe=True):
    """merge_matmul with what split_result_tensors does in the graph."""
    gm = merge_matmul(gm)
    for node in list(gm.graph.nodes):
        if node.target is split_result_tensors:
            with gm.graph.inserting_before(node):
                sizes = [gm.graph.call_function(operator.getitem, (gm.graph.call_function(getattr, (x, "shape")), 0)) for x in node.args[1]]
            node.target, node.args, node.kwargs = torch.functional.split, (node.args[0], sizes), {}
    return gm


def folded(gm, skip=()):
    """run_folding's result, with the items of the ParameterList as a saved model names them."""
    module = split_const_subgraphs(gm, skip_folding_node_fn=lambda node: node.name in skip)
    if module.const_subgraph_module is None:
        return gm
    module.run_folding()
    for node in list(module.graph.nodes):
        if node.op == "call_function" and node.target is operator.getitem and getattr(node.args[0], "target", None) == module.fx_const_folded_attrs_name:
            with module.graph.inserting_before(node):
                made = module.graph.get_attr(f"{node.args[0].target}.{node.args[1]}")
            node.replace_all_uses_with(made)
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    for node in module.graph.find_nodes(op="get_attr"):
        if module.fx_const_folded_attrs_name in node.target:  # Lancet reads them where they are used
            min(node.users).prepend(node)
    return fx.GraphModule(module, module.graph)


PASSES = {
    "cse": cse, "dead_code": dead_code, "annotate_types": annotate_types, "merge_matmul": merged, "const_fold": folded,
    "normalize_args": lambda gm, only_kwargs=True: self_named(NormalizeArgs(gm, only_kwargs).transform()),
    "normalize_operators": lambda gm: NormalizeOperators(gm, False, False, False).transform(),
    "remove_dropout": optimization.remove_dropout,
    "conv_bn_fuse": lambda gm, as_torch_fx=False: optimization.fuse(gm),
    "split_const": lambda gm, skip=(): split_const_subgraphs(gm, skip_folding_node_fn=lambda node: node.name in skip),
}


def agree(a, b):
    """True if two results have the same structure and numbers."""
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(agree, a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, equal_nan=True)
    return type(a) is type(b) and a == b


def outcome(model, inputs):
    try:
        with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):
            return model(*copy.deepcopy(inputs))
    except Exception as error:
        return type(error).__name__


def passed(run, tensors_of):
    def say(preamble, case):
        """The graph after the pass; or that of `after`, which must compute what `before` computes."""
        word, settings = settings_of(case)
        scope = scope_of(run, preamble, case)
        if "before" in scope or "Before" in scope:
            before, after = traced(scope, "before"), traced(scope, "after")
            torch.manual_seed(0)
            if not agree(outcome(before, scope["inputs"]), outcome(after, scope["inputs"])):
                return "before and after differ\n"
            return numbered(after.graph)
        model = traced(scope, "net")
        placeholders = {node.name: node.type for node in model.graph.nodes if node.op == "placeholder"}
        try:
            model = PASSES[word](model, **settings)
        except Exception as error:
            return "refused: " + str(error).splitlines()[0] + "\n"
        for node in model.graph.nodes:  # Transformers forget the annotations of inputs
            node.type = placeholders.get(node.name, node.type)
        return numbered(model.graph) + tensors_of(model)
    return say


# ── matches ──

def matched(run):
    def say(preamble, case):
        """Matches as pairs of nodes, and the graph after the replacement if there is one."""
        _, settings = settings_of(case)
        scope = scope_of(run, preamble, case)
        net, pattern = traced(scope, "net"), traced(scope, "pattern")
        try:
            matcher = SubgraphMatcher(pattern.graph, **settings)
            matches = matcher.match(net.graph)
        except Exception:
            return "refused\n"
        text = ""
        for match in matches:
            pairs = {p.name: n.name if isinstance(n, fx.Node) else repr(n) for p, n in match.nodes_map.items()}
            order = [node.name for node in pattern.graph.nodes if node.name in pairs]
            text += "match " + " ".join(f"{name}={pairs[name]}" for name in order) + "\n"
        if "replacement" in scope or "Replacement" in scope:
            is_module = "Replacement" in scope
            replacement = scope["Replacement"]() if is_module else scope["replacement"]
            try:
                replace_pattern_with_filters(net, pattern, traced(scope, "replacement") if is_module else replacement,
                                             ignore_literals=settings.get("ignore_literals", False))
            except Exception:
                return text + "refused\n"
            text += lines_of(net.graph)
        return text or "no match\n"
    return say


# ── partitions ──

def partitioned(run):
    def say(preamble, case):
        """Partitions of what is supported, and the fused or the split model."""
        word, settings = settings_of(case)
        scope = scope_of(run, preamble, case)
        model = traced(scope, "net")
        if word == "split":
            return split(model, settings)
        support = OperatorSupport({name: None for name in settings.pop("supported")})
        calls = type("Calls", (), {"is_node_supported": lambda self, modules, node: node.op.startswith("call_")
                                   and support.is_node_supported(modules, node)})()
        trims = settings.pop("trim", False)
        partitioner = CapabilityBasedPartitioner(model, calls, **settings)
        partitions = partitioner.propose_partitions()
        if trims:
            partitioner.remove_bookend_non_compute_ops(partitions)
        text = "".join(f"partition {each.id}: {' '.join(node.name for node in each.nodes)}\n" for each in partitions)
        if word != "fuse":
            return text or "no partition\n"
        fused = partitioner.fuse_partitions(partitions)
        text += lines_of(fused.graph)
        for name, module in sorted(fused.named_children()):
            if name.startswith("fused_"):
                text += f"{name}:\n{lines_of(module.graph)}"
        return text
    return say


def split(model, parts):
    try:
        made = split_module(model, model, lambda node: parts.get(node.name, 0))
    except Exception as error:
        return "refused: " + str(error).splitlines()[0] + "\n"
    text = lines_of(made.graph)
    for name, module in sorted(made.named_children()):
        if name.startswith("submod_"):
            text += f"{name}:\n{lines_of(module.graph)}"
    return text


# ── modules ──

def plain(value):
    return isinstance(value, (bool, int, float, str)) or value is None or isinstance(value, (tuple, list)) and all(map(plain, value))


def first_of(tensor):
    numbers = tensor.detach().flatten().double()
    if numbers.numel() == 0:
        return ""
    shown = " ".join("%.5g" % number for number in numbers[:3].tolist())
    return f" {shown}" + (f" ... {'%.5g' % numbers[-1].item()}" if numbers.numel() > 3 else "")


def tensor_text(tensor):
    return f"{str(tensor.dtype)[6:]}{list(tensor.shape)}" + first_of(tensor)


def module_text(module):
    """The modules with their settings, and the tensors with their first and last elements."""
    text = ""
    for path, each in module.named_modules():
        settings = " ".join(f"{key}={value!r}" for key, value in sorted(each.__dict__.items())
                            if plain(value) and not key.startswith("_") and key != "training")
        text += f"{path or '(it)'}: {type(each).__module__}.{type(each).__name__} {settings}".rstrip() + "\n"
        for key, tensor in [*each._parameters.items(), *each._buffers.items()]:
            if tensor is not None:
                text += f"  {key} {tensor_text(tensor)}\n"
    return text


def constructed(run):
    def say(preamble, case):
        """What `made` is, with the seed 0."""
        torch.manual_seed(0)
        scope = {"__name__": "case"}
        said = run(preamble, case, scope)
        if said:
            return re.sub(r"^line \d+: \w+: ", "", said)
        made = scope["made"]
        return module_text(made) if isinstance(made, nn.Module) else tensor_text(made) + "\n"
    return say


# ── shapes ──

def shaped(run):
    def say(preamble, case):
        """Shape and type of each value, with the FLOPs that torch.utils.flop_counter counts."""
        scope = scope_of(run, preamble, case)
        model = traced(scope, "net")
        inputs = eval(case.input[-1].removeprefix(">>").strip(), scope)
        with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):
            try:
                ShapeProp(model).propagate(*copy.deepcopy(inputs))
            except Exception as error:
                return "refused: " + str(error.__cause__ or error).splitlines()[0] + "\n"
            flops = flops_of(model, inputs)
        text = ""
        for node in model.graph.nodes:
            if node.op == "output":
                continue
            metas = tree_leaves(node.meta.get("tensor_meta"), is_leaf=lambda item: isinstance(item, TensorMetadata))
            shapes = " ".join(f"{str(m.dtype)[6:]}{list(m.shape)}" for m in metas if isinstance(m, TensorMetadata))
            text += f"{node.name}: {shapes or '-'}" + (f" flops {flops[node.name]}" if flops.get(node.name) else "") + "\n"
        return text
    return say


def flops_of(model, inputs):
    counts = {}

    class Counting(fx.Interpreter):
        def run_node(self, node):
            with torch.utils.flop_counter.FlopCounterMode(display=False) as counter:
                result = super().run_node(node)
            counts[node.name] = counter.get_total_flops()
            return result
    Counting(model).run(*copy.deepcopy(inputs))
    return counts


# ── comparisons ──

def compared(run):
    def say(preamble, case):
        """Whether `a` and `b` compute the same of `given`, and of each of `elsewhere`."""
        scope = scope_of(run, preamble, case, 0)
        a, b = traced(scope, "a"), traced(scope, "b")
        if not agree(outcome(a, scope["given"]), outcome(b, scope["given"])):
            return "different\n"
        same = all(agree(outcome(a, each), outcome(b, each)) for each in scope.get("elsewhere", []))
        return "the same\n" if same else "different elsewhere\n"
    return say


def areas(run, tensors_of):
    return {"make/": constructed(run), "passes/": passed(run, tensors_of), "match/": matched(run),
            "partition/": partitioned(run), "shapes/": shaped(run), "engine/verify": compared(run),
            "engine/passes": passed(run, tensors_of)}
