# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Python objects the table of functions has, and by which paths they are reached."""

import importlib
import types
import typing

import torch
from torch._jit_internal import boolean_dispatched
from torch.fx.graph import _is_from_torch

from torch_tables.text import printed, qualified_name

MODULES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.modules torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.attention torch.nn.attention.flex_attention
torch.functional torch.fft torch.linalg torch.special torch.sparse torch.nested torch.signal.windows torch.masked
torch._C._nn torch._C._fft torch._C._linalg torch._C._special torch._C._sparse torch._C._nested torch._VF
torch._C._VariableFunctions torch._C torch.Tensor torch.amp torch.amp.autocast_mode torch.autograd
torch.autograd.grad_mode torch.autograd.function torch.autograd.functional torch.func torch.random
torch.utils.checkpoint torch.utils._pytree torch.fx torch.fx._symbolic_trace torch.fx._pytree torch.jit
torch.jit.annotations torch.overrides torch.types torch.storage torch.cuda torch.cuda.amp torch.cpu
torch.ao.quantization torch.ao.nn.quantized.functional torch.return_types torch.utils torch.distributed
torch.distributed.distributed_c10d
operator _operator math builtins cmath typing types collections numbers itertools functools
""".split()

# Private names count only where code that torch.fx generates, or that people write for it, can hold them.
PRIVATE_IN = ("torch", "torch.nn.functional", "torch.nn.init", "torch.functional", "torch._VF", "torch._C._VariableFunctions",
              "torch.Tensor", "torch.fx._symbolic_trace", "torch._C._nn", "torch._C._fft", "torch._C._linalg",
              "torch._C._special", "torch._C._sparse", "torch._C._nested", "torch.amp.autocast_mode")
PRIVATE = {"torch._C._set_grad_enabled", "torch._C._log_api_usage_once"}

CONSTANTS = {torch.dtype: "dtype", torch.layout: "layout", torch.memory_format: "memory_format", torch.qscheme: "qscheme",
             int: "number", float: "number", str: "text", bool: "bool", type(None): "none", type(...): "ellipsis"}
PLAIN_CONSTANTS = ("number", "text", "bool", "none", "ellipsis")
FACTS = {"": ("itemsize", "is_floating_point", "is_complex", "is_signed"), "torch.iinfo": ("bits", "min", "max", "dtype"),
         "torch.finfo": ("bits", "eps", "min", "max", "tiny", "smallest_normal", "resolution", "dtype")}


def resolve(path):
    thing = None
    for i, part in enumerate(path.split(".")):
        if i == 0:
            thing = importlib.import_module(part)
        elif hasattr(thing, part):
            thing = getattr(thing, part)
        else:
            thing = importlib.import_module(".".join(path.split(".")[: i + 1]))
    return thing


def kind_of(thing):
    if isinstance(thing, types.ModuleType):
        return "module"
    if type(thing) in CONSTANTS:
        return "constant:" + CONSTANTS[type(thing)]
    if isinstance(thing, type) or typing.get_origin(thing) is not None or type(thing).__module__ == "typing":
        return "class"
    if isinstance(thing, (types.BuiltinFunctionType, types.BuiltinMethodType)):
        return "c_function"
    if isinstance(thing, (types.FunctionType, types.MethodType)):
        return "function"
    if isinstance(thing, (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)):
        return "method"
    if isinstance(thing, (types.GetSetDescriptorType, property)):
        return "property"
    if isinstance(thing, (torch._ops.HigherOrderOperator, torch._ops.OpOverloadPacket, torch._ops.OpOverload)):
        return "operator"
    return None


def belongs(holder, name, thing):
    """Whether holder.name is a name of PyTorch's, and not something that a module imported for itself."""
    if getattr(holder, "__name__", "torch").split(".")[0] != "torch" and not isinstance(holder, type):
        return True
    if name in ("torch", "math", "sys"):
        return False
    if kind_of(thing)[9:] in PLAIN_CONSTANTS:
        return holder is torch and name in ("inf", "nan", "pi", "e", "newaxis")
    origin = getattr(thing, "__module__", None) or ""
    if kind_of(thing) in ("c_function", "function", "class"):
        return origin == "" or origin.split(".")[0] == "torch" or (origin == "builtins" and isinstance(holder, type))
    return True


def collect():
    """{id: (object, [paths])}, in the order of MODULES."""
    found = {}
    for holder_path in MODULES:
        holder = resolve(holder_path)
        if isinstance(holder, types.ModuleType):
            found.setdefault(id(holder), (holder, []))[1].append(holder_path)
        names = dir(torch._C._VariableFunctions) if holder is torch._VF else dir(holder)
        for name in sorted(set(names)):
            private = name.startswith("__") and not isinstance(holder, type) or name.startswith("_") and holder_path not in PRIVATE_IN
            if private and f"{holder_path}.{name}" not in PRIVATE:
                continue
            try:
                thing = getattr(holder, name)
            except Exception:
                continue
            if kind_of(thing) in (None, "module") or not belongs(holder, name, thing):
                continue
            if holder_path == "torch._C" and f"{holder_path}.{name}" not in PRIVATE:
                continue
            found.setdefault(constant_key(thing), (thing, []))[1].append(f"{holder_path}.{name}")
    for thing, paths in found.values():
        paths += own_paths(thing)
    return found


def own_paths(thing):
    """The paths that an object gives for itself, if they lead to it."""
    if kind_of(thing) in ("c_function", "function", "class"):
        for path in {f"{thing.__module__}.{getattr(thing, '__qualname__', '')}", qualified_name(thing)}:
            try:
                if path.split(".")[0] in ("torch", "operator", "_operator") and resolve(path) is thing:
                    yield path
            except (ImportError, ValueError):
                pass


def constant_key(thing):
    return (type(thing), repr(thing)) if kind_of(thing).startswith("constant") else id(thing)


def canonical(thing, paths):
    """The path that torch.fx prints if it leads there, else the first of the shortest."""
    name = qualified_name(thing) if kind_of(thing) not in ("module", "property") else ""
    for wanted in (name, "builtins." + name):
        if wanted in paths:
            return wanted
    if kind_of(thing).startswith("constant") and repr(thing) in paths:
        return repr(thing)
    return min(paths, key=lambda path: (path.count("."), len(path)))


def add_dispatch_leaves(found):
    """The two functions that a boolean dispatch chooses from need rows of their own."""
    for function, choice in boolean_dispatched.items():
        for side in ("if_true", "if_false"):
            leaf = choice[side]
            if id(leaf) not in found:
                found[id(leaf)] = (leaf, [f"{leaf.__module__}.{leaf.__name__}"])


def add_type_facts(found):
    """What a dtype says of itself, and finfo and iinfo of it: constants under the text that asks for them."""
    for dtype in sorted({thing for thing, _ in found.values() if isinstance(thing, torch.dtype)}, key=repr):
        for kind, names in FACTS.items():
            try:
                holder = getattr(torch, kind[6:])(dtype) if kind else dtype
                for name in names:
                    text = f"{kind}({dtype}).{name}" if kind else f"{dtype}.{name}"
                    found[text] = (getattr(holder, name), [text])
            except (TypeError, NotImplementedError, RuntimeError):
                continue


class Row:
    """What the table says of one object."""

    def __init__(self, thing, paths):
        self.thing, self.path = thing, canonical(thing, paths)
        self.aliases = sorted(set(paths) - {self.path})
        self.kind = kind_of(thing)
        self.behaviour = self.parameters = self.relevant = self.target = self.layout = self.rule = self.listed = ""

    def columns(self):
        thing, names = self.thing, ["", "", "", ""]
        is_function = self.kind not in ("module",) and not self.kind.startswith("constant")
        if is_function:
            names = [str(getattr(thing, "__name__", "") or ""), str(getattr(thing, "__module__", "") or ""),
                     str(getattr(thing, "__qualname__", "") or ""), qualified_name(thing)]
        torch_name = "1" if is_function and _is_from_torch(thing) else ""
        value = repr(thing) if self.kind.startswith("constant") else "" if self.kind == "module" else printed(thing)
        return [self.path, self.kind, *names, value, torch_name, self.behaviour, self.parameters, self.relevant, self.target,
                self.layout, self.rule, self.listed, " ".join(self.aliases)]
