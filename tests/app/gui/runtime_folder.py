# SPDX-License-Identifier: GPL-3.0-or-later
"""Without XDG_RUNTIME_DIR, lancet-gui makes no folder in /tmp under a name that others know, and leaves none; a second
one still finds the window of the first.

    runtime_folder.py LANCET_GUI SAMPLES
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

program, samples = sys.argv[1], pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as home:
    temporary = pathlib.Path(home) / "tmp"
    temporary.mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
    environment |= {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "TMPDIR": str(temporary), "QT_QPA_PLATFORM": "offscreen"}
    model = str(samples / "simple_net.pt")
    done = subprocess.run([program, "--render", f"{home}/net.svg", model], env=environment, timeout=120, capture_output=True, text=True)
    left = sorted(path.name for path in temporary.iterdir())
    if done.returncode != 0 or left or "runtime-" in done.stderr:
        sys.exit(f"exit {done.returncode}, left {left}\n{done.stderr}")
    window = subprocess.Popen([program, model], env=environment)
    try:
        end = time.monotonic() + 60
        usual = pathlib.Path(f"/run/user/{os.geteuid()}")
        while not any(place.is_socket() for folder in (usual, pathlib.Path(home) / ".local/state/lancet/run") if folder.is_dir()
                      for place in folder.glob("lancet-*")):
            if time.monotonic() > end or window.poll() is not None:
                sys.exit("the window listens nowhere")
            time.sleep(0.05)
        second = subprocess.run([program, str(samples / "my_module.pt")], env=environment, timeout=60)
        if second.returncode != 0 or window.poll() is not None:
            sys.exit(f"the second window: exit {second.returncode}; the first: {window.poll()}")
    finally:
        window.terminate()
        window.wait(timeout=60)
