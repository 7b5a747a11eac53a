# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs CPython's own tests, method by method, through Lancet's interpreter.

    cpython_tests.py --lancet BIN [--tests DIR] [--only FILE[.CLASS[.METHOD]]] [--every N] [--write] [--verbose]

A method, its class and what both use of its file become a program, with cpython/standin_unittest.py in the place of unittest. Only
methods that pass so in this Python are judged. In Lancet each must pass, or be refused with the name of what is missing. One that
fails, raises or crashes is a defect, unless known_cpython.txt lists it with the reason. `--write` writes that
list and the table in docs/python.md, which is otherwise compared when all methods run. Exit 1: a difference that is not listed, or a stale line.
"""

import argparse
import ast
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

from cpython_programs import File, standin_names
from known import reasons

HERE = pathlib.Path(__file__).parent
STANDIN = HERE / "cpython"
KNOWN = HERE / "known_cpython.txt"
TABLE = HERE.parent.parent / "docs" / "python.md"
FILES = """augassign binop bisect bool builtin call class collections compare complex contains contextlib copy dataclasses decorators
    defaultdict deque descr dict dictcomps dictviews enum enumerate exceptions exception_variations extcall float format fstring
    funcattrs functools generators genericclass genexps global grammar hash heapq index inspect int isinstance iter itertools
    keywordonlyarg list listcomps long math metaclass named_expressions numeric_tower operator ordered_dict patma
    positional_only_arg pow print property raise range re reprlib richcmp scope set setcomps slice sort string string_literals
    subclassinit super tuple types typing unary unicode unpack unpack_ex userdict userlist with yield_from""".split()
BATCH = 40  # methods in a program


def tests_of(path):
    """(class, method) of all test methods, inherited ones too."""
    spec = importlib.util.spec_from_file_location("test." + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["test." + path.stem] = module
    spec.loader.exec_module(module)
    for name, cls in vars(module).items():
        if isinstance(cls, type) and issubclass(cls, unittest.TestCase) and cls.__module__ == "test." + path.stem:
            for method in unittest.TestLoader().getTestCaseNames(cls):
                if not callable(getattr(cls, method)) or "<locals>" in cls.__qualname__:
                    continue
                yield name, method


class Runner:
    def __init__(self, lancet, folder):
        self.lancet, self.folder = lancet, folder
        self.environment = {**os.environ, "PYTHONHASHSEED": "0"}

    def place(self, file, text, number):
        folder = self.folder / f"{file}_{number}"
        folder.mkdir(exist_ok=True)
        path = folder / f"{file}.py"
        path.write_text(text)
        return path

    def call(self, command, seconds):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL,
                                  cwd=self.folder, env=self.environment, errors="replace")
        except subprocess.TimeoutExpired:
            return None

    def in_python(self, path):
        done = self.call([sys.executable, STANDIN / "judge.py", path, self.folder / "helpers"], 120)
        if done is None or done.returncode:
            return {}
        return parsed(json.loads(done.stdout.splitlines()[-1]))

    def in_lancet(self, path):
        """Outcomes by name, or how the process ended."""
        done = self.call([self.lancet, "graph", f"{path}:main", "--quiet", "--path", self.folder / "helpers"], 120)
        if done is None:
            return "crashed: no answer in time"
        if done.returncode in (3, 4):  # 3: a statement outside of the grammar
            return "refused: " + reason_of(done.stderr.strip())
        if done.returncode:
            return f"crashed: exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        last = done.stdout.strip().splitlines()[-1].strip().removeprefix("return ")
        try:
            return parsed(ast.literal_eval(re.sub(r"^\[%?\w+", "[0", last))[1])
        except (ValueError, SyntaxError, TypeError, IndexError):
            return "crashed: " + last[:300]


def parsed(lines):
    return dict(line.split(" ", 1) for line in lines)


def reason_of(refusal):
    """What is missing: the innermost reason in the error of a refused program."""
    text = refusal.splitlines()
    line = next((each for each in text if "failed: " in each), text[0] if text else "")
    return line.rpartition("failed: ")[2].strip()


def judge_class(runner, file, source, name, methods, number):
    """Outcomes by method: passed, refused: REASON, raised TYPE: TEXT, crashed: WHY. Methods that need more than the stand-in are absent."""
    out = {}
    for start in range(0, len(methods), BATCH):
        part = methods[start:start + BATCH]
        path = runner.place(file, source.program(name, part), number)
        wanted = runner.in_python(path)
        valid = [each for each in part if wanted.get(f"{name}.{each}") == "passed"]
        if not wanted and len(part) > 1:  # one of them ends the process
            for each in part:
                path = runner.place(file, source.program(name, [each]), number)
                valid += [each] * (runner.in_python(path).get(f"{name}.{each}") == "passed")
        if not valid:
            continue
        path = runner.place(file, source.program(name, valid), number)
        got = runner.in_lancet(path)
        for each in valid:
            outcome = got.get(f"{name}.{each}") if isinstance(got, dict) else None
            if outcome is None:
                path = runner.place(file, source.program(name, [each], answers=False), number)
                alone = runner.in_lancet(path)
                outcome = alone if isinstance(alone, str) else "crashed: no answer"
                if outcome.startswith("crashed: [") and outcome.endswith(", None]"):  # it ends when it is alone
                    path = runner.place(file, source.program(name, [each]), number)
                    alone = runner.in_lancet(path)
                    outcome = alone.get(f"{name}.{each}", "crashed: no answer") if isinstance(alone, dict) else alone
            out[each] = outcome
    return out


HEAD = """# Test methods of CPython that end otherwise in Lancet, and how; written by cpython_tests.py --write, which lists none that
# passes or is refused. Others are defects: mend them, or list them here with --write.
"""
KINDS = {  # by the first pattern that fits
    r"^crashed": "No answer.",
    r"'> not raised|should|allow|didn't|n't catch": "Lancet accepts what Python refuses.",
    r"^raised (Attribute|Name|UnboundLocal|Import)Error": "Lancet lacks a name, and raises Python's error for missing ones.",
    r"^raised ((Type|NotImplemented|Value|Index|Key|Recursion|Runtime)Error|StopIteration)": "Lancet raises where Python does not.",
    r"": "Another value or text.",
}


def write_known(outcomes):
    """Writes known_cpython.txt: by kind, with the text of the failure as the reason."""
    lines = {kind: [] for kind in KINDS.values()}
    for name, outcome in sorted(outcomes.items()):
        kind = next(kind for pattern, kind in KINDS.items() if re.search(pattern, outcome))
        reason = re.sub(r"0x[0-9a-f]{6,}|\b1[34]\d{13}\b", "ADDRESS", re.sub("^(raised|crashed:) ", "", outcome))
        lines[kind].append(f"{name}: {reason[:110].rstrip()}")
    KNOWN.write_text(HEAD + "".join(f"\n# {kind}\n" + "\n".join(some) + "\n" for kind, some in lines.items() if some))


def kind_of(name, outcome, known):
    kind = outcome.split(" ", 1)[0].rstrip(":")
    if kind in ("passed", "refused"):
        return "stale line" if name in known else kind
    return "known" if name in known else "defect"


def table(counts):
    lines = ["| file | passed | outside the scope | listed | defects |", "|---|---|---|---|---|"]
    total = collections.Counter()
    for file, each in sorted(counts.items()):
        lines.append(f"| {file} | {each['passed']} | {each['refused']} | {each['known']} | {each['defect']} |")
        total.update(each)
    lines.append(f"| all | {total['passed']} | {total['refused']} | {total['known']} | {total['defect']} |")
    return "\n".join(lines)


def write_table(text):
    parts = re.split(r"(<!-- cpython -->\n)", TABLE.read_text())
    parts[2] = "\n" + text + "\n\n"
    TABLE.write_text("".join(parts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--tests", type=pathlib.Path, default=pathlib.Path("/usr/lib/python3.11/test"))
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.write and (options.only or options.every != 1):
        parser.error("--write needs all methods: drop --only and --every")
    if not (options.tests / "test_grammar.py").exists():
        print(f"CPython's tests are not in {options.tests} (Debian: libpython3.11-testsuite)")
        return 1
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(options.tests.parent))
    only = options.only.split(".") if options.only else []
    known, standin = reasons(KNOWN), standin_names(STANDIN)
    work, helpers = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "helpers").mkdir()
        for each in STANDIN.glob("standin_*.py"):
            shutil.copy(each, folder / "helpers")
        runner = Runner(str(pathlib.Path(options.lancet).resolve()), folder)
        at = 0
        for stem in FILES:
            path = options.tests / f"test_{stem}.py"
            if only and path.stem != only[0] or not path.exists():
                continue
            source = File(path, standin)
            helpers.update(dict.fromkeys(source.helpers))
            chosen = collections.defaultdict(list)
            for cls, method in tests_of(path):
                at += 1
                if at % options.every == 0 and [cls, method][:max(len(only) - 1, 0)] == only[1:]:
                    chosen[cls].append(method)
            work += [(path.stem, source, cls, methods) for cls, methods in chosen.items()]
        todo = list(helpers)
        while todo:
            helper = todo.pop()
            path = options.tests / f"{helper}.py"
            if path.exists() and not (folder / "helpers" / path.name).exists():
                other = File(path, standin)
                (folder / "helpers" / path.name).write_text(other.whole())
                todo += other.helpers
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = {pool.submit(judge_class, runner, file, source, cls, methods, number): f"{file}.{cls}"
                    for number, (file, source, cls, methods) in enumerate(work)}
            counts, failures, different = collections.defaultdict(collections.Counter), 0, {}
            for job in concurrent.futures.as_completed(jobs):
                for method, outcome in job.result().items():
                    kind = kind_of(f"{jobs[job]}.{method}", outcome, known)
                    if kind in ("defect", "known"):
                        different[f"{jobs[job]}.{method}"] = outcome
                        kind = "known" if options.write else kind
                    elif kind == "stale line" and options.write:
                        kind = outcome.split(" ", 1)[0].rstrip(":")
                    counts[jobs[job].split(".")[0]][kind.split()[0]] += 1
                    failures += kind in ("defect", "stale line")
                    if options.verbose or kind in ("defect", "stale line"):
                        print(f"{jobs[job]}.{method}: {kind}: {outcome}", flush=True)
    text = table(counts)
    print(text)
    if options.write:
        write_table(text)
        write_known(different)
    elif not only and options.every == 1 and (not TABLE.exists() or text not in TABLE.read_text()):
        print("docs/python.md has another table; run with --write")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
