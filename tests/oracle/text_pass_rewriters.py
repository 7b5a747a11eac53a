# SPDX-License-Identifier: GPL-3.0-or-later
"""In the manner of optimum's reversible transformations, Brevitas' rewriters and Neural Compressor's graph utilities."""
import abc
import copy
import functools
import itertools
import logging
import operator
import re
import warnings
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from contextlib import ExitStack, nullcontext, suppress
from functools import lru_cache, partial, reduce, wraps
from inspect import signature
from types import MappingProxyType, SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Type, Union

import torch
import torch.nn.functional as F
from torch import Tensor, fx, nn
from torch.fx import Graph, GraphModule, Node
from torch.fx.graph_module import GraphModule as _GM
from torch.fx.node import map_arg
from torch.fx.passes.infra.pass_base import PassBase, PassResult

logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)


class Transformation(ABC):
    preserves_computation: bool = False

    @abstractmethod
    def transform(self, graph_module: GraphModule) -> GraphModule:
        raise NotImplementedError("has to be implemented")

    @property
    def signature(self) -> str:
        attributes = {k: v for k, v in sorted(vars(self).items()) if not k.startswith("_")}
        return type(self).__name__ + "/" + "-".join(f"{k}_{v}" for k, v in attributes.items())

    def mark_as_transformed(self, node: Node) -> None:
        node.transformations = getattr(node, "transformations", set())
        node.transformations.add(self.signature)

    def transformed(self, node: Node) -> bool:
        return self.signature in getattr(node, "transformations", set())

    def get_transformed_nodes(self, graph_module: GraphModule) -> List[Node]:
        return [node for node in graph_module.graph.nodes if self.transformed(node)]

    def __call__(self, graph_module: GraphModule, lint_and_recompile: bool = True) -> GraphModule:
        graph_module = self.transform(graph_module)
        if lint_and_recompile:
            graph_module.graph.lint()
            graph_module.recompile()
        return graph_module


class ReversibleTransformation(Transformation):
    @abstractmethod
    def reverse(self, graph_module: GraphModule) -> GraphModule:
        ...

    def __call__(self, graph_module, lint_and_recompile=True, reverse=False):
        func = self.transform if not reverse else self.reverse
        graph_module = func(graph_module)
        if lint_and_recompile:
            graph_module.graph.lint()
            graph_module.recompile()
        return graph_module


class _ChangeDivToMul(ReversibleTransformation):
    preserves_computation = True

    def transform(self, graph_module):
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and node.target is operator.truediv:
                x, y = node.args
                if isinstance(y, (int, float)) and y:
                    node.target = operator.mul
                    node.args = (x, 1 / y)
                    self.mark_as_transformed(node)
        return graph_module

    def reverse(self, graph_module):
        for node in self.get_transformed_nodes(graph_module):
            x, y = node.args
            node.target = operator.truediv
            node.args = (x, 1 / y)
        return graph_module


class _MergeLinears(ReversibleTransformation):
    """Linears on one input are found and marked."""

    def __init__(self, least: int = 2):
        self.least = least

    def _find(self, gm):
        found = defaultdict(list)
        for node in gm.graph.nodes:
            if node.op == "call_module" and isinstance(gm.get_submodule(node.target), nn.Linear):
                found[node.all_input_nodes[0]].append(node)
        return {k: v for k, v in found.items() if len(v) >= self.least}

    def transform(self, graph_module):
        for source, linears in self._find(graph_module).items():
            print(source, "->", ", ".join(map(str, linears)))
            for linear in linears:
                self.mark_as_transformed(linear)
        return graph_module

    def reverse(self, graph_module):
        return graph_module


def _compose(*args: Transformation, inplace: bool = True) -> Callable[[GraphModule], GraphModule]:
    transformations = list(args)

    def composition(gm):
        gm = gm if inplace else copy.deepcopy(gm)
        return reduce(lambda g, t: t(g, lint_and_recompile=t is transformations[-1]), transformations, gm)

    return composition


def div_to_mul(gm):
    t = _ChangeDivToMul()
    print(t.signature, t.preserves_computation)
    return t(gm)


def div_to_mul_and_back(gm):
    t = _ChangeDivToMul()
    gm = t(gm)
    print([n.name for n in t.get_transformed_nodes(gm)])
    return t(gm, reverse=True)


def composed(gm):
    merge = _MergeLinears(least=2)
    print(merge.signature)
    gm = _compose(_ChangeDivToMul(), merge, inplace=False)(gm)
    print(len(merge.get_transformed_nodes(gm)), issubclass(_MergeLinears, ABC), isinstance(merge, Transformation))
    return gm


def abstract_refused(gm):
    try:
        Transformation()
    except TypeError as e:
        print("TypeError", e)
    return gm


def _get_module(model: nn.Module, name: str) -> nn.Module:
    module = model
    for part in name.split("."):
        module = getattr(module, part)
    return module


def _name_from_module(model, module):
    for name, m in model.named_modules():
        if m is module:
            return name
    return None


def _replace_module(model: nn.Module, old_module: nn.Module, new_module: nn.Module):
    for name, module in model._modules.items():
        if module is old_module:
            model._modules[name] = new_module
        elif module is not None:
            _replace_module(module, old_module, new_module)


def _del_module(model, name):
    parent, _, child = name.rpartition(".")
    owner = _get_module(model, parent) if parent else model
    del owner._modules[child]


class _ModuleToModule(ABC):
    def __init__(self, new_module_class: Type[nn.Module], **kwargs):
        self.new_module_class = new_module_class
        self.new_module_kwargs = kwargs

    @abstractmethod
    def match(self, module) -> bool: ...

    def init_new_module(self, old: nn.Module) -> nn.Module:
        kwargs = dict(self.new_module_kwargs)
        for k, v in list(kwargs.items()):
            if callable(v):
                kwargs[k] = v(old)
        return self.new_module_class(**kwargs)

    def apply(self, model: GraphModule) -> GraphModule:
        old_new = {}
        for old in model.modules():
            if self.match(old):
                old_new[old] = self.init_new_module(old)
        for old, new in old_new.items():
            new.train(old.training)
            _replace_module(model, old, new)
        return model


class _ByClass(_ModuleToModule):
    def __init__(self, old_class, new_class, **kwargs):
        super().__init__(new_class, **kwargs)
        self.old_class = old_class

    def match(self, module):
        return type(module) is self.old_class


class _ByName(_ModuleToModule):
    def __init__(self, root, name, new_class, **kwargs):
        super().__init__(new_class, **kwargs)
        self.module = _get_module(root, name)

    def match(self, module):
        return module is self.module


def module_to_module(gm):
    _ByClass(nn.ReLU, nn.LeakyReLU, negative_slope=0.125, inplace=lambda old: old.inplace).apply(gm)
    _ByClass(nn.GELU, nn.GELU, approximate="tanh").apply(gm)
    print(sorted({type(m).__name__ for m in gm.modules() if m is not gm}))
    for name, m in gm.named_modules():
        if isinstance(m, nn.LeakyReLU):
            print(name, m, m.extra_repr())
    return gm


def module_by_name(gm):
    first = next((n.target for n in gm.graph.nodes if n.op == "call_module"), None)
    if first is None:
        return gm
    old = _get_module(gm, first)
    _ByName(gm, first, nn.Identity).apply(gm)
    print(first, _name_from_module(gm, old), _get_module(gm, first))
    gm.recompile()
    return gm


class _CallableToModule:
    TABLE = MappingProxyType({F.relu: nn.ReLU, torch.relu: nn.ReLU, torch.sigmoid: nn.Sigmoid, "sigmoid": nn.Sigmoid, "neg": None})

    def __init__(self):
        self.index = itertools.count()

    def apply(self, gm):
        for node in list(gm.graph.nodes):
            if node.op not in ("call_function", "call_method") or (cls := self.TABLE.get(node.target)) is None:
                continue
            prefix = re.sub(r"\W", "_", cls.__name__.lower())
            name = f"{prefix}_m{next(self.index)}"
            gm.add_module(name, cls())
            with gm.graph.inserting_before(node):
                call = gm.graph.call_module(name, node.args[:1])
                call.meta.update(node.meta)
            node.replace_all_uses_with(call)
            gm.graph.erase_node(node)
        gm.recompile()
        gm.graph.lint()
        return gm


def callables_to_modules(gm):
    return _CallableToModule().apply(gm)


def delete_modules(gm):
    for node in list(gm.graph.nodes):
        if node.op == "call_module" and isinstance(_get_module(gm, node.target), (nn.Dropout, nn.Identity, nn.ReLU, nn.ReLU6)):
            inputs = node.all_input_nodes
            assert len(inputs) == 1
            node.replace_all_uses_with(inputs[0])
            gm.graph.erase_node(node)
            if not any(n.target == node.target for n in gm.graph.nodes):
                _del_module(gm, node.target)
    gm.recompile()
    gm.graph.lint()
    print("\n".join(n for n, _ in gm.named_modules() if n))
    return gm


def _op_type_of(gm, node):
    match node.op:
        case "call_module":
            return type(gm.get_submodule(node.target)).__name__
        case "call_function":
            return getattr(node.target, "__name__", str(node.target))
        case "call_method":
            return f".{node.target}"
        case other:
            return other.upper()


def tuning_space(gm):
    """Prints what a tuner would see."""
    space = OrderedDict()
    for node in gm.graph.nodes:
        key = (node.name, _op_type_of(gm, node))
        space[key] = {"weight": {"bits": [8, 16], "scheme": "sym"} if node.op == "call_module" else None, "users": len(node.users)}
    for (name, kind), conf in space.items():
        print(f"{name:30.30}{kind:^20}{conf}")
    space.move_to_end(next(iter(space)))
    print(list(space)[-1], space.popitem(last=False)[0])
    return gm


def fallback_order(gm):
    rank = sorted((n for n in gm.graph.nodes if n.op == "call_module"), key=lambda n: (-sum(p.numel() for p in gm.get_submodule(n.target).parameters()), n.name))
    for n in rank[:5]:
        m = gm.get_submodule(n.target)
        print(n.target, sum(p.numel() for p in m.parameters()), [tuple(p.shape) for p in m.parameters()], [str(p.dtype) for p in m.parameters()])
    return gm


def smooth_scale(gm):
    """SmoothQuant's equalisation: a mul before, weights scaled."""
    done = 0
    for node in list(gm.graph.nodes):
        if node.op != "call_module":
            continue
        module = gm.get_submodule(node.target)
        if not isinstance(module, nn.Linear):
            continue
        buffer = node.target.replace(".", "_") + "_smooth"
        scale = module.weight.detach().abs().max(dim=0)[0].clamp(min=1e-5).pow(0.5)
        if hasattr(gm, buffer):
            continue
        gm.register_buffer(buffer, 1.0 / scale)
        with torch.no_grad():
            module.weight.mul_(scale.view(1, -1))
        with gm.graph.inserting_before(node):
            attr = gm.graph.get_attr(buffer)
            mul = gm.graph.call_function(torch.mul, (node.args[0], attr))
        node.replace_input_with(node.args[0], mul)
        done += 1
    print(done, [n for n, _ in gm.named_buffers() if n.endswith("_smooth")])
    gm.recompile()
    return gm
