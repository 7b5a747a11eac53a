# SPDX-License-Identifier: GPL-3.0-or-later
"""The bad inputs: a name, a function that writes the file, and what lancet must say."""

import dataclasses
from typing import Callable

REFUSED = (3,)
OPENS = (0,)
EITHER = (0, 3)


@dataclasses.dataclass
class Case:
    name: str
    write: Callable        # write(path): makes the file (or folder, or fifo)
    exits: tuple           # allowed exit codes
    says: str              # what standard error must contain, as a regular expression
    suffix: str


ALL = []


def case(says="", exits=REFUSED, suffix=".pt", name=None):
    """Registers a function that returns the file's bytes or writes to the path itself."""
    def register(function):
        def write(path):
            data = function(path) if function.__code__.co_argcount else function()
            if data is not None:
                path.write_bytes(data)
        ALL.append(Case(name or function.__name__, write, exits, says, suffix))
        return function
    return register


def add(name, data, says="", exits=REFUSED, suffix=".pt"):
    """Registers a function as above that needs no name of its own."""
    case(says, exits, suffix, name)(data)
