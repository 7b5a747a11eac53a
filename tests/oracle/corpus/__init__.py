# SPDX-License-Identifier: GPL-3.0-or-later
"""The corpus: each topic is a module with `items()`, a dict from a file's name to what builds its model.

A builder returns a GraphModule or an ExportedProgram, or a function that writes the file at a given path itself.
Where some of the items turn out to be impossible, `names()` gives the others. The order of `items()` is fixed, and every builder starts from torch.manual_seed(0).
"""

import hashlib
import importlib.metadata
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

TOPICS = {
    "graphmodule": ["gm_models", "gm_modules", "gm_functions", "gm_arguments", "gm_names", "gm_operators", "gm_signatures",
                    "gm_attributes", "gm_constants", "gm_structure", "gm_random"],
    "pt2": ["pt2_models", "pt2_features", "pt2_control", "pt2_transformers"],
}
SUFFIX = {"graphmodule": ".pt", "pt2": ".pt2"}


def kind_of(topic):
    return next(kind for kind, topics in TOPICS.items() if topic in topics)


def fingerprint():
    """Changes with the scripts of the corpus and with the version of PyTorch."""
    digest = hashlib.sha256(importlib.metadata.version("torch").encode())
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
