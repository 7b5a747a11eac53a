#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/quant/backend_configs.tsv and core/quant/qconfigs.tsv: what torch.ao's backends can quantise, and its default
QConfigs and QConfigMappings.

Run by developers, with a Python that has PyTorch 2.13.0 (./dev setup makes one in the cache folder):

    VENV/bin/python tools/quant_tables.py core/quant

The columns are explained in core/quant/backend_reader.cpp and core/quant/qconfig.cpp. What a fusion makes is read from
what torch.ao's fuser method returns for small modules.
"""

import json
import operator
import sys
import warnings

warnings.simplefilter("ignore")

import torch
import torch.ao.quantization as quantization
import torch.ao.quantization.backend_config.utils
import torch.ao.quantization.quantize_fx
from torch.ao.quantization import backend_config, fake_quantize, observer, qconfig
from torch.ao.quantization.backend_config.native import get_native_backend_config
from torch.ao.quantization.backend_config.utils import get_fuser_method_mapping
from torch.ao.quantization.backend_config.x86 import get_x86_backend_config
from torch.ao.quantization.observer import _PartialWrapper
from torch.ao.quantization.qconfig import QConfig
from torch.ao.quantization.utils import MatchAllNode

from torch_tables.text import qualified_name

BACKENDS = {
    "native": get_native_backend_config, "x86": get_x86_backend_config, "onednn": backend_config.get_onednn_backend_config,
    "fbgemm": backend_config.get_fbgemm_backend_config, "qnnpack": backend_config.get_qnnpack_backend_config,
    "executorch": backend_config.get_executorch_backend_config, "tensorrt": backend_config.get_tensorrt_backend_config,
}


def class_path(cls):
    return f"{cls.__module__}.{cls.__qualname__}" if cls is not None else ""


# -- patterns ----------------------------------------------------------------------------------------------------------


def head_text(head):
    if head is MatchAllNode:
        return "*"
    if isinstance(head, str):
        return "S:" + head
    if isinstance(head, type) and issubclass(head, torch.nn.Module):
        return "M:" + class_path(head)
    return "F:" + qualified_name(head)


def pattern_text(pattern):
    if isinstance(pattern, tuple):
        return "(" + ",".join(map(pattern_text, pattern)) + ")"
    return head_text(pattern)


def paths(pattern, path=""):
    """The pattern with the path of each head in its place."""
    if isinstance(pattern, tuple):
        return tuple(paths(part, f"{path}.{i}" if path else str(i)) for i, part in enumerate(pattern))
    return path


# -- fusions -----------------------------------------------------------------------------------------------------------


def small_module(cls):
    if issubclass(cls, torch.nn.Linear) or issubclass(cls, torch.nn.modules.conv._ConvNd):
        return cls(2, 2, 1) if issubclass(cls, torch.nn.modules.conv._ConvNd) else cls(2, 2)
    return cls(2) if issubclass(cls, torch.nn.modules.batchnorm._BatchNorm) else cls()


def parts_of(pattern, training):
    """Modules for a pattern as DefaultFuseHandler hands them to a fuser method, and the path of each."""
    known = []

    def make(part, path):
        if isinstance(part, tuple):
            return tuple(make(each, f"{path}.{i}" if path else str(i)) for i, each in enumerate(part))
        if isinstance(part, type) and issubclass(part, torch.nn.Module):
            thing = small_module(part).train(training)
        elif part is torch.nn.functional.relu:
            thing = torch.nn.ReLU().train(training)
        else:
            thing = part
        known.append((thing, path))
        return thing

    return make(pattern, ""), known


def part_text(thing, known):
    for each, path in known:
        if each is thing:
            return path
    layers = [path for each, path in known if type(each) is type(thing)]
    norms = [path for each, path in known if isinstance(each, torch.nn.modules.batchnorm._BatchNorm)]
    assert len(layers) == 1 and len(norms) == 1, (thing, known)
    return f"fold {layers[0]} {norms[0]}"


def fused_text(fuser, pattern, is_qat):
    """`Class|0=1.1|1=0`, `|=fold 1.1 1.0` for a plain layer, `!reason` where torch.ao refuses."""
    modules, known = parts_of(pattern, is_qat)
    try:
        fused = fuser(is_qat, *modules)
    except Exception as error:
        return "!" + type(error).__name__
    if not isinstance(fused, torch.ao.nn.intrinsic._FusedModule):
        return "|=" + part_text(fused, known)
    parts = [f"{name}={part_text(child, known)}" for name, child in fused._modules.items()]
    plain = set(vars(torch.nn.Module()))
    parts += [f"{name}:={part_text(value, known)}" for name, value in vars(fused).items() if name not in plain]
    return class_path(type(fused)) + "|" + "|".join(parts)


def getter_result(getter, pattern):
    return getter(paths(pattern)) if getter is not None else ""


# -- rows --------------------------------------------------------------------------------------------------------------


def number_text(value):
    return "" if value is None else repr(value)


def constraint_text(constraint):
    cells = [str(constraint.dtype) if constraint.dtype else ""]
    cells += [number_text(value) for value in (
        constraint.quant_min_lower_bound, constraint.quant_max_upper_bound, constraint.scale_min_lower_bound,
        constraint.scale_exact_match, constraint.zero_point_exact_match)]
    return ",".join(cells)


def dtype_text(config):
    parts = [constraint_text(config.input_dtype_with_constraints), constraint_text(config.output_dtype_with_constraints),
             constraint_text(config.weight_dtype_with_constraints), str(config.bias_dtype or ""),
             "1" if config.is_dynamic else "0"]
    return ";".join(parts)


def backend_rows(name, config):
    fusers = get_fuser_method_mapping(config)
    for number, (pattern, entry) in enumerate(config._pattern_complex_format_to_config.items()):
        by_tensors = " ".join(f"{count}:{kind.value}" for count, kind in entry._num_tensor_args_to_observation_type.items())
        indexes = entry._input_type_to_index
        fuser = fusers.get(pattern)
        yield [
            f"{name}/{number}", pattern_text(pattern), str(entry.observation_type.value), by_tensors,
            "|".join(map(dtype_text, entry.dtype_configs)), class_path(entry.root_module), class_path(entry.qat_module),
            class_path(entry.reference_quantized_module), class_path(entry.fused_module),
            fused_text(fuser, pattern, False) if fuser else "", fused_text(fuser, pattern, True) if fuser else "",
            str(indexes.get("weight", "")), str(indexes.get("bias", "")), getter_result(entry._root_node_getter, pattern),
            " ".join(getter_result(entry._extra_inputs_getter, pattern) or []), name if number == 0 else "",
        ]


def setting_json(value):
    return str(value) if isinstance(value, (torch.dtype, torch.qscheme)) else value


def observer_json(constructor):
    """`{"type": ..., settings, "observer": {...}}`, the form of --qconfig."""
    if not isinstance(constructor, _PartialWrapper):
        return {"type": class_path(constructor)}
    partial = constructor.p
    assert not partial.args and not constructor.callable_args
    result = {"type": class_path(partial.func)}
    for key, value in partial.keywords.items():
        result[key] = observer_json(value) if key == "observer" else setting_json(value)
    return result


def is_torch_ao(constructor):
    cls = constructor.p.func if isinstance(constructor, _PartialWrapper) else constructor
    return cls.__module__.startswith("torch.ao.quantization")


def qconfig_cells(config):
    if config is None:
        return ["", ""]
    return [json.dumps(observer_json(config.activation)), json.dumps(observer_json(config.weight))]


def mapping_rows(backend, is_qat):
    mapping = (quantization.get_default_qat_qconfig_mapping if is_qat else quantization.get_default_qconfig_mapping)(backend)
    assert not (mapping.module_name_qconfigs or mapping.module_name_regex_qconfigs
                or mapping.module_name_object_type_order_qconfigs)
    rules = [("", mapping.global_qconfig), *mapping.object_type_qconfigs.items()]
    for number, (key, config) in enumerate(rules):
        target = "" if key == "" else head_text(key)[2:]
        yield [f"mapping/{backend}/{'qat' if is_qat else 'ptq'}/{number}", *qconfig_cells(config), target,
               f"mapping/{backend}/{'qat' if is_qat else 'ptq'}" if number == 0 else ""]


def qconfig_rows():
    for name, value in sorted(vars(qconfig).items()):
        if isinstance(value, QConfig) and is_torch_ao(value.activation) and is_torch_ao(value.weight or value.activation):
            yield ["qconfig/" + name.lstrip("_"), observer_or_empty(value.activation), observer_or_empty(value.weight), "", ""]
    for module in (observer, fake_quantize):
        for name, value in sorted(vars(module).items()):
            if isinstance(value, _PartialWrapper) or (name.startswith("default_") and isinstance(value, type)):
                yield ["observer/" + name, json.dumps(observer_json(value)), "", "", ""]
    for backend in ("x86", "onednn", "fbgemm", "qnnpack"):
        for is_qat in (False, True):
            yield from mapping_rows(backend, is_qat)


def observer_or_empty(constructor):
    return "" if constructor is None else json.dumps(observer_json(constructor))


def write(path, rows):
    lines = ["# Generated by tools/quant_tables.py from PyTorch " + torch.__version__.split("+")[0] + "."]
    for row in rows:
        assert not any("\t" in cell or "\n" in cell for cell in row)
        lines.append("\t".join(row).rstrip("\t"))
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def main(folder):
    write(folder + "/backend_configs.tsv",
          [row for name, make in BACKENDS.items() for row in backend_rows(name, make())])
    rows = {row[0]: row for row in qconfig_rows()}
    write(folder + "/qconfigs.tsv", rows.values())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
