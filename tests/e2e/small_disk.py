"""Commands whose output folder is a file system of its own, with room for little."""

from __future__ import annotations

import subprocess

from e2e.command import COMMAND, CommandTest


class SmallDiskTest(CommandTest):
    def run_on_disk(self, size: str, *lines: str) -> subprocess.CompletedProcess[bytes]:
        """Runs lines of sh in `self.dir`, where `disk` is a file system of that size and $OFINDEX the command. What is
        on it is lost at the end."""
        (self.dir / "disk").mkdir(exist_ok=True)
        script = "\n".join((f"mount -t tmpfs -o size={size} none disk || exit 99", *lines))
        unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
        environment = {**self.environment, "OFINDEX": str(COMMAND)}
        done = subprocess.run(unshare, cwd=self.dir, env=environment, capture_output=True, check=False, timeout=120)
        if done.returncode == 99 or done.stderr.startswith(b"unshare"):
            self.skipTest(f"no file system can be mounted: {done.stderr.decode()}")
        return done
