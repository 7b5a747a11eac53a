# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what Python and PyTorch 2.13 say of the cases in the tables of tests/data (README.md).

    python tests/data/make_tables.py [--check | --mended LOG] [FILE...]

--check writes nothing and fails if a text after "-- expected" is not what Python says. --mended LOG removes "-- but Lancet" from
the cases of which the output of a test (LOG) says that Lancet now says what is expected.
"""

import argparse
import contextlib
import copy
import difflib
import io
import json
import pathlib
import re
import sys
import traceback
import warnings

import torch
from torch import nn

import table_graphs
import table_texts

warnings.filterwarnings("ignore")
HERE = pathlib.Path(__file__).resolve().parent
EXPECTED, BUT = "-- expected", "-- but Lancet"


class Case:
    def __init__(self, title):
        self.title, self.input, self.expected, self.but = title, [], [], None

    def text(self):
        lines = [f"== {self.title}", *self.input, EXPECTED, *self.expected]
        return "\n".join(lines + ([BUT, *self.but] if self.but is not None else []))


def stripped(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def read(path):
    """The lines before the first case, and the cases."""
    preamble, cases, part = [], [], None
    part = preamble
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            cases.append(Case(line[3:]))
            part = cases[-1].input
        elif line == EXPECTED:
            part = cases[-1].expected
        elif line == BUT:
            part = cases[-1].but = []
        else:
            part.append(line)
    for case in cases:
        case.input = stripped(case.input)
        case.but = None if case.but is None else stripped(case.but)
    return stripped(preamble), cases


def run(preamble, case, scope, line=-1, prints=False):
    """Runs a program: what it prints, if that is asked for, and its exception, with the first or last line in the case."""
    head = [line for line in preamble if not line.startswith("#")]
    program = "\n".join(head + case.input) + "\n"
    printed, said = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "case.py", "exec", dont_inherit=True), scope)
    except SyntaxError as error:
        said = f"line {error.lineno - len(head)}: {error.msg}\n"
    except BaseException as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "case.py"]
        said = f"line {lines[line] - len(head)}: " + ": ".join([type(error).__name__, *str(error).splitlines()[:1]]) + "\n"
    return prints * printed.getvalue() + said


def values(preamble, case):
    return run(preamble, case, {"__name__": "case"}, line=0, prints=True)


def tensors_of(model):
    """Names, sizes, types and first elements of the parameters and buffers, by name."""
    lines = []
    for path, module in model.named_modules():
        for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
            if tensor is None or nn.parameter.is_lazy(tensor):
                continue
            first = " starts with %.4g" % tensor.detach().flatten()[0].item() if tensor.numel() else ""
            lines.append(f"{path}{'.' if path else ''}{name} {list(tensor.shape)} {str(tensor.dtype)[6:]}{first}\n")
    return "".join(sorted(lines))


def trace(preamble, case):
    torch.manual_seed(0)
    traced = []

    def symbolic_trace(root, concrete_args=None):
        traced.append(torch.fx.symbolic_trace(root, concrete_args))

    case = copy.copy(case)
    case.input = [*case.input[:-1], re.sub("^symbolic_trace", "__trace", case.input[-1])]
    said = run(preamble, case, {"__name__": "case", "__trace": symbolic_trace})
    for model in traced:
        said += f"{model.graph}\n{tensors_of(model)}"
    return "".join(line + "\n" for line in said.splitlines() if line)


class Root(nn.Module):
    """What code of a saved GraphModule finds in its model."""

    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.zeros(3))
        self.tied = self.p
        self.register_buffer("b", torch.zeros(3, 4))
        self.t = torch.zeros(2)
        self.eps = 1e-5
        self.layer1 = nn.Module()
        self.layer1.add_module("0", nn.Module())
        getattr(self.layer1, "0").conv = nn.Conv2d(3, 4, 3)


def reload(preamble, case):
    imports = "\n".join(line for line in preamble if not line.startswith("#")) + "\n"
    root = Root()
    body = {**root.__dict__, "_code": "\n".join(case.input) + "\n"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            model = torch.fx.graph_module.reduce_graph_module(body, imports)
    except BaseException as error:
        return f"{type(error).__name__}: {error}".splitlines()[0] + "\n"
    return "".join(line + "\n" for line in str(model.graph).splitlines() if line)


def shown(value):
    """A value as text; floats with five digits."""
    if isinstance(value, torch.Tensor):
        if value.is_quantized:
            return f"quantized {shown(value.int_repr())} {shown(value.dequantize())}"
        numbers = " ".join(shown(number) for number in value.detach().flatten().tolist())
        return f"{str(value.dtype)[6:]}{list(value.shape)}: {numbers}".rstrip(": ")
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(shown, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, float):
        return "%.5g" % value
    if isinstance(value, complex):
        return f"{value.real:.5g}{value.imag:+.5g}j"
    return str(value)


def compute(preamble, case):
    """What the traced model of the call in the last line returns. Weights are drawn with seed 0, and so is the run."""
    called, arguments = re.fullmatch(r"(f|Net\(.*?\))\((.*)\)", case.input[-1]).groups()
    case = copy.copy(case)
    scope = {"__name__": "case", "__seed": torch.manual_seed, "__trace": torch.fx.symbolic_trace}
    case.input = [*case.input[:-1], f"__seed(0); __model = __trace({called}); __given = ({arguments},); __seed(0); "
                                    "__result = __model(*__given)"]
    with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):
        said = run(preamble, case, scope)
    return re.sub(r"^line \d+: \w+: ", "", said) or shown(scope["__result"]) + "\n"


def qconfig_of(given):
    from torch.ao.quantization import QConfig, observer, qconfig

    def observer_of(what):
        if isinstance(what, str):
            return getattr(observer, what)
        settings = {key: eval(value) if isinstance(value, str) else value for key, value in what.items() if key != "type"}
        return eval(what["type"]).with_args(**settings)

    if isinstance(given, dict):
        return QConfig(activation=observer_of(given["activation"]), weight=observer_of(given["weight"]))
    return given and getattr(qconfig, given)


def mapping_of(rules, mode, backend):
    from torch.ao import quantization
    from torch.ao.quantization import QConfigMapping, qconfig

    def with_embeddings(mapping, config):
        return mapping.set_object_type(nn.Embedding, config).set_object_type(nn.EmbeddingBag, config)

    def kind(name):
        return eval(name) if name.startswith("torch.") else name

    if rules.get("base") == "none":
        mapping = QConfigMapping()
    elif mode == "static":
        mapping = quantization.get_default_qconfig_mapping(backend)
    elif mode == "qat":
        mapping = with_embeddings(quantization.get_default_qat_qconfig_mapping(backend), qconfig.default_embedding_qat_qconfig)
    else:
        mapping = QConfigMapping() if mode == "weight-only" else QConfigMapping().set_global(qconfig.default_dynamic_qconfig)
        mapping = with_embeddings(mapping, qconfig.float_qparams_weight_only_qconfig)
    if "" in rules:
        mapping.set_global(qconfig_of(rules[""]))
    for name, given in rules.get("object_type", []):
        mapping.set_object_type(kind(name), qconfig_of(given))
    for name, given in rules.get("module_name_regex", []):
        mapping.set_module_name_regex(name, qconfig_of(given))
    for name, given in rules.get("module_name", []):
        mapping.set_module_name(name, qconfig_of(given))
    for name, what, index, given in rules.get("module_name_object_type_order", []):
        mapping.set_module_name_object_type_order(name, kind(what), index, qconfig_of(given))
    return mapping


def observers_of(prepared):
    """Each observer with its type and its range, or the name of the one that it is."""
    out, names = "", {}
    for node in prepared.graph.nodes:
        if node.op == "call_module" and node.target.startswith("activation_post_process_"):
            module = prepared.get_submodule(node.target)
            if id(module) in names:
                out += f"{node.target} = {names[id(module)]}\n"
                continue
            names[id(module)] = node.target
            inner = getattr(module, "activation_post_process", module)
            limits = [getattr(inner, key, None) for key in ("quant_min", "quant_max")]
            dtype = str(getattr(inner, "dtype", "")).replace("torch.", "")
            out += f"{node.target}: {type(module).__name__} {dtype} {limits[0]} {limits[1]}\n"
    return out


def quantise(preamble, case):
    from torch.ao.quantization import backend_config, quantize_fx
    from torch.ao.quantization.fx.custom_config import PrepareCustomConfig
    scope = {"__name__": "case"}
    words = case.input[-1].removeprefix(">> ").split(" ", 2)
    mode, backend = words[:2]
    rest = words[2] if len(words) > 2 else ""
    is_reference = rest.startswith("reference")
    rest = rest.removeprefix("reference").strip()
    rules = json.loads(rest) if rest else {}
    case = copy.copy(case)
    case.input = case.input[:-1]
    said = run(preamble, case, scope)
    try:
        model = scope["Net"]()
        model.train() if mode == "qat" else model.eval()
        custom = rules.get("prepare_custom_config")
        prepare = quantize_fx.prepare_qat_fx if mode == "qat" else quantize_fx.prepare_fx
        prepared = prepare(model, mapping_of(rules, mode, backend), (), backend_config=None,
                           prepare_custom_config=custom_of(custom, scope) if custom else None)
        said += f"{prepared.graph}\n{observers_of(prepared)}"
        prepared.eval()
        convert = quantize_fx.convert_to_reference_fx if is_reference else quantize_fx.convert_fx
        torch.backends.quantized.engine = backend  # decides the reduced range of dynamic quantisation
        with contextlib.redirect_stderr(io.StringIO()):
            converted = convert(prepared)
        said += f"{converted.graph}\n"
        for path, module in sorted(converted.named_modules(remove_duplicate=False)):
            if path and type(module) is not nn.Module:
                said += f"{path}: {type(module).__module__}.{type(module).__qualname__}\n"
    except Exception as error:
        said += f"{type(error).__name__}: {error}".splitlines()[0] + "\n"
    return "".join(line + "\n" for line in said.splitlines() if line)


def custom_of(given, scope):
    from torch.ao.quantization.fx.custom_config import PrepareCustomConfig
    config = PrepareCustomConfig()
    config.set_input_quantized_indexes(given.get("input_quantized_idxs", []))
    config.set_output_quantized_indexes(given.get("output_quantized_idxs", []))
    config.set_preserved_attributes(given.get("preserved_attributes", []))
    config.set_non_traceable_module_names(given.get("non_traceable_module_name", []))
    config.set_non_traceable_module_classes([scope[name] for name in given.get("non_traceable_module_class", [])])
    return config


AREAS = {"python/values": values, "python/traces": trace, "trace/saved": reload, "quant/": quantise, "ir/graphs": values, "textpasses/": values,
         **table_texts.AREAS, **table_graphs.areas(run, tensors_of), "engine/": compute}
FOLDERS = sorted({start.split("/")[0] for start in AREAS})


def text_of(preamble, cases):
    return "\n\n".join(["\n".join(preamble), *(case.text() for case in cases)]) + "\n"


def made(path):
    """The text that the file should have."""
    preamble, cases = read(path)
    name = str(path.resolve().relative_to(HERE))
    say = next(area for start, area in AREAS.items() if name.startswith(start))
    for case in cases:
        case.expected = stripped(say(preamble, case).splitlines()) or ["(nothing)"]
    return text_of(preamble, cases)


def without_mended(path, log):
    preamble, cases = read(path)
    for case in cases:
        case.expected = stripped(case.expected)
        if re.search(re.escape(f"({path.stem}: {case.title})") + " Lancet says what is expected", log):
            case.but = None
    return text_of(preamble, cases)


ROUNDED = ("engine", "make", "passes")  # folders whose numbers may differ in the fifth digit
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]\d+)?")


def with_digits_of(before, after):
    """`after` with the lines of `before` that differ only in the last of the five digits of numbers: processors round differently."""
    def is_same(old, new):
        numbers = list(zip(NUMBER.findall(old), NUMBER.findall(new)))
        return NUMBER.sub("", old) == NUMBER.sub("", new) and all(
            a == b or ("." in a or "e" in a) and abs(float(a) - float(b)) <= 1.5e-4 * abs(float(a)) for a, b in numbers)
    old, new = before.split("\n"), after.split("\n")
    if len(old) != len(new):
        return after
    return "\n".join(a if is_same(a, b) else b for a, b in zip(old, new))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--mended", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    for path in options.files or sorted(path for folder in FOLDERS for path in (HERE / folder).glob("*.txt")):
        before = path.read_text()
        after = without_mended(path, options.mended.read_text()) if options.mended else made(path)
        if path.parent.name in ROUNDED:
            after = with_digits_of(before, after)
        if options.check and before != after:
            sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), str(path), "Python"))
            failed += 1
        elif before != after:
            path.write_text(after)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
