# SPDX-License-Identifier: GPL-3.0-or-later
"""The corpus on disk: FOLDER/FINGERPRINT/TOPIC/NAME.pt with what PyTorch shows of it beside it in NAME.json.

Only what is asked for and missing is made. A new version of the corpus' scripts or of PyTorch is another folder.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from corpus import SUFFIX, fingerprint, kind_of

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 100


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "lancet" / "oracle"


def choose(index, sample, only):
    """(topic, name) pairs; a sample takes the same number of each topic, evenly spread."""
    names = {topic: [name for name in names if not only or only in f"{topic}/{name}"]
             for topic, names in index.items()}
    if sample:
        share = max(1, sample // len(names))
        names = {topic: list(dict.fromkeys(some[i * len(some) // share] for i in range(share) if some))
                 for topic, some in names.items()}
    return [(topic, name) for topic, some in names.items() for name in some]


class Store:
    def __init__(self, folder, jobs):
        self.folder = folder / fingerprint()
        self.jobs = jobs
        self.needs_values = set()

    def paths(self, topic, name):
        """The model, and the expectation."""
        return self.folder / topic / (name + SUFFIX[kind_of(topic)]), self.folder / topic / f"{name}.json"

    def step(self, step, files):
        """Runs one process over (topic, name) pairs; gives what it said on stderr."""
        names = {}
        for topic, name in files:
            names.setdefault(topic, []).append(name)
        done = subprocess.run([sys.executable, "-m", "corpus", step, self.folder], cwd=HERE, input=json.dumps(names),
                              env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True)
        return done.stderr

    def steps(self, steps, files):
        """Few processes, since importing PyTorch takes longer than most of the work; every one has some of each topic."""
        count = max(self.jobs, len(files) // BATCH)
        batches = [batch for batch in (files[i::count] for i in range(count)) if batch]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return dict(zip(map(tuple, batches), pool.map(lambda batch: [self.step(step, batch) for step in steps], batches)))

    def index(self, topics):
        """The names of each topic, in the corpus' order."""
        def path(topic):
            return self.folder / topic / "index.json"

        for said in self.steps(["list"], [(topic, "") for topic in topics if not path(topic).exists()]).values():
            print("".join(line for line in said[0].splitlines(True) if "left out" in line), end="")
        found = {topic: json.loads(path(topic).read_text()) for topic in topics if path(topic).exists()}
        self.needs_values = {(topic, name) for topic, index in found.items() for name in index["needs_values"]}
        return {topic: index["names"] for topic, index in found.items()}

    def make(self, chosen):
        """Makes what is missing; gives {(topic, name): why} for what could not be made.

        Loading is done by a fresh process, as by somebody who gets the file.
        """
        missing = [file for file in chosen if not self.paths(*file)[1].exists()]
        said = self.steps(["build", "expect"], missing)
        return {file: self.why_unbuilt(*file, "".join(texts)) for batch, texts in said.items() for file in batch
                if not self.paths(*file)[1].exists()}

    def why_unbuilt(self, topic, name, said):
        trace = self.folder / topic / f"{name}.unbuilt"
        return trace.read_text().strip().splitlines()[-1] if trace.exists() else said[-300:]
