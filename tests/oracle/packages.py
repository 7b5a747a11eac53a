"""Compares the tracing of packages that nobody tuned Lancet to with torch.fx.symbolic_trace.

    packages.py --lancet BIN [--packages DIR] [--only WORD] [--every N] [--record FILE] [--python] [--verbose]

package_models.txt lists packages and some models of each; `./dev test --all` installs them in DIR. Python evaluates a
model's expression in its module, lancet in its file. Where torch.fx traces, graph, code and every weight must be equal;
`--python` asks this Python, in the sandbox, for them, too. Where torch.fx raises, lancet must refuse with exit code 4
and the words of the exception. Each model ends as one of:

    equal         both trace, and nothing differs          refused  torch.fx traces, lancet refuses
    same reason   both refuse, in the same words           WRONG    lancet traces something else
    other reason  both refuse                              crash    lancet fails

`--record FILE` keeps what torch.fx says, so that a second run only runs lancet. Exit 1: a model that ends as "WRONG" or
"crash", one that `--python` does not trace equally, one that is "refused" or ends with "other reason" and is not listed
in known_packages.txt, one that is listed there and is mended, or one that Python cannot construct.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import multiprocessing
import pathlib
import re
import sys
import tempfile
import warnings

import torch
from safetensors.torch import load_file

from library_traces import Case, answer, difference, first_difference, imported, run, states_differ, wanted_of

HERE = pathlib.Path(__file__).parent
MODELS = HERE / "package_models.txt"
KNOWN = HERE / "known_packages.txt"
ENDS = ["equal", "refused", "same reason", "other reason", "WRONG", "crash"]


class Model(Case):
    """A case whose module only the process that asks torch.fx imports."""

    file = ""


def listed():
    """{"name==version": [Model]}; a package without models is one that others import."""
    packages, package = {}, ""
    for line in MODELS.read_text().splitlines():
        if line.startswith(" "):
            packages[package].append(Model(package, *line.strip().split(" ", 1)))
        elif line and not line.startswith("#"):
            package = line
            packages[package] = []
    return packages


def said_by_torch(model):
    """What torch.fx says of a model, with the file of its module; None if Python cannot construct it."""
    module = imported(model.module)
    wanted = module and wanted_of(Case(*vars(model).values()), weights=True)
    return wanted and wanted | {"file": module.__file__}


def asked(models):
    """What torch.fx says of the models of a package. In a process of its own: packages change what they import."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return {str(model): pool.submit(said_by_torch, model).result() for model in models}


def plain(text):
    """A message without addresses, and without the line breaks, which Lancet's messages have elsewhere."""
    return " ".join(re.sub(r" at 0x[0-9a-f]+", "", text).split())


def outcome(lancet, model, wanted, site):
    """How the model ends, and what differs."""
    code, _, error = run(lancet, "graph", model, site)
    if code not in (0, 4) or "the reader of the source" in error or "ended its reader" in error:
        return "crash", f"exit code {code}: {error}"
    reason = f"torch.fx: {wanted['type']}: {wanted['error']}" if "error" in wanted else ""
    if code == 4:
        if not reason:
            return "refused", error
        first = plain(wanted["error"].partition("\n")[0]) or wanted["type"]  # TorchScript adds more lines
        return ("same reason", "") if first in plain(error) else ("other reason", f"{reason}\n{error}")
    what = f"lancet traces; {reason}" if reason else difference(lancet, model, wanted, site)[0]
    if what.startswith("lancet: error"):  # of the weights, which the graph did not need
        return "refused", what
    return ("WRONG", what) if what else ("equal", "")


def difference_by_python(lancet, model, wanted, site):
    """What differs if this Python traces the model in the sandbox; "" if nothing does. Python traces once."""
    with tempfile.TemporaryDirectory() as folder:
        traced = pathlib.Path(folder) / "x.json"
        code, _, error = run(lancet, "trace", model, site, "-o", traced, "--python", sys.executable)
        if code:
            return error
        for verb in ("graph", "code"):
            code, text, error = answer([lancet, verb, traced])
            if code or text != wanted[verb] + "\n":
                return error if code else f"{verb}, {first_difference(wanted[verb], text)}"
        return states_differ(saved_state(traced), wanted["weights"])


def saved_state(file):
    """The state dict of a model in .json (docs/ir-format.md), which holds what torch.save refuses, too."""
    model, weights = json.loads(file.read_text()), file.with_suffix(".safetensors")
    stored = load_file(weights) if weights.exists() else {}
    forms, state = model.get("tensors", {}), {}

    def tensor(key):
        form = forms.get(key, {})
        raw = stored[form.get("data", key)]
        if not form:
            return raw
        dtype, sizes = getattr(torch, form["dtype"].removeprefix("torch.")), form["sizes"]
        strides = form.get("strides") or torch.empty(sizes, device="meta").stride()
        return raw.reshape(-1).view(torch.uint8).view(dtype).as_strided(sizes, strides, form.get("offset", 0))

    def add(module, prefix):
        for name, slot in {**module.get("parameters", {}), **module.get("buffers", {})}.items():
            if isinstance(slot, str):  # else None, or not persistent
                state[prefix + name] = tensor(slot)
        for name, child in module.get("modules", {}).items():
            if child and "same_as" in child:
                child = functools.reduce(lambda at, part: at["modules"][part], child["same_as"].split("."), model)
            add(child or {}, f"{prefix}{name}.")

    add(model, "")
    return state


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--packages")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth package")
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not options.packages or not pathlib.Path(options.packages).exists():
        print("the packages are not installed (./dev test --all installs them): nothing is compared")
        return 0
    sys.path.append(options.packages)
    warnings.simplefilter("ignore")
    record = json.loads(options.record.read_text()) if options.record and options.record.exists() else {}
    known = set(KNOWN.read_text().splitlines()) if KNOWN.exists() else set()
    counts, failures = collections.defaultdict(collections.Counter), 0
    for package, models in list(listed().items())[::options.every]:
        models = [each for each in models if options.only in f"{package} {each}"]
        missing = [each for each in models if str(each) not in record]
        if missing:
            record |= asked(missing)
            if options.record:
                options.record.write_text(json.dumps(record))
        for model in models:
            failures += not compared(model, record[str(model)], options, known, counts[package])
    print(table(counts))
    return 1 if failures else 0


def compared(model, wanted, options, known, count):
    """Compares one model and says what differs; whether that is as it should be."""
    if not wanted:
        print(f"{model}: Python cannot construct it", flush=True)
        return False
    model.file = wanted["file"]
    end, what = outcome(options.lancet, model, wanted, options.packages)
    count[end] += 1
    is_known = str(model) in known
    expected = end in (["refused", "other reason"] if is_known else ["equal", "same reason"])
    if not expected or options.verbose:
        print(f"{model}: {end}{': ' * bool(what)}{what}", flush=True)
    if options.python and "error" not in wanted:
        what = difference_by_python(options.lancet, model, wanted, options.packages)
        count["python"] += not what
        expected = expected and not what
        if what:
            print(f"{model}: --python: {what}", flush=True)
    return expected


def table(counts):
    """A row for each package, and the sums."""
    shown = {package: count for package, count in counts.items() if count}
    shown["all"] = sum(shown.values(), collections.Counter())
    columns = [*ENDS, "python"]
    rows = [f"{'':36}" + "".join(f"{column:>14}" for column in columns)]
    rows += [
        f"{package:36}" + "".join(f"{count[column] or '':>14}" for column in columns)
        for package, count in shown.items()
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
