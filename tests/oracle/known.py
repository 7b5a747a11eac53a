# SPDX-License-Identifier: GPL-3.0-or-later
"""The differences that are known and explained: known_differences.txt."""

import fnmatch
import pathlib


def lines(file):
    """The lines of a list without its comments."""
    return [line for line in file.read_text().splitlines() if line and not line.startswith("#")]


def reasons(file):
    """A list of lines `name: reason` by name; empty if there is no such file."""
    return dict(line.split(": ", 1) for line in lines(file)) if file.exists() else {}


class Known:
    def __init__(self, file=pathlib.Path(__file__).with_name("known_differences.txt")):
        self._patterns = []  # [verb, name pattern, line, seen, differed]
        for line in lines(file):
            verb, rest = line.split(" ", 1)
            self._patterns.append([verb, rest.split(":", 1)[0], line, False, False])

    def covers(self, verb, name, differs):
        """True if this difference is listed; also remembers which patterns are still needed."""
        covered = False
        for pattern in self._patterns:
            if pattern[0] in ("*", verb) and fnmatch.fnmatchcase(name, pattern[1]):
                pattern[3] = True
                pattern[4] |= differs
                covered = True
        return covered and differs

    def stale(self):
        """Lines whose files were compared and all agree now."""
        return [line for _, _, line, seen, differed in self._patterns if seen and not differed]
