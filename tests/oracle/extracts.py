# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet extract` with torch.fx's fuse_as_graphmodule on random selections of random graphs.

    extracts.py --lancet BIN [--graphs N] [--seed S] [--only NUMBER]

Both are given the get_attr nodes that the selection reads, and torch.fx is asked only for what it can do: selections that can be
one node, with a value that is used outside and none that nothing uses. Every other selection is saved, loaded and run with the
values that the whole model computes; its outputs must be those of the whole. Exit 1: a difference.
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile
import textwrap

import torch
from torch import fx
from torch.fx.passes.utils.fuser_utils import fuse_as_graphmodule, validate_partition

from surgery import random_module, run, saved


def selection(gm, chance):
    order = [n for n in gm.graph.nodes if n.op.startswith("call")]
    if chance.random() < 0.5:  # a stretch
        start = chance.randrange(len(order))
        chosen = set(order[start:start + chance.randrange(1, 8)])
    else:
        chosen = set(chance.sample(order, min(len(order), chance.randrange(1, 6))))
    if chance.random() < 0.2:
        chosen.add(chance.choice([n for n in gm.graph.nodes if n.op in ("placeholder", "get_attr")]))
    return [n for n in gm.graph.nodes if n in chosen]


def with_constants(gm, nodes):
    chosen = set(nodes) | {i for n in nodes for i in n.all_input_nodes if i.op == "get_attr"}
    return [n for n in gm.graph.nodes if n in chosen]


def inputs_first(gm):
    first = next(n for n in gm.graph.nodes if n.op != "placeholder")
    for node in list(gm.graph.nodes):
        if node.op == "placeholder":
            first.prepend(node)
    gm.recompile()
    return gm


def compare_with_fuser(lancet, model, gm, nodes):
    """None: not comparable, "": equal."""
    chosen = set(nodes)
    returned = [n for n in nodes if not set(n.users) <= chosen]
    comparable = (returned and all(n.users for n in nodes) and all(n.op.startswith("call") for n in returned) and validate_partition(nodes)
                  and not any(n.op == "placeholder" for n in nodes))
    if not comparable:
        return None
    fused, inputs, outputs = fuse_as_graphmodule(gm, nodes, "Part")
    done = run(lancet, "extract", model, "--nodes", ",".join(n.name for n in nodes), "--show", "code")
    if done.stdout != inputs_first(fused).code + "\n":
        return f"torch.fx:\n{textwrap.indent(fused.code, '    ')}\nlancet: {done.stderr}\n{textwrap.indent(done.stdout, '    ')}"
    result = json.loads(run(lancet, "extract", model, "--nodes", ",".join(n.name for n in nodes), "--json").stdout)
    if result["inputs"] != [n.name for n in inputs] or result["outputs"] != [n.name for n in outputs]:
        return f"torch.fx: {inputs} {outputs}\nlancet: {result}"
    return ""


class Recorder(fx.Interpreter):
    def run_node(self, node):
        value = super().run_node(node)
        self.values[node.name] = value.clone() if isinstance(value, torch.Tensor) else value
        return value


def values_of(gm):
    """What every node computes, or None for models that do not run."""
    recorder = Recorder(gm, garbage_collect_values=False)
    recorder.values = {}
    try:
        recorder.run(*[torch.rand(4, 4) for n in gm.graph.nodes if n.op == "placeholder"])
    except Exception:
        return None
    return recorder.values


def check_run(lancet, folder, model, nodes, values):
    out = folder / "part.pt"
    done = run(lancet, "extract", model, "--nodes", ",".join(n.name for n in nodes), "-o", out, "--json")
    if done.returncode == 4:
        return "" if "computed" in done.stdout else done.stdout
    result = json.loads(done.stdout)
    try:
        part = torch.load(out, weights_only=False)
    except Exception as error:
        return f"cannot be loaded: {error!r}"
    used = {n.target.split(".")[0] for n in part.graph.nodes if n.op in ("call_module", "get_attr")}
    held = set(part._modules) | set(part._parameters) | set(part._buffers)
    if held - used:
        return f"not needed: {held - used}"
    given = part(*[values[name] for name in result["inputs"]])
    given = given if len(result["outputs"]) > 1 else (given,)
    for name, value in zip(result["outputs"], given, strict=True):
        if isinstance(value, torch.Tensor) and not torch.equal(torch.nan_to_num(value), torch.nan_to_num(values[name])):
            return f"{name} is another value\n{part.code}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    lancet = pathlib.Path(options.lancet).resolve()
    counts = {"compared with torch.fx": 0, "run": 0, "differ": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "model.pt"
        for number in range(options.graphs) if options.only is None else [options.only]:
            chance, gm = random.Random(f"extract {options.seed}.{number}"), None
            while gm is None or not any(n.op.startswith("call") for n in gm.graph.nodes):
                try:
                    made = random_module(chance)
                    made.eval()
                    gm = saved(made, model)
                except Exception:  # what does not depend on an input runs while it loads
                    continue
            values = values_of(gm)
            for _ in range(4):
                nodes = selection(gm, chance)
                results = {"compared with torch.fx": compare_with_fuser(lancet, model, gm, with_constants(gm, nodes))}
                if values is not None:
                    results["run"] = check_run(lancet, folder, model, nodes, values)
                for kind, difference in results.items():
                    counts[kind] += difference is not None
                    if difference:
                        counts["differ"] += 1
                        print(f"FAIL graph {number} {[n.name for n in nodes]} ({kind}): {difference}", flush=True)
    print(counts)
    sys.exit(1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
