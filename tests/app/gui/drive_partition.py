# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of partitioning with the keyboard: lancet-gui under Xvfb, driven with xdotool.

    drive_partition.py LANCET_GUI SAMPLES

Opens a network, ticks all operators, refuses a node, looks at the refusal, is refused a move and goes along the cycle that it would close, makes
a move that is possible, fuses the partitions and undoes that. Exit 77 (skipped) when xvfb-run or xdotool is missing. LANCET_SHOTS=DIR
keeps a picture of each scene.
"""

import tempfile
import time

from drive_surgery import Story
from drive_window import run_under_x, xdotool


def select(window, name):
    window.keys("ctrl+f")
    window.write(name)
    window.keys("Return", "Escape")
    window.wait(lambda: window.selected() == [name])


def command(window, text):
    """An action of the command palette."""
    window.keys("ctrl+shift+p")
    window.write(text)
    window.keys("Return")


def says(window, start, text):
    return lambda: text in window.last(start)


def refuse_and_look(window):
    window.keys("ctrl+shift+k")
    time.sleep(1)
    window.shot("nothing-ticked")
    command(window, "partition support all")
    window.wait(says(window, "partitions:", "1 refused: 0"))
    print("ok: ticked all: partitions:", window.last("partitions:"))
    command(window, "partition toggle single nodes")
    select(window, "max_pool2d")
    command(window, "partition reject selected")
    window.wait(lambda: window.last("partitions:").startswith("2 "))
    window.wait(says(window, "why:", "max_pool2d is not in a partition: not supported"))
    print("ok: why:", window.last("why:"))
    window.shot("refused")


def see_the_cycle(window):
    """conv stands before the refused node: in the partition behind it, that would be left and entered again."""
    select(window, "conv")
    before = window.last("partitions:")
    move(window)
    window.wait(says(window, "why:", "Cannot move"))
    window.wait(lambda: int(window.last("cycle:").split()[0]) >= 3)
    command(window, "partition next step of cycle")
    window.wait(lambda: window.last("cycle:").endswith("at 0"))
    command(window, "partition next step of cycle")
    window.wait(lambda: window.last("cycle:").endswith("at 1"))
    assert window.last("partitions:") == before
    print("ok: refused:", window.last("why:"), "cycle of", window.last("cycle:"))
    window.shot("cycle")


def move(window):
    """The first of the menu of moves, which leaves out the partition that the node is in."""
    command(window, "partition move selected")
    time.sleep(0.5)
    window.shot("moves")
    window.keys("Down", "Return")


def story(program, samples):
    with tempfile.TemporaryDirectory() as home:
        window = Story(program, samples / "simple_net.pt", home)
        refuse_and_look(window)
        see_the_cycle(window)
        select(window, "max_pool2d")
        move(window)
        window.wait(says(window, "partitions:", "2 refused: 0"))
        print("ok: moved: partitions:", window.last("partitions:"))
        window.shot("moved")
        command(window, "partition fuse")
        window.reaches("fused", lambda: window.last("version:").startswith("1 Fuse 2"))
        xdotool("windowfocus", window.id)
        time.sleep(0.3)
        window.keys("ctrl+z")
        window.reaches("undone", lambda: window.last("version:").startswith("0"))
        window.quit()


if __name__ == "__main__":
    run_under_x(story)
