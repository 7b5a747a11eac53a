# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of making the corpus, in a process of its own: `python -m corpus STEP FOLDER`.

Standard input is a JSON object {topic: [names]}; the files of a topic are in FOLDER/TOPIC.
list    writes index.json: the names of the topic's items, and those whose graph depends on tensors' values
build   writes the models; what cannot be built is written as NAME.unbuilt
expect  loads the models and writes what PyTorch shows of them
"""

import importlib
import json
import os
import pathlib
import sys
import tempfile
import traceback
import warnings

from corpus import SUFFIX, kind_of


def write_whole(path, write):
    """A reader never sees half a file. The extension stays last, and the stem decides the archive's root folder."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        beside = pathlib.Path(folder) / path.name
        write(beside)
        os.replace(beside, path)


def write_json(path, value):
    write_whole(path, lambda beside: beside.write_text(json.dumps(value, indent=1)))


def save(built, kind, path):
    import torch

    if kind == "pt2" and not callable(getattr(built, "write_file", None)):
        write_whole(path, lambda beside: torch.export.save(built, beside))
    elif kind == "graphmodule" and isinstance(built, torch.nn.Module):
        write_whole(path, lambda beside: torch.save(built, beside))
    else:
        write_whole(path, built.write_file)


def list_items(topic, folder, _):
    try:
        module = importlib.import_module(f"corpus.{topic}")
    except ImportError as error:
        print(f"topic {topic} is left out: {error}", file=sys.stderr)
        return
    write_json(folder / "index.json", {"names": list(getattr(module, "names", module.items)()),
                                       "needs_values": sorted(getattr(module, "NEEDS_VALUES", []))})


def build(topic, folder, names):
    import torch

    items = importlib.import_module(f"corpus.{topic}").items()
    for name in names:
        try:
            torch.manual_seed(0)
            save(items[name](), kind_of(topic), folder / (name + SUFFIX[kind_of(topic)]))
        except Exception:  # a broken builder must not take the others along; the runner reports it
            (folder / f"{name}.unbuilt").write_text(traceback.format_exc())


def expect(topic, folder, names):
    from corpus import expectation

    kind = kind_of(topic)
    if kind == "pt2":  # loading needs the container types of inputs and outputs to be registered
        module = importlib.import_module(f"corpus.{topic}")
        getattr(module, "register_containers", lambda names: None)(names)
    for name in names:
        path = folder / (name + SUFFIX[kind])
        if path.exists():
            write_json(folder / f"{name}.json", expectation.of_file(path, kind))


def main():
    step, folder = sys.argv[1:]
    warnings.simplefilter("ignore")
    for topic, names in json.load(sys.stdin).items():
        of_topic = pathlib.Path(folder) / topic
        of_topic.mkdir(parents=True, exist_ok=True)
        {"list": list_items, "build": build, "expect": expect}[step](topic, of_topic, names)


if __name__ == "__main__":
    main()
