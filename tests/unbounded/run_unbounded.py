# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives lancet Python sources whose work has no end, or fills any memory.

    run_unbounded.py LANCET [WORD]

Each run ends by itself within 5 s and 1.2 GB, with a message and an exit code that is no signal. Most run with smaller
limits (LANCET_SOURCE_SECONDS, LANCET_SOURCE_MEMORY), every tenth with those that users have. WORD chooses the cases
whose name contains it.
"""

import concurrent.futures
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cases

SECONDS = 5
MEGABYTES = 1200
SMALL = {"LANCET_SOURCE_SECONDS": "0.4", "LANCET_SOURCE_MEMORY": "200"}
EXITS = (3, 4)


def run(lancet, folder, name, text, may_succeed, environment):
    """What is wrong with one run, empty for nothing, and a line about it."""
    path = folder / f"{name}.py"
    path.write_text(text)
    with tempfile.TemporaryFile() as error:
        process = subprocess.Popen([lancet, "info", str(path)], stdout=subprocess.DEVNULL, stderr=error,
                                   stdin=subprocess.DEVNULL, env=os.environ | environment, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        late = threading.Timer(30, lambda: os.killpg(process.pid, signal.SIGKILL))
        late.start()
        start = time.monotonic()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        said = error.read().decode("utf-8", "replace")
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    problems = []
    if process.returncode == 0:
        if not may_succeed:
            problems.append("it ends well")
    elif process.returncode not in EXITS:
        problems.append(f"exit code {process.returncode}")
    elif "lancet: error: " not in said:
        problems.append("no message")
    # Of the processor: others may use it at the same time.
    if seconds > SECONDS or wall > 4 * SECONDS:
        problems.append(f"{seconds:.1f} s, {wall:.1f} s in all")
    if megabytes > MEGABYTES:
        problems.append(f"{megabytes:.0f} MB")
    first = said.strip().split("\n")[0][:200]
    line = f"{name}: {seconds:.2f} s {megabytes:.0f} MB {first}"
    return "".join(f"{name}: {problem}: {first}\n" for problem in problems), line


def main():
    lancet, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    chosen = [each for each in cases.all_cases() if word in each[0]]
    if not word and len(chosen) < 150:
        sys.exit(f"only {len(chosen)} cases")
    failed = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        futures = [pool.submit(run, lancet, pathlib.Path(folder), *each, SMALL if number % 10 else {})
                   for number, each in enumerate(chosen)]
        for future in futures:
            problem, line = future.result()
            failed.append(problem)
            if os.environ.get("VERBOSE"):
                print(line, flush=True)
    problems = "".join(failed)
    print(problems, end="")
    print(f"{len(chosen)} sources, {problems.count(chr(10))} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
