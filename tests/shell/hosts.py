# SPDX-License-Identifier: Apache-2.0
"""Several hosts on this machine: each has a name and processes of its own, and files as its test
wants them. The way to them is a stand-in for ssh."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator, Sequence

import machine
from sessions import PATIENCE

_DAEMON = Path(__file__).with_name("host_daemon.py")

_SSH = """\
#!/usr/bin/python3
import array, os, socket, sys
words = sys.argv[1:]
while words and words[0].startswith("-"):
    del words[: 2 if words[0] in ("-o", "-p", "-l") else 1]
with open({log!r}, "a") as log:
    log.write(words[0] + "\\n")
with socket.socket(socket.AF_UNIX) as host:
    try:
        host.connect(os.path.join({folder!r}, words[0]))
    except OSError as error:
        sys.exit("ssh: connect to host %s: %s" % (words[0], error.strerror))
    text = " ".join(words[1:]).encode()
    host.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    told = host.recv(1)
sys.exit(told[0] if told else 255)
"""


class Hosts:
    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.names = names
        self._folder = folder / "hosts"
        self.ssh = folder / "ssh"  # "HOST COMMAND..."
        self.log = folder / "ssh.log"  # where it has gone
        self.ssh.write_text(
            _SSH.format(folder=str(self._folder), log=str(self.log)), encoding="ascii"
        )
        self.ssh.chmod(0o755)

    def run(self, host: str, script: str) -> str:
        done = subprocess.run(
            [self.ssh, host, script],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
        return done.stdout

    @contextlib.contextmanager
    def without(self, name: str) -> Iterator[None]:
        """There is no way to it meanwhile; what runs there runs on."""
        path = self._folder / name
        path.rename(path.with_suffix(".gone"))
        try:
            yield
        finally:
            path.with_suffix(".gone").rename(path)

    def gone_to(self) -> list[str]:
        return self.log.read_text(encoding="ascii").split() if self.log.exists() else []


@contextlib.contextmanager
def running(folder: Path, names: Sequence[str], hidden: Sequence[Path] = ()) -> Iterator[Hosts]:
    """hidden: directories that they do not have."""
    if os.geteuid() != 0:
        raise machine.Missing("Hosts of their own need root.")
    (folder / "hosts").mkdir()
    masks = [f"mount -t tmpfs none {one}" for one in hidden]
    with contextlib.ExitStack() as stack:
        for name in names:
            script = "; ".join([*masks, 'exec "$@"'])
            words = ["unshare", "--uts", "--pid", "--mount", "--fork", "--mount-proc"]
            words += ["--kill-child", "sh", "-c", script, "sh", "/usr/bin/python3", str(_DAEMON)]
            process = stack.enter_context(
                subprocess.Popen(
                    [*words, name, str(folder / "hosts" / name)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            )
            stack.callback(process.send_signal, signal.SIGKILL)
        yield _begun(Hosts(folder, names), folder)


def _begun(hosts: Hosts, folder: Path) -> Hosts:
    end = time.monotonic() + PATIENCE
    while not all((folder / "hosts" / name).exists() for name in hosts.names):
        if time.monotonic() > end:
            raise machine.Missing("This machine makes no namespaces.")
        time.sleep(0.01)
    return hosts
