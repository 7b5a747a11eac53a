# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces a model of the user, or runs calls of it for lancet-worker. Arguments: the request as JSON. Descriptor 3 takes the
result as JSON, 4 the model; for calls, 3 takes answers and 4 has requests."""
import sys

sys.path[:] = [path for path in sys.path if path]  # what is imported here comes from no current folder

import collections
import copy
import copyreg
import ctypes
import enum
import importlib
import importlib.util
import inspect
import json
import linecache
import math
import operator
import os
import pickle
import re
import struct
import tempfile
import traceback
import types

request = json.loads(sys.argv[1])
sys.argv = sys.argv[:1]
sys.dont_write_bytecode = True
RESULT, MODEL = 3, 4
version = ""
broken = None  # why the source cannot be imported, for calls
if request["sandboxed"]:
    tempfile.tempdir = "/tmp"  # packages ask for its name when they are imported; there is no folder to write to


def finish(**result):
    with os.fdopen(RESULT, "w") as file:
        json.dump({"torch": version, **result}, file)
    sys.stdout.flush()
    os._exit(1 if "error" in result else 0)  # threads of packages do not hold the result up


def user_frame(error):
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != "<string>"]
    frames = [f for f in frames if "site-packages" not in f.filename and "<frozen" not in f.filename] or frames
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def fail(step, error, **more):
    global broken
    traceback.print_exc()
    if request["serves"] and step != "torch":  # calls need no model
        broken = error if step == "import" else broken
        return
    finish(error=f"{type(error).__name__}: {error}", step=step, where=user_frame(error), **more)


def executed(name, file, **more):
    """The module of a file, which is imported by that name from now on."""
    spec = importlib.util.spec_from_file_location(name, file, **more)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def module_below(file, paths):
    """The name of a file that imports its neighbours, below one of the folders for imports. Folders of a package need no
    `__init__.py` there."""
    with open(file, encoding="utf-8", errors="replace") as source:
        if not re.search(r"^from \.", source.read(), re.MULTILINE):
            return None
    inside = [os.path.relpath(file[: -len(".py")], path) for path in paths]
    return next((each.replace(os.sep, ".") for each in inside if os.sep in each and not each.startswith("..")), None)


def imported(name):
    """A module. What its packages draw when they are imported comes before the seed."""
    if package := name.rpartition(".")[0]:
        importlib.import_module(package)
        torch.manual_seed(request["seed"])
    return importlib.import_module(name)


def load(name):
    sys.path[:0] = request["paths"]
    if not name:
        return None  # a model from a file, whose calls are looked up in the folders
    torch.manual_seed(request["seed"])
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return imported(name)
    file = os.path.abspath(name)
    folder, stem = os.path.split(file[: -len(".py")])
    if package := request["package"]:  # a file of a package may import its neighbours; the folder above is closed
        top, *rest = os.path.relpath(os.path.join(folder, stem), os.path.dirname(package)).split(os.sep)
        executed(top, os.path.join(package, "__init__.py"), submodule_search_locations=[package])
        return imported(".".join([top, *rest]))
    if module := module_below(file, request["paths"]):
        return imported(module)
    sys.path.insert(0, folder)
    return executed(stem, file)


def only_model(module):
    """The one class or function that the file defines, as without a name."""
    own = {name: thing for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__}
    classes = [name for name, thing in own.items() if isinstance(thing, type) and issubclass(thing, torch.nn.Module)]
    functions = [name for name, thing in own.items() if inspect.isfunction(thing)]
    found = classes or functions
    if len(found) != 1:
        raise ValueError(f"the file defines {', '.join(found) or 'no module and no function'}: name one, FILE.py:NAME")
    return found[0]


try:
    import torch
    import torch.fx
except Exception as error:
    fail("torch", error)
version = str(torch.__version__)
print(f"Python {sys.version.split()[0]}, PyTorch {version}", flush=True)

target, wanted = request["module"], request["name"]
module = model = None
try:
    module = load(target)
except BaseException as error:
    fail("import", error)


def decoded(value):
    """A value as docs/ir-format.md and `lancet graph --json` write it; other objects are dicts."""
    if isinstance(value, list):
        return [decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        form, inner = next(iter(value.items()))
        if form in ("tuple", "slice", "range", "complex") and isinstance(inner, list):
            parts = [decoded(each) for each in inner]
            return tuple(parts) if form == "tuple" else {"slice": slice, "range": range, "complex": complex}[form](*parts)
        if form == "dict" and isinstance(inner, list):
            return {decoded(key): decoded(each) for key, each in inner}
        if form == "float" and isinstance(inner, str):
            return float(inner)
        if form == "bytes" and isinstance(inner, str):
            return bytes.fromhex(inner)
        if form == "ellipsis":
            return ...
        if form in ("dtype", "layout", "memory_format", "qscheme", "callable", "repr") and isinstance(inner, str):
            return eval(inner, scope)
    if "device" in value and set(value) <= {"device", "index"}:
        return torch.device(value["device"], value.get("index"))
    return {key: decoded(each) for key, each in value.items()}


STATE_DICTS = ("state_dict", "model_state_dict", "model", "module", "net", "weights")


def state_dict(file, path):
    if file.endswith(".safetensors"):
        if path:
            raise KeyError(f"{file} has no {path!r}")
        from safetensors.torch import load_file
        return load_file(file)
    loaded = torch.load(file, map_location="cpu", weights_only=True)
    while path:  # keys joined by dots, which may themselves have dots
        keys = [key for key in loaded if f"{path}.".startswith(f"{key}.")] if isinstance(loaded, dict) else []
        if not keys:
            raise KeyError(f"{file} has no {path!r}")
        loaded, path = loaded[keys[0]], path[len(str(keys[0])) + 1:]
    inner = [loaded[key] for key in STATE_DICTS if isinstance(loaded.get(key), dict)]
    loaded = inner[0] if inner else loaded
    for prefix in ("module.", "model.", "_orig_mod."):
        if loaded and all(key.startswith(prefix) for key in loaded) and not set(loaded) & set(model.state_dict()):
            loaded = {key[len(prefix):]: each for key, each in loaded.items()}
    return loaded


scope = {"torch": torch, "fx": torch.fx, "operator": operator, "math": math, "PH": torch.fx.PH, "inf": math.inf,
         "nan": math.nan, "device": torch.device, "Ellipsis": ...}
if module:
    try:
        model = eval(wanted or only_model(module), dict(vars(module)))
        init = decoded(request["init"])
        if isinstance(model, type) or init is not None:
            model = model(*init) if isinstance(init, list) else model(**(init or {}))
        if request["weights"]:
            weights = {}
            for file, path in request["weights"]:
                weights.update(state_dict(file, path))
            model.load_state_dict(weights, strict=request["strict_weights"])
    except BaseException as error:
        fail("construct", error)
