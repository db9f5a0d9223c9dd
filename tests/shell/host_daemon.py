# SPDX-License-Identifier: Apache-2.0
"""The first process of a host of hosts.py: executes what comes by a socket, with the files of who
sent it, as sshd would. Arguments: HOST SOCKET."""

from __future__ import annotations

import array
import os
import select
import signal
import socket
import sys

LONGEST = 1 << 20


def main(host: str, path: str) -> None:
    socket.sethostname(host)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # it shall interrupt, and does so by `woken'
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    children: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        while True:
            ready, _, _ = select.select([server, woken], [], [])
            if server in ready:
                client = server.accept()[0]
                children[begun(client)] = client
            if woken in ready:
                os.read(woken, 4096)
            reap(children)


def begun(client: socket.socket) -> int:
    space = socket.CMSG_SPACE(3 * array.array("i").itemsize)
    text, control, _, _ = client.recvmsg(LONGEST, space)
    files = array.array("i")
    files.frombytes(control[0][2])
    child = os.fork()
    if child:
        for file in files:
            os.close(file)
        return child
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(3, 256)
    os.execv("/bin/sh", ["sh", "-c", os.fsdecode(text)])
    raise AssertionError


def reap(children: dict[int, socket.socket]) -> None:
    """Also those of others, whose parents have ended before them."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid in children:
            with children.pop(pid) as client:
                try:
                    client.send(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
                except OSError:
                    pass  # nobody waits for it


if __name__ == "__main__":
    main(*sys.argv[1:])
