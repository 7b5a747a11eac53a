"""Compares the tracing of unmodified files of installed libraries with torch.fx.symbolic_trace.

    library_traces.py --lancet BIN [--libraries DIR] [--cases N] [--only WORD] [--record FILE] [--weights] [--verbose]

Cases are found by rule, none is listed: every model that torchvision can build, the first model of each file of timm,
and each nn.Module class of torchvision.ops, timm.layers, transformers' modeling files and diffusers' models that can
be constructed from its signature alone: with its config class where it takes a `config`, else with small numbers by
the names of its parameters. A case is a file and an expression, which Python evaluates in the file's module and
lancet in the file. Where torch.fx traces, the graph, the code and with `--weights` every tensor must be equal; where
it raises, lancet must refuse with exit code 4, and for a TraceError in its words. `--libraries DIR`: a folder that
has them beside Python's own. `--record FILE` keeps what torch.fx says, so that a second run only runs lancet.
Libraries that are not installed are left out, and said so. Exit 1: a difference that known_library_traces.txt does
not list, or one listed there that no longer differs.
"""

import argparse
import collections
import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import warnings

import torch
from torch import fx, nn

from traces import import_installed

HERE = pathlib.Path(__file__).parent
KNOWN = HERE / "known_library_traces.txt"
SECONDS = 60  # of processor time, so that a busy machine changes nothing
MOST_SECONDS = 900  # until something waits for what will not come

# What a required parameter gets, by the end of its name; the first that fits.
BY_NAME = [
    ("kernel_size", 3),
    ("num_heads", 4),
    ("n_heads", 4),
    ("nhead", 4),
    ("num_attention_heads", 4),
    ("attention_head_dim", 8),
    ("head_dim", 8),
    ("heads", 4),
    ("depth", 2),
    ("num_layers", 2),
    ("num_blocks", 2),
    ("n_layers", 2),
    ("num_classes", 10),
    ("num_embeddings", 50),
    ("vocab_size", 50),
    ("groups", 4),
    ("stride", 1),
    ("window_size", 7),
    ("patch_size", 4),
    ("image_size", 32),
    ("img_size", 32),
    ("rank", 4),
    ("eps", 1e-6),
    ("dropout", 0.1),
    ("p", 0.1),
    ("prob", 0.1),
    ("theta", 10000),
    ("dim", 32),
    ("channels", 32),
    ("chs", 32),
    ("features", 32),
    ("planes", 32),
    ("size", 32),
    ("d_model", 32),
    ("filters", 32),
    ("width", 32),
    ("channel", 32),
    ("dims", 32),
    ("in_c", 32),
    ("out_c", 32),
    ("index", 0),
    ("idx", 0),
]


class Case:
    def __init__(self, library, module, expression):
        self.library, self.module, self.expression = library, module, expression

    @property
    def file(self):
        return sys.modules[self.module].__file__

    def __str__(self):
        return f"{self.module}:{self.expression}"

    def make(self):
        return eval(self.expression, vars(sys.modules[self.module]))


def modules_below(package):
    """Names of the modules in a package's folder, sorted."""
    place = pathlib.Path(importlib.import_module(package).__file__).parent
    for file in sorted(place.rglob("*.py")):
        parts = file.relative_to(place).with_suffix("").parts
        yield ".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


def imported(name):
    try:
        return importlib.import_module(name)
    except Exception:  # a module that wants what is not installed
        return None


def own_classes(module):
    for name, cls in vars(module).items():
        if isinstance(cls, type) and issubclass(cls, nn.Module) and cls.__module__ == module.__name__:
            yield name, cls


def guessed(cls, module):
    """The call that constructs the class, or None."""
    given = []
    for parameter in list(inspect.signature(cls.__init__).parameters.values())[1:]:
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        if parameter.name == "config":
            text = config_of(cls, module)
        else:
            text = next((repr(value) for end, value in BY_NAME if re.search(rf"(^|_){end}$", parameter.name)), None)
        if text is None:
            return None
        given.append(f"{parameter.name}={text}")
    return f"{cls.__name__}({', '.join(given)})"


def config_of(cls, module):
    """The call that makes the config of a class in a modeling file of transformers."""
    wanted = inspect.signature(cls.__init__).parameters["config"].annotation
    name = wanted if isinstance(wanted, str) else getattr(wanted, "__name__", "")
    if not name.endswith("Config") or name == "PreTrainedConfig":
        bases = [
            each for _, each in own_classes(module) if isinstance(getattr(each, "config_class", None), type)
        ] or [each for _, each in own_classes(module) if getattr(each, "config", None)]
        found = [each.config_class.__name__ for each in bases if getattr(each, "config_class", None)]
        name = found[0] if found else ""
    config = vars(module).get(name)
    if not isinstance(config, type):
        return None
    few = [key for key in ("num_hidden_layers", "num_layers") if key in inspect.signature(config.__init__).parameters]
    return f"{name}({', '.join(f'{key}=2' for key in few[:1])})"


def torchvision_cases(torchvision):
    for name in torchvision.models.list_models():
        build = torchvision.models.get_model_builder(name)
        settings = "weights_backbone=None" if "weights_backbone" in inspect.signature(build).parameters else ""
        yield Case("torchvision", build.__module__, f"{build.__name__}({settings})")
    yield from class_cases("torchvision", ["torchvision.ops"])


def timm_cases(timm):
    seen = set()
    for name in timm.list_models():
        module = timm.model_entrypoint(name).__module__
        if module not in seen:
            seen.add(module)
            yield Case("timm", module, name + "()")
    yield from class_cases("timm", ["timm.layers"])


def transformers_cases(transformers):
    place = pathlib.Path(transformers.__file__).parent / "models"
    for file in sorted(place.glob("*/modeling_*.py")):
        yield from module_cases("transformers", f"transformers.models.{file.parent.name}.{file.stem}")


def diffusers_cases(_):
    yield from class_cases("diffusers", ["diffusers.models"])


def class_cases(library, packages):
    for package in packages:
        for name in modules_below(package):
            yield from module_cases(library, name)


def module_cases(library, name):
    module = imported(name)
    for _, cls in list(own_classes(module)) if module else []:
        try:
            expression = guessed(cls, module)
        except Exception:
            continue
        if expression:
            yield Case(library, name, expression)


LIBRARIES = {
    "torchvision": torchvision_cases,
    "timm": timm_cases,
    "transformers": transformers_cases,
    "diffusers": diffusers_cases,
}


class TooSlow(Exception):
    pass


def in_time(action):
    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return action()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def wanted_of(case, weights):
    """What torch.fx says of a case: {"graph", "code"} or {"error", "type"}; None if Python cannot construct it."""
    torch.manual_seed(0)
    try:
        root = in_time(case.make)
        if not isinstance(root, nn.Module):
            return None
    except Exception:  # whatever the source raises
        return None
    try:
        module = in_time(lambda: fx.symbolic_trace(root))
    except TooSlow:
        return None
    except Exception as error:
        return {"error": str(error), "type": type(error).__name__}
    said = {"graph": str(module.graph), "code": module.code}
    if weights:
        said["weights"] = {name: digest(tensor) for name, tensor in module.state_dict().items()}
    return said


def digest(tensor):
    raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return f"{tensor.dtype} {list(tensor.shape)} {hashlib.sha256(raw).hexdigest()[:16]}"


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))


def run(lancet, verb, case, site, *more):
    return answer([lancet, verb, f"{case.file}:{case.expression}", "--quiet", "--path", site, *more])


def answer(command):
    """Exit code, output and messages of a command, each of whose processes has a minute of processor time."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=MOST_SECONDS, preexec_fn=limit_time
        )
    except subprocess.TimeoutExpired:
        return 6, "", f"no answer within {MOST_SECONDS} s"
    return done.returncode, done.stdout, done.stderr


def difference(lancet, case, wanted, site):
    """("", how it ends) or (what differs, how it ends)"""
    code, text, error = run(lancet, "graph", case, site)
    if "error" in wanted:
        if code == 0:
            return f"torch.fx refuses ({wanted['type']}: {wanted['error'][:200]}), lancet does not", "traced"
        if code != 4:
            return f"exit code {code}: {error}", "failed"
        if wanted["type"] == "TraceError" and " ".join(wanted["error"].split()) not in " ".join(error.split()):
            return f"TraceError: {wanted['error']}\n  lancet: {error}", "refused"
        return "", "refused"
    if code:
        return error or f"exit code {code}", "refused"
    if text != wanted["graph"] + "\n":
        return first_difference(wanted["graph"] + "\n", text), "traced"
    code, text, error = run(lancet, "code", case, site)
    if text != wanted["code"] + "\n":
        return error or first_difference(wanted["code"] + "\n", text), "traced"
    if "weights" in wanted:
        return weights_differ(lancet, case, wanted["weights"], site), "traced"
    return "", "traced"


def weights_differ(lancet, case, wanted, site):
    with tempfile.TemporaryDirectory() as folder:
        code, _, error = run(lancet, "trace", case, site, "-o", folder + "/x.pt")
        return error if code else states_differ(torch.load(folder + "/x.pt", weights_only=False).state_dict(), wanted)


def states_differ(state, wanted):
    got = {name: digest(tensor) for name, tensor in state.items()}
    different = [name for name in sorted({*got, *wanted}) if got.get(name) != wanted.get(name)]
    return f"weights differ: {different[:5]}" if different else ""


def first_difference(wanted, got):
    for number, (a, b) in enumerate(zip(wanted.splitlines(), got.splitlines())):
        if a != b:
            return f"line {number + 1}:\n  torch.fx {a}\n  lancet   {b}"
    return f"{len(wanted.splitlines())} lines in torch.fx, {len(got.splitlines())} in lancet"


def cases_of(most, only):
    """At most so many of each library, evenly from all of it."""
    for library, find in LIBRARIES.items():
        package = import_installed(library)
        if not package:
            print(f"{library} is not installed: its files are left out", flush=True)
            continue
        found = [case for case in find(package) if only in str(case)]
        yield from found[:: max(1, -(-len(found) // most))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--libraries")
    parser.add_argument("--cases", type=int, default=100_000, help="at most so many of each library")
    parser.add_argument("--only", default="")
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.libraries:
        if not pathlib.Path(options.libraries).exists():
            print("the libraries are not installed (./dev test --all installs them): nothing is compared")
            return 0
        sys.path.append(options.libraries)
    warnings.simplefilter("ignore")
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    if not options.weights:  # only names and shapes of weights are looked at
        for name in [each for each in vars(nn.init) if each.endswith("_") and not each.startswith("_")]:
            setattr(nn.init, name, lambda tensor, *args, **kwargs: tensor)
    record = json.loads(options.record.read_text()) if options.record and options.record.exists() else {}
    counts = collections.defaultdict(collections.Counter)
    known = set(KNOWN.read_text().split("\n")) if KNOWN.exists() else set()
    different = []
    for case in cases_of(options.cases, options.only):
        if str(case) not in record:
            record[str(case)] = wanted_of(case, options.weights)
            if options.record:
                options.record.write_text(json.dumps(record))
        wanted = record[str(case)]
        if not wanted:
            continue
        site = str(pathlib.Path(sys.modules[case.library].__file__).parent.parent)
        what, ends = difference(options.lancet, case, wanted, site)
        count = counts[case.library]
        count["cases"] += 1
        count["torch"] += "error" not in wanted
        count["equal"] += "error" not in wanted and not what
        count["refused"] += "error" in wanted and not what
        if what and str(case) in known:
            count["known"] += 1
        elif what or str(case) in known:
            different.append(case)
            print(f"{case}: {what or 'is listed as known, and equal'}", flush=True)
        elif options.verbose:
            print(f"{case}: {'equal' if ends == 'traced' else 'refused by both'}", flush=True)
    return told(counts, different)


def told(counts, different):
    for library, count in counts.items():
        refused = count["cases"] - count["torch"]
        print(
            f"{library}: {count['cases']} cases: torch.fx traces {count['torch']}, lancet equally {count['equal']}; "
            f"torch.fx refuses {refused}, lancet too {count['refused']}; {count['known']} known differences"
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
