# SPDX-License-Identifier: GPL-3.0-or-later
"""The window."""

import subprocess
import tempfile

from . import _files
from ._commands import LancetError, program


def _command(model, inputs, path, *options):
    told = _files.write_inputs(model, inputs, path)
    return [program("lancet-gui"), *(["--inputs", str(told)] if told else []), *options, str(path)]


def show(model, inputs=None, name=None):
    """Opens a GraphModule, an exported program, a module or a function in the window that is open, or a new one.
    Returns the path of the file that was written for it."""
    made = _files.graph_module(model, inputs)
    path = _files.write_model(made, name or _files.name_of(model))
    subprocess.Popen(_command(made, inputs, path), stdin=subprocess.DEVNULL, start_new_session=True)
    return path


def edit(model, inputs=None, name=None):
    """Opens a model, waits until it is closed, and returns the GraphModule (or exported program) that was saved to the
    same file; without a save, the model unchanged. Like every load of a GraphModule, this traces its code again."""
    import torch

    made = _files.graph_module(model, inputs)
    path = _files.write_model(made, name or _files.name_of(model))
    if path.suffix == ".py":
        raise LancetError(path.read_text(encoding="utf-8").splitlines()[0].lstrip("# "))
    before = path.stat()
    # A pipe would stay open in a window that is started for this file, and outlives it.
    with tempfile.TemporaryFile() as told:
        done = subprocess.run(_command(made, inputs, path, "--wait"), stdin=subprocess.DEVNULL, stderr=told)
        told.seek(0)
        error = told.read().decode(errors="replace").strip()
    if done.returncode:
        raise LancetError(error or f"lancet-gui ended with {done.returncode}")
    after = path.stat()
    if (before.st_ino, before.st_mtime_ns, before.st_size) == (after.st_ino, after.st_mtime_ns, after.st_size):
        return made
    return torch.export.load(path) if path.suffix == ".pt2" else torch.load(path, weights_only=False)


def backend(graph_module, example_inputs):
    """A backend of torch.compile that shows each captured graph and runs it unchanged."""
    show(graph_module, example_inputs, name="compiled")
    return graph_module.forward
