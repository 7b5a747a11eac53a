# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of all nodes, beside torch.fx's ShapeProp: shape, dtype, strides and need of gradients.

    shapes.py --worker BIN [--every N] [--only TEXT] [--verbose]

Takes the models of the corpus with the inputs that running.py guesses. The worker computes values only for models that cannot do
without; told is how many did, and how many nodes have no shape while nobody has asked for it. Exit 1: a difference that is not listed in KNOWN.
"""

import contextlib
import fnmatch
import io
import sys
import warnings

import torch
from torch.export._tree_utils import reorder_kwargs
from torch.fx.passes.shape_prop import ShapeProp, TensorMetadata
from torch.utils._pytree import tree_leaves

from over_corpus import over_corpus
from running import copies, guess, known as known_runs
from worker import Died, Refused, Tables

# What differs, and why.
STRIDES = "by itself, constants that are computed on loading have the strides of a copy: they are computed only when asked for"
KNOWN = {
    "gm_constants/in_place_on_constant": "stays a call, which PyTorch runs while it loads the file",
    "gm_constants/operation_expand": STRIDES,
    "gm_constants/operation_permute": STRIDES,
    "gm_constants/operation_transpose": STRIDES,
    "pt2_features/views": "a buffer that is a view of a parameter: the file says that it needs no gradients, PyTorch's loader that it does",
}

STATISTICS = {"ran": [], "nodes": 0, "micros": 0, "waiting": 0, "waiting models": 0}


def propagated(module, inputs):
    """Facts by node as ShapeProp finds them, and whether with gradients: without them where it fails with them."""
    for gradients in (True, False):
        given = copies(inputs)  # before gradients are switched off, which parameters among them would notice
        torch.manual_seed(0)
        # What it prints about failures is not wanted here.
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()), contextlib.nullcontext() if gradients else torch.no_grad():
            warnings.simplefilter("ignore")
            try:
                for node in module.graph.nodes:
                    node.meta.pop("tensor_meta", None)
                ShapeProp(module).propagate(*given)
                break
            except Exception:  # noqa: BLE001: any reason is the same here
                if not gradients:
                    raise
    return {node.name: facts(node.meta.get("tensor_meta")) for node in module.graph.nodes}, gradients


def facts(meta):
    leaves = tree_leaves(meta, is_leaf=lambda item: isinstance(item, TensorMetadata))
    return [(list(leaf.shape), str(leaf.dtype), list(leaf.stride), leaf.requires_grad) for leaf in leaves if isinstance(leaf, TensorMetadata)]


def told(answer):
    def of(value):
        return [int(n) for n in value["sizes"]], value["dtype"], [int(n) for n in value["strides"]], value["grad"]
    return {node["name"]: [of(value) for value in node["values"]] for node in answer["nodes"]}


def asked(worker, path, inputs, gradients, by_itself=False):
    tables = Tables(inputs)
    return worker.call({"verb": "shapes", "gradients": gradients, "may_run": True, "by_itself": by_itself, "as_recorded": False, "model": str(path), "seed": "0", "threads": torch.get_num_threads(), "random": [],
                        "inputs": tables.tree, "tensors": tables.tensors, "storages": tables.storages})[0]


def load(path):
    """The module, the values of its placeholders for ShapeProp, and what the worker is given; None when it cannot be run."""
    if path.suffix != ".pt2":
        inputs = guess(lambda: torch.load(path, weights_only=False))
        return inputs is not None and (torch.load(path, weights_only=False), inputs, inputs)
    program = torch.export.load(path)
    args, kwargs = program.example_inputs or (None, None)
    if args is None:
        return None
    user = tuple(tree_leaves((args, reorder_kwargs(kwargs, program.call_spec.in_spec))))
    flat = program._graph_module_flat_inputs(args, kwargs)
    return program.graph_module, flat, user


def difference(expected, got):
    for name, facts_of in expected.items():
        if name not in got:
            return f"{name} is not known"
        if facts_of != got[name]:
            return f"{name}: {facts_of}, not {got[name]}"[:400]
    return None


def compare(path, worker):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loaded = load(path)
            if not loaded:
                return False
            module, inputs, given = loaded
            expected, gradients = propagated(module, inputs)
        except Exception:  # noqa: BLE001: cannot be loaded again, or not be run by ShapeProp
            return False
    try:
        answer = asked(worker, path, given, gradients)
    except Refused as error:
        return f"refused at {error.args[0]['node']}: {error.args[0]['what']}"
    except Died as error:
        return f"the worker {error}"
    except NotImplementedError as error:
        return str(error)
    STATISTICS["ran"] += [f"{path.parent.name}/{path.stem}"] if answer["ran"] else []
    STATISTICS["nodes"] += len(expected)
    STATISTICS["micros"] += answer["micros"]
    if answer["failures"]:
        failure = answer["failures"][0]
        return f"{failure['node']} failed: {failure['what']}"[:400]
    return difference(expected, told(answer)) or difference_by_itself(worker, path, given, gradients, told(answer))


def difference_by_itself(worker, path, given, gradients, asked_for):
    """What is inferred without being asked for may be less, but not something else."""
    answer = asked(worker, path, given, gradients, by_itself=True)
    if answer["ran"]:
        return "the model was run without being asked for"
    for failure in answer["failures"]:
        if not failure["needs_values"]:
            return f"by itself: {failure['node']} failed: {failure['what']}"[:400]
    alone = told(answer)
    STATISTICS["waiting"] += len(asked_for) - len(alone)
    STATISTICS["waiting models"] += len(asked_for) > len(alone)
    return next((f"by itself: {name}: {asked_for[name]}, not {facts_of}"[:400] for name, facts_of in alone.items() if facts_of != asked_for[name]), None)


def known(name, found):
    if "corpus.support." in found and ("cannot run modules of class" in found or "unsupported function" in found):
        return "Python code of the corpus, which the file does not hold"
    return known_runs(name, found) or next((why for pattern, why in KNOWN.items() if fnmatch.fnmatchcase(name, pattern)), None)


def summary():
    return f"; {len(STATISTICS['ran'])} run with values; {STATISTICS['nodes']} nodes in {STATISTICS['micros'] / 1e6:.2f} s of the worker; " \
        f"{STATISTICS['waiting']} nodes of {STATISTICS['waiting models']} models wait until they are asked for"


if __name__ == "__main__":
    sys.exit(over_corpus(__doc__, "shapes", compare, known, summary))
