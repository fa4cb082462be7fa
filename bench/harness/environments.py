"""The environments of the tools: each in its own folder, with the versions that its class names, from PyPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.peer import Peer
from harness.settings import Missing


def environment_of(tool: type[Peer]) -> str:
    return tool.environment or tool.slug()


@dataclass
class Environments:
    """Folders with virtual environments, made on first use. ofindex itself comes from `wheel`; it gets the packages
    `with_ofindex` too. If there is an `interpreter`, it serves for everything, and nothing is installed."""

    folder: Path
    wheel: str
    with_ofindex: Sequence[str] = ()
    interpreter: str = ""
    broken: dict[str, str] = field(default_factory=dict)

    def python(self, tool: type[Peer], tools: Sequence[type[Peer]]) -> str:
        """The interpreter for a tool, which may share its environment with others of `tools`.

        Raises:
            Missing: its packages cannot be installed.
        """
        if self.interpreter:
            return self.interpreter
        if not tool.packages:
            return sys.executable
        name = environment_of(tool)
        if name in self.broken:
            raise Missing(self.broken[name])
        same = [one for one in tools if environment_of(one) == name]
        packages = sorted({package for one in same for package in one.packages})
        if name == "ofindex":
            packages += [*self.with_ofindex, self.wheel]
        folder = f"{name}-more" if name == "ofindex" and self.with_ofindex else name
        try:
            return self.made(folder, packages, [bound for one in same for bound in one.built_with])
        except subprocess.CalledProcessError as error:
            said = [line for line in error.stderr.splitlines() if line.strip()] or [f"exit code {error.returncode}"]
            self.broken[name] = f"cannot be installed: {said[-1]}"
            raise Missing(self.broken[name]) from error

    def made(self, name: str, packages: list[str], built_with: Sequence[str]) -> str:
        folder = self.folder / name
        python, has = folder / "bin" / "python", folder / "packages.json"
        wanted = json.dumps([*packages, *([Path(self.wheel).stat().st_mtime] if self.wheel in packages else [])])
        if has.exists() and has.read_text() == wanted:
            return str(python)
        print(f"Installing {name}: {', '.join(packages)}.", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(make, check=True, capture_output=True, text=True)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "--python",
            str(python),
            "install",
        ]
        variables = dict(os.environ)
        if built_with:
            bounds = folder / "built_with.txt"
            bounds.write_text("\n".join(built_with))
            variables["PIP_CONSTRAINT"] = bounds.resolve().as_uri()  # only a variable reaches the packages of a build
        subprocess.run([*pip, *packages], env=variables, check=True, capture_output=True, text=True)
        has.write_text(wanted)
        return str(python)
