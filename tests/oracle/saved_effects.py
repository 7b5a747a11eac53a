# SPDX-License-Identifier: GPL-3.0-or-later
"""Does Lancet say what a saved graph no longer does once PyTorch has traced its code again?

    saved_effects.py --lancet BIN [--only TEXT] [--every N]

Each graph of `graphs` runs twice in PyTorch as it is, and twice as each file that lancet writes of it. What the runs
return, what becomes of their inputs, and the buffers are compared. A `.pt` that does something else must be told of, for
its node; one that does the same must not be. A folder opens as the graph, and writing it again keeps it.
`lancet verify` never calls a file equal that does something else. Folders, `.py` and `.ts` always do the same, and so does a `.pt` after the
pass that the warning offers.
"""

import argparse
import json
import math
import operator
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch

import ir_files

# Codes of warnings that say what a file does otherwise than the graph.
EFFECTS = {"foresee.write_lost", "foresee.dtype_kept", "foresee.constant_kept", "foresee.updated_once", "foresee.runs_once",
           "foresee.decided_once", "foresee.random_frozen", "foresee.value_frozen"}
UNLOADABLE = {"foresee.item_assignment", "foresee.control_flow", "foresee.len", "foresee.contains", "foresee.unloadable",
              "foresee.reads_data", "foresee.higher_order", "foresee.empty_body", "foresee.missing_function"}
# Told of, and the same with these inputs: a second run of such a write changes nothing, and x is not y.
IDEMPOTENT = {"buffer iand", "buffer ifloordiv", "buffer imod", "buffer imul", "buffer ior", "buffer ipow", "buffer irshift",
              "buffer itruediv", "constant out", "buffer item of a number", "is None"}
NOT_COMPARED = {"gradients off"}  # by verify, which runs without gradients
# What Lancet does not follow itself: it says that the graph is known only at run time.
NOT_FOLLOWED = {"buffer item of a number", "buffer item of an input", "buffer item of a value"}


class Root(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.register_buffer("whole", torch.ones(3, dtype=torch.int64))
        self.w = torch.nn.Parameter(torch.ones(3))
        self.layer = torch.nn.Linear(3, 3)


def graphs():
    """Pairs of a name and a function that fills a graph with the inputs x and y and returns its output."""
    yield from augmented()
    yield from constants()
    yield from objects()
    yield from named_inputs()
    yield from unloadable()


def augmented():
    whole = ("iand", "ior", "ixor", "ilshift", "irshift")
    for name in ("iadd", "iand", "ifloordiv", "ilshift", "imod", "imul", "ior", "ipow", "irshift", "isub", "itruediv", "ixor"):
        function = getattr(operator, name)
        if name not in whole:
            yield f"input {name}", lambda g, x, y, f=function: (g.call_function(f, (x, 2)), x)
        else:
            yield f"new memory {name}", lambda g, x, y, f=function: g.call_function(f, (g.call_function(torch.bitwise_not, (g.call_method("long", (x,)),)), 2))
        yield f"buffer {name}", lambda g, x, y, f=function, b="whole" if name in whole else "count": \
            (g.call_function(f, (g.get_attr(b), 2)), x)
    yield "buffer iadd of an input", lambda g, x, y: g.call_function(operator.iadd, (g.get_attr("count"), x))
    relu = lambda g, x: g.call_function(torch.relu, (x,))
    yield "new memory", lambda g, x, y: g.call_function(operator.iadd, (relu(g, x), y))

    def view(g, x, y):
        base = relu(g, x)
        g.call_function(operator.iadd, (g.call_function(operator.getitem, (base, 0)), 5))
        return base

    def base(g, x, y):
        value = relu(g, x)
        seen = g.call_method("view", (value, 3, 1))
        g.call_function(operator.isub, (value, 5))
        return seen

    def chain(g, x, y):
        value = relu(g, x)
        g.call_function(operator.imul, (g.call_function(operator.iadd, (value, 5)), 2))
        return value

    yield "view", view
    yield "base of a view", base
    yield "two in a chain", chain
    yield "module after it", lambda g, x, y: g.call_module("layer", (g.call_function(operator.iadd, (relu(g, x), y)),))
    yield "size", lambda g, x, y: (g.call_function(operator.iadd, (g.call_method("size", (x, 0)), 1)), x)
    yield "matmul", lambda g, x, y: g.call_function(operator.imatmul, (x, y))


def constants():
    for name, make in (("zeros", lambda g: g.call_function(torch.zeros, (3,))), ("aten zeros", lambda g: g.call_function(torch.ops.aten.zeros.default, ([3],))),
                       ("clone", lambda g: g.call_method("clone", (g.get_attr("count"),)))):
        yield f"{name} written to", lambda g, x, y, m=make: g.call_method("add_", (m(g), x))
        yield f"{name} and iadd", lambda g, x, y, m=make: g.call_function(operator.iadd, (m(g), x))
    yield "parameter cloned", lambda g, x, y: g.call_method("add_", (g.call_method("clone", (g.get_attr("w"),)), x))
    yield "constant out", lambda g, x, y: g.call_function(torch.add, (x, y), {"out": g.call_function(torch.zeros, (3,))})
    yield "buffer and method", lambda g, x, y: (g.call_method("add_", (g.get_attr("count"), 1)), x)
    yield "buffer and operator", lambda g, x, y: (g.call_function(torch.ops.aten.add_.Tensor, (g.get_attr("count"), 1)), x)
    yield "buffer and input", lambda g, x, y: (g.call_method("add_", (g.get_attr("count"), x)), x)

    def copied(g, x, y):
        count = g.get_attr("count")
        g.call_method("copy_", (count, g.call_function(torch.add, (count, 1))))
        return x

    def modes(g, x, y):
        g.call_function(torch._C._set_grad_enabled, (False,))
        product = g.call_function(torch.mul, (x, g.get_attr("w")))
        g.call_function(torch._C._set_grad_enabled, (True,))
        return product

    def seeded(g, x, y):
        g.call_function(torch.manual_seed, (3,))
        return g.call_function(torch.nn.functional.dropout, (x, 0.5, True))

    yield "copy into a buffer", copied
    yield "gradients off", modes
    yield "seed", seeded
    yield "random", lambda g, x, y: g.call_function(torch.add, (g.call_function(torch.rand, (3,)), x))
    yield "random method", lambda g, x, y: g.call_function(torch.add, (g.call_method("normal_", (g.call_function(torch.empty, (3,)),)), x))
    yield "number from nothing", lambda g, x, y: g.call_function(torch.mul, (x, g.call_function(torch.arange, (3,))))
    for name, value in (("number", lambda g, x: 7.0), ("input", lambda g, x: x), ("value", lambda g, x: g.call_function(operator.getitem, (x, 1)))):
        def item(g, x, y, v=value):
            count = g.get_attr("count")
            g.call_function(operator.setitem, (count, 0 if v(g, x) is not x else slice(None), v(g, x)))
            return count, x
        yield f"buffer item of a{'n' if name == 'input' else ''} {name}", item


def objects():
    yield "is", lambda g, x, y: (g.call_function(operator.is_, (x, x)), x)
    yield "is None", lambda g, x, y: (g.call_function(operator.is_not, (x, y)), x)
    yield "tensor", lambda g, x, y: (g.call_function(torch.is_tensor, (x,)), x)


def named_inputs():
    """The second input has the name of something else that the code reads."""
    product = lambda g, x, y: g.call_function(torch.mul, (x, y))
    uses = {
        "inf": lambda g, x, y: g.call_function(torch.clamp, (product(g, x, y), 0.0, math.inf)),
        "nan": lambda g, x, y: g.call_function(torch.nan_to_num, (g.call_function(torch.full_like, (product(g, x, y), math.nan)),), {"nan": 2.0}),
        "torch": product,
        "device": lambda g, x, y: g.call_function(torch.ones_like, (product(g, x, y),), {"device": torch.device("cpu")}),
        "slice": lambda g, x, y: g.call_function(operator.getitem, (product(g, x, y), slice(0, 2))),
        "Ellipsis": lambda g, x, y: g.call_function(operator.getitem, (product(g, x, y), (Ellipsis, 0))),
        "range": product,
        "math_sqrt": lambda g, x, y: g.call_function(torch.mul, (product(g, x, y), g.call_function(math.sqrt, (4.0,)))),
    }
    for name, use in uses.items():
        yield f"named {name}", use

    def called_self(g, x, y):
        value = product(g, x, y)
        value._rename("self")
        return g.call_module("layer", (value,))

    yield "node self", called_self


def unloadable():
    def item(g, x, y):
        value = g.call_function(torch.relu, (x,))
        g.call_function(operator.setitem, (value, 0, 9.0))
        return value

    any_large = lambda g, x: g.call_method("any", (g.call_function(operator.gt, (x, 100)),))
    yield "item", item
    yield "not", lambda g, x, y: (g.call_function(operator.not_, (any_large(g, x),)), x)
    yield "len", lambda g, x, y: g.call_function(torch.mul, (x, g.call_function(len, (x,))))
    yield "contains", lambda g, x, y: (g.call_function(operator.contains, (x, 3.0)), x)
    yield "float", lambda g, x, y: g.call_function(torch.mul, (x, g.call_function(float, (g.call_method("sum", (x,)),))))
    yield "tensor of sizes", lambda g, x, y: g.call_function(torch.mul, (x, g.call_function(torch.tensor, ([g.call_method("size", (x, 0)), 1, 2],))))


def built(name, fill):
    graph = torch.fx.Graph()
    second = name[len("named "):] if name.startswith("named ") else "y"
    inputs = graph.placeholder("x"), graph.placeholder(second)
    if second == "math_sqrt":
        inputs[1]._rename("root")
    graph.output(fill(graph, *inputs))
    torch.manual_seed(0)
    return torch.fx.GraphModule(Root(), graph)


def behaviour(run, module):
    """Two runs: results, inputs afterwards, buffers."""
    seen = []
    for seed in (1, 2):
        inputs = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([5.0, 6.0, 7.0])
        torch.manual_seed(seed)
        try:
            result = repr(run(*inputs))
        except Exception as error:
            result = type(error).__name__
        seen.append((result, repr(inputs)))
    buffers = {name: repr(each) for name, each in module.named_buffers() if not name.startswith("_tensor_constant")}
    return seen, buffers


class Interpreted(torch.fx.Interpreter):
    """The graph itself, whatever its code reads: names of inputs do not hide anything."""


def converted(lancet, source, target, *words):
    verb = ["pass", source, *words] if words else ["convert", source]
    done = subprocess.run([str(lancet), *map(str, verb), "-o", str(target), "--json"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    return json.loads(done.stdout)["warnings"], ""


def loaded(target, weights):
    if target.suffix == ".pt":
        return torch.load(target, weights_only=False)
    if target.suffix == ".ts":
        return torch.jit.load(target)
    space = {"__name__": "written"}
    source = target / "module.py" if target.is_dir() else target
    exec(compile(source.read_text(), str(source), "exec"), space)
    made = [each for each in space.values() if isinstance(each, type) and each.__module__ == "written"][-1]()
    made.load_state_dict(weights, strict=False)
    return made


def check(lancet, name, fill, folder):
    """What is wrong with one graph, in words."""
    module = built(name, fill)
    source = folder / "graph.json"
    ir_files.write(module, source)
    weights = {key: value.clone() for key, value in module.state_dict().items()}
    expected = behaviour(Interpreted(module).run, module)
    for target in (folder / "net.pt", folder / "net", folder / "net.py", folder / "net.ts"):
        written, why = converted(lancet, source, f"{target}/" if target.suffix == "" else target)
        if written is None:
            if target.suffix != ".ts":  # which has no words for all of it
                yield f"{target.name}: {why}"
            continue
        codes = {each["code"] for each in written}
        try:
            result = loaded(target, weights)
            same = behaviour(result, result) == expected
        except Exception as error:
            if target.suffix != ".pt" or not codes & UNLOADABLE:
                yield f"{target.name}: {type(error).__name__}: {error}; told {sorted(codes)}"
            continue
        if not same and target.suffix == ".pt" and name not in NOT_COMPARED:
            yield from never_equal(lancet, module, source, target)
        told = codes & (EFFECTS | UNLOADABLE)
        if name in NOT_FOLLOWED and target.suffix == ".pt":
            told = told or codes & {"foresee.loading_warns"}
        if not same and (target.suffix != ".pt" or not told):
            yield f"{target.name}: {behaviour(result, result)} instead of {expected}; told {sorted(codes)}"
        if told and (same and name not in IDEMPOTENT | NOT_FOLLOWED or target.suffix != ".pt"):
            yield f"{target.name}: does the same, and {sorted(told)} are told"
        if name.startswith("named ") and target.suffix != ".ts" and ("foresee.input_renamed" in codes) != (name != "named range"):
            yield f"{target.name}: {sorted(codes)}"
        if target.suffix == "":
            yield from kept_in_folders(lancet, target, weights, expected)
        if "foresee.write_lost" in codes:
            yield from kept_by_methods(lancet, source, folder / "methods.pt", expected)


def never_equal(lancet, module, source, target):
    """The graph, and a file of it that does something else in PyTorch."""
    names = [node.target for node in module.graph.nodes if node.op == "placeholder"]
    given = source.parent / "inputs.pt"
    torch.save(dict(zip(names, (torch.tensor([1.0, -2.0, 3.0]), torch.tensor([5.0, 6.0, 7.0])))), given)
    done = subprocess.run([str(lancet), "verify", str(source), str(target), "--inputs", str(given), "--no-probe", "--json"], capture_output=True, text=True)
    verdict = json.loads(done.stdout).get("verdict") if done.stdout else None
    if verdict in ("equal", "close"):
        yield f"{target.name}: verify says {verdict}"


def kept_in_folders(lancet, source, weights, expected):
    """The folder opened by lancet, and written again."""
    target = source.parent / "again"
    written, why = converted(lancet, source, f"{target}/")
    result = None if written is None else loaded(target, weights)
    if result is None or behaviour(result, result) != expected:
        yield f"folder of a folder: {why or behaviour(result, result)} instead of {expected}"


def kept_by_methods(lancet, source, target, expected):
    """The pass that the warning offers."""
    written, why = converted(lancet, source, target, "inplace_methods")
    result = None if written is None else torch.load(target, weights_only=False)
    if result is None or behaviour(result, result) != expected:
        yield f"inplace_methods: {why or behaviour(result, result)} instead of {expected}"


def main():
    warnings.simplefilter("ignore")
    sys.stderr = open("/dev/null", "w")  # torch.fx prints the code of each call that fails
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth graph")
    options = parser.parse_args()
    failures = count = 0
    with tempfile.TemporaryDirectory() as name:
        for case, fill in list(graphs())[::options.every]:
            if options.only in case:
                count += 1
                torch.fx.Tracer._qualname_counter.clear()
                for wrong in check(options.lancet.resolve(), case, fill, pathlib.Path(name)):
                    failures += 1
                    print(f"FAIL {case}: {wrong}"[:1500], flush=True)
    print(f"{count} graphs, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
