# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves models with lancet and loads them with PyTorch: the same code, modules, tensors and attributes?

    saving.py --lancet BIN [--every N] [--only TEXT]

Takes the saved GraphModules of the corpus (run_oracle.py makes it), writes each again as it is and once more after an edit,
and compares what torch.load gives. Exit 1: a difference.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import warnings

import torch

from surgery import run
import saving_exports

sys.path.insert(0, str(pathlib.Path(__file__).parent / "corpus"))


# What cannot be the same, and why.
KNOWN = {
    "edited gm_arguments/returned_enum": "values of enums are in a class that is imported, not in the file",
    "edited gm_constants/builtins_of_numbers": "kept as written, since it is not evaluated; PyTorch saves the value",
    "edited gm_constants/numbers": "as above",
    "edited gm_constants/lists_of_operators": "parts of one tensor that is computed share no memory",
    "edited gm_signatures/annotation_typing_named_input": "typing.NamedTuple is no class: PyTorch's code does not load either, by another error",
    "edited gm_signatures/annotation_typing_named_result": "as above",
    "folder gm_attributes/conjugated": "refused: a folder holds values, and a conjugated tensor is made by an operator",
    "folder gm_structure/reference_quantized": "reference modules of torch.ao keep settings in their state dict, which the file does not have as one",
    "folder gm_structure/graph_with_constants_inside": "refused: reading a folder, constants that a graph inside makes are not seen",
    "module pt2_features/edited": "PyTorch runs what depends on no input while it loads the file, and it was edited to something that cannot run",
    "edited gm_signatures/concrete_none": "refused: what PyTorch writes of it, once it has loaded it, PyTorch cannot load",
    "edited gm_signatures/pytree_none": "as above",
}


@contextlib.contextmanager
def process_of_its_own():
    """What is loaded inside leaves no functions to wrap behind, nor counted constants. The code of a model that a None was traced into (gm_signatures/pytree_none,
    concrete_none) wraps `torch.fx._symbolic_trace._assert_is_none`, a name that no namespace has, and from then on PyTorch raises KeyError
    whenever the process loads a GraphModule."""
    wrapped = torch.fx._symbolic_trace._wrapped_fns_to_patch
    before = dict(wrapped)
    torch.fx.Tracer._qualname_counter.clear()  # numbers of constants go on from file to file
    try:
        yield
    finally:
        wrapped.clear()
        wrapped.update(before)


def load(path):
    with process_of_its_own():
        return torch.load(path, weights_only=False)


def same_tensor(a, b):
    if isinstance(a, torch.nn.parameter.UninitializedTensorMixin):
        return type(a) is type(b)
    if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape or a.requires_grad != b.requires_grad:
        return False
    if a.is_meta or a.layout != torch.strided or a.is_quantized:
        return a.layout == b.layout
    return a.stride() == b.stride() and a.is_conj() == b.is_conj() and a.is_neg() == b.is_neg() and bits(a) == bits(b)


def bits(tensor):
    return tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def ties(module):
    """Which tensors are one, and which share memory."""
    groups, memory = {}, {}
    for path, inner in module.named_modules():
        for name, tensor in [*inner._parameters.items(), *inner._buffers.items()]:
            if tensor is not None:
                groups.setdefault(id(tensor), []).append(f"{path}.{name}")
                if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
                    continue
                if not tensor.is_meta and tensor.layout == torch.strided and tensor.numel():
                    memory.setdefault(tensor.untyped_storage().data_ptr(), []).append(f"{path}.{name}")
    return sorted(groups.values()), sorted(memory.values())


def buffers_of(module):
    """What is computed while the file loads comes behind what is stored."""
    return sorted(module._buffers, key=lambda name: name.startswith("_tensor_constant"))


def difference(a, b):
    if a.code != b.code:
        return f"code\n{a.code}\n{b.code}"
    if str(a.graph) != str(b.graph):
        return "graph"
    left, right = dict(a.named_modules()), dict(b.named_modules())
    if list(left) != list(right):
        return f"modules {set(left) ^ set(right)}"
    for path, one in left.items():
        other = right[path]
        if type(one).__name__ != type(other).__name__ or one.training != other.training:
            return f"{path}: class or mode"
        if list(one._parameters) != list(other._parameters) or buffers_of(one) != buffers_of(other) or one._non_persistent_buffers_set != other._non_persistent_buffers_set:
            return f"{path}: names of tensors"
        for name, tensor in [*one._parameters.items(), *one._buffers.items()]:
            if name.startswith("_tensor_constant") and other._buffers.get(name) is not None and other._buffers[name].shape == tensor.shape:
                continue  # computed anew at each load
            twin = other._parameters.get(name, other._buffers.get(name))
            if (tensor is None) != (twin is None) or (tensor is not None and not same_tensor(tensor, twin)):
                return f"{path}.{name}: tensor"
        skipped = {"_graph", "_code", "_parameters", "_buffers", "_modules", "_lineno_map", "_prologue_start", "_graphmodule_cls_name"}
        keys = [k for k in one.__dict__ if k not in skipped], [k for k in other.__dict__ if k not in skipped]
        if sorted(keys[0]) != sorted(keys[1]):
            return f"{path}: attributes {set(keys[0]) ^ set(keys[1])}"
        for key in keys[0]:
            if isinstance(one.__dict__[key], (int, float, str, bool, tuple, list, dict, type(None))) and repr(one.__dict__[key]) != repr(other.__dict__[key]) and " at 0x" not in repr(one.__dict__[key]):
                return f"{path}.{key}: {one.__dict__[key]!r} became {other.__dict__[key]!r}"
    if ties(a) != ties(b):
        return "tied tensors"
    return None


def edited(model):
    """An edit that every graph takes, in PyTorch; returns the step too."""
    output = next(iter(reversed(model.graph.nodes)))
    first = next(n for n in model.graph.nodes)
    if first is output:
        return None
    with model.graph.inserting_before(output):
        new = model.graph.call_function(torch.relu, (first,))
    output.args = ((new, output.args[0]),)
    model.recompile()
    return [{"step": "insert_before", "node": output.name, "op": "call_function", "target": "torch.relu", "args": [{"node": first.name}]}], new


def check(lancet, path, folder):
    try:
        before = load(path)
    except Exception:
        return None  # what PyTorch cannot load is compared elsewhere
    target = folder / path.name
    done = run(lancet, "convert", path, "-o", target)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr}"
    try:
        wrong = difference(before, load(target))
    except Exception as error:
        return f"torch.load: {type(error).__name__}: {error}"
    return wrong


def check_edited(lancet, path, folder):
    try:
        before = load(path)
        made = edited(before)
    except Exception:
        return None
    if made is None:
        return None
    steps, new = made
    output = next(iter(reversed(before.graph.nodes))).args[0]
    done = run(lancet, "graph", path, "--json")
    value = next(n for n in json.loads(done.stdout)["nodes"] if n["op"] == "output")["args"]
    value = value["tuple"][0] if isinstance(value, dict) else value[0]
    steps.append({"step": "set_output", "value": {"tuple": [{"node": new.name}, value]}})
    target = folder / f"edited_{path.name}"
    words = [w for s in steps for w in ("--step", json.dumps(s))]
    done = run(lancet, "edit", path, *words, "-o", target)
    if done.returncode:
        return f"edited: exit {done.returncode}: {done.stderr}"
    again = folder / "again.pt"
    try:
        torch.save(before, again)
        expected = load(again)
    except Exception:
        return None
    try:
        wrong = difference(expected, load(target))
    except Exception as error:
        return f"edited: torch.load: {type(error).__name__}: {error}"
    return wrong and f"edited: {wrong}"


def check_folder(lancet, path, folder):
    """Lancet's folder makes the same module as PyTorch's own, where PyTorch can import that."""
    try:
        before = load(path)
        before.to_folder(folder / "by_torch", "FxModule")
        wanted = imported(folder / "by_torch")
    except Exception:
        return None
    target = folder / "by_lancet"
    done = run(lancet, "convert", path, "-o", f"{target}/")
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr}"
    got = imported(target)
    # Constants that the code computes are computed when it is imported; PyTorch stores them.
    a, b = ({n: t for n, t in each.state_dict().items() if not n.startswith("_tensor_constant") or n in got.state_dict()} for each in (wanted, got))
    if list(a) != list(b) or not all(same_tensor(a[name], b[name]) for name in a):
        return f"state_dict: {list(a)} became {list(b)}"
    texts = [torch.fx.symbolic_trace(module).code if not isinstance(module, torch.fx.GraphModule) else module.code for module in (wanted, got)] if traceable(wanted) else ["", ""]
    stored = any(name.startswith("_tensor_constant") for name in wanted.state_dict()) and len(b) < len(wanted.state_dict())
    return None if stored or texts[0] == texts[1] else f"code\n{texts[0]}\nbecame\n{texts[1]}"


def traceable(module):
    try:
        torch.fx.symbolic_trace(module)
        return True
    except Exception:
        return False


def imported(folder):
    source = (folder / "module.py").read_text()
    space = {}
    exec(compile(source, str(folder / "module.py"), "exec"), space)
    return space["FxModule"]()


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--corpus", default=os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "lancet", "oracle"))
    parser.add_argument("--every", type=int, default=1, help="only every Nth file")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    newest = max((p for p in pathlib.Path(options.corpus).iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    files = sorted([*newest.glob("gm_*/*.pt"), *newest.glob("pt2_*/*.pt2")])[::options.every]
    files = [f for f in files if options.only in f"{f.parent.name}/{f.stem}"]
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for file in files:
            kind = saving_exports if file.suffix == ".pt2" else sys.modules[__name__]
            for what, compare in (("", kind.check), ("edited ", kind.check_edited), ("folder ", getattr(kind, "check_folder", None)), ("module ", getattr(kind, "check_as_graph_module", None)), ("inputs ", getattr(kind, "check_inputs", None))):
                if not compare:
                    continue
                label = f"{what}{file.parent.name}/{file.stem}"
                try:
                    with process_of_its_own():
                        wrong = compare(pathlib.Path(options.lancet).resolve(), file, pathlib.Path(name))
                except Exception as error:
                    wrong = f"what was written: {type(error).__name__}: {error}"
                if wrong and label not in KNOWN:
                    failures += 1
                    print(f"FAIL {label}: {wrong[:1500]}", flush=True)
            for left in pathlib.Path(name).iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    print(f"{len(files)} models saved and loaded, {failures} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
