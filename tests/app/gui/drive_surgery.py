# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a surgery with real mouse and keyboard: lancet-gui under Xvfb, driven with xdotool.

    drive_surgery.py LANCET_GUI SAMPLES [TORCH]

Opens a ResNet, selects conv-bn-relu, finds the pattern, replaces it, inserts a node, undoes and redoes, types into the code and applies
it, compares, saves as .lancet and .pt, and with TORCH (a LibTorch inside a Python environment) loads the .pt in Python. Exit 77 (skipped) when
xvfb-run or xdotool is missing. LANCET_SHOTS=DIR keeps a picture of each scene.
"""

import os
import pathlib
import subprocess
import tempfile
import time

from drive_window import Window, run_under_x, xdotool


class Story(Window):
    def __init__(self, program, model, home):
        os.environ["XDG_STATE_HOME"] = home
        super().__init__(program, model, home)
        self.shots = os.environ.get("LANCET_SHOTS")
        self.scene = 0

    def lines(self, start):
        return [line.removeprefix(start).strip() for line in self.text().splitlines() if line.startswith(start)]

    def last(self, start):
        lines = self.lines(start)
        return lines[-1] if lines else ""

    def wait(self, question, seconds=90):
        return super().wait(question, seconds)

    def shot(self, name):
        self.scene += 1
        if self.shots:
            time.sleep(0.8)
            subprocess.run(["import", "-window", "root", f"{self.shots}/{self.scene:02}-{name}.png"])

    def keys(self, *keys):
        for key in keys:
            xdotool("key", "--clearmodifiers", key)

    def write(self, text):
        xdotool("type", "--delay", "15", text)

    def focus(self, window):
        """There is no window manager that gives the keyboard to anybody."""
        xdotool("windowfocus", "--sync", window)

    def opened_by(self, *keys):
        """The window that these keys open."""
        before = set(self.windows())
        self.keys(*keys)
        opened = self.wait(lambda: set(self.windows()) - before).pop()
        self.focus(opened)
        return opened

    def has_gone(self, window):
        self.wait(lambda: window not in self.windows())
        self.focus(self.id)

    def reaches(self, what, question):
        self.wait(question)
        print(f"ok: {what}: {self.last('version:')}")
        self.shot(what.replace(" ", "-"))


def select_first_block(window):
    window.keys("ctrl+f")
    window.write("conv1")
    window.keys("Return", "Escape")
    window.wait(lambda: window.selected()[:1] == ["conv1"])
    window.keys("shift+Down", "shift+Down")
    window.wait(lambda: len(window.selected()) == 3)
    print("ok: selected", *window.selected())
    window.shot("selected")


def replace_pattern(window):
    window.keys("ctrl+shift+m")
    window.wait(lambda: int(window.last("matches:") or 0) > 1)
    matches = window.last("matches:")
    print("ok: matches:", matches)
    window.shot("matches")
    window.keys("ctrl+shift+r", "ctrl+End", *["BackSpace"] * len("relu_1"))
    window.write("torch.sigmoid(relu_1)")
    window.wait(lambda: window.last("replacement:") == "return torch.sigmoid(relu_1)" and window.last("matches:") == matches)
    window.shot("replacement")
    window.keys("ctrl+Return")  # Replace all
    window.reaches("replaced", lambda: window.last("version:").startswith("1 Replace"))


def insert_after(window):
    window.keys("ctrl+f")
    window.write("avgpool")
    window.keys("Return", "Escape")
    window.wait(lambda: window.selected()[:1] == ["avgpool"])
    dialog = window.opened_by("ctrl+i")
    window.write("torch.tanh")
    window.wait(lambda: window.last("call:").startswith("valid") and "tanh" in window.last("call:"))
    window.shot("insert")
    window.keys("Return", "Return")  # to the form, and out of it
    window.reaches("inserted", lambda: window.last("version:").startswith("2 Insert"))
    window.has_gone(dialog)
    window.keys("ctrl+z")
    window.wait(lambda: window.last("version:").startswith("1 "))
    window.keys("ctrl+shift+z")
    window.reaches("undone and redone", lambda: window.last("version:").startswith("2 Insert"))


def edit_code(window):
    window.keys("ctrl+shift+f")
    window.write("torch.tanh(")
    window.keys("Escape")  # what was found stays selected
    window.write("torch.sin(")
    window.wait(lambda: window.last("code:").startswith("ready"))
    print("ok: code:", window.last("code:"))
    window.shot("code")
    window.keys("ctrl+Return")
    window.reaches("code applied", lambda: window.last("version:").startswith("3 Edit code"))


def compare(window):
    other = window.opened_by("ctrl+d")
    window.shot("compared")
    window.keys("Escape")
    window.has_gone(other)
    print("ok: compared")


def save(window, path):
    before = set(window.windows())
    dialog = window.opened_by("ctrl+shift+s")
    window.keys("ctrl+a")
    window.write(str(path))
    window.keys("Return")
    window.wait(lambda: dialog not in window.windows())
    window.wait(lambda: path.exists() or set(window.windows()) - before)
    window.shot(f"saving-{path.suffix[1:]}")
    sheets = set(window.windows()) - before
    if sheets and not path.exists():
        sheet = sheets.pop()
        window.focus(sheet)
        window.keys("alt+a")  # Save anyway
        window.has_gone(sheet)
    window.wait(path.exists)
    window.focus(window.id)
    print("ok: saved", path.name)


def load_in_python(torch, path):
    python = pathlib.Path(torch).resolve().parents[3] / "bin" / "python"
    if not python.exists():
        return print("not loaded in Python: there is none beside", torch)
    program = ("import sys, torch; gm = torch.load(sys.argv[1], weights_only=False); gm.eval();"
               "assert 'torch.sigmoid' in gm.code and 'torch.sin(' in gm.code, gm.code;"
               "out = gm(torch.zeros(1, 3, 64, 64)); assert out.isfinite().all(); print('ok: Python runs it:', tuple(out.shape))")
    subprocess.run([python, "-c", program, str(path)], check=True, env={**os.environ, "PYTHONNOUSERSITE": "1"})


def story(program, samples, torch=None):
    with tempfile.TemporaryDirectory() as home:
        window = Story(program, samples / "resnet.pt", home)
        select_first_block(window)
        replace_pattern(window)
        insert_after(window)
        edit_code(window)
        compare(window)
        save(window, pathlib.Path(home) / "edited.lancet")
        save(window, pathlib.Path(home) / "edited.pt")
        window.quit()
        if torch:
            load_in_python(torch, pathlib.Path(home) / "edited.pt")
        again = Story(program, pathlib.Path(home) / "edited.lancet", home)
        again.reaches("opened the project with its history", lambda: again.last("version:").startswith("3 Edit code"))
        again.keys("ctrl+z", "ctrl+z", "ctrl+z")
        again.wait(lambda: again.last("version:").startswith("0"))
        print("ok: undone to the original")
        again.process.terminate()
        again.process.wait(30)  # it writes to the folder until it has ended


if __name__ == "__main__":
    run_under_x(story)
