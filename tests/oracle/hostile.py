# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens and runs models that try to do harm, and watches what the programs do.

    hostile.py --lancet BIN [--every N] [--only TEXT] [--no-window] [--without-sandbox] [--keep] [--verbose]

Each model of `hostile_models.py` is opened by the verbs that only look, by the window, and by the verbs that run it; each of
`hostile_files.py` is opened, compared, converted and drawn. strace shows
every file that is opened or changed, every program that is started and every connection; a snapshot of the home folder shows
what changed. Exit 1: something was written, read or started that nobody asked for, or lancet or lancet-gui was ended by a signal.
`--without-sandbox` runs only the verbs that compute, with LANCET_SANDBOX=off: the list of refused operators alone
must stop 95 % of the models.
"""

import argparse
import dataclasses
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import hostile_files
import hostile_models

WATCHED = ("open,openat,openat2,creat,execve,execveat,connect,bind,sendto,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,"
           "link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat,mknod,mknodat,kill,tkill,ptrace,"
           "process_vm_readv,process_vm_writev,setxattr,utimensat,landlock_restrict_self,fork,vfork")
PROGRAMS = {"lancet", "lancet-gui", "lancet-worker", "lancet-reader", "dot"}
CONFINED = {"lancet-worker", "lancet-reader"}  # they may read what they are told, and write nothing
SYSTEM = ("/proc/", "/sys/", "/usr/", "/lib", "/etc/", "/dev/", "/tmp/.X11-unix", "/var/cache/fontconfig", "/run/")
LIMIT = 60  # seconds for a verb
MOST_MEMORY = 1200 << 10  # KB, of opening a file of the kind "file"


@dataclasses.dataclass
class Place:
    """Folders of one run of this script."""

    root: pathlib.Path

    def __post_init__(self):
        for name in ("home", "models", "out", "xdg", "tmp", "run"):
            (self.root / name).mkdir(mode=0o700)

    def environment(self, sandbox):
        return {**os.environ, "HOME": str(self.root / "home"), "XDG_CACHE_HOME": str(self.root / "xdg/cache"),
                "XDG_STATE_HOME": str(self.root / "xdg/state"), "XDG_CONFIG_HOME": str(self.root / "xdg/config"),
                "XDG_DATA_HOME": str(self.root / "xdg/data"), "XDG_RUNTIME_DIR": str(self.root / "run"),
                "TMPDIR": str(self.root / "tmp"), "QT_QPA_PLATFORM": "offscreen", **({} if sandbox else {"LANCET_SANDBOX": "off"})}

    def home(self):
        """What the home folder holds, so that any change shows."""
        state = {}
        for path in sorted((self.root / "home").rglob("*")):
            status = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
            state[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, content)
        return state


class Server:
    """Counts who connects."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.count = self.socket.getsockname()[1], 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            self.socket.accept()[0].close()
            self.count += 1


class Log:
    """What strace saw, as findings."""

    CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)(?:<(.*?)>)?(?: .*)?$")

    def __init__(self, path, place, readable, first):
        self.place, self.readable = place, readable
        self.program, self.confined, self.findings = {}, set(), []
        self.first = first
        for line in unfinished_joined(path.read_text(errors="replace").splitlines()):
            found = self.CALL.match(line)
            if found:
                self.see(found[1], found[2], found[3], int(found[4]), found[5])

    def name(self, process):
        return self.program.get(process, self.first)

    def under(self, path, *folders):
        return any(path == str(folder) or path.startswith(str(folder) + "/") for folder in folders)

    def add(self, process, text):
        self.findings.append(f"{self.name(process)}: {text}")

    def see(self, process, call, arguments, result, described):
        if call in ("execve", "execveat"):
            program = pathlib.Path(re.search(r'"((?:[^"\\]|\\.)*)"', arguments)[1]).name
            if result == 0:
                if program not in PROGRAMS:
                    self.add(process, f"started {program}")
                self.program[process] = program
                self.confined.discard(process)
            return
        if result < 0 and not (call == "connect" and "EINPROGRESS" in arguments):
            return
        if call == "landlock_restrict_self":
            self.confined.add(process)
        elif call == "connect" and "AF_INET" in arguments:
            self.add(process, f"connected: {arguments[:100]}")
        elif call in ("open", "openat", "openat2", "creat"):
            self.opened(process, arguments, described or "")
        elif call in ("fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev") and self.name(process) in CONFINED:
            self.add(process, call)
        elif call not in ("connect", "bind", "sendto", "kill", "tkill", "fork", "vfork", "ptrace"):
            self.changed(process, call, arguments)

    def opened(self, process, arguments, path):
        writes = re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", arguments)
        is_secret = self.under(path, self.place.root / "home") and os.path.isfile(path)
        if "O_PATH" not in arguments and (is_secret or path == "/dev/zero" or re.fullmatch(r"/proc/\d+/mem", path)):
            self.add(process, f"read {path}")
        if writes and path not in ("/dev/null", "/dev/shm") and not path.startswith(("/dev/pts", "/dev/tty")):
            own = [] if self.name(process) in CONFINED else [self.place.root / name for name in ("out", "xdg", "tmp", "run")]
            if not self.under(path.split(" (deleted)")[0], *own) and not path.startswith("/memfd:"):
                self.add(process, f"opened for writing: {path} ({arguments[-60:]})")
        elif process in self.confined and not writes:
            if not self.under(path, *self.readable) and not path.startswith(SYSTEM) and "/torch/lib" not in path:
                self.add(process, f"read in the sandbox: {path}")

    def changed(self, process, call, arguments):
        own = [] if self.name(process) in CONFINED else [self.place.root / name for name in ("out", "xdg", "tmp", "run")]
        paths = re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)
        if call in ("link", "linkat", "symlink", "symlinkat"):
            paths = paths[-1:]  # what is made
        if paths and not all(self.under(str(self.place.root / "out" / path), *own) for path in paths):
            self.add(process, f"{call}({arguments[:120]})")


def unfinished_joined(lines):
    """strace splits calls of several threads: one line each again."""
    begun = {}
    for line in lines:
        if line.endswith("<unfinished ...>"):
            begun[line.split()[0]] = line[: -len("<unfinished ...>")].rstrip()
        elif "resumed>" in line:
            process = line.split()[0]
            yield begun.pop(process, process + " ") + line[line.index("resumed>") + len("resumed>"):]
        else:
            yield line


class Watch:
    def __init__(self, place, lancet, target, server, sandbox):
        self.place, self.lancet, self.server, self.sandbox = place, lancet, server, sandbox
        self.before = place.home()

    def run(self, model, words, seconds=LIMIT, ends=True):
        """Findings of one command: whatever it did that it must not do."""
        log = self.place.root / "strace.log"
        program = self.lancet if words[0] != "lancet-gui" else self.lancet.with_name("lancet-gui")
        words = [str(word) for word in (words if words[0] != "lancet-gui" else words[1:])]
        command = ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-s", "400", "-e", f"trace={WATCHED}", "-o", str(log), str(program), *words]
        connections = self.server.count
        started = time.monotonic()
        process = subprocess.Popen(command, env=self.place.environment(self.sandbox), cwd=self.place.root / "out", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        findings, output = [], b""
        try:
            output = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            if ends:
                findings.append(f"no end after {seconds} s")
            os.killpg(process.pid, signal.SIGTERM)
            try:
                output = process.communicate(timeout=10)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output = process.communicate()[0]
                findings.append("does not end by SIGTERM")
        took = time.monotonic() - started
        status = process.returncode
        if ends and (status < 0 or status >= 128):
            findings.append(f"ended with {status}: {output[-300:].decode(errors='replace')}")
        model = str(model).partition("#")[0]
        findings += Log(log, self.place, [model, *(self.place.root / name for name in ("models", "out/opened.json", "out/opened.safetensors"))], program.name).findings
        now = self.place.home()
        if now != self.before:
            findings.append(f"home changed: {sorted(set(now.items()) ^ set(self.before.items()))[:2]}")
            self.restore()
        if self.server.count != connections:
            findings.append("somebody connected")
        return findings, status, output.decode(errors="replace"), took

    def restore(self):
        for path in (self.place.root / "home").rglob("*"):
            if path.name == "new.sh":
                path.unlink() if not path.is_dir() else path.rmdir()
        prepare_home(self.place)
        self.before = self.place.home()


def prepare_home(place):
    (place.root / "home/.profile").write_text("# what runs at login\n" * 20)
    (place.root / "home/secret.bin").write_bytes(b"\x12\x34\x56\x42" * 64)


def looks(place, path, window):
    """What is tried with a file of the kind "file": nothing of it runs."""
    out = place.root / "out"
    yield ["info", path], LIMIT, True
    yield ["graph", path], LIMIT, True
    yield ["diff", path, path], LIMIT, True
    yield ["verify", path, path, "--input", "x=4:float32"], LIMIT, True
    yield ["convert", path, "-o", out / "opened.json"], LIMIT, True
    yield ["convert", path, "-o", f"{out}/opened/"], LIMIT, True
    if window:
        yield ["lancet-gui", "--render", out / "a.svg", path], LIMIT, True
        yield ["lancet-gui", path], 3, False


def commands(place, model, window):
    """(words, seconds, ends) of everything that is tried with a model."""
    out, path = place.root / "out", model.path
    if model.kind == "file":
        yield from looks(place, path, window)
        return
    yield ["info", path], LIMIT, True
    yield ["graph", path], LIMIT, True
    yield ["code", path], LIMIT, True
    yield ["draw", path, "-o", out / "a.svg"], LIMIT, True
    yield ["convert", path, "-o", out / "opened.json"], LIMIT, True
    if window:
        yield ["lancet-gui", path], 4, False
    yield from running(place, path)
    yield from running(place, out / "opened.json")


def running(place, path):
    out = place.root / "out"
    shape = "x=4:float32"
    yield ["run", path, "--input", shape, "-o", out / "result.pt"], LIMIT, True
    yield ["verify", path, path, "--input", shape], LIMIT, True
    yield ["convert", path, "-o", out / "a.ts"], LIMIT, True
    yield ["pass", path, "shape_prop", "-o", out / "b.json"], LIMIT, True


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lancet", required=True, type=pathlib.Path)
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--no-window", action="store_true")
    options.add_argument("--without-sandbox", action="store_true")
    options.add_argument("--keep", action="store_true")
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    folder = tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True)
    place = Place(pathlib.Path(folder.name).resolve())
    prepare_home(place)
    server = Server()
    target = hostile_models.Target(place.root / "home/.profile", place.root / "home/new.sh", place.root / "home/secret.bin", server.port)
    models = hostile_models.make(place.root / "models", target)
    (place.root / "models/files").mkdir()
    models += [] if given.without_sandbox else hostile_files.make(place.root / "models/files", target)
    models = [model for model in models if given.only in model.name][:: given.every]
    watch = Watch(place, given.lancet.resolve(), target, server, not given.without_sandbox)
    bad, calls, most_memory = {}, 0, 0
    for model in models:
        tried = running(place, model.path) if given.without_sandbox else commands(place, model, not given.no_window)
        for words, seconds, ends in tried:
            if str(words[1]).endswith("opened.json") and not pathlib.Path(words[1]).exists():
                continue
            # A run may take what is free and as long as it likes: whoever asks for it limits it. Opening may not.
            if model.kind in ("memory", "time") and words[0] in ("run", "verify", "convert", "pass"):
                continue
            if not ends or model.kind in ("memory", "time"):
                seconds = min(seconds, 20)
            findings, status, output, took = watch.run(model.path, words, seconds, ends and model.kind != "time")
            calls += 1
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            if model.kind == "file" and memory > max(MOST_MEMORY, most_memory):
                findings.append(f"took {memory >> 10} MB")
            most_memory = max(most_memory, memory)
            if given.verbose:
                print(f"{model.name} {words[0]}: {status} {took:.1f} s {output.strip()[:160]!r}", flush=True)
            for finding in findings:
                bad.setdefault(model.name, []).append(f"{' '.join(str(word) for word in words[:3])}: {finding}")
        for path in (place.root / "out").iterdir():
            path.unlink() if not path.is_dir() else shutil.rmtree(path)
    for name, findings in bad.items():
        print(f"FAIL {name}")
        for finding in findings[:6]:
            print(f"    {finding}")
    print(f"{len(models)} models, {calls} commands: {len(bad)} models did what they must not")
    if given.keep:
        print(folder.name)
        folder._finalizer.detach()
    return 1 if len(bad) > (0.05 * len(models) if given.without_sandbox else 0) else 0


if __name__ == "__main__":
    sys.exit(main())
