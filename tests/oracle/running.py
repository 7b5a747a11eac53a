# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the models of the corpus in lancet-worker and in PyTorch: the same outputs, bit for bit?

    running.py --worker BIN [--every N] [--only TEXT] [--verbose]

Takes the saved GraphModules of the corpus (run_oracle.py makes it) that PyTorch can run with inputs that are guessed here, and its
exported programs with the inputs that they were exported with; the same inputs and seed on both sides. What draws random numbers is compared too, since the seeds are equal. Exit 1: a difference
that is not listed in KNOWN.
"""

import contextlib
import fnmatch
import io
import sys
import warnings

import torch
from torch.export._tree_utils import reorder_kwargs
from torch.utils._pytree import tree_leaves, tree_map

from over_corpus import over_corpus
from worker import Died, Refused, bits

# What differs or is not run, and why.
KNOWN = {
    "gm_arguments/returned_enum": "a member of a class of the corpus",
    "pt2_control/associative_scan": "calls functions of torch._functorch, which are Python",
    "pt2_features/arguments*": "memory that torch.empty leaves as it is",
    "pt2_features/strict": "as above",
    "gm_modules/LazyConvTranspose?d_0_leaf": "a lazy module without weights: PyTorch draws them at the first call",
}


# -- inputs ---------------------------------------------------------------------------------------------------------------


def shapes(module):
    """Shapes worth trying, those that the first modules ask for first."""
    wanted = []
    for inner in module.modules():
        weight = getattr(inner, "weight", None)
        if isinstance(inner, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            wanted += [(2, inner.in_channels) + (size,) * (weight.dim() - 2) for size in (32, 64, 224)]
        elif isinstance(inner, torch.nn.Linear):
            wanted += [(2, inner.in_features), (2, 5, inner.in_features)]
        elif isinstance(inner, (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)):
            wanted += [(5, 2, inner.input_size)]
        elif isinstance(inner, torch.nn.MultiheadAttention):
            wanted += [(5, 2, inner.embed_dim)]
        elif isinstance(inner, torch.nn.LayerNorm):
            wanted += [(2, *inner.normalized_shape), (2, 5, *inner.normalized_shape)]
        elif isinstance(getattr(inner, "num_features", None), int):
            features = inner.num_features
            wanted += [(2, features), (2, features, 6), (2, features, 6, 6), (2, features, 4, 4, 4)]
    common = [(2, 3, 8, 8), (4, 4), (2, 4), (2, 3), (3,), (4,), (2, 3, 4), (1, 3, 32, 32), (2, 8), (8, 8), (2, 16), (1, 4, 8, 8), (2, 4, 8), (2, 6), (6,), (2, 8, 8),
              (2, 3, 16), (2, 4, 6, 6, 6), (1, 3, 224, 224), (2, 10), (5, 5), (2, 1, 28, 28), (3, 3), (1,), ()]
    return list(dict.fromkeys(wanted[:12] + common))


def drawn(shape, kind):
    if kind == "float":
        return torch.randn(shape)
    if kind == "int":
        return torch.randint(3, shape)
    if kind == "bool":
        return torch.randint(2, shape).bool()
    if kind == "double":
        return torch.randn(shape, dtype=torch.float64)
    return {"number": 2, "real": 0.5, "list": [torch.randn(2, 3), torch.randn(2, 3)]}[kind]


def candidates(module, count):
    for kind in ("float", "int"):
        for shape in shapes(module):
            yield tuple(drawn(shape, kind) for _ in range(count))
    for kind in ("bool", "number", "real", "list", "double"):
        yield tuple(drawn((2, 3), kind) for _ in range(count))
    if count > 1:
        for shape in [(2, 3), (4, 4), (2, 3, 8, 8), (2, 5, 8)]:
            for kind in ("int", "bool", "number"):
                yield (drawn(shape, "float"),) + tuple(drawn(shape, kind) for _ in range(count - 1))
                yield tuple(drawn(shape, "float") for _ in range(count - 1)) + (drawn(shape, kind),)


def placeholders(module):
    return [node for node in module.graph.nodes if node.op == "placeholder"]


def call(module, inputs):
    torch.manual_seed(0)
    with torch.no_grad(), warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):  # torch.fx prints where a call failed
        warnings.simplefilter("ignore")
        return module(*inputs)


def guess(load):
    """Inputs with which the model runs, or None."""
    module = load()
    needed = [node for node in placeholders(module) if not node.args and not node.target.startswith("*")]
    counts = [len(needed)] + ([1, 2] if any(node.target.startswith("*") for node in placeholders(module)) else [])
    for count in dict.fromkeys(counts):
        torch.manual_seed(1)
        for inputs in candidates(module, count) if count else [()]:
            try:
                call(module, copies(inputs))
            except Exception:  # noqa: BLE001: any reason is the same here
                continue
            return inputs
    return None


def copy_of(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def copies(inputs):
    return tree_map(copy_of, inputs)


# -- comparing ------------------------------------------------------------------------------------------------------------


def difference(a, b, path="output"):
    """What differs between what PyTorch (a) and Lancet (b) give, or None."""
    if isinstance(a, torch.Tensor):
        if not isinstance(b, torch.Tensor):
            return f"{path}: a Tensor, not {type(b).__name__}"
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{path}: {a.dtype} {tuple(a.shape)}, not {b.dtype} {tuple(b.shape)}"
        if bits(a) == bits(b):
            return None
        if a.is_floating_point() and torch.equal(a.isnan(), b.isnan()) and torch.equal(a.nan_to_num(), b.nan_to_num()):
            return None  # the bits of a NaN carry no meaning
        off = (a.double() - b.double()).abs().max() if not a.is_complex() else (a - b).abs().max()
        return f"{path}: values differ by up to {off:.3g}"
    if isinstance(a, (tuple, list)):
        if not isinstance(b, (tuple, list)) or len(a) != len(b):
            return f"{path}: {type(a).__name__} of {len(a)}, not {b!r:.80}"
        return next((text for i, (x, y) in enumerate(zip(a, b)) if (text := difference(x, y, f"{path}[{i}]"))), None)
    if isinstance(a, dict):
        if not isinstance(b, dict) or list(a) != list(b):
            return f"{path}: dict of {list(a)}, not {b!r:.80}"
        return next((text for key in a if (text := difference(a[key], b[key], f"{path}[{key!r}]"))), None)
    same = type(a) is type(b) and (a == b or a != a) or str(a) == str(b)
    return None if same else f"{path}: {a!r:.60}, not {b!r:.60}"


def known(name, found):
    if "refused" in found and "corpus.support." in found:
        return "Python code of the corpus, which the file does not hold"
    return next((why for pattern, why in KNOWN.items() if fnmatch.fnmatchcase(name, pattern)), None)


def of_graph_module(path):
    """Inputs and what the model gives for them; None for the inputs when there are none."""
    def load():
        return torch.load(path, weights_only=False)

    inputs = guess(load)
    return inputs, None if inputs is None else call(load(), copies(inputs))


def of_exported_program(path):
    program = torch.export.load(path)
    args, kwargs = program.example_inputs or (None, None)
    if args is None:
        return None, None
    inputs = tuple(tree_leaves((args, reorder_kwargs(kwargs, program.call_spec.in_spec))))
    torch.manual_seed(0)
    with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):
        return inputs, program.module()(*tree_map(copy_of, args), **tree_map(copy_of, kwargs))


def compare(path, worker):
    """None when equal, False when PyTorch cannot run it with a guess, else what differs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            inputs, expected = (of_exported_program if path.suffix == ".pt2" else of_graph_module)(path)
            if inputs is None:
                return False
        except Exception:  # noqa: BLE001: cannot be loaded again, or not twice
            return False
    try:
        return difference(expected, worker.run(path, inputs))
    except Refused as error:
        report = error.args[0]
        return f"refused at {report['node']}: {report['what']}"
    except Died as error:
        return f"the worker {error}"
    except NotImplementedError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(over_corpus(__doc__, "running", compare, known))
