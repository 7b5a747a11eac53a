#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for lancet in the runner's own test: replays the expectation, and errs where FAKE_LANCET says."""

import json
import os
import pathlib
import sys

FAULTS = {
    "byte": lambda text: text.replace("x", "y", 1),
    "newline": lambda text: text.rstrip("\n"),
    "crash": lambda text: os.abort(),
    "quiet": lambda text: "",
}


def answer(verb, expectation):
    if verb != "info":
        return expectation[verb] + "\n"
    shown = dict(expectation["info"])
    shown["inputs"] = [{"name": name, "shape": None, "dtype": None} for name in shown["inputs"]]
    return json.dumps(shown) + "\n"


def main():
    verb, path, *rest = sys.argv[1:]
    wrong_verb, _, fault = os.environ.get("FAKE_LANCET", "").partition(":")
    source = pathlib.Path(path)
    if source.suffix == ".json":
        source = pathlib.Path(json.loads(source.read_text())["origin"])
        verb = f"converted-{verb}"
    expectation = json.loads(source.with_suffix(".json").read_text())
    if "error" in expectation:
        if wrong_verb == "unloadable":
            FAULTS[fault]("")
            return 0
        print("lancet: error: PyTorch cannot load this", file=sys.stderr)
        return 3
    if verb == "convert":
        pathlib.Path(rest[rest.index("-o") + 1]).write_text(json.dumps({"origin": str(source)}))
        return 0
    text = answer(verb.removeprefix("converted-"), expectation)
    sys.stdout.write(FAULTS[fault](text) if verb == wrong_verb else text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
