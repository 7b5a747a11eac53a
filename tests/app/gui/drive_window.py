# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives lancet-gui under Xvfb with xdotool; its log tells what is selected.

    drive_window.py LANCET_GUI SAMPLES

Exit 77 (skipped) when xvfb-run or xdotool is missing.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class Window:
    def __init__(self, program, model, home):
        environment = {**os.environ, "XDG_CONFIG_HOME": home, "HOME": home, "QT_QPA_PLATFORM": "xcb",
                       "QT_LOGGING_RULES": "lancet.document.debug=true;lancet.pattern.debug=true;lancet.partition.debug=true;lancet.code.debug=true;lancet.edit.debug=true", "QT_MESSAGE_PATTERN": "%{message}"}
        self.log = open(pathlib.Path(home) / "log", "w+")
        self.process = subprocess.Popen([program, str(model)], env=environment, stdout=self.log, stderr=self.log)
        self.id = self.wait(lambda: self.find())
        # Without a window manager nobody gives the window the keyboard.
        xdotool("windowsize", self.id, "1280", "800")
        xdotool("windowmove", self.id, "0", "0")
        xdotool("windowfocus", self.id)
        self.wait(lambda: "ready" in self.text())

    def windows(self):
        return subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)], capture_output=True, text=True).stdout.split()

    def find(self):
        windows = self.windows()
        return windows[-1] if windows else None

    def text(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def selected(self):
        lines = [line for line in self.text().splitlines() if line.startswith("selected:")]
        return lines[-1].removeprefix("selected:").split() if lines else []

    def wait(self, question, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = question()
            if answer:
                return answer
            if self.process.poll() is not None:
                sys.exit(f"lancet-gui ended with {self.process.returncode}:\n{self.text()}")
            time.sleep(0.1)
        sys.exit(f"nothing happened for {seconds} s; the log:\n{self.text()}")

    def quit(self):
        xdotool("key", "--clearmodifiers", "ctrl+q")
        self.process.wait(timeout=10)
        if self.process.returncode:
            sys.exit(f"lancet-gui ended with {self.process.returncode}:\n{self.text()}")

    def expect(self, what, names):
        self.wait(lambda: self.selected() == names)
        print(f"ok: {what}: {' '.join(names)}")


def xdotool(*words):
    subprocess.run(["xdotool", *words], check=True)
    time.sleep(0.15)


def story(program, samples):
    with tempfile.TemporaryDirectory() as home:
        window = Window(program, samples / "simple_net.pt", home)
        xdotool("key", "ctrl+f")
        xdotool("type", "--delay", "30", "max_pool")
        time.sleep(0.4)
        xdotool("key", "Return")
        window.expect("found by Ctrl+F and Return", ["max_pool2d"])
        xdotool("key", "Escape")
        xdotool("key", "Down")
        window.expect("the keyboard walks along the edge to its user", ["flatten"])
        xdotool("key", "ctrl+shift+p")
        xdotool("type", "--delay", "30", "linear")
        time.sleep(0.4)
        xdotool("key", "Return")
        window.expect("gone to by the command palette", ["linear"])
        window.quit()
        print("ok: Ctrl+Q ends it")


def run_under_x(story):
    """`story` with the arguments of the command line, under an X server of its own; exit 77 (skipped) where there is none to be had."""
    if not shutil.which("xvfb-run") or not shutil.which("xdotool"):
        print("skipped: needs xvfb-run and xdotool (apt-get install xvfb xdotool)")
        sys.exit(77)
    if "--inside" not in sys.argv:
        sys.exit(subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", sys.executable, *sys.argv, "--inside"]).returncode)
    program, samples, *more = [each for each in sys.argv[1:] if each != "--inside"]
    story(program, pathlib.Path(samples), *more)


if __name__ == "__main__":
    run_under_x(story)
