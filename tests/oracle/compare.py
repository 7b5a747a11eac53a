# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs lancet's verbs on one file and compares with the expectation."""

import dataclasses
import difflib
import json
import pathlib
import subprocess
import tempfile

VERBS = ["graph", "code", "tabular", "info", "convert"]
UNLOADABLE = "unloadable"
TIMEOUT = 60


@dataclasses.dataclass
class Difference:
    expected: str
    got: str
    about: str = ""

    def text(self, verbose):
        if verbose:
            lines = difflib.unified_diff(self.expected.splitlines(), self.got.splitlines(), "PyTorch", "lancet", "", "", 1)
            return "\n".join([self.about, *lines])
        wanted, got = self.first_lines()
        return f"{self.about}\n    PyTorch: {wanted}\n    lancet:  {got}"

    def first_lines(self):
        """The first lines that differ, cut around the place."""
        wanted, got = self.expected.split("\n"), self.got.split("\n")
        for a, b in zip([*wanted, "<end>"], [*got, "<end>"]):
            if a != b:
                same = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                start = max(0, same - 60)
                return a[start:start + 160], b[start:start + 160]
        return "<same lines>", "<same lines>"


def run(lancet, *words):
    try:
        return subprocess.run([lancet, *words], capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, b"", f"no end after {TIMEOUT} s".encode())


def file(lancet, path, expectation_path, needs_values, verbs):
    """{verb: Difference or None}; a file that PyTorch cannot load has only the verb `unloadable`.

    Where the graph depends on values inside tensors, a warning will do instead of the same text.
    """
    expectation = json.loads(expectation_path.read_text())
    if "error" in expectation:
        return {UNLOADABLE: unloadable(lancet, path, expectation)}
    if needs_values and warned(run(lancet, "graph", path), "graph"):
        return {"graph": None}
    checks = {"graph": text, "code": text, "tabular": text, "info": info, "convert": convert}
    return {verb: checks[verb](lancet, verb, path, expectation) for verb in verbs}


def text(lancet, verb, path, expectation):
    done = run(lancet, verb, path)
    if done.returncode:
        return failure(done)
    wanted = expectation[verb] + "\n"
    if done.stdout == wanted.encode("utf-8", "surrogatepass"):
        return None
    return Difference(wanted, done.stdout.decode("utf-8", "replace"))


def info(lancet, verb, path, expectation):
    """The keys of the contract that the file decides; others may stand beside them."""
    done = run(lancet, verb, path, "--json")
    if done.returncode:
        return failure(done)
    try:
        shown = json.loads(done.stdout)
        got = {key: shown.get(key) for key, value in expectation["info"].items() if value is not None}
        got["inputs"] = [entry["name"] for entry in shown["inputs"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return Difference("a JSON object as CLI.md says", done.stdout.decode("utf-8", "replace"), repr(error))
    wanted = {key: value for key, value in expectation["info"].items() if value is not None}
    return None if got == wanted else Difference(lines(wanted), lines(got))


def lines(value):
    return "\n".join(f"{key}: {json.dumps(inner, sort_keys=True)}" for key, inner in sorted(value.items()))


def convert(lancet, verb, path, expectation):
    """Lancet's own description of the graph keeps both texts."""
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "x.json"
        done = run(lancet, "convert", path, "-o", target)
        if done.returncode:
            return failure(done)
        return text(lancet, "graph", target, expectation) or text(lancet, "code", target, expectation)


def unloadable(lancet, path, expectation):
    """Python raises on loading: lancet warns or refuses, and does not crash."""
    for verb in ("graph", "code", "tabular", "info"):
        done = run(lancet, verb, path)
        if not warned(done, verb) and done.returncode != 3:
            return Difference(f"exit 0 and a warning, or exit 3 ({expectation['error']})",
                              f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')}", verb)
    return None


def warned(done, verb):
    """`info` tells warnings as part of its answer."""
    return done.returncode == 0 and b"warning" in (done.stdout if verb == "info" else done.stderr)


def failure(done):
    return Difference("exit 0", f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
