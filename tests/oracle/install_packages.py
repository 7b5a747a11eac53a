"""Installs the packages of package_models.txt: install_packages.py DIR

Each without what it requires, since the list names that, too. The compiled parts of torchvision and torchaudio need CUDA
and are taken out: tracing calls none of them, but torchvision asks for its operators while it is imported.
"""

import pathlib
import re
import subprocess
import sys

OPERATORS = """import torch
operators = torch.library.Library("torchvision", "FRAGMENT")
for operator in {names}:
    operators.define(operator + "(Tensor x) -> Tensor")
"""


def take_out_compiled_parts(folder):
    for name in ("torchvision", "torchaudio"):
        for file in (folder / name).rglob("*.so"):
            file.unlink()
    torchvision, extension = folder / "torchvision", folder / "torchvision/extension.py"
    names = {name for file in torchvision.glob("*.py") for name in re.findall(r'"torchvision::(\w+)"', file.read_text())}
    extension.write_text(OPERATORS.format(names=sorted(names)) + extension.read_text())


def main():
    folder, models = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).with_name("package_models.txt")
    wanted = [line for line in models.read_text().splitlines() if line and not line.startswith((" ", "#"))]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--prefer-binary", "--target", str(folder)]
    subprocess.run([*pip, *wanted], check=True)
    take_out_compiled_parts(folder)


if __name__ == "__main__":
    main()
