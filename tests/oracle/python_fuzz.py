# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs random programs in this Python and in Lancet's interpreter: the same values, texts and exceptions?

    python_fuzz.py --lancet BIN [--programs N] [--seed S] [--shrink N]

What a program shows before Lancet refuses a part of it is compared, too. Programs that depend on the hashes of texts are left out.
A program that differs is made smaller before it is printed. Exit 1: one differs.
"""

import argparse
import ast
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from python_statements import Writer

BATCH = 50
HEAD = '''
import collections, contextlib, dataclasses, itertools, math
class Base:
    kind = "base"
    def __repr__(self): return "Base()"
class Context:
    def __init__(self, name): self.name = name
    def __enter__(self): return self.name
    def __exit__(self, kind, value, trace): return False
class Swallowing(Context):
    def __exit__(self, kind, value, trace): return kind is not None and issubclass(kind, (ValueError, LookupError))
results = []
keep = [results.append]  # by an item, so that a refused program is not seen to change the results
def run(number, program):
    lines = []
    keep[0]((number, lines))
    def show(*values): lines.append(", ".join([repr(each) for each in values]))
    def attempt(function):
        try:
            show(function())
        except Exception as error:
            show(type(error).__name__, str(error))
    try:
        program(show, attempt)
    except BaseException as error:
        lines.append("raised " + type(error).__name__ + ": " + str(error))
    lines.append("end")
'''
IN_PYTHON = """
import builtins, json, os, resource, signal, sys, warnings
class TooSlow(BaseException): pass
def stop(*_): raise TooSlow
signal.signal(signal.SIGVTALRM, stop)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.5, 0.5)  # all programs of a batch take less
hash_of = hash
builtins.hash = lambda value: hash_of(value) if value is not None else int(os.environ["PYTHONHASHSEED"])  # an address
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
scope = {"__name__": "programs"}
sys.modules["programs"] = type(sys)("programs")
exec(compile(open(sys.argv[1]).read(), "programs.py", "exec"), scope)
print(json.dumps(scope["results"]))
"""


def joined(programs):
    text = HEAD
    for number, program in programs.items():
        body = "\n".join("    " + line for line in program.splitlines())
        text += f"def program_{number}(show, attempt):\n{body}\n_done_{number} = run({number}, program_{number})\n"
    return text + "def main(x):\n    return [x, results]\n"


class Runner:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.refusals = lancet, folder, collections.Counter()

    def call(self, command, seed):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONHASHSEED": seed}, errors="replace")
        except subprocess.TimeoutExpired:
            return None

    def in_python(self, path, seed):
        done = self.call([sys.executable, "-c", IN_PYTHON, path], seed)
        return {} if done is None or done.returncode else dict(json.loads(done.stdout.splitlines()[-1]))

    def in_lancet(self, path):
        done = self.call([self.lancet, "graph", f"{path}:main", "--quiet"], "0")
        if done is None or done.returncode:
            return "no answer" if done is None else f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        last = done.stdout.strip().splitlines()[-1].strip().removeprefix("return ")
        return dict(ast.literal_eval(re.sub(r"^\[%?\w+", "[0", last))[1])

    def differences(self, programs, name):
        """What differs, by number; programs that cannot be judged are left out. Also how many Lancet ran to their end."""
        if not programs:
            return {}, 0
        path = self.folder / name / "programs.py" # texts of errors have the name of the module
        path.parent.mkdir(exist_ok=True)
        path.write_text(joined(programs))
        first = self.in_python(path, "1")
        if not first and len(programs) > 1:
            return self.in_halves(programs, name)
        slow = {number for number in programs if any("TooSlow" in line for line in first.get(number, []))}
        if slow:  # they stop Lancet, too, and with them all others
            return self.differences({each: programs[each] for each in programs.keys() - slow}, name)
        second = self.in_python(path, "2")
        got = self.in_lancet(path)
        if isinstance(got, str):
            if len(programs) == 1:
                if got.startswith(("exit code 3:", "exit code 4:")) and ("more than" in got or "memory" in got):
                    return {}, 0
                return ({next(iter(programs)): got}, 0) if first else ({}, 0)
            return self.in_halves(programs, name)
        out, ended = {}, 0
        for number in programs:
            wanted = [stable(line) for line in first.get(number, [])]
            if wanted != [stable(line) for line in second.get(number, [])] or number not in first:
                continue
            if any(re.search(r"\{[^{}:]*\bNone\b[^{}:]*\}", line) for line in wanted):  # a set in the order of addresses
                continue
            lines = [stable(line) for line in got.get(number, [])]
            ended += lines[-1:] == ["end"]
            if lines[-1:] != ["end"]:
                wanted = wanted[:len(lines)]
            if lines != wanted:
                at = next((i for i, (a, b) in enumerate(zip(lines, wanted)) if a != b), min(len(lines), len(wanted)))
                out[number] = f"Python: {''.join(wanted[at:at + 1])}\nLancet: {''.join(lines[at:at + 1])}"
        return out, ended

    def in_halves(self, programs, name):
        numbers, out, ended = list(programs), {}, 0
        for part in (numbers[:len(numbers) // 2], numbers[len(numbers) // 2:]):
            some, more = self.differences({each: programs[each] for each in part}, name)
            out.update(some)
            ended += more
        return out, ended


def stable(line):
    """Without addresses."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x0", line)


def bodies(tree):
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            part = getattr(node, field, None)
            if isinstance(part, list):
                yield node, field, part


def smaller(text):
    """Programs with one part less: without some statements, with the body of one in its place, with a part of an expression."""
    tree = ast.parse(text)
    count = sum(len(part) for _, _, part in bodies(tree))
    for size in sorted({max(1, count // 2), max(1, count // 4), 2, 1}, reverse=True):
        for place, (_, _, part) in enumerate(bodies(tree)):
            for at in range(0, len(part), size):
                copy = ast.parse(text)
                _, field, other = list(bodies(copy))[place]
                del other[at:at + size]
                if not other and field == "body":
                    other.append(ast.Pass())
                yield copy
    for place, (_, _, part) in enumerate(bodies(tree)):
        for at, each in enumerate(part):
            if isinstance(each, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
                copy = ast.parse(text)
                _, _, other = list(bodies(copy))[place]
                other[at:at + 1] = other[at].body
                yield copy
    count = sum(isinstance(node, ast.expr) for node in ast.walk(tree))
    for place in range(count):
        for which in range(4):
            copy = ast.parse(text)
            if replaced(copy, place, which):
                yield copy


def replaced(tree, place, which):
    """Replaces an expression by one of its parts, or by 1."""
    at = -1
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for index, each in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(each, ast.expr) or isinstance(getattr(each, "ctx", None), (ast.Store, ast.Del)):
                    continue
                at += 1
                if at != place:
                    continue
                parts = [part for part in ast.iter_child_nodes(each) if isinstance(part, ast.expr)]
                if which == 3 and not isinstance(each, ast.Constant):
                    new = ast.Constant(1)
                elif which < len(parts):
                    new = parts[which]
                else:
                    return False
                if isinstance(value, list):
                    value[index] = new
                else:
                    setattr(node, field, new)
                return True
    return False


def shrunk(runner, text, name, rounds=60):
    for _ in range(rounds):
        candidates = {}
        for tree in smaller(text):
            try:
                shorter = ast.unparse(ast.fix_missing_locations(tree))
                compile("def f():\n" + "\n".join("    " + line for line in shorter.splitlines()), "", "exec", dont_inherit=True)
            except (SyntaxError, ValueError, TypeError, AttributeError):
                continue
            if len(shorter) < len(text):
                candidates[len(candidates)] = shorter
            if len(candidates) >= 400:
                break
        found = None
        numbers = list(candidates)
        for start in range(0, len(numbers), BATCH):
            part = {each: candidates[each] for each in numbers[start:start + BATCH]}
            differing, _ = runner.differences(part, name)
            if differing:
                found = min(differing, key=lambda each: len(candidates[each]))
                break
        if found is None:
            return text
        text = candidates[found]
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shrink", type=int, default=20, help="how many to make smaller")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(str(pathlib.Path(options.lancet).resolve()), pathlib.Path(folder))
        programs = {}
        for seed in range(options.seed, options.seed + options.programs):
            text = Writer(seed).text()
            try:
                compile("def f():\n" + "\n".join("    " + line for line in text.splitlines()), "", "exec", dont_inherit=True)
                programs[seed] = text
            except SyntaxError:
                pass
        numbers = list(programs)
        batches = [{each: programs[each] for each in numbers[at:at + BATCH]} for at in range(0, len(numbers), BATCH)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda given: runner.differences(given[1], f"batch_{given[0]}"), enumerate(batches)))
            different = {number: what for some, _ in answers for number, what in some.items()}
            list(pool.map(lambda number: report(runner, programs, number), list(different)[:options.shrink]))
    print(f"{len(programs)} programs, {sum(ended for _, ended in answers)} to their end, {len(different)} differ")
    return 1 if different or not any(ended for _, ended in answers) else 0


def report(runner, programs, number):
    text = shrunk(runner, programs[number], f"shrink_{number}")
    what, _ = runner.differences({number: text}, f"shrink_{number}")
    print(f"== seed {number}\n{text}\n{what.get(number, '')}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
