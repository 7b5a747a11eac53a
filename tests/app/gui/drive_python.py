# SPDX-License-Identifier: GPL-3.0-or-later
"""A live Python and the window: lancet.edit, lancet.show and torch.compile(backend=lancet.backend), under Xvfb.

    drive_python.py LANCET_GUI SAMPLES TORCH

TORCH is a LibTorch inside a Python environment. Exit 77 (skipped) when there is no such Python, xvfb-run or xdotool.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from drive_surgery import Story
from drive_window import run_under_x

PROGRAM = """
import sys, torch, lancet

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.last(torch.tanh(torch.relu(self.first(x))))

net, x = Net().eval(), torch.randn(3, 4)
if sys.argv[1] == "edit":
    traced = torch.fx.symbolic_trace(net)
    edited = lancet.edit(traced, inputs=(x,))
    assert "relu" in traced.code and "relu" not in edited.code, edited.code
    assert torch.equal(edited(x), net.last(torch.tanh(net.first(x))))
elif sys.argv[1] == "unchanged":
    traced = torch.fx.symbolic_trace(net)
    assert lancet.edit(traced) is traced
elif sys.argv[1] == "compile":
    def breaks(x):
        y = net(x)
        print("a graph break")
        return torch.sin(y)
    compiled = torch.compile(breaks, backend=lancet.backend)
    assert torch.equal(compiled(x), breaks(x))
else:
    lancet.show(torch.export.export(net, (x,)), inputs=(x,))
print("ok: Python:", sys.argv[1])
"""


class Python:
    def __init__(self, python, program, home, *words):
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "QT_QPA_PLATFORM": "xcb",
                       "LANCET_BIN": str(pathlib.Path(program).parent), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "python")}
        self.process = subprocess.Popen([python, "-W", "ignore", "-c", PROGRAM, *words], env=environment)

    def ends(self, window):
        window.wait(lambda: self.process.poll() is not None)
        if self.process.returncode:
            sys.exit(f"Python ended with {self.process.returncode}; the log of the window:\n{window.text()}")


def opened(window):
    return sum(line.startswith("ready") for line in window.text().splitlines())


def edit(window, run, home):
    before = opened(window)
    python = run("edit")
    window.wait(lambda: opened(window) > before)
    window.focus(window.id)
    window.keys("ctrl+f")
    window.write("relu")
    window.keys("Return", "Escape")
    window.wait(lambda: window.selected()[:1] == ["relu"])
    window.keys("Delete")
    window.reaches("erased", lambda: window.last("version:").startswith("1 "))
    path = next(pathlib.Path(home).rglob("Net.pt"))
    written = path.stat().st_mtime_ns
    window.keys("ctrl+s")
    window.wait(lambda: path.exists() and path.stat().st_mtime_ns != written)
    window.keys("ctrl+w")
    python.ends(window)


def leave(window, run):
    before = opened(window)
    python = run("unchanged")
    window.wait(lambda: opened(window) > before)
    window.focus(window.id)
    window.keys("ctrl+w")
    python.ends(window)


def show(window, run):
    for word, graphs in (("compile", 2), ("show", 1)):
        before = opened(window)
        run(word).ends(window)
        window.wait(lambda: opened(window) == before + graphs)
        window.shot(word)
        print("ok: opened", graphs, "of", word)


def story(program, samples, torch):
    python = pathlib.Path(torch).resolve().parents[3] / "bin" / "python"
    if not python.exists():
        print("skipped: there is no Python beside", torch)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as home:
        window = Story(program, samples / "simple_net.pt", home)
        run = lambda word: Python(python, program, home, word)
        edit(window, run, home)
        leave(window, run)
        show(window, run)
        window.quit()


if __name__ == "__main__":
    run_under_x(story)
