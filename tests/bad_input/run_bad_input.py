# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives lancet files that are broken or hostile and checks how it takes them.

    run_bad_input.py LANCET SAMPLES [WORD]

Each run: an allowed exit code (never a signal), at most 2 s of processor time, memory at most the file and 200 MB, one
clear line on standard error, and nothing of the file executed. WORD chooses the cases whose name contains it.
"""

import dataclasses
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading

import archive_cases  # noqa: F401  the cases register themselves
import cases
import pickle_cases
import text_cases

SECONDS = 2
MEGABYTES = 200
VERBS = ["info", "graph", "code", "tabular", "modules"]


@dataclasses.dataclass
class Outcome:
    exit: int
    seconds: float
    megabytes: float
    output: bytes
    error: str


def run(lancet, folder, *words):
    """One run under limits that stop it should it run away; the figures are judged afterwards."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
        process = subprocess.Popen([lancet, *map(str, words)], stdout=output, stderr=error, stdin=subprocess.DEVNULL,
                                   cwd=folder, preexec_fn=limit)
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), error.seek(0)
        return Outcome(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read(),
                       error.read().decode("utf-8", "replace"))


def complaints(outcome, exits, says, size):
    """What is wrong with a run, in words."""
    if outcome.exit < 0:
        return [f"killed by {signal.Signals(-outcome.exit).name}"]
    first = outcome.error.split("\n")[0]
    wrong = []
    if outcome.exit not in exits:
        wrong.append(f"exit {outcome.exit}, not {' or '.join(map(str, exits))}: {first}")
    if outcome.seconds > SECONDS:
        wrong.append(f"{outcome.seconds:.1f} s")
    if outcome.megabytes > size / 2**20 + MEGABYTES:
        wrong.append(f"{outcome.megabytes:.0f} MB of memory for a file of {size / 2**20:.0f} MB")
    if outcome.exit == 3 and not re.fullmatch(r"lancet: error: .{8,300}", first):
        wrong.append(f"no clear line: {first[:400]!r}")
    if outcome.exit == 3 and "internal error" in first:
        wrong.append(first)
    if says and outcome.exit == 3 and not re.search(says, outcome.error):
        wrong.append(f"does not say {says!r}: {outcome.error[:300]!r}")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", outcome.error):
        wrong.append("control characters on standard error")
    return wrong


class Runner:
    def __init__(self, lancet, folder):
        self.lancet, self.folder, self.failures, self.count = lancet, folder, 0, 0

    def check(self, name, exits, says, size, *words):
        outcome = run(self.lancet, self.folder, *words)
        wrong = complaints(outcome, exits, says, size)
        if (self.folder / pickle_cases.MARKER).exists():
            wrong.append("code of the file ran")
            (self.folder / pickle_cases.MARKER).unlink()
        self.count += 1
        self.failures += bool(wrong)
        for text in wrong:
            print(f"FAIL {name} ({words[0]}): {text}", flush=True)
        return outcome

    def case(self, case):
        path = self.folder / (case.name + case.suffix)
        case.write(path)
        size = path.stat().st_blocks * 512 if path.is_file() else 0
        first = self.check(case.name, case.exits, case.says, size, "info", path)
        if first.exit == 0:
            for verb in VERBS[1:]:
                self.check(case.name, (0, 3, 4), "", size, verb, path)
            self.check(case.name, (0, 3, 4), "", size, "draw", path, "-o", self.folder / "out.svg")
            self.check(case.name, (0, 3, 4), "", size, "convert", path, "-o", self.folder / "out.json")
        remove(path)

    def damaged(self, sample):
        """Cut at many places; bits flipped in many."""
        data, chance = sample.read_bytes(), random.Random(sample.name)
        path = self.folder / ("damaged" + sample.suffix)
        cuts = sorted({chance.randrange(len(data)) for _ in range(25)} | {1, 4, 30, len(data) - 1, len(data) - 22})
        for cut in cuts:
            path.write_bytes(data[:cut])
            self.check(f"{sample.name} cut at {cut}", (3,), "", cut, "info", path)
        for _ in range(60):
            flipped = bytearray(data)
            for _ in range(chance.choice([1, 1, 10])):
                flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(flipped)
            self.check(f"{sample.name} flipped", (0, 3), "", len(data), chance.choice(VERBS), path)
        path.unlink()


def remove(path):
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            inner.unlink()
        path.rmdir()
    elif os.path.lexists(path):
        path.unlink()
    path.with_suffix(".safetensors").unlink(missing_ok=True)


def main():
    lancet, samples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runner = Runner(lancet, folder)
        source = folder / "description.json"
        text_cases.edited_description.source = source
        made = run(lancet, folder, "convert", (samples / "my_module.pt").resolve(), "-o", source)
        if made.exit:
            sys.exit(f"cannot write a description to damage: {made.error}")
        for case in cases.ALL:
            if word in case.name:
                runner.case(case)
        if word in "damaged":
            for sample in [samples / "my_module.pt", samples / "transformer.pt2", source, source.with_suffix(".safetensors")]:
                if sample.suffix != ".safetensors":
                    runner.damaged(sample)
        print(f"{runner.count} runs, {runner.failures} failed")
        sys.exit(1 if runner.failures else 0)


if __name__ == "__main__":
    main()
