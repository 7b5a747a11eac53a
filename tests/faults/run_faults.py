# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves with lancet while the N-th call of the system fails, for N = 1, 2, … until nothing fails any more.

    run_faults.py LANCET LIBRARY JOURNAL SAMPLES [--sample] [--only TEXT]

LIBRARY is preloaded (fail_calls.cpp). Its environment: LANCET_FAULT_AT N, LANCET_FAULT_KIND, LANCET_FAULT_BELOW the
folder whose calls count, LANCET_FAULT_PROGRAM whose, LANCET_FAULT_LOG the file that names the call that failed. Kinds:

    enospc  no space from the N-th call on that needs some
    eio     the N-th call fails
    short   the N-th write writes half of it
    kill    the process is killed before the N-th call

After each run the target is the old file or the new one, whole: the new one if lancet says so (exit 0). A failure is
one line of text, and leaves nothing beside the target. What a killed process leaves goes with the next save.
`journals` does the same with the crash journal: what was recorded comes back. --sample: every few N.
"""

import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

KINDS = ("enospc", "eio", "short", "kill")
FAILED = (3, 4)  # exit codes: a file that cannot be read, an operation that is refused
KILLED = -9


class Fault:
    """The environment of one run, and what became of it."""

    def __init__(self, library, folder, program, kind, number):
        self.log = folder.parent / "fault.log"
        self.log.unlink(missing_ok=True)
        self.environment = dict(os.environ, LD_PRELOAD=str(library), LANCET_FAULT_AT=str(number), LANCET_FAULT_KIND=kind,
                                LANCET_FAULT_BELOW=str(folder), LANCET_FAULT_PROGRAM=program, LANCET_FAULT_LOG=str(self.log),
                                XDG_CACHE_HOME=str(folder.parent / "cache"), TMPDIR=str(folder / "tmp"))

    def fired(self):
        return self.log.read_text().strip() if self.log.exists() else ""


class Target:
    """What a command writes: a file, the two of a description, or a folder."""

    def __init__(self, name, words, source, older=None, seconds=0.1):
        self.name, self.words, self.source, self.older, self.seconds = name, words, source, older, seconds

    def files(self, folder):
        path = folder / self.name
        beside = [path.with_suffix(".safetensors")] if self.name.endswith(".json") else []
        inside = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        return {str(each.relative_to(folder)): comparable(each) for each in [*inside, *beside] if each.is_file()}

    def command(self, lancet, folder):
        output = f"{folder / self.name}/" if "." not in self.name else str(folder / self.name)
        return [str(lancet), *(word.format(source=self.source, output=output) for word in self.words)]


def comparable(path):
    """Without what differs from run to run: the times in reports and projects."""
    if path.suffix == ".html":
        content = path.read_bytes()
        return "a whole report" if content.startswith(b"<!") and content.rstrip().endswith(b"</html>") else content
    if path.suffix != ".lancet":
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            return [(name, re.sub(rb"[0-9]{9,}", b"", archive.read(name))) for name in archive.namelist()]
    except zipfile.BadZipFile:
        return path.read_bytes()


def targets(samples):
    net, export = samples / "simple_net.pt", samples / "transformer.pt2"
    convert = ["convert", "{source}", "-o", "{output}"]
    stages = ["partition", "{source}", "--stages", "2", "--balance", "nodes", "--pipeline", "{output}"]
    for name in ("net.pt", "net.json", "net", "net.py", "net.lancet"):
        yield Target(name, convert, net, convert)
    yield Target("edited.lancet", ["edit", "{source}", "--step", '{{"step": "rename", "node": "mul", "name": "scaled"}}', "-o", "{output}"], net, convert)
    yield Target("net.pt2", convert, export)
    yield Target("module.pt", convert, export)
    yield Target("net.svg", ["draw", "{source}", "-o", "{output}"], net)
    yield Target("stages", stages, net, stages)
    yield Target("net.html", ["report", "{source}", "--input", "x=1x3x16x16", "-o", "{output}"], net, seconds=2)
    yield Target("net.ts", convert, net, seconds=2)
    yield Target("outputs.pt", ["run", "{source}", "--input", "x=1x3x16x16", "-o", "{output}"], net, seconds=2)


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder, self.count, self.failures = options, folder, 0, 0

    def fail(self, what, why):
        self.failures += 1
        print(f"FAIL {what}: {why}"[:900], flush=True)

    def numbers(self, seconds):
        """Every N; of a sample few, and fewer of what takes long."""
        if not self.options.sample:
            return itertools.count(1)
        return itertools.count(1, 9) if seconds < 1 else itertools.count(3, 60)

    def save(self, target):
        """The states of the target: as a save of another model, or another program, left it, and as this one writes it."""
        work, old = self.folder / "work", self.folder / "old"
        for folder in (work, old):
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "tmp").mkdir(parents=True)
        if target.older is None:
            (old / target.name).write_text("what was there before")
        else:
            self.need(Target(target.name, target.older, self.options.samples / "resnet.pt").command(self.options.lancet, old))
        self.need(target.command(self.options.lancet, work))
        shutil.rmtree(self.folder / "new", ignore_errors=True)
        shutil.copytree(work, self.folder / "new")
        return target.files(old), target.files(work)

    def need(self, command):
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{command}: {made.stderr}")

    def check(self, target):
        old, new = self.save(target)
        work = self.folder / "work"
        for kind in KINDS:
            for number in self.numbers(target.seconds):
                shutil.rmtree(work)
                shutil.copytree(self.folder / "old", work)
                fault = Fault(self.options.library, work, "lancet", kind, number)
                done = subprocess.run(target.command(self.options.lancet, work), env=fault.environment, capture_output=True, text=True)
                self.count += 1
                if not fault.fired():
                    break
                self.judge(target, f"{target.name} {kind} {number} ({fault.fired().replace(str(work), '')})", kind, done, old, new)
            if done.returncode or target.files(work) != new:
                self.fail(f"{target.name} {kind}", f"without a fault: exit {done.returncode}, {done.stderr}")

    def judge(self, target, what, kind, done, old, new):
        work = self.folder / "work"
        now = target.files(work)
        if now not in (old, new) and not self.is_whole(target):
            self.fail(what, f"the target is neither the old nor the new one: {sorted(now)}; exit {done.returncode}, {done.stderr}")
        if kind == "kill":
            if done.returncode == KILLED:
                self.save_again(target, what, new)
            return
        if done.returncode == 0 and now != new:
            self.fail(what, f"exit 0, and the target is not the new one: {done.stderr}")
        if done.returncode and (done.returncode not in FAILED or not re.search("^lancet: error: .", done.stderr, re.M) or "internal" in done.stderr):
            self.fail(what, f"exit {done.returncode}: {done.stderr}")
        if kind == "short" and done.returncode:
            self.fail(what, f"a short write is no failure: {done.stderr}")
        if left := self.others(target):
            if "(unlink" not in what and not re.search(r"\((open|read) \S*[./](lancet|before)-", what):  # what cannot be removed stays until the next save
                return self.fail(what, f"exit {done.returncode}, and left behind: {left}")
            self.save_again(target, what, new)

    def is_whole(self, target):
        """A description whose former weights are still beside it."""
        one = self.folder / "work" / target.name
        others = (self.folder / "old" / target.name, self.folder / "new" / target.name)
        return target.name.endswith(".json") and any(
            subprocess.run([str(self.options.lancet), "diff", str(one), str(other)], capture_output=True).returncode == 0 for other in others)

    def others(self, target):
        work = self.folder / "work"
        known = set(target.files(work))
        found = [str(each.relative_to(work)) for each in work.rglob("*") if not each.is_dir() or not any(each.iterdir())]
        return sorted(each for each in found if each not in known and each not in ("tmp", target.name))

    def save_again(self, target, what, new):
        """The next save removes what the killed one left."""
        work = self.folder / "work"
        done = subprocess.run(target.command(self.options.lancet, work), env=dict(os.environ, TMPDIR=str(work / "tmp")), capture_output=True, text=True)
        if done.returncode or target.files(work) != new:
            self.fail(what, f"saved again: exit {done.returncode}, {done.stderr}")
        elif left := self.others(target):
            self.fail(what, f"saved again, and left behind: {left}")

    def journals(self):
        """JOURNAL MODEL FOLDER makes edits and prints each that was recorded; JOURNAL --recover FOLDER prints those that come back."""
        work = self.folder / "work"
        program = pathlib.Path(self.options.journal)
        for kind in KINDS:
            for number in self.numbers(1):
                shutil.rmtree(work, ignore_errors=True)
                (work / "tmp").mkdir(parents=True)
                shutil.copy(self.options.samples / "simple_net.pt", work / "net.pt")
                fault = Fault(self.options.library, work / "state", program.name, kind, number)
                done = subprocess.run([program, work / "net.pt", work / "state" / "journals"], env=fault.environment, capture_output=True, text=True)
                back = subprocess.run([program, "--recover", work / "state" / "journals"], capture_output=True, text=True)
                self.count += 1
                what = f"journal {kind} {number} ({fault.fired().replace(str(work), '')})"
                if done.returncode not in (0, KILLED if kind == "kill" else 0):
                    self.fail(what, f"exit {done.returncode}: {done.stderr}")
                self.judge_journal(what, kind, done, back)
                if not fault.fired():
                    break

    def judge_journal(self, what, kind, done, back):
        """Lines of `done` begin with an event and the state of the model: `begins`, then `recorded` or `tried` and why."""
        lines = [line.split() for line in done.stdout.splitlines()]
        recorded = [place for place, words in enumerate(lines) if words[0] == "recorded"]
        # The last state that was recorded, or one that was tried after it.
        allowed = [words[1] for words in lines[recorded[-1] if recorded else 0:]] + ([] if recorded else ["none"])
        state = back.stdout.strip()
        if back.returncode or state not in allowed:
            self.fail(what, f"{state} {back.stderr} came back; made {[' '.join(words) for words in lines]}")
        if kind in ("eio", "short") and lines and lines[-1][0] != "recorded":
            self.fail(what, f"the last change was not recorded: {lines[-1]}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("lancet", "library", "journal", "samples"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(options, pathlib.Path(name).resolve())
        for target in targets(options.samples):
            if options.only in target.name:
                runs.check(target)
        if options.only in "journals":
            runs.journals()
        print(f"{runs.count} runs, {runs.failures} failures")
        sys.exit(1 if runs.failures else 0)


if __name__ == "__main__":
    main()
