"""Compares small programs, one for each rule of Python and of torch that models rely on, with torch.fx.symbolic_trace.

    semantics.py --lancet BIN [--only WORD] [--verbose]

Each public function and class of tests/oracle/semantics/ is a program: it is traced after torch.manual_seed(0). Graph,
code and weights must be equal bit for bit, and what torch.fx refuses lancet must refuse with exit code 4. What lancet
refuses and torch.fx does not is listed in known_semantics.txt with the reason. Exit 1: a difference that is not
listed, or a line there that no longer differs.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import warnings

from known import reasons
from traces import Case, first_difference, load, made_by, run, same_weights, traced

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "semantics"
KNOWN = HERE / "known_semantics.txt"


def programs():
    for file in sorted(PROGRAMS.glob("*.py")):
        for name, value in vars(load(str(file), file.stem)).items():
            if not name.startswith("_") and getattr(value, "__module__", None) == file.stem:
                yield Case(file, name, lambda file=file, name=name: made_by(file, name, None))


def traced_by_torch(case):
    """The GraphModule, or None and the type of what was raised."""
    try:
        return traced(case)[0], None
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # whatever the program raises
        return None, type(error).__name__


def difference(lancet, case, wanted, refusal):
    """Whether lancet refuses, and what differs otherwise; empty if nothing does."""
    code, text, error = run(lancet, "graph", case)
    if code == 4:
        return True, "" if wanted is None else error.strip()
    if wanted is None:
        return False, f"torch.fx refuses ({refusal}), lancet has exit code {code}: {error.strip()[:300]}"
    if code:
        return False, f"exit code {code}: {error.strip()[:300]}"
    if text != str(wanted.graph) + "\n":
        return False, first_difference(str(wanted.graph) + "\n", text)
    code, text, error = run(lancet, "code", case)
    if text != wanted.code + "\n":
        return False, error.strip() or first_difference(wanted.code + "\n", text)
    return False, same_weights(lancet, case, wanted) if list(wanted.state_dict()) else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only each Nth program")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known = reasons(KNOWN)
    cases = [case for case in programs() if options.only in str(case)][::options.every]
    torchs = [(case, *traced_by_torch(case)) for case in cases]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda each: difference(options.lancet, *each), torchs))
    failures = refused = 0
    for (case, wanted, refusal), (refuses, differs) in zip(torchs, results):
        name = str(case)
        is_known = bool(refuses and differs and name in known)
        is_stale = name in known and not is_known
        refused += is_known
        if is_stale:
            print(f"{name}: known_semantics.txt lists it, but lancet does not refuse it any more")
        if differs and not is_known:
            print(f"{name}: {'refused: ' if refuses else ''}{differs}")
        elif options.verbose:
            print(f"{name}: {known[name] if is_known else 'equal' if wanted else f'refused by both ({refusal})'}")
        failures += bool(is_stale or (differs and not is_known))
    equal = len(cases) - failures - refused
    print(f"{len(cases)} programs: {equal} equal, {refused} refused as listed, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
