#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what lancet prints of the corpus with what PyTorch shows, byte for byte."""

import argparse
import concurrent.futures
import pathlib
import sys
import time

import compare
import known
import store
from corpus import TOPICS


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancet", type=pathlib.Path, help="the program; without it the corpus is only made")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="the whole corpus (default)")
    which.add_argument("--sample", type=int, metavar="N", help="N files spread over all topics, always the same")
    parser.add_argument("--corpus", type=pathlib.Path, default=store.default_folder(), help="default: %(default)s")
    parser.add_argument("--kind", choices=list(TOPICS))
    parser.add_argument("--topic", action="append", choices=[topic for topics in TOPICS.values() for topic in topics])
    parser.add_argument("--only", metavar="TEXT", help="files with TEXT in topic/name")
    parser.add_argument("--verb", action="append", choices=compare.VERBS, help="default: all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true", help="a diff for each failure")
    return parser.parse_args()


def main():
    options = arguments()
    if options.lancet and not options.lancet.exists():
        sys.exit(f"run_oracle: {options.lancet} does not exist")
    topics = options.topic or [topic for kind, names in TOPICS.items() for topic in names
                               if options.kind in (None, kind)]
    started = time.time()
    corpus = store.Store(options.corpus, options.jobs)
    chosen = store.choose(corpus.index(topics), options.sample, options.only)
    unbuilt = corpus.make(chosen)
    print(f"{len(chosen)} files in {corpus.folder}, ready after {time.time() - started:.0f} s", flush=True)
    if not options.lancet:
        return report_unbuilt(unbuilt)
    verbs = options.verb or compare.VERBS
    files = [file for file in chosen if file not in unbuilt]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda file: compare.file(options.lancet, *corpus.paths(*file), file in corpus.needs_values,
                                                     verbs), files)
        failed = report(files, results, verbs, options.verbose)
    return report_unbuilt(unbuilt) or failed


def report_unbuilt(unbuilt):
    for (topic, name), why in unbuilt.items():
        print(f"not built: {topic}/{name}: {why}")
    return bool(unbuilt)


def report(files, results, verbs, verbose):
    """Prints each failure as it comes, then a table of passed/failed; true when any failed that is not known."""
    counts = {}
    explained = known.Known()
    unexpected = 0
    for (topic, name), outcome in zip(files, results):
        for verb, difference in outcome.items():
            passed_failed = counts.setdefault(topic, {}).setdefault(verb, [0, 0])
            passed_failed[difference is not None] += 1
            listed = explained.covers(verb, f"{topic}/{name}", difference is not None)
            if difference is not None and (verbose or not listed):
                print(f"{'known' if listed else 'FAIL'} {verb} {topic}/{name}: {difference.text(verbose)}", flush=True)
            unexpected += difference is not None and not listed
    columns = [verb for verb in [*verbs, compare.UNLOADABLE] if any(verb in row for row in counts.values())]
    print(f"\n{'passed/failed':<20}" + "".join(f"{verb:>14}" for verb in columns))
    for topic, row in [*counts.items(), ("total", total(counts, columns))]:
        cells = ["/".join(map(str, row[verb])) if verb in row else "" for verb in columns]
        print(f"{topic:<20}" + "".join(f"{cell:>14}" for cell in cells))
    for line in explained.stale():
        print(f"no longer differs in the files compared: {line}")
    print(f"{unexpected} differences that known_differences.txt does not list")
    return unexpected > 0


def total(counts, columns):
    return {verb: [sum(row.get(verb, (0, 0))[i] for row in counts.values()) for i in (0, 1)] for verb in columns}


if __name__ == "__main__":
    sys.exit(main())
