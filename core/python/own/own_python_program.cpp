// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/own/own_python.h"

namespace fx {

// Its arguments: the request as JSON, and the folder for the result. What the user's module prints is left as it is.
std::string_view ownPythonProgram() {
    return R"PY(
import importlib, importlib.util, inspect, json, os, sys, traceback

request, folder = json.loads(sys.argv[1]), sys.argv[2]
sys.argv = sys.argv[:1]


def finish(**result):
    with open(os.path.join(folder, "result.json"), "w") as file:
        json.dump(result, file)
    sys.exit(1 if "error" in result else 0)


def user_frame(error):
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != "<string>"]
    frames = [f for f in frames if "site-packages" not in f.filename and "<frozen" not in f.filename] or frames
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def fail(step, error, **more):
    traceback.print_exc()
    finish(error=f"{type(error).__name__}: {error}", step=step, where=user_frame(error), **more)


def load(name):
    sys.path[:0] = request["paths"]
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    path = os.path.abspath(name)
    sys.path.insert(0, os.path.dirname(path))
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module
    spec.loader.exec_module(module)
    return module


try:
    import torch, torch.fx
except Exception as error:
    fail("torch", error)
print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}", flush=True)

name, wanted = request["target"].split(":", 1)
try:
    module = load(name)
except BaseException as error:
    fail("import", error)
try:
    torch.manual_seed(request["seed"])
    model = eval(wanted, dict(vars(module)))
    init = request["init"]
    if isinstance(model, type):
        model = model(*init) if isinstance(init, list) else model(**(init or {}))
    elif init is not None:
        model = model(*init) if isinstance(init, list) else model(**init)
    if request["weights"]:
        model.load_state_dict(torch.load(request["weights"], map_location="cpu", weights_only=True))
except BaseException as error:
    fail("construct", error)

refused = ""
try:
    made = model if isinstance(model, torch.fx.GraphModule) else torch.fx.symbolic_trace(model, request["concrete"])
    out = os.path.join(folder, "traced.pt")
    torch.save(made, out)
    finish(written=out, how="torch.fx.symbolic_trace", refused="")
except Exception as error:
    refused = f"{type(error).__name__}: {error}"
    print(f"torch.fx.symbolic_trace refused: {refused}", flush=True)
    trace_error = error


class Called(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def example(spec):
    dtype = getattr(torch, spec["dtype"])
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(spec["sizes"], dtype=dtype)
    if dtype == torch.bool:
        return torch.ones(spec["sizes"], dtype=dtype)
    return torch.zeros(spec["sizes"], dtype=dtype)


try:
    forward = model.forward if isinstance(model, torch.nn.Module) else model
    given = {spec["name"]: example(spec) for spec in request["inputs"]}
    try:
        bound = inspect.signature(forward).bind(**given)
    except TypeError as error:
        fail("trace", trace_error, needs_inputs=str(error))
    print("exporting with torch.export", flush=True)
    exported = torch.export.export(model if isinstance(model, torch.nn.Module) else Called(model), bound.args,
                                   bound.kwargs)
    out = os.path.join(folder, "exported.pt2")
    torch.export.save(exported, out)
except Exception as error:
    fail("export", error, refused=refused)
finish(written=out, how="torch.export", refused=refused)
)PY";
}

} // namespace fx
