"""Compares the tracing of Python source with torch.fx.symbolic_trace.

    traces.py --lancet BIN [--installed] [--weights] [--only WORD] [--verbose]

Own sources stand in tests/oracle/sources_traced/: what their `TRACE` dict names is traced after torch.manual_seed(0), a class constructed
with `init`. A name may be that of a GraphModule that the file makes itself, or a call that makes one. `concrete` are concrete_args; `wrap`,
`param_shapes_constant` and `proxy_buffers` are settings of the Tracer. `--installed` adds unmodified files of torchvision and timm where they can be imported.
`lancet graph` and `lancet code` print what str(graph) and GraphModule.code say, byte for byte; `--weights` also compares every tensor of
the file that `lancet trace` writes. What torch.fx refuses counts as equal when lancet refuses it, too. Exit 1: a difference.
"""

import argparse
import importlib.util
import inspect
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import torch
from torch import fx, nn

HERE = pathlib.Path(__file__).parent
OWN = HERE / "sources_traced"

def import_installed(name):
    """The package, or None; torchvision also where its compiled part fits another build of PyTorch."""
    if name == "torchvision" and importlib.util.find_spec(name):
        place = pathlib.Path(importlib.util.find_spec(name).origin).parent
        library = torch.library.Library("torchvision", "FRAGMENT")
        for text in place.glob("*.py"):
            for operator in re.findall(r'"torchvision::(\w+)"', text.read_text()):
                if not hasattr(torch.ops.torchvision, operator):
                    library.define(operator + "(Tensor x) -> Tensor")
        import_installed.kept = library
    try:
        return __import__(name)
    except ImportError:
        return None


def as_json(value):
    """As arguments stand in JSON (CLI.md)."""
    if isinstance(value, fx._symbolic_trace.PHBase):
        return {"repr": "PH"}
    if isinstance(value, tuple):
        return {"tuple": [as_json(each) for each in value]}
    if isinstance(value, list):
        return [as_json(each) for each in value]
    if isinstance(value, dict):
        return {"dict": [[as_json(key), as_json(each)] for key, each in value.items()]}
    return value if value is None or isinstance(value, (bool, int, float, str)) else {"repr": repr(value)}


class Case:
    def __init__(self, file, name, make, init=None, concrete=None, path=None, tracer=None):
        self.file, self.name, self.make = str(file), name, make
        self.init, self.concrete, self.path, self.tracer = init, concrete, path, tracer or {}

    def __str__(self):
        return f"{pathlib.Path(self.file).name}:{self.name}"

    def flags(self):
        out = []
        if self.init:
            out += ["--init", json.dumps(self.init)]
        if self.concrete:
            out += ["--concrete", json.dumps({key: as_json(each) for key, each in self.concrete.items()})]
        for name in self.tracer.get("wrap", []):
            out += ["--autowrap", name]
        if self.tracer.get("param_shapes_constant"):
            out += ["--param-shapes-constant"]
        if self.tracer.get("proxy_buffers"):
            out += ["--proxy-buffers"]
        if self.path:
            out += ["--path", self.path]
        return out


def load(file, name):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def own_cases():
    sys.path.insert(0, str(OWN))
    for file in sorted(OWN.glob("*.py")):
        if file.stem.startswith("_"):
            continue
        for name, settings in getattr(load(str(file), file.stem), "TRACE", {}).items():
            init = settings.get("init")
            make = lambda file=file, name=name, init=init: made_by(file, name, init)
            tracer = {key: settings[key] for key in settings.keys() - {"init", "concrete"}}
            yield Case(file, name, make, init, settings.get("concrete"), tracer=tracer)


def made_by(file, name, init):
    """What a name of a file is, or what it makes; the file runs again, so that what it draws is drawn with the seed."""
    module = load(str(file), file.stem)
    made = vars(module).get(name)
    if made is None:
        return eval(name, vars(module))
    return made(**(init or {})) if isinstance(made, type) else made


def installed_cases():
    torchvision = import_installed("torchvision")
    if torchvision:
        place = pathlib.Path(torchvision.__file__).parent
        for name in torchvision.models.list_models():
            build = torchvision.models.get_model_builder(name)
            settings = ", ".join(
                f"{key}=None" for key in inspect.signature(build).parameters if key == "weights_backbone"
            )
            yield Case(
                sys.modules[build.__module__].__file__,
                f"{build.__name__}({settings})",
                lambda build=build, names=settings: build(**({"weights_backbone": None} if names else {})),
                path=str(place.parent),
            )
    else:
        print("torchvision is not installed: its files are left out")
    timm = import_installed("timm")
    if timm:
        place = pathlib.Path(timm.__file__).parent
        seen = set()
        for name in timm.list_models():
            module = sys.modules[timm.model_entrypoint(name).__module__]
            if module.__name__ in seen:
                continue
            seen.add(module.__name__)
            build = timm.model_entrypoint(name)
            yield Case(module.__file__, name + "()", lambda build=build: build(), path=str(place.parent))
    else:
        print("timm is not installed: its files are left out")


def run(lancet, verb, case, *more):
    command = [lancet, verb, f"{case.file}:{case.name}", "--quiet", *case.flags(), *more]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return 6, "", "no answer within two minutes"
    return done.returncode, done.stdout, done.stderr


def traced(case):
    torch.manual_seed(0)
    root = case.make()
    start = time.perf_counter()
    if isinstance(root, fx.GraphModule):  # by the file itself
        return root, 0
    module = sys.modules[pathlib.Path(case.file).stem] if case.tracer else None
    wrapped = [getattr(module, name) for name in case.tracer.get("wrap", [])]
    tracer = fx.Tracer(
        autowrap_modules=(math, *[each for each in wrapped if inspect.ismodule(each)]),
        autowrap_functions=tuple(each for each in wrapped if not inspect.ismodule(each)),
        param_shapes_constant=case.tracer.get("param_shapes_constant", False),
    )
    tracer.proxy_buffer_attributes = case.tracer.get("proxy_buffers", False)
    graph = tracer.trace(root, concrete_args=case.concrete)
    return fx.GraphModule(tracer.root, graph, type(root).__name__), time.perf_counter() - start


def reloaded(path):
    """What PyTorch loads, or None and why. What it refuses may leave names wrapped that are nowhere: later traces would fail."""
    wrapped = dict(fx._symbolic_trace._wrapped_fns_to_patch)
    try:
        return torch.load(path, weights_only=False), None
    except Exception as error:  # whatever its code raises
        return None, error
    finally:
        fx._symbolic_trace._wrapped_fns_to_patch.clear()
        fx._symbolic_trace._wrapped_fns_to_patch.update(wrapped)


def torch_keeps(module, path):
    """Whether PyTorch writes such a module and loads what it wrote."""
    try:
        torch.save(module, path)
    except Exception:  # of parametrised modules, or of what has no pickle
        return False
    return reloaded(path)[0] is not None


tracing = threading.Lock()


def same_weights(lancet, case, module):
    with tempfile.TemporaryDirectory() as folder:
        code, _, error = run(lancet, "trace", case, "-o", folder + "/x.pt")
        with tracing:  # loading traces again, and torch.fx traces in one thread at a time
            loaded, refusal = (None, error) if code else reloaded(folder + "/x.pt")
            if loaded is None:
                return f"cannot be loaded: {refusal}" if torch_keeps(module, folder + "/torch.pt") else ""
        state = loaded.state_dict()
    plain = {name for name, each in module.named_modules() if type(each) is torch.nn.Module}
    foreign = [n for n, each in loaded.named_modules() if n in plain and not type(each).__module__.startswith("torch.")]
    if foreign:
        return f"modules that keep their class: {foreign[:5]}"
    wanted = module.state_dict()
    # Lancet's file computes constants when it is loaded; what they are computed from stays in it.
    sources = {name for name in state if name not in wanted} if "_tensor_constant0" in wanted else set()
    names = [name for name in state if name not in sources]
    if sorted(names) != sorted(wanted) or not sources and names != list(wanted):
        return f"names of weights: {sorted(set(state) ^ set(wanted))[:5]}"
    different = [k for k in wanted if not torch.equal(state[k], wanted[k])]
    return f"weights differ: {different[:5]}" if different else ""


def compare(lancet, case, weights):
    """(traced by torch.fx, traced by lancet, what differs)"""
    try:
        wanted, _ = traced(case)
        refusal = None
    except Exception as error:  # whatever the source raises
        wanted, refusal = None, error
    code, text, error = run(lancet, "graph", case)
    if wanted is None:
        return False, code == 0, "" if code == 4 else f"torch.fx refuses ({refusal}), lancet does not"
    if code:
        return True, False, error or f"exit code {code}"
    if text != str(wanted.graph) + "\n":
        return True, True, first_difference(str(wanted.graph) + "\n", text)
    code, text, error = run(lancet, "code", case)
    if text != wanted.code + "\n":
        return True, True, error or first_difference(wanted.code + "\n", text)
    return True, True, same_weights(lancet, case, wanted) if weights else ""


def first_difference(wanted, got):
    for number, (a, b) in enumerate(zip(wanted.splitlines(), got.splitlines())):
        if a != b:
            return f"line {number + 1}:\n  torch.fx {a}\n  lancet   {b}"
    return f"{len(wanted.splitlines())} lines in torch.fx, {len(got.splitlines())} in lancet"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.weights:  # only names and shapes of weights are looked at
        for name in [each for each in vars(nn.init) if each.endswith("_") and not each.startswith("_")]:
            setattr(nn.init, name, lambda tensor, *args, **kwargs: tensor)
    cases = [*own_cases(), *(installed_cases() if options.installed else [])]
    by_torch = by_lancet = equal = 0
    different = []
    for case in cases:
        if options.only not in str(case):
            continue
        torch_does, lancet_does, difference = compare(options.lancet, case, options.weights)
        by_torch += torch_does
        by_lancet += lancet_does
        equal += not difference
        if difference:
            different.append(case)
            print(f"{case}: {difference}", flush=True)
        elif options.verbose:
            print(f"{case}: equal" if torch_does else f"{case}: refused by both", flush=True)
    total = equal + len(different)
    print(f"{total} cases: {by_torch} traced by torch.fx, {by_lancet} by lancet, {equal} equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
