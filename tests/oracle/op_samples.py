# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs PyTorch's own samples of its operators and modules in lancet-worker: the same outputs as in PyTorch, bit for bit?

    op_samples.py --worker BIN [--every N] [--only TEXT] [--forms function,method,inplace,operator,module] [--samples N]

Each float32 CPU sample of op_db (functions, methods, in-place methods, Python operators) and of module_db (in training and in
evaluation) becomes a GraphModule with one call, is saved, and run by both sides with the same seed. Exit 1: a difference that KNOWN
and REFUSED do not list, or less than 95 % of the samples that a graph can hold are equal.
"""

import argparse
import collections
import fnmatch
import io
import contextlib
import operator
import pathlib
import sys
import tempfile
import time
import warnings

import torch
from torch import fx
from torch.utils._pytree import tree_leaves

from running import copies, difference
from worker import Died, Refused, Worker

FORMS = ("function", "method", "inplace", "operator", "module")

# What differs or is not run, and why.
KNOWN = {
    "* empty*": "memory that is left as it is",
    "* new_empty*": "as above",
    "function signal.windows.*": "makes a constant of numbers: torch.fx evaluates it while it traces",
    "function max_pool2d_with_indices_backward": "a function of PyTorch's tests",
    "function linalg.lstsq": "LAPACK's last bits depend on where memory lies",
}


# What is refused with this text, and why.
REFUSED = {
    "a torch.nn.modules.*.Lazy* has no weights before PyTorch has run it once": "PyTorch draws them at the first call",
    "unsupported options of linear_cross_entropy": "the options change how, not what is computed",
    "unsupported nested tensors: a TransformerEncoder uses them in evaluation*": "nested tensors are not run",
}


class Unfit(Exception):
    """A graph cannot hold this sample."""


def lifted(graph, value, found):
    """The value as an argument of a node: tensors become placeholders."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or value.is_nested:
            raise Unfit("layout")
        found.append(value)
        return graph.placeholder(f"x{len(found)}")
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(lifted(graph, part, found) for part in value)
    if isinstance(value, dict):
        return {key: lifted(graph, part, found) for key, part in value.items()}
    if isinstance(value, slice):
        return slice(*(lifted(graph, part, found) for part in (value.start, value.stop, value.step)))
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size)):
        return value
    raise Unfit(type(value).__name__)


def one_call(kind, target, sample, root=None):
    graph, found = fx.Graph(), []
    args = tuple(lifted(graph, value, found) for value in (sample.input, *sample.args))
    kwargs = {name: lifted(graph, value, found) for name, value in sample.kwargs.items()}
    return finished(graph, kind, target, args, kwargs, found, root)


def finished(graph, kind, target, args, kwargs, found, root=None):
    try:
        graph.output(graph.create_node(kind, target, args, kwargs))
        return fx.GraphModule(root or torch.nn.Module(), graph), tuple(found)
    except Exception as error:
        raise Unfit(f"torch.fx: {error}") from error


def operator_targets(op):
    known = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "pow": operator.pow, "remainder": operator.mod,
             "floor_divide": operator.floordiv, "matmul": operator.matmul, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
             "ge": operator.ge, "neg": operator.neg, "abs": operator.abs, "__getitem__": operator.getitem, "bitwise_and": operator.and_}
    return known.get(op.name)


def calls(op, form, count):
    """(label, GraphModule, inputs) of an operator's samples."""
    target = {"function": op.op, "method": op.get_method(), "inplace": op.get_inplace(), "operator": operator_targets(op)}[form]
    if target is None or not hasattr(target, "__name__") or target.__name__ == "<lambda>" or (form == "function" and not getattr(target, "__module__", None)):
        return
    for i, sample in enumerate(op.sample_inputs("cpu", torch.float32)):
        if i >= count:
            return
        try:
            if form in ("function", "operator"):
                if form == "operator" and (sample.kwargs or not isinstance(sample.input, torch.Tensor)):
                    continue
                yield i, one_call("call_function", target, sample)
            elif isinstance(sample.input, torch.Tensor):
                yield i, one_call("call_method", target.__name__, sample)
        except Unfit as why:
            yield i, why


def module_calls(info, count):
    for training in (False, True):
        for i, sample in enumerate(info.module_inputs_func(info, "cpu", torch.float32, requires_grad=False, training=training)):
            if i >= count:
                break
            made, given = sample.constructor_input, sample.forward_input
            torch.manual_seed(2)
            root = torch.nn.Module()
            try:
                root.m = info.module_cls(*made.args, **made.kwargs)
                root.train(training)
                graph, found = fx.Graph(), []
                args = tuple(lifted(graph, value, found) for value in given.args)
                kwargs = {name: lifted(graph, value, found) for name, value in given.kwargs.items()}
                gm, inputs = finished(graph, "call_module", "m", args, kwargs, found, root)
                gm.train(training)
                yield f"{'train' if training else 'eval'}{i}", (gm, inputs)
            except Unfit as why:
                yield f"{'train' if training else 'eval'}{i}", why


def called(module, inputs):
    torch.manual_seed(0)
    with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):
        return module(*inputs)


def plain(value):
    return not isinstance(value, torch.Tensor) or (value.layout == torch.strided and not value.is_quantized and not value.is_nested)


def compare(module, inputs, path, worker):
    """None when equal, False when PyTorch itself fails, else what differs."""
    try:
        torch.save(module, path)
        loaded = torch.load(path, weights_only=False)
        expected = called(loaded, copies(inputs))
        if not all(plain(leaf) for leaf in tree_leaves(expected)):
            return False
    except Exception:  # noqa: BLE001: what a graph cannot hold, or not run
        return False
    try:
        return difference(expected, worker.run(path, inputs))
    except Refused as error:
        return f"refused: {error.args[0]['what']}"
    except Died as error:
        return f"the worker {error}"


def all_calls(options):
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db

    for op in op_db[::options.every]:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if options.only not in name or torch.float32 not in op.dtypes:
            continue
        for form in FORMS[:-1]:
            if form in options.forms:
                torch.manual_seed(1)
                yield from ((f"{form} {name}", label, call) for label, call in calls(op, form, options.samples))
    for info in module_db[::options.every]:
        if "module" in options.forms and options.only in info.module_cls.__name__:
            torch.manual_seed(1)
            yield from ((f"module {info.module_cls.__name__}", label, call) for label, call in module_calls(info, options.samples))


def known(name, found):
    refusals = (why for text, why in REFUSED.items() if fnmatch.fnmatchcase(found, f"refused: {text}"))
    return next(refusals, None) or next((why for pattern, why in KNOWN.items() if fnmatch.fnmatchcase(name, pattern)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only each Nth operator and module")
    parser.add_argument("--only", default="", help="operators with TEXT in their names")
    parser.add_argument("--forms", default=",".join(FORMS), type=lambda text: text.split(","))
    parser.add_argument("--samples", type=int, default=1000, help="at most N samples of each")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    worker, started = Worker(options.worker), time.time()
    counts, unfit, first, failing = collections.Counter(), collections.Counter(), {}, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, label, call in all_calls(options):
            kind = name.split()[0]
            if isinstance(call, Unfit):
                unfit[f"{kind}: {call}"[:60]] += 1
                continue
            found = compare(*call, f"{folder}/sample.pt", worker)
            if found is False:
                unfit[f"{kind}: PyTorch does not run it from a file"] += 1
                continue
            result = "equal" if found is None else "known" if known(name, found) else "different"
            counts[kind, result] += 1
            if result == "different":
                failing[name] += 1
                if name not in first:
                    first[name] = f"{label}: {found}"
                    print(f"FAIL {name}: {first[name]}"[:260], flush=True)
    worker.stop()
    for text, count in unfit.most_common(12):
        print(f"not in a graph: {count:5} {text}")
    for kind in FORMS:
        equal, listed, wrong = (counts[kind, result] for result in ("equal", "known", "different"))
        if equal + listed + wrong:
            print(f"{kind:9} {equal} equal, {listed} known, {wrong} different: {100 * equal / (equal + listed + wrong):.2f} %")
    print(f"in {time.time() - started:.0f} s")
    return 1 if failing or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
