#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/ops/nn_modules.tsv: the module classes of PyTorch, as Lancet shows them and makes new ones.

Run by developers, with a Python that has PyTorch 2.13.0 (./dev setup makes one in the cache folder):

    VENV/bin/python tools/nn_modules.py core/ops/nn_modules.tsv

One row a class of torch.nn, torch.ao.nn and torch.ao.quantization; the columns are explained in core/ops/nn_modules.h.
Each class that can be made with plain settings is made; its attributes and how the constructor's parameters show in
them are read from the instance. The text that repr() shows is turned into a list of pieces, which is then evaluated
on instances with default and with unusual settings and compared with what PyTorch prints: a difference stops the program.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
import textwrap
import typing
import warnings

warnings.simplefilter("ignore")

import torch

from torch_tables.repr_pieces import Unsupported, evaluate, extra_repr_pieces
from torch_tables.text import signature_text, write_table

PACKAGES = ("torch.nn", "torch.ao.nn", "torch.ao.quantization")
COMMON = set(vars(torch.nn.Module()))

# A plain value and another one for parameters of these names.
SAMPLES = {
    "in_features": (4, 6), "out_features": (6, 8), "in1_features": (3, 4), "in2_features": (5, 6), "num_features": (4, 6),
    "in_channels": (4, 8), "out_channels": (8, 4), "kernel_size": (3, 2), "num_embeddings": (10, 12), "embedding_dim": (4, 6),
    "output_size": (5, 6), "upscale_factor": (2, 3), "downscale_factor": (2, 3), "normalized_shape": ((4,), (5,)),
    "num_groups": (2, 1), "num_channels": (4, 8), "input_size": (4, 6), "hidden_size": (5, 8), "embed_dim": (8, 16),
    "num_heads": (2, 4), "d_model": (8, 16), "nhead": (2, 4), "size": (3, 5), "threshold": (0.5, 1.5), "value": (0.25, 1.25),
    "dim": (1, 2), "unflattened_size": ((2, 2), (4, 1)), "norm_type": (2, 3), "padding": (1, 2), "groups": (1, 2),
    "n_classes": (20, 30), "num_classes": (20, 30), "cutoffs": ([5, 10], [4, 12]), "lambd": (0.5, 1.5), "stride": (1, 2),
    "scale": (0.5, 0.25), "zero_point": (1, 2), "dtype": (torch.quint8, torch.qint8), "dilation": (1, 2),
    "num_parameters": (1, 4), "scale_factor": (2, 3), "p": (0.5, 0.25), "eps": (1e-5, 1e-3), "momentum": (0.1, 0.2),
    "padding_idx": (None, 1), "max_norm": (None, 1.5), "output_padding": (0, 1), "padding_mode": ("zeros", "circular"),
    "proj_size": (0, 2), "num_layers": (1, 2), "dropout": (0.0, 0.25), "mode": (None, None), "options": (None, None),
    "nonlinearity": ("tanh", "relu"), "device": (None, None), "min_val": (-1.0, -2.0), "max_val": (1.0, 2.0),
}


# -- which classes --------------------------------------------------------------------------------------------------------


def modules_below(package):
    module = importlib.import_module(package)
    yield module
    for info in pkgutil.walk_packages(getattr(module, "__path__", []), package + "."):
        try:
            yield importlib.import_module(info.name)
        except Exception:
            continue


def collect():
    """{class: [paths that lead to it]}"""
    found = {}
    for package in PACKAGES:
        for module in modules_below(package):
            for name, thing in vars(module).items():
                if isinstance(thing, type) and issubclass(thing, torch.nn.Module) and thing.__module__.startswith("torch."):
                    found.setdefault(thing, []).append(f"{module.__name__}.{name}")
    return found


def path_of(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


# -- instances -------------------------------------------------------------------------------------------------------------


def constructor(cls):
    """Parameters of the constructor; those of its first overload or of a base class where it takes *args and hands them on."""
    for base in cls.__mro__:
        if "__init__" not in vars(base) or base is torch.nn.Module:
            continue
        parameters = list(inspect.signature(base.__init__).parameters.values())[1:]
        kinds = [p.kind for p in parameters]
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            return parameters
        for overload in typing.get_overloads(base.__init__) if inspect.isfunction(base.__init__) else ():
            return list(inspect.signature(overload).parameters.values())[1:]
    return []


def forward(cls):
    """The parameters of forward(), without self."""
    return list(inspect.signature(cls.forward).parameters.values())[1:]


def is_check(statement):
    """Returns true for a statement that only raises on invalid inputs."""
    if isinstance(statement, ast.If):
        return not statement.orelse and all(isinstance(inner, ast.Raise) for inner in statement.body)
    return ast.unparse(statement) == "self._check_input_dim(input)"


def forward_text(cls):
    """`(self, input: Tensor) -> Tensor:` and the body of the forward if that is one call of torch, or what it was
    given, after checks; else empty."""
    if not cls.__module__.startswith("torch.nn.modules.") or issubclass(cls, torch.nn.modules.lazy.LazyModuleMixin):
        return ""
    definition = ast.parse(textwrap.dedent(inspect.getsource(cls.forward))).body[0]
    *checks, last = [each for each in definition.body if not isinstance(getattr(each, "value", None), ast.Constant)]
    result = getattr(last, "value", None)
    root = result.func if isinstance(result, ast.Call) else result
    while isinstance(root, ast.Attribute):
        root = root.value
    known = {"F", "torch"} | {argument.arg for argument in definition.args.args[1:]}
    if not isinstance(last, ast.Return) or getattr(root, "id", "") not in known or not all(map(is_check, checks)):
        return ""
    definition.body, definition.decorator_list = [*checks, last], []
    return ast.unparse(definition).removeprefix("def forward").replace("torch.Tensor", "Tensor")


def make(cls, **changes):
    """An instance with plain settings, or None."""
    settings = {}
    if cls.__name__.startswith("_"):  # a base class that nobody makes
        return None
    for parameter in constructor(cls):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            if parameter.name not in SAMPLES:
                return None
            settings[parameter.name] = SAMPLES[parameter.name][0]
    settings.update(changes)
    if issubclass(cls, torch.nn.RNNBase) and cls.__init__ is not torch.nn.RNNBase.__init__:
        settings.pop("mode", None)
    for more in ({}, {"output_size": 5}):  # some want one of two settings that both have the default None
        try:
            torch.manual_seed(0)
            return cls(**{**more, **settings})
        except Exception:
            continue
    return None


def kinds_of_attributes(instance):
    """`weight:parameter running_mean:buffer in_features:setting out_proj:module`, in the order of repr and state."""
    own = [(name, "setting") for name in vars(instance) if name not in COMMON]
    return ([(name, "parameter") for name in instance._parameters] + [(name, "buffer") for name in instance._buffers] +
            own + [(name, "module") for name in instance._modules])


def same(value, wanted):
    """Whether an attribute shows a setting: itself, or the tuple that repeats it."""
    if isinstance(value, torch.Tensor) or isinstance(wanted, torch.Tensor):
        return False
    if type(value) is type(wanted) and value == wanted:
        return True
    return isinstance(value, tuple) and len(value) > 0 and all(type(v) is type(wanted) and v == wanted for v in value)


def another(parameter):
    """A value unlike the default."""
    if isinstance(parameter.default, bool):
        return not parameter.default
    if parameter.name in SAMPLES:
        return SAMPLES[parameter.name][1]
    if isinstance(parameter.default, (int, float)):
        return parameter.default + 1
    return None


def shown_by(cls, instance, parameter):
    """How an instance shows a parameter: an attribute's name, or `?NAME` for "NAME is not None", or `` when it does not."""
    changed_value = another(parameter)
    changed = make(cls, **{parameter.name: changed_value}) if changed_value is not None else None
    if changed is not None:
        tensors = {**changed._parameters, **changed._buffers}
        for name, tensor in {**instance._parameters, **instance._buffers}.items():
            if isinstance(parameter.default, bool) and name in tensors and (tensor is None) != (tensors[name] is None):
                if name == parameter.name or parameter.name not in vars(instance):
                    return "?" + name
        names = [parameter.name] + [name for name in vars(changed) if name not in COMMON]
        for name in names:
            if same(vars(changed).get(name), changed_value) and not same(vars(instance).get(name), changed_value):
                return name
    return parameter.name if parameter.name in vars(instance) else ""


def settings_of(cls, instance):
    """`in_features=in_features bias=?bias`, for the parameters that an instance shows."""
    pairs = []
    for parameter in constructor(cls):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name in ("device",):
            continue
        if parameter.name == "dtype" and not cls.__module__.startswith("torch.ao"):
            continue
        attribute = shown_by(cls, instance, parameter)
        if attribute:
            pairs.append(f"{parameter.name}={attribute}")
    return " ".join(pairs)


COUNTS = {"made": 0, "texts": 0, "checked": 0}


def check_pieces(cls, pieces):
    instances = [make(cls)] + [make(cls, **{p.name: another(p)}) for p in constructor(cls) if another(p) is not None]
    for instance in instances:
        if instance is None:
            continue
        got, want = evaluate(pieces, instance), instance.extra_repr()
        if got != want:
            raise SystemExit(f"{path_of(cls)}: pieces give {got!r}, PyTorch prints {want!r}")
        COUNTS["checked"] += 1


# -- the table -----------------------------------------------------------------------------------------------------------------


def annotation_text(parameter):
    if parameter.annotation is parameter.empty:
        return ""
    if isinstance(parameter.annotation, str):
        return parameter.annotation
    return inspect.formatannotation(parameter.annotation)


def shown_name(cls):
    """The name in repr(), where it is not that of the class."""
    try:
        name = cls._get_name(cls.__new__(cls))
    except Exception:
        return ""
    return "" if name == cls.__name__ else name


def bases(cls):
    """The paths of those of `__bases__` that are modules; empty for nn.Module."""
    return " ".join(path_of(base) for base in cls.__bases__ if issubclass(base, torch.nn.Module))


def call_signature(cls):
    """What inspect.signature() says of the class."""
    return signature_text(list(inspect.signature(cls).parameters.values()))


def columns(cls, paths):
    parameters, instance = constructor(cls), make(cls)
    public = min(paths, key=lambda path: (path.count("."), len(path), path))
    attributes = settings = ""
    if instance is not None:
        COUNTS["made"] += 1
        attributes = " ".join(f"{name}:{kind}" for name, kind in kinds_of_attributes(instance))
        settings = settings_of(cls, instance)
    try:
        pieces = extra_repr_pieces(cls)
        check_pieces(cls, pieces)
        COUNTS["texts"] += 1
        text = "\n".join(condition + "?" + template for condition, template in pieces) or "?"
    except Unsupported:
        text = ""
    return [path_of(cls), public, " ".join(getattr(cls, "__constants__", [])), signature_text(parameters),
            "; ".join(annotation_text(p) for p in parameters), attributes, settings, text,
            shown_name(cls), signature_text(forward(cls)), bases(cls), call_signature(cls),
            forward_text(cls), " ".join(sorted(set(paths) - {path_of(cls)}))]


def main(path):
    rows = sorted(columns(cls, paths) for cls, paths in collect().items())
    write_table(path, "nn_modules.py", torch.__version__, rows)
    print(f"{len(rows)} classes, {COUNTS['made']} made, {COUNTS['texts']} with the text of repr, compared on {COUNTS['checked']} instances")


if __name__ == "__main__":
    main(sys.argv[1])
