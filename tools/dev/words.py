# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds English in the comments of headers that readers stumble over: words.py FILE..., or all headers below the folder.

A sentence begins with its subject; the field's words replace calques; prose is British, code in `backticks` is as it is.
"""

import pathlib
import re
import sys

RULES = [
    (r"^(What|Whether|Of)\b|^For\b(?!.*,)(?! (example|instance)\b)", "begin the sentence with its subject"),
    (r"\b(is|are) told\b|\btells? of\b|\btold (of|by|to|when|how|why)\b", "reported, says, describes"),
    (r"\bis so\b(?! (that|far|long|large|small|many))", "say what it is"),
    (r"\b(is|are) none\b(?! of)", "is not a …, has no …; or null, or empty"),
    (r"\banother one\b", "name it"),
    (r"\bof its own\b|\bof their own\b", "drop it, or: separate"),
    (r"\bto and fro\b|\bmade anew\b|\bmade up\b", "use the field's word"),
    (r"\b(behaviors?|colou?rs? of the color|colors?|colored|coloring|centers?|centered|gray|favorites?)\b", "British spelling"),
    (r"\b(quanti|normali|seriali|initiali|optimi|recogni|synchroni|speciali|generali|minimi|maximi|organi|summari)z(e|es|ed|ing|ation)\b",
     "British spelling: -ise"),
    (r"\banalyz(e|es|ed|ing)\b", "British spelling"),
]
COMMENT = re.compile(r"^(\s*)//[/!]?<? ?(.*)$|(?:[;{},)]|\S  )\s*//[/!]?<? ?(.*)$")


def comments(text):
    """Yields (line, comment) for each run of comment lines; code spans and drawings are left out."""
    run, start = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        match = COMMENT.search(line)
        words = next((g for g in match.groups()[1:] if g is not None), "") if match else ""
        trailing = bool(match) and match.group(1) is None
        if run and (not match or trailing or not words.strip()):
            yield start, " ".join(run)
            run = []
        if not words.strip() or re.match(r"\s{3,}|[│├└─┌|+]", words):
            continue
        if trailing:
            yield number, words
            continue
        start = start if run else number
        run.append(words)


def sentences(comment):
    plain = re.sub(r"`[^`]*`|\"[^\"]*\"|\b\w+(?:[_.]|::|\()\w\S*|\b\w+\(\)", "x", comment)
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])|(?<=:)\s+(?=[A-Z])", plain)


def faults(root, path):
    for line, comment in comments((root / path).read_text()):
        for sentence in sentences(comment):
            for pattern, remedy in RULES:
                found = re.search(pattern, sentence, 0 if pattern.startswith("^") or "none" in pattern else re.I)
                if found:
                    yield f"{path}:{line}: \"{found.group(0)}\": {remedy}: {sentence.strip()[:90]}"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    paths = paths or sorted(p.relative_to(root) for folder in ("app", "core", "ui") for p in (root / folder).rglob("*.h"))
    found = [fault for path in paths for fault in faults(root, path)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
