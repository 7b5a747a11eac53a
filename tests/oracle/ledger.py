# SPDX-License-Identifier: GPL-3.0-or-later
"""What is lost when a model is written in another format and read back?

    ledger.py --lancet BIN [--sample N] [--only TEXT] [--numbers N] [--write]

Writes each model of the corpus (run_oracle.py makes it) in each format that takes it, reads that back, and compares two
descriptions (docs/ir-format.md): that of the original and that of what was read back. They hold graph, names, metadata,
modules, tensors and flags; hooks are compared by PyTorch, and of every N-th file the numbers by `lancet verify`. Each
difference is of a kind. `known_losses.txt` lists the kinds that each format loses and in how many files; docs/formats.md
has them as a table. A loss of the kinds of TOLD also needs one of its warnings from `lancet convert`; without, it is
"untold". Exit 1: another kind is lost, or in more files, or the table is out of date. --write: writes both.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent / "corpus"))
import store  # noqa: E402
from corpus import TOPICS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# Losses that need a warning: what a model computes with, and what is in its state dict.
TOLD = {
    "attributes of the model": {"foresee.attributes_lost", "foresee.operators_frozen"},
    "hooks": {"foresee.hooks_lost", "foresee.no_weights"},
    "names of inputs": {"foresee.input_renamed"},
    "numbers": set(),
    "parameters as such": {"foresee.no_weights", "foresee.no_weights_here"},
    "requires_grad": {"foresee.sharing_lost", "foresee.no_weights"},
    "shared modules": {"foresee.sharing_lost", "foresee.no_weights"},
    "shared tensors": {"foresee.sharing_lost", "foresee.no_weights", "foresee.no_weights_here"},
    "tensors": {"foresee.no_weights", "foresee.no_weights_here", "foresee.tensors_lost", "foresee.operators_frozen"},
    "training mode": {"foresee.mode_lost", "foresee.no_weights"},
    "values of tensors": {"foresee.no_weights", "foresee.no_weights_here"},
}
BY_MODE = ("Dropout", "BatchNorm", "InstanceNorm", "RReLU")
KNOWN = HERE / "known_losses.txt"
PAGE = HERE.parent.parent / "docs" / "formats.md"
SHORT = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "bool": "BOOL"}
WIDTHS = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8, "I8": 1, "I16": 2, "I32": 4, "I64": 8, "U8": 1, "BOOL": 1}
TARGETS = {".pt": "net.pt", "folder": "net", ".pt2": "net.pt2", ".ts": "net.ts", ".json": "net.json", ".lancet": "net.lancet", ".py": "net.py"}
SLOW = {".ts"}  # lancet-worker compiles it
REFUSED, UNREADABLE = "cannot be written", "cannot be read back"


def lancet(program, *words):
    return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True)


def error_code(done):
    try:
        return json.loads(done.stdout)["error"]["code"]
    except (ValueError, KeyError):
        return f"exit {done.returncode}"


class Description:
    """A model as a description has it, by paths."""

    def __init__(self, path):
        self.root = json.loads(path.read_text())
        self.entries, self.data = {}, b""
        weights = path.with_suffix(".safetensors")
        if weights.exists():
            content = weights.read_bytes()
            size = struct.unpack("<Q", content[:8])[0]
            self.entries, self.data = json.loads(content[8:8 + size]), content[8 + size:]
        self.rows = self.root.get("tensors", {})
        self.modules = dict(self.walk("", self.root))

    def walk(self, path, module):
        yield path, module
        for name, child in module.get("modules", {}).items():
            if child is not None:
                yield from self.walk(f"{path}.{name}" if path else name, child)

    def tensors(self):
        """(path, ID, persistent) of each parameter and buffer."""
        for path, module in self.modules.items():
            for kind in ("parameters", "buffers"):
                for name, slot in module.get(kind, {}).items():
                    known = slot["tensor"] if isinstance(slot, dict) else slot
                    persistent = slot.get("persistent", True) if isinstance(slot, dict) else True
                    yield f"{path}.{name}" if path else name, kind, known, persistent

    def flags(self, known, kind):
        row = self.rows.get(known, {})
        is_parameter = row.get("parameter", kind == "parameters")
        return {"trainable": row.get("requires_grad", kind == "parameters"), "parameter": is_parameter,
                "layout": [row.get(key) for key in ("strides", "offset", "layout", "conjugate", "negative", "device")]}

    def value(self, known):
        """dtype, sizes and the bytes of the elements; None for what is computed on loading, or has no values here."""
        row = self.rows.get(known, {})
        entry = self.entries.get(row.get("data") or known)
        if "expression" in row or entry is None:
            return None
        dtype, sizes = row.get("dtype", entry["dtype"]).removeprefix("torch."), row.get("sizes", entry["shape"])
        start, end = entry["data_offsets"]
        stored, width = self.data[start:end], WIDTHS.get(SHORT.get(dtype, dtype))
        if width is None:
            return dtype, sizes, stored
        steps, places = row.get("strides"), [row.get("offset", 0)]
        if steps is None:
            count = math.prod(sizes)
            return SHORT.get(dtype, dtype), sizes, stored[places[0] * width:(places[0] + count) * width]
        for size, step in zip(sizes, steps):
            places = [place + i * step for place in places for i in range(size)]
        return SHORT.get(dtype, dtype), sizes, b"".join(stored[place * width:(place + 1) * width] for place in places)


def renamed(value, names):
    """An argument with the nodes called by their positions."""
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    if isinstance(value, dict):
        if set(value) == {"node"}:
            return {"node": names.get(value["node"], value["node"])}
        return {key: renamed(each, names) for key, each in value.items()}
    return value


def graph_losses(a, b):
    """Kinds of differences of two lists of nodes."""
    if [(each["op"], each.get("target")) for each in a if each["op"] != "placeholder"] != [(each["op"], each.get("target")) for each in b if each["op"] != "placeholder"]:
        yield "nodes"
        return
    if [each.get("target") for each in a if each["op"] == "placeholder"] != [each.get("target") for each in b if each["op"] == "placeholder"]:
        yield "names of inputs"
    if len(a) != len(b):
        yield "nodes"
        return
    positions = [{each["name"]: place for place, each in enumerate(nodes)} for nodes in (a, b)]
    for one, other in zip(a, b):
        if one["name"] != other["name"]:
            yield "names of nodes"
        for key in ("args", "kwargs"):
            if renamed(one.get(key), positions[0]) != renamed(other.get(key), positions[1]):
                yield "arguments"
        if one.get("type") != other.get("type"):
            yield "annotations"
        left, right = one.get("meta", {}), other.get("meta", {})
        for key, name in (("module_stack", "module paths of nodes"), ("stack_trace", "source lines of nodes"), ("values", "shapes and dtypes of nodes"), ("wrapped", "wrapped functions"), ("other", "other metadata of nodes")):
            if left.get(key) != right.get(key):
                yield name


def own_settings(module):
    """Without those of torch.fx, such as _in_spec."""
    return {name: value for name, value in module.get("settings", {}).items() if not name.startswith("_")}


def module_losses(a, b):
    if list(a.modules) != list(b.modules):
        yield "modules" if set(a.modules) - set(b.modules) else "order of modules" if set(a.modules) == set(b.modules) else "new modules"
    for path in a.modules.keys() & b.modules.keys():
        one, other = a.modules[path], b.modules[path]
        if path and one.get("type") != other.get("type"):
            yield "classes of modules"
        if one.get("training", True) != other.get("training", True):
            yield "training mode" if any(each in one.get("type", "") for each in BY_MODE) else "training mode of what ignores it"
        if path and one.get("settings", {}) != other.get("settings", {}):
            yield "settings of modules"
        if not path and own_settings(one) != own_settings(other):
            yield "attributes of the model"
        if ("same_as" in one) != ("same_as" in other):
            yield "shared modules"
        if path and one.get("nodes") and [*graph_losses(one["nodes"], other.get("nodes", []))]:
            yield "graphs inside"


def tensor_losses(a, b):
    left, right = ({path: rest for path, *rest in each.tensors()} for each in (a, b))
    gone = left.keys() - right.keys()
    if gone:
        yield "constants that the code computes" if all("expression" in a.rows.get(left[path][1], {}) for path in gone) else "tensors"
    if right.keys() - left.keys():
        yield "new tensors"
    for path in left.keys() & right.keys():
        (kind, one, persistent), (_, other, still) = left[path], right[path]
        if (one is None) != (other is None):
            yield "tensors"
            continue
        if one is None:
            continue
        if persistent != still:
            yield "buffers outside of the state dict"
        before, after = a.flags(one, kind), b.flags(other, kind)
        if before["trainable"] != after["trainable"]:
            yield "requires_grad"
        if before["parameter"] != after["parameter"]:
            yield "parameters as such"
        if before["layout"] != after["layout"]:
            yield "strides and shared storages"
        values = a.value(one), b.value(other)
        if None not in values and values[0] != values[1]:
            yield "values of tensors"
    if groups(left) != groups(right):
        yield "shared tensors"


def groups(tensors):
    """The paths that are one tensor."""
    found = {}
    for path, (_, known, _) in tensors.items():
        if known is not None:
            found.setdefault(known, set()).add(path)
    return sorted(sorted(paths) for paths in found.values() if len(paths) > 1)


def losses(a, b):
    yield from graph_losses(a.root["nodes"], b.root["nodes"])
    yield from module_losses(a, b)
    yield from tensor_losses(a, b)
    for key, name in (("class_name", "class name"), ("signature", "signature of the export"), ("exported", "signature of the export"), ("producer", "version of PyTorch"), ("tracer_class", "tracer class"), ("names", "counters of names")):
        if a.root.get(key) != b.root.get(key):
            yield name
    if a.root.get("subgraphs", {}).keys() != b.root.get("subgraphs", {}).keys():
        yield "graphs inside"


class Ledger:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def file(self, place, path):
        """{(source, target): kinds} of one file."""
        folder = self.folder / str(place)
        folder.mkdir()
        original = folder / "original.json"
        done = lancet(self.options.lancet, "convert", path, "-o", original, "--no-verify", "--json")
        if done.returncode:
            return {}
        found = {}
        for target, name in TARGETS.items():
            if target in SLOW and place % self.options.slow or target == ".pt2" and path.suffix != ".pt2":
                continue
            kinds, told = set(), set()
            for kind in self.round_trip(path, original, target, folder / target.strip("."), name, told):
                kinds |= {kind, f"{kind}, untold"} if kind in TOLD and not told & TOLD[kind] else {kind}
            if place % self.options.numbers == 0 and not kinds & {REFUSED, UNREADABLE} and target not in (".py", ".json"):
                kinds |= set(self.numbers(path, folder / target.strip(".") / name))
            found[path.suffix, target] = kinds
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        return found

    def round_trip(self, path, original, target, folder, name, told):
        """Kinds of losses; `told` gets the codes of the warnings."""
        folder.mkdir()
        written = f"{folder / name}/" if target == "folder" else folder / name
        done = lancet(self.options.lancet, "convert", path, "-o", written, "--no-verify", "--json")
        if done.returncode:
            yield REFUSED
            return
        told |= {each["code"] for each in json.loads(done.stdout)["warnings"]}
        again, source = folder / "again.json", str(written).rstrip("/")
        named = f"{source}:{json.loads(original.read_text()).get('class_name', 'GraphModule')}" if target == ".py" else source
        done = lancet(self.options.lancet, "convert", named, "-o", again, "--no-verify", "--json")
        if done.returncode:
            yield UNREADABLE
            return
        yield from losses(Description(original), Description(again))
        if path.suffix == ".pt" and target != ".ts":
            yield from self.hooks(path, source, folder)

    def hooks(self, path, written, folder):
        before = hooks_of(path)
        if not before:
            return
        if not written.endswith(".pt"):
            if lancet(self.options.lancet, "convert", written, "-o", folder / "hooks.pt", "--no-verify").returncode:
                yield "hooks"
                return
            written = folder / "hooks.pt"
        if hooks_of(written) != before:
            yield "hooks"

    def numbers(self, path, written):
        done = lancet(self.options.lancet, "verify", path, written, "--json")
        outputs = json.loads(done.stdout).get("outputs", []) if done.returncode in (0, 1) else []
        if any(not each.get("allclose", True) for each in outputs):
            yield "numbers"


def hooks_of(path):
    """What PyTorch calls before and after modules; None if it does not load the file."""
    import torch

    try:
        module = torch.load(path, weights_only=False)
    except Exception:
        return None
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks", "_load_state_dict_pre_hooks")
    found = {}
    for name, inner in module.named_modules():
        for kind in names:
            hooks = [getattr(each, "__qualname__", type(each).__name__) for each in getattr(inner, kind, {}).values()]
            if hooks:
                found[name, kind] = hooks
    return found


def counted(results):
    """{(source, target): (files, {kind: files})}"""
    table = {}
    for found in results:
        for pair, kinds in found.items():
            files, counts = table.setdefault(pair, [0, {}])
            table[pair][0] = files + 1
            for kind in kinds:
                counts[kind] = counts.get(kind, 0) + 1
    return table


def known_losses():
    known = {}
    for line in KNOWN.read_text().splitlines() if KNOWN.exists() else []:
        if line and not line.startswith("#"):
            source, target, count, kind = line.split(maxsplit=3)
            known[source, target, kind] = int(count)
    return known


def write_known(table):
    lines = ["# What is lost in the round trips of ledger.py: source, target, number of files, kind. ledger.py --write writes it."]
    lines += [f"{source} {target} {counts[kind]} {kind}" for (source, target), (_, counts) in sorted(table.items()) for kind in sorted(counts)]
    KNOWN.write_text("\n".join(lines) + "\n")


PAGE_HEAD = """# What each format keeps

`tests/oracle/ledger.py` writes models of the corpus in each format that takes them, reads that back, compares the two,
and writes this page. A number is the share of the models of which something of the kind is lost; `·` means none. Of
`.ts`, every third model is written.

- `.pt` is compared as `torch.load` gives it: PyTorch traces its code again. An exported program becomes a module: what
  was an input of its graph is read from the module. Folders are compared as their code is written.
- `.ts` has TorchScript's operators in the place of functions and modules. `.py` has the source without weights, which
  is traced again; its modules of other classes are arguments, without which it cannot be read back.
- `convert` warns about what is lost of one model. Kinds that end with "untold" are losses without a warning.
"""


def page(table):
    out = [PAGE_HEAD]
    for source, title in ((".pt", "From `.pt`"), (".pt2", "From `.pt2`")):
        targets = [target for target in TARGETS if (source, target) in table]
        kinds = sorted({kind for target in targets for kind in table[source, target][1]}, key=lambda kind: (kind in (REFUSED, UNREADABLE), kind))
        out.append(f"## {title}\n")
        out.append("| lost | " + " | ".join(f"`{target}`" if target.startswith(".") else target for target in targets) + " |")
        out.append("|---|" + "---|" * len(targets))
        for kind in kinds:
            cells = []
            for target in targets:
                files, counts = table[source, target]
                cells.append(f"{max(1, round(100 * counts[kind] / files))} %" if kind in counts else "·")
            out.append(f"| {kind} | " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out)


def chosen(options):
    folder = store.default_folder() / store.fingerprint()
    files = {topic: sorted(path for path in (folder / topic).glob("*.pt*") if path.suffix in (".pt", ".pt2") and options.only in f"{topic}/{path.stem}")
             for topics in TOPICS.values() for topic in topics}
    if options.sample:
        share = max(1, options.sample // len(files))
        files = {topic: [some[i * len(some) // share] for i in range(share)] if some else [] for topic, some in files.items()}
    return [path for some in files.values() for path in dict.fromkeys(some)]


def report(options, files, results):
    known, table, failed = known_losses(), counted(results), 0
    for path, found in zip(files, results):
        for (source, target), kinds in found.items():
            for kind in sorted(kinds):
                if (source, target, kind) not in known and not options.write:
                    failed += 1
                    print(f"FAIL {path.parent.name}/{path.stem} as {target}: {kind}", flush=True)
    is_whole = not options.sample and not options.only
    if options.write:
        write_known(table)
        PAGE.write_text(page(table))
    elif is_whole:
        for (source, target), (_, counts) in table.items():
            for kind, count in counts.items():
                if count > known.get((source, target, kind), count):
                    failed += 1
                    print(f"FAIL {source} as {target}: {kind} in {count} files instead of {known[source, target, kind]}")
        if not PAGE.exists() or page(table) != PAGE.read_text():
            print("docs/formats.md is out of date: run ledger.py --write")
            failed += 1
    trips = sum(len(found) for found in results)
    print(f"{len(files)} files, {trips} round trips, {failed} losses that known_losses.txt does not list")
    return failed or not trips


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--sample", type=int, default=0, help="N files spread over all topics")
    parser.add_argument("--only", default="", help="files with TEXT in topic/name")
    parser.add_argument("--numbers", type=int, default=4, help="compare the numbers of each Nth file")
    parser.add_argument("--slow", type=int, default=1, help="write each Nth file as .ts")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    files = chosen(options)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ledger = Ledger(options, pathlib.Path(name))
        results = list(pool.map(ledger.file, range(len(files)), files))
    sys.exit(1 if report(options, files, results) else 0)


if __name__ == "__main__":
    main()
