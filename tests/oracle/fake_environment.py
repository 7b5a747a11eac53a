# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments with a torch that is none."""

import os
import pathlib
import sys


def fake_environment(place, torch, version="2.13.0", program=os.path.realpath(sys.executable)):
    """Makes `.venv` in a folder, of which `import torch` runs this text. Returns its site-packages."""
    packages = pathlib.Path(place) / f".venv/lib/python3.{sys.version_info[1]}/site-packages"
    (packages / "torch").mkdir(parents=True)
    (place / ".venv/bin").mkdir()
    (place / ".venv/bin/python").symlink_to(program)
    (place / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    (packages / "torch/version.py").write_text(f"__version__ = {version!r}\n")
    (packages / "torch/__init__.py").write_text(torch)
    return packages
