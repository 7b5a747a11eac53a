# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of C functions with arguments that their schemas ask for."""

import torch

from torch_tables.probes import Captured, Probe
from torch_tables.tracing import COUNTS, trace

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
    targets = targets or {id(target) for target in dispatched_somehow(function)}
    if targets:
        row.behaviour = "record"
    if len(targets) == 1 and targets != {id(function)}:
        row.target = path_of[targets.pop()]


def dispatched_somehow(function):
    """Functions whose schema has no call that the values above fit: what is dispatched when a probe is."""
    for args in ((Probe("p"),), (Probe("p"), 1), (Probe("p"), Probe("q")), ([Probe("p")],), (1, Probe("p")), (Probe("p"),) * 3,
                 (Probe("p"), [1]), (Probe("p"), 1, 1), (Probe("p"),) * 4, (Probe("p"),) * 5):
        try:
            function(*args)
        except Captured as captured:
            return [captured.args[0]]
        except BaseException:
            continue
    return []
