# SPDX-License-Identifier: GPL-3.0-or-later
"""The corpus on disk: FOLDER/FINGERPRINT/TOPIC/NAME.pt with what PyTorch shows of it beside it in NAME.json.

Only what is asked for and missing is made. A new version of the corpus' scripts or of PyTorch is another folder.
"""

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
    def __init__(self, folder, pool):
        self.folder = folder / fingerprint()
        self.pool = pool
        self.needs_values = set()

    def paths(self, topic, name):
        """The model, and the expectation."""
        return self.folder / topic / (name + SUFFIX[kind_of(topic)]), self.folder / topic / f"{name}.json"

    def step(self, step, topic, names=()):
        command = [sys.executable, "-m", "corpus", step, topic, str(self.folder / topic), *names]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)

    def index(self, topics):
        """The names of each topic, in the corpus' order."""
        def names(topic):
            path = self.folder / topic / "index.json"
            if not path.exists():
                done = self.step("list", topic)
                if done.returncode:
                    print(f"topic {topic} is left out: {done.stderr.strip().splitlines()[-1]}")
                    return []
            found = json.loads(path.read_text())
            self.needs_values |= {(topic, name) for name in found["needs_values"]}
            return found["names"]

        return dict(zip(topics, self.pool.map(names, topics)))

    def make(self, chosen):
        """Makes what is missing; gives {(topic, name): why} for what could not be made."""
        batches = []
        for topic in dict.fromkeys(topic for topic, _ in chosen):
            missing = [name for of, name in chosen if of == topic and not self.paths(topic, name)[1].exists()]
            batches += [(topic, missing[i:i + BATCH]) for i in range(0, len(missing), BATCH)]
        ends = list(self.pool.map(self.make_batch, batches))
        reasons = {(topic, name): end for (topic, names), end in zip(batches, ends) for name in names}
        return {file: self.why_unbuilt(*file, reasons[file]) for file in reasons if not self.paths(*file)[1].exists()}

    def make_batch(self, batch):
        """Loading is done by a fresh process, as by somebody who gets the file."""
        topic, names = batch
        return " ".join(self.step(step, topic, names).stderr[-300:] for step in ("build", "expect")).strip()

    def why_unbuilt(self, topic, name, reason):
        trace = self.folder / topic / f"{name}.unbuilt"
        return trace.read_text().strip().splitlines()[-1] if trace.exists() else reason
