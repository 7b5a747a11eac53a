# SPDX-License-Identifier: GPL-3.0-or-later
"""GraphModules of make_fx, AOTAutograd and torch.export, saved with torch.save: does lancet see what torch.load makes
of them?

    tracer_files.py --lancet BIN [--every N] [--only TEXT] [--keep FOLDER]

Compares graph and code, the same through `.json`, what torch.load gives of a file that lancet saved, and that after an
edit; of the file and of the edited one, matches of a pattern cut out of the graph, what replacing it makes, and
partitions under random rules, fused and split. A file that PyTorch cannot load must be shown with a warning, as the
graph that was saved. Exit 1: a difference.
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile
import warnings

import torch

import partitions
import saving
import surgery
import tracer_buffers
import tracer_cases
import tracer_operators
from surgery import run

# What differs, and why.
KNOWN = {
    "lstm": "edited: parts of one tensor that is computed share no memory",
    "exported_nested_module": "not loadable: the code takes inputs out of their pytree; the graph does not",
    "exported_counter_module": "as below",
    "counter": "kept as written: the graph needs a tensor that loading the file changes",
    "written_constants": "kept as written: loading the file writes to a part of a tensor that the graph needs",
    "constantly": "as above",
    "exported_constantly_module": "as above, in the file with an edit",
    "convolutions_training": "as above",
    "resized": "kept as written: the size of a tensor that loading the file resizes is not followed",
    "cache": "edited: parts of one tensor that is computed share no memory",
    "gru": "as above",
    "exported_convolutions_graph_module": "as saved: a parameter called input is named input_1, as by tracing",
    "exported_classifier_graph_module": "as above",
    "exported_gru_graph_module": "as above",
}


def saved(gm, path):
    """Saves what can be saved: a ShapeEnv and the hooks of `ep.module()` cannot, so that people wrap the graph anew."""
    gm.__dict__.pop("shape_env", None)
    try:
        torch.save(gm, path)
    except Exception:
        gm = torch.fx.GraphModule(gm, gm.graph)
        gm.meta.clear()
        torch.save(gm, path)
    return gm


def shown(lancet, path, gm, verbs):
    wanted = {"graph": lambda: str(gm.graph) + "\n", "code": lambda: gm.code + "\n"}
    for verb in verbs:
        done = run(lancet, verb, path)
        if done.returncode or done.stdout != wanted[verb]():
            both = f"PyTorch:\n{wanted[verb]()}\nlancet:\n{done.stdout}"
            return f"{verb} of {path.name}: exit {done.returncode} {done.stderr}\n{both}"
    return None


def as_saved(lancet, gm, path):
    """The nodes that were saved, with a warning. Code has no get_attr before the placeholders, and puts outputs in
    their pytree."""

    def nodes(text):
        return sorted(line for line in text.splitlines() if " = " in line)

    done = run(lancet, "graph", path)
    if "warning" not in done.stderr:
        return f"no warning: {done.stderr}"
    return None if nodes(done.stdout) == nodes(str(gm.graph)) else f"as saved:\n{gm.graph}\nlancet:\n{done.stdout}"


def repaired(lancet, path, folder):
    """A tracer that PyTorch cannot make is left out of a file whose graph was edited, so that it loads."""
    first = next(
        n["name"] for n in json.loads(run(lancet, "graph", path, "--json").stdout)["nodes"] if n["op"] == "placeholder"
    )
    step = {
        "step": "insert_after",
        "node": first,
        "op": "call_function",
        "target": "torch.relu",
        "args": [{"node": first}],
    }
    target = folder / f"repaired_{path.name}"
    done = run(lancet, "edit", path, "--step", json.dumps(step), "-o", target)
    if done.returncode:
        return f"edited: exit {done.returncode} {done.stderr}"
    try:
        return shown(lancet, target, saving.load(target), ["graph", "code"])
    except Exception as error:
        # What calls higher-order operators does not load with any tracer.
        return None if "higher_order" in str(error) or "cond" in str(error) else f"edited: torch.load: {error}"


def compare(lancet, gm, path, folder):
    try:
        loaded = saving.load(path)
    except Exception as error:
        return as_saved(lancet, gm, path) or (repaired(lancet, path, folder) if "scope_root" in str(error) else None)
    wrong = shown(lancet, path, loaded, ["graph", "code"])
    if wrong:
        return wrong
    converted = folder / f"{path.stem}.json"
    done = run(lancet, "convert", path, "-o", converted)
    if done.returncode:
        return f"convert: exit {done.returncode} {done.stderr}"
    wrong = (
        shown(lancet, converted, loaded, ["graph", "code"])
        or saving.check(lancet, path, folder)
        or operated(lancet, path, folder)
    )
    if wrong:
        return wrong
    edited = folder / f"edited_{path.name}"
    edited.unlink(missing_ok=True)
    wrong = saving.check_edited(lancet, path, folder)
    return wrong or (operated(lancet, edited, folder) if edited.exists() else None)


def operated(lancet, path, folder):
    """Matching, replacing and partitioning the file."""
    chance = random.Random(path.name)
    wrong = matched(lancet, path, folder, chance)
    if wrong:
        return wrong
    wrong = partitions.check(lancet, folder, path, lambda: saving.load(path), chance, 1)
    return wrong and f"partition of {path.name}: {wrong}"


def matched(lancet, path, folder, chance):
    gm = saving.load(path)
    pattern = surgery.cut_pattern(gm, chance)
    if pattern is None:
        return None
    where = folder / "pattern.pt"
    with saving.process_of_its_own():
        try:
            pattern = surgery.saved(pattern, where)
        except Exception:
            return None  # what torch.fx cannot load again is no pattern
        for flag in [None, *surgery.FLAGS]:
            flags, words = ({flag[0]: True}, [flag[1]]) if flag else ({}, [])
            wrong = surgery.check_match(lancet, path, gm, where, pattern, flags, words)
            if wrong:
                return f"match in {path.name} {words} of\n{pattern.graph}\n{wrong}"
        replacement = surgery.random_replacement(pattern, chance)
        if replacement is None:
            return None
        file = folder / "replacement.pt"
        wrong = surgery.check_replace(
            lancet, path, where, pattern, file, surgery.saved(replacement, file), chance.random() < 0.2
        )
    return wrong and f"replace in {path.name} of\n{pattern.graph}\n{wrong}"


def made(only, every):
    """(name, GraphModule) of each case."""
    cases = tracer_cases.cases() | tracer_operators.cases() | tracer_buffers.cases()
    for name, build in list(cases.items())[::every]:
        if only not in name and not name.startswith(only):
            continue
        try:
            found = build()
        except Exception as error:
            print(f"FAIL {name} is not made: {type(error).__name__}: {str(error)[:300]}")
            yield name, None
            continue
        for ending, gm in (found if isinstance(found, dict) else {"": found}).items():
            yield f"{name}_{ending}" if ending else name, gm


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--every", type=int, default=1, help="only each Nth case")
    parser.add_argument("--only", default="", help="cases with TEXT in their name")
    parser.add_argument("--keep", type=pathlib.Path, help="where the files stay")
    options = parser.parse_args()
    torch.set_num_threads(1)
    equal, failed, known = 0, 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        (folder / "out").mkdir(exist_ok=True)
        for name, gm in made(options.only, options.every):
            if gm is None:
                failed += 1
                continue
            path = folder / f"{name}.pt"
            gm = saved(gm, path)
            wrong = compare(pathlib.Path(options.lancet).resolve(), gm, path, folder / "out")
            equal, failed, known = (
                equal + (wrong is None),
                failed + (wrong is not None and name not in KNOWN),
                known + (wrong is not None and name in KNOWN),
            )
            if wrong and name not in KNOWN:
                print(f"FAIL {name}: {wrong[:2500]}", flush=True)
            if not wrong and name in KNOWN:
                print(f"no longer differs: {name}")
    print(f"{equal + known + failed} files of other tracers: {equal} equal, {known} known, {failed} different")
    sys.exit(1 if failed or not equal else 0)


if __name__ == "__main__":
    main()
