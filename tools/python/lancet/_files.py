# SPDX-License-Identifier: GPL-3.0-or-later
"""Models and inputs as files that Lancet opens."""

import itertools
import json
import os
import pathlib
import re
import shutil
import tempfile
import time
import warnings

_KEPT_SECONDS = 7 * 24 * 3600
_numbers = itertools.count()
_folder = None


def folder():
    """The folder of this process. It outlives the process, since windows read weights when they need them."""
    global _folder
    if _folder is None:
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "lancet" / "python"
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in cache.iterdir():
            if time.time() - old.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        _folder = pathlib.Path(tempfile.mkdtemp(dir=cache))
    return _folder


def graph_module(model, inputs=None):
    """The GraphModule of a module: itself, as torch.fx traces it, or else as torch.export does."""
    import torch

    if isinstance(model, torch.fx.GraphModule) or isinstance(model, torch.export.ExportedProgram):
        return model
    if not isinstance(model, torch.nn.Module) and not callable(model):
        raise TypeError(f"expected a GraphModule, an ExportedProgram, a module or a function, got {type(model).__name__}")
    try:
        return torch.fx.symbolic_trace(model)
    except Exception as error:  # what torch.fx refuses has many types
        if inputs is None or not isinstance(model, torch.nn.Module):
            raise TypeError(f"torch.fx cannot trace {type(model).__name__}: {error}; pass inputs to export it instead") from error
    return torch.export.export(model, tuple(inputs))


def name_of(model):
    """What a person calls a model: its class, or the name of the function."""
    return getattr(model, "__name__", None) or getattr(model, "_get_name", lambda: type(model).__name__)()


def write_model(model, name=None):
    """Writes a GraphModule or an exported program; returns the path."""
    import torch

    number = next(_numbers)
    name = re.sub(r"\W+", "_", name or name_of(model))
    stem = folder() / (name if number == 0 else f"{name}_{number}")
    if isinstance(model, torch.export.ExportedProgram):
        torch.export.save(model, stem.with_suffix(".pt2"))
        return stem.with_suffix(".pt2")
    # Bookkeeping of those who made the graph is often not picklable, and is not needed.
    plain = torch.fx.GraphModule(model, model.graph, class_name=name)
    plain.meta.clear()
    plain.train(model.training)
    try:
        torch.save(plain, stem.with_suffix(".pt"))
        return stem.with_suffix(".pt")
    except Exception as error:  # what pickle raises depends on the objects
        stem.with_suffix(".pt").unlink(missing_ok=True)
        text = model.print_readable(print_output=False)
        path = stem.with_suffix(".py")
        reason = str(error).splitlines() or [type(error).__name__]
        path.write_text(f"# Only text, since PyTorch cannot save this GraphModule: {reason[0]}\n{text}\n", encoding="utf-8")
        return path


def _saved_input(value):
    """An input as torch.save takes it: a size that is a symbol becomes the number that it stands for."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value.node.hint  # int(value) would add a guard
    return value


def write_inputs(model, inputs, path):
    """Writes inputs, and what Lancet needs to find them; returns the path of the latter. None: no inputs, or PyTorch
    cannot save them."""
    import torch

    if inputs is None:
        return None
    values = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    if isinstance(model, torch.export.ExportedProgram):  # its inputs are the leaves of nested ones
        names = list(model.graph_signature.user_inputs)
        values = torch.utils._pytree.tree_leaves(tuple(values))
    else:
        names = [str(node.target) for node in model.graph.nodes if node.op == "placeholder"]
    values = [_saved_input(value) for value in values]
    data = path.with_suffix(".inputs.pt")
    try:
        torch.save(tuple(values), data)
    except Exception as error:  # what pickle raises depends on the objects
        data.unlink(missing_ok=True)
        warnings.warn(f"Lancet gets no inputs, since PyTorch cannot save them: {error}", stacklevel=2)
        return None
    described = []
    for index, (name, value) in enumerate(zip(names, values)):
        described.append({"name": name, "generator": "file", "file": str(data), "entry": str(index),
                          "sizes": [_saved_input(size) for size in value.shape] if isinstance(value, torch.Tensor) else [],
                          "dtype": str(value.dtype) if isinstance(value, torch.Tensor) else type(value).__name__})
    described_at = path.with_suffix(".inputs.json")
    described_at.write_text(json.dumps({"seed": "0", "inputs": described}), encoding="utf-8")
    return described_at
