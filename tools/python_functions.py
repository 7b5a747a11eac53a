#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/ops/python_functions.tsv: what Lancet knows of PyTorch's Python functions.

Run by developers, with a Python that has PyTorch 2.13.0 (./dev setup makes one in the cache folder):

    VENV/bin/python tools/python_functions.py core/ops/python_functions.tsv

One row an object; the columns are explained in core/ops/python_functions.h. Names are read from the objects. How a call
behaves while torch.fx traces is found by calling the function with probes, and then checked: every function whose row
says how it is recorded is called on real proxies in several forms, and the node that torch.fx made is compared with
what the row predicts. The counts are printed at the end; a wrong prediction stops the program.
"""

import builtins
import enum
import importlib
import inspect
import math
import operator
import re
import sys
import types
import typing
import warnings

warnings.simplefilter("ignore")

import torch
import torch.fx
from torch._jit_internal import boolean_dispatched
from torch.fx.graph import _is_from_torch
from torch.fx.node import _get_qualified_name

MODULES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.modules torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.attention torch.nn.attention.flex_attention
torch.functional torch.fft torch.linalg torch.special torch.sparse torch.nested torch.signal.windows torch.masked
torch._C._nn torch._C._fft torch._C._linalg torch._C._special torch._C._sparse torch._C._nested torch._VF
torch._C._VariableFunctions torch._C torch.Tensor torch.amp torch.amp.autocast_mode torch.autograd
torch.autograd.grad_mode torch.autograd.function torch.autograd.functional torch.func torch.random
torch.utils.checkpoint torch.utils._pytree torch.fx torch.fx._symbolic_trace torch.fx._pytree torch.jit
torch.jit.annotations torch.overrides torch.types torch.storage torch.cuda torch.cuda.amp torch.cpu
torch.ao.quantization torch.ao.nn.quantized.functional torch.return_types torch.utils
operator _operator math builtins cmath typing types collections numbers itertools functools
""".split()

# Private names count only where code that torch.fx generates, or that people write for it, can hold them.
PRIVATE_IN = ("torch", "torch.nn.functional", "torch.nn.init", "torch.functional", "torch._VF", "torch._C._VariableFunctions",
              "torch.Tensor", "torch.fx._symbolic_trace", "torch._C._nn", "torch._C._fft", "torch._C._linalg",
              "torch._C._special", "torch._C._sparse", "torch._C._nested", "torch.amp.autocast_mode")
PRIVATE = {"torch._C._set_grad_enabled", "torch._C._log_api_usage_once"}

# Factory functions: what gives size and dtype of their result.
RULES = {
    "sizes": "zeros ones empty rand randn",
    "full": "full", "arange": "arange", "range": "range", "steps": "linspace logspace", "eye": "eye",
    "tensor": "tensor as_tensor asarray scalar_tensor", "like": "zeros_like ones_like empty_like full_like rand_like "
    "randn_like randint_like", "randint": "randint", "randperm": "randperm", "strided": "empty_strided",
    "permuted": "empty_permuted", "window": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "indices": "tril_indices triu_indices",
}
RULE_OF = {name: rule for rule, names in RULES.items() for name in names.split()}
CONSTANTS = {torch.dtype: "dtype", torch.layout: "layout", torch.memory_format: "memory_format", torch.qscheme: "qscheme",
             float: "number", bool: "bool", type(None): "none", type(...): "ellipsis"}
PLAIN_CONSTANTS = ("number", "bool", "none", "ellipsis")
FX_ERRORS = (torch.fx.proxy.TraceError, TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError,
             AssertionError, IndexError, KeyError, OverflowError)


SHORT_ERRORS = {"Proxy object cannot be iterated": "iteration", "'len' is not supported": "len",
                "symbolically traced variables cannot": "control_flow"}


class Mismatch(Exception):
    """torch.fx does something else than the table says."""


# -- which objects, under which paths -----------------------------------------------------------------------------


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


def qualified_name(thing):
    try:
        return _get_qualified_name(thing)
    except Exception:
        return ""


def printed(thing):
    return re.sub(r"0x[0-9a-f]+", "0x0", str(thing))


def canonical(thing, paths):
    """The path that torch.fx prints if it leads there, else the first of the shortest."""
    name = qualified_name(thing) if kind_of(thing) not in ("module", "property") else ""
    for wanted in (name, "builtins." + name):
        if wanted in paths:
            return wanted
    if kind_of(thing).startswith("constant") and repr(thing) in paths:
        return repr(thing)
    return min(paths, key=lambda path: (path.count("."), len(path)))


# -- how a call behaves under tracing -------------------------------------------------------------------------------


class Sentinel:
    def __init__(self, name):
        self.name = name


class Captured(Exception):
    pass


class Probe(Sentinel):
    """Stands for a proxy: the first dispatch on it ends the call and tells what was dispatched."""

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        raise Captured(function, args, kwargs or {})


def parameters_of(function):
    if function in boolean_dispatched:
        return parameters_of(boolean_dispatched[function]["if_false"])
    return list(inspect.signature(function).parameters.values())


def signature_text(parameters):
    """`input, dim=None, *, out=None`, defaults as Python text, no annotations."""
    texts, keyword_only = [], False
    for i, parameter in enumerate(parameters):
        text = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
        if parameter.kind == parameter.VAR_POSITIONAL:
            keyword_only = True
        if parameter.kind == parameter.KEYWORD_ONLY and not keyword_only:
            texts.append("*")
            keyword_only = True
        if parameter.default is not parameter.empty:
            text += "=" + value_text(parameter.default)
        texts.append(text)
        if parameter.kind == parameter.POSITIONAL_ONLY and (
                i + 1 == len(parameters) or parameters[i + 1].kind != parameter.POSITIONAL_ONLY):
            texts.append("/")
    return ", ".join(texts)


def value_text(value):
    if isinstance(value, enum.Enum):
        return str(value)
    if callable(value) and hasattr(value, "__name__"):
        return qualified_name(value) or printed(value)
    return printed(repr(value))


def expression(value):
    if isinstance(value, Sentinel):
        return value.name
    if isinstance(value, tuple):
        return "(" + ", ".join(map(expression, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(expression, value)) + "]"
    return value_text(value)


def probe_once(function, parameters, probed):
    """The dispatch that happens when the parameters named in `probed` are probes: (function, layout), or None."""
    positional, keyword = [], {}
    for parameter in parameters:
        make = Probe if parameter.name in probed else Sentinel
        if parameter.kind == parameter.VAR_POSITIONAL:
            positional += [make("*" + parameter.name), make("")]
        elif parameter.kind == parameter.KEYWORD_ONLY:
            keyword[parameter.name] = make(parameter.name)
        elif parameter.kind != parameter.VAR_KEYWORD:
            positional.append(make(parameter.name))
    try:
        function(*positional, **keyword)
    except Captured as captured:
        target, args, kwargs = captured.args
        layout = [expression(value) for value in args if not (isinstance(value, Sentinel) and value.name == "")]
        layout += [f"{name}={expression(value)}" for name, value in kwargs.items()]
        return target, ", ".join(layout)
    except BaseException:
        return None
    return None


def probe(function):
    """(target, layout, relevant parameters) of a Python function that dispatches, else None."""
    parameters = parameters_of(function)
    results = {}
    for parameter in parameters:
        result = probe_once(function, parameters, {parameter.name})
        if result:
            results[parameter.name] = result
    if not results:
        return None
    if len(set(results.values())) > 1:
        # A parameter can reach another function's dispatch first; the function's own is the one of its first parameter.
        first = next(iter(results.values()))
        results = {name: result for name, result in results.items() if result == first}
    target, layout = next(iter(results.values()))
    return target, layout, list(results)


def split_top(text):
    """Splits at the commas that no bracket or quote encloses."""
    parts, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[i - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


class Row:
    """What the table says of one object."""

    def __init__(self, thing, paths):
        self.thing, self.path = thing, canonical(thing, paths)
        self.aliases = sorted(set(paths) - {self.path})
        self.kind = kind_of(thing)
        self.behaviour = self.parameters = self.relevant = self.target = self.layout = self.rule = ""

    def columns(self):
        thing, names = self.thing, ["", "", "", ""]
        is_function = self.kind not in ("module",) and not self.kind.startswith("constant")
        if is_function:
            names = [str(getattr(thing, "__name__", "") or ""), str(getattr(thing, "__module__", "") or ""),
                     str(getattr(thing, "__qualname__", "") or ""), qualified_name(thing)]
        torch_name = "1" if is_function and _is_from_torch(thing) else ""
        value = repr(thing) if self.kind.startswith("constant") else "" if self.kind == "module" else printed(thing)
        return [self.path, self.kind, *names, value, torch_name, self.behaviour, self.parameters, self.relevant, self.target,
                self.layout, self.rule, " ".join(self.aliases)]


def mentions_dispatch(function):
    try:
        return "handle_torch_function(" in inspect.getsource(function)
    except (OSError, TypeError):
        return False


def describe_function(row, path_of):
    """Fills in the behaviour of a Python function."""
    function = row.thing
    try:
        parameters = parameters_of(function)
    except (ValueError, TypeError):
        row.behaviour = "unknown"
        return
    row.parameters = signature_text(parameters)
    row.behaviour = "unknown"
    safe = row.path.split(".")[1:2] in (["functional"], ["nn"], ["_VF"]) or mentions_dispatch(function)
    if not safe or function.__module__.startswith(("torch._dynamo", "torch.jit", "torch.fx", "torch.overrides")):
        return
    if function in boolean_dispatched:
        describe_select(row, path_of)
        return
    result = probe(function)
    if result and torch.overrides.is_tensor_method_or_property(result[0]):
        row.behaviour, row.target, row.layout, row.relevant = "method", result[0].__name__, result[1], " ".join(result[2])
    elif result and id(result[0]) in path_of:
        set_rewrite(row, result, path_of)
    elif not result:
        describe_by_trace(row, parameters)


def describe_select(row, path_of):
    choice = boolean_dispatched[row.thing]
    leaves = [probe(leaf) for leaf in leaves_of(row.thing)]
    if not all(leaves):
        return
    row.behaviour, row.relevant = "select", " ".join(leaves[0][2])
    row.layout = f"{choice['arg_name']} {choice['index']} {choice['default']}"
    row.target = " ".join(path_of[id(choice[side])] for side in ("if_true", "if_false"))
    if all(leaf == leaves[0] for leaf in leaves):
        set_rewrite(row, leaves[0], path_of)


def leaves_of(function):
    """The functions that boolean dispatch can end in."""
    if function not in boolean_dispatched:
        return [function]
    choice = boolean_dispatched[function]
    return leaves_of(choice["if_true"]) + leaves_of(choice["if_false"])


def set_rewrite(row, probed, path_of):
    target, layout, relevant = probed
    path = path_of[id(target)]
    row.behaviour, row.target, row.layout, row.relevant = "rewrite", "" if path == row.path else path, layout, " ".join(relevant)
    if "".join(relevant) == row.parameters[1:] == row.layout[1:]:
        row.behaviour, row.layout = "record", ""  # f(*tensors): exactly what was given
    elif any(part[0] in "([" or part.endswith("=") for part in split_top(layout)):
        row.behaviour, row.target, row.layout = "unknown", "", ""


def describe_by_trace(row, parameters):
    """Functions that call a method of their argument, such as functional.sigmoid."""
    required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(required) != 1 or not row.path.startswith(("torch.nn.functional.", "torch.functional.")):
        return
    nodes = trace(lambda proxy: row.thing(proxy))
    if isinstance(nodes, list) and len(nodes) == 1 and nodes[0].op == "call_method" and not nodes[0].kwargs:
        row.behaviour, row.target, row.relevant = "method", nodes[0].target, required[0].name
        row.layout = ", ".join([required[0].name] + [value_text(value) for value in nodes[0].args[1:]])


# -- calls on real proxies --------------------------------------------------------------------------------------------


def trace(call):
    """The nodes that call(proxy) records, or the exception that it raised."""
    tracer = torch.fx.Tracer()
    tracer.graph = torch.fx.Graph()
    tracer.root, tracer.module_stack = torch.nn.Module(), {}
    tracer.tensor_attrs = {}
    proxy = tracer.create_proxy("placeholder", "p", (), {})
    try:
        call(proxy)
    except FX_ERRORS as error:
        return error
    return [node for node in tracer.graph.nodes if node.op != "placeholder"]


def outcome(call):
    """What a call records, as text: `_operator.add(p, v)`, `.abs(p)`, `!TypeError: ...`, or `` when nothing."""
    nodes = trace(call)
    if isinstance(nodes, Exception):
        text = printed(nodes).splitlines()[0]
        short = [code for start, code in SHORT_ERRORS.items() if text.startswith(start)]
        return f"!{short[0]}" if short else f"!{type(nodes).__name__}: {text}"
    texts = []
    for node in nodes:
        target = "." + node.target if node.op == "call_method" else _get_qualified_name(node.target)
        arguments = [expression_of_node(value) for value in node.args]
        arguments += [f"{name}={expression_of_node(value)}" for name, value in node.kwargs.items()]
        texts.append(f"{target}({', '.join(arguments)})")
    return " ".join(texts)


def expression_of_node(value):
    return {7: "v", 8: "w"}.get(value, repr(value)) if isinstance(value, int) else str(value)


def describe_plain_call(row):
    """operator.* and builtins: what a call with proxies records or raises, for each place where a proxy can stand."""
    function = row.thing
    forms = {"p": lambda p: (p,), "p, v": lambda p: (p, 7), "v, p": lambda p: (7, p), "p, p": lambda p: (p, p),
             "p, v, w": lambda p: (p, 7, 8), "v, w, p": lambda p: (7, 8, p)}
    if row.path.split(".")[-1] in ("input", "print", "exit", "quit", "breakpoint", "help", "open", "exec", "eval", "compile",
                                   "__import__", "copyright", "credits", "license"):
        row.behaviour = "unknown"
        return
    results = {}
    for form, make in forms.items():
        try:
            inspect.signature(function).bind(*[None] * (form.count(",") + 1))
        except ValueError:
            pass
        except TypeError:
            continue
        text = outcome(lambda p: function(*make(p)))
        if not re.search(r"!TypeError: .*(expected|takes|argument)", text) or form == "p":
            results[form] = text
    row.behaviour = "plain"
    row.layout = " | ".join(f"{form} -> {text}" for form, text in results.items())


VALUES = {"Tensor": None, "Tensor[]": "list", "int": 1, "SymInt": 1, "int[]": [1, 1], "SymInt[]": [1, 1], "float": 0.5, "bool": True,
          "Scalar": 2, "ScalarType": torch.float32, "str": "none", "Device": "cpu", "float[]": [0.5, 0.5], "Dimname": "N",
          "Scalar[]": [1, 1], "bool[]": [True, True], "Layout": torch.strided, "MemoryFormat": torch.contiguous_format}


def value_kind(argument):
    """The kind of an argument, as VALUES names it."""
    kind = str(argument.real_type)
    kind = kind[9:-1] if kind.startswith("Optional[") else kind
    names = {"List[Tensor]": "Tensor[]", "List[int]": "int[]", "List[SymInt]": "SymInt[]", "List[float]": "float[]",
             "number": "Scalar", "List[Optional[Tensor]]": "Tensor[]", "List[bool]": "bool[]", "List[number]": "Scalar[]"}
    return names.get(kind, kind)


def schema_calls(name):
    """For each overload of aten::name that takes tensors, a function of a proxy that gives its required arguments."""
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        required = [a for a in schema.arguments if not a.has_default_value()]
        kinds = [value_kind(a) for a in required]
        if any(a.is_out for a in schema.arguments) or not {"Tensor", "Tensor[]"} & set(kinds) or not set(kinds) <= set(VALUES):
            continue

        def make(p, required=required, kinds=kinds):
            values = [p if VALUES[k] is None else [p, p] if VALUES[k] == "list" else VALUES[k] for k in kinds]
            keyword = {a.name: value for a, value in zip(required, values) if a.kwarg_only}
            return values[: len(values) - len(keyword)], keyword

        yield make


def describe_c_function(row, path_of):
    """C functions record the call as it is written as soon as an argument is a proxy: seen, or assumed of none."""
    function, name = row.thing, row.thing.__name__
    row.rule = RULE_OF.get(name, "") if row.path.startswith("torch.") else ""
    row.behaviour = "run"
    targets = set()
    for make in schema_calls(name):
        nodes = trace(lambda p: function(*make(p)[0], **make(p)[1]))
        if isinstance(nodes, list) and len(nodes) == 1 and nodes[0].op == "call_function":
            targets.add(id(nodes[0].target))
            COUNTS["c calls"] += 1
    COUNTS["c functions"] += bool(targets)
    if targets or dispatches_somehow(function):
        row.behaviour = "record"
    if len(targets) == 1 and targets != {id(function)}:
        row.target = path_of[targets.pop()]


def dispatches_somehow(function):
    """Functions whose schema has no call that the values above fit: taken to record if a probe is dispatched."""
    for args in ((Probe("p"),), (Probe("p"), 1), (Probe("p"), Probe("q")), ([Probe("p")],), (1, Probe("p")), (Probe("p"),) * 3,
                 (Probe("p"), [1]), (Probe("p"), 1, 1), (Probe("p"),) * 4, (Probe("p"),) * 5):
        try:
            function(*args)
        except Captured:
            return True
        except BaseException:
            continue
    return False


# -- checking the rows ----------------------------------------------------------------------------------------------------

COUNTS = {"c functions": 0, "c calls": 0, "functions": 0, "calls": 0}


def predicted(row, args, kwargs):
    """(target path or method, args, kwargs) by the row alone."""
    if row.behaviour == "record":
        return row.path, tuple(args), kwargs
    parameters = parameters_of(row.thing)
    bound = inspect.Signature(parameters).bind(*args, **kwargs)
    bound.apply_defaults()
    out_args, out_kwargs = [], {}
    for part in split_top(row.layout):
        name, equals, text = part.partition("=")
        if equals and name.isidentifier():
            out_kwargs[name] = value_of(text, bound.arguments)
        elif part.startswith("*"):
            out_args += bound.arguments[part[1:]]
        else:
            out_args.append(value_of(part, bound.arguments))
    return row.target or row.path, tuple(out_args), out_kwargs


def value_of(text, arguments):
    if text in arguments:
        return arguments[text]
    return eval(text, {"torch": torch, "math": math, "inf": math.inf, "nan": math.nan}, dict(arguments))


def call_forms(parameters, relevant):
    """Calls of a function as (args, kwargs) of a proxy: required ones positional, all positional, all by keyword."""
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = [p for p in parameters if p.kind == p.VAR_POSITIONAL]
    keyword = [p for p in parameters if p.kind == p.KEYWORD_ONLY]

    def given(parameter, proxy):
        if parameter.name in relevant:
            return proxy
        return 3 if parameter.default is parameter.empty else parameter.default

    def required(proxy):
        args = [given(p, proxy) for p in plain if p.default is p.empty] + [proxy, proxy] * len(variadic)
        return args, {p.name: given(p, proxy) for p in keyword if p.default is p.empty}

    def positional(proxy):
        args = [proxy if p.name in relevant[:1] else given(p, proxy) for p in plain] + [proxy] * len(variadic)
        return args, {p.name: given(p, proxy) for p in keyword}

    def by_keyword(proxy):
        if variadic or any(p.kind == p.POSITIONAL_ONLY for p in plain):
            return required(proxy)
        return [], {p.name: given(p, proxy) for p in reversed(plain + keyword)}

    def only(name):
        def form(proxy):
            args = [proxy if p.name == name else 3 for p in plain]
            return args, {p.name: proxy if p.name == name else given(p, None) for p in keyword}
        return form

    return [required, positional, by_keyword] + [only(name) for name in relevant if not variadic]


def check_row(row, rows):
    """Compares what the row predicts with what torch.fx records, for several forms of call; how many there were."""
    parameters, relevant = parameters_of(row.thing), row.relevant.split()
    checked = 0
    for form in call_forms(parameters, relevant):
        calls = []
        nodes = trace(lambda p: (calls.append(form(p)), row.thing(*calls[0][0], **calls[0][1])))
        if isinstance(nodes, Exception):
            if "must specify" in str(nodes):
                continue
            raise Mismatch(f"{row.path}: predicted a node, torch.fx raised {type(nodes).__name__}: {nodes}")
        args, kwargs = torch.fx.node.map_aggregate(calls[0], lambda value: getattr(value, "node", value))
        want = predicted(leaf_row(row, rows, args, kwargs), args, kwargs)
        node = nodes[0] if nodes else None
        target = node and (node.target if node.op == "call_method" else PATHS.get(id(node.target)))
        if len(nodes) != 1 or repr((target, node.args, dict(node.kwargs))) != repr(want):
            raise Mismatch(f"{row.path}: predicted {want}, torch.fx recorded {[n.format_node() for n in nodes]}")
        checked += 1
    return checked


def leaf_row(row, rows, args, kwargs):
    """The row that a select row leads to for these arguments."""
    while row.behaviour == "select":
        name, index, default = row.layout.split()
        flag = kwargs.get(name, args[int(index)] if int(index) < len(args) else default == "True")
        row = rows[row.target.split()[0 if flag else 1]]
    return row


def check(rows):
    by_path = {row.path: row for row in rows}
    for row in rows:
        if row.behaviour in ("rewrite", "select") or row.kind == "function" and row.parameters and row.behaviour in ("method", "record"):
            try:
                checked = check_row(row, by_path)
                COUNTS["functions"] += checked > 0
                COUNTS["calls"] += checked
            except Mismatch as error:
                if not row.target or row.behaviour == "select":
                    raise
                # It ends in another function after work of its own, which no layout can tell.
                print("not followed:", str(error)[:200], file=sys.stderr)
                row.behaviour, row.target, row.layout = "unknown", "", ""


# -- the table ----------------------------------------------------------------------------------------------------------------

PATHS = {}  # id of an object: its canonical path


def add_dispatch_leaves(found):
    """The two functions that a boolean dispatch chooses from need rows of their own."""
    for function, choice in boolean_dispatched.items():
        for side in ("if_true", "if_false"):
            leaf = choice[side]
            if id(leaf) not in found:
                found[id(leaf)] = (leaf, [f"{leaf.__module__}.{leaf.__name__}"])


def describe(row):
    if row.kind == "function":
        if row.path.startswith("torch.Tensor."):
            row.behaviour, row.target = "method", row.thing.__name__
        elif not row.path.startswith("torch."):
            row.behaviour = "unknown"
        else:
            describe_function(row, PATHS)
    elif row.kind == "c_function":
        if row.path.startswith("math."):
            row.behaviour = "wrap"
        elif row.path.split(".")[0] in ("_operator", "operator", "builtins"):
            describe_plain_call(row)
        elif row.path.startswith(("torch._C.", "torch.")) and row.path.count(".") == 2 and row.path.startswith("torch._C."):
            row.behaviour = "run"
        elif row.path.startswith("torch."):
            describe_c_function(row, PATHS)
        else:
            row.behaviour = "run"
    elif row.kind == "method":
        row.behaviour, row.target = "method", row.thing.__name__
    elif row.kind == "class":
        if row.path.split(".")[0] == "builtins" and row.path.split(".")[1] in (
                "int float bool complex str list tuple dict set frozenset range slice reversed enumerate zip map filter type").split():
            describe_plain_call(row)
        else:
            row.behaviour = "construct"


def escaped(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def main(path):
    found = collect()
    add_dispatch_leaves(found)
    rows = sorted((Row(thing, paths) for thing, paths in found.values()), key=lambda row: row.path)
    PATHS.update({id(row.thing): row.path for row in rows})
    for row in rows:
        describe(row)
    check(rows)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"# Generated by tools/python_functions.py from PyTorch {torch.__version__.split('+')[0]}.\n")
        for row in rows:
            out.write("\t".join(map(escaped, row.columns())).rstrip("\t") + "\n")
    counts = {}
    for row in rows:
        counts[row.behaviour or row.kind] = counts.get(row.behaviour or row.kind, 0) + 1
    print(len(rows), "objects,", sum(1 + len(row.aliases) for row in rows), "paths;", counts)
    print(f"checked on proxies: {COUNTS['functions']} Python functions in {COUNTS['calls']} calls, "
          f"{COUNTS['c functions']} C functions in {COUNTS['c calls']} calls")


if __name__ == "__main__":
    main(sys.argv[1])
