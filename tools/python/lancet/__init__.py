# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands torch.fx graphs from a running Python to Lancet, and back. See README.md."""

from ._commands import Drawing, LancetError, draw, lint, match, partition
from ._window import backend, edit, show

__all__ = ["Drawing", "LancetError", "backend", "draw", "edit", "lint", "match", "partition", "show"]
