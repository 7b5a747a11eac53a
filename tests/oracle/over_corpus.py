# SPDX-License-Identifier: GPL-3.0-or-later
"""Goes over the models of the corpus (run_oracle.py makes it) with a worker, one comparison each."""

import argparse
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "corpus"))
import store  # noqa: E402
from worker import Worker  # noqa: E402


def over_corpus(about, what, compare, known, more=lambda: ""):
    """Exit code. `compare(path, worker)`: None when equal, False when PyTorch cannot run it with a guess, else what differs; `known(name,
    found)`: why that is so, if it is known; `more()`: a last word of the summary."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only each Nth file")
    parser.add_argument("--only", default="", help="files with TEXT in topic/name")
    parser.add_argument("--corpus", type=pathlib.Path, help="a folder of the corpus; default: the newest that is there")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    folder = options.corpus or store.default_folder() / store.fingerprint()
    files = sorted(path for path in [*folder.glob("gm_*/*.pt"), *folder.glob("pt2_*/*.pt2")] if options.only in f"{path.parent.name}/{path.stem}")[::options.every]
    worker, started = Worker(options.worker), time.time()
    equal, skipped, explained, failed = 0, [], [], []
    for path in files:
        name = f"{path.parent.name}/{path.stem}"
        found = compare(path, worker)
        if found is None:
            equal += 1
        elif found is False:
            skipped.append(name)
        elif known(name, found):
            explained.append(name)
        else:
            failed.append(name)
            print(f"FAIL {name}: {found}", flush=True)
    worker.stop()
    if options.verbose:
        print("not run by PyTorch with a guess:", *skipped, sep="\n  ")
    print(f"{what}: {equal} equal, {len(explained)} known, {len(failed)} different, {len(skipped)} that PyTorch does not run with guessed inputs, in {time.time() - started:.0f} s{more()}")
    return 1 if failed or not equal else 0
