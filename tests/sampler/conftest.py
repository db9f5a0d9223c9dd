# SPDX-License-Identifier: Apache-2.0
"""Programs that know what they did, and the sampler's records of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
sys.path.append(str(TREE / "tests" / "gdb"))

import machine  # noqa: E402

machine.heed_signals()

BUILD = machine.BUILD
SAMPLER = BUILD / "sampler" / "ompd-sampler"
PROGRAMS = Path(__file__).parent / "programs"
COMPILERS = {"clang": (machine.CLANG, "-fopenmp"), "gcc": ("gcc", "-fopenmp"), "plain": ("gcc",)}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "alone: programs that are measured: nothing may run beside")


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory):
    """A program of the folder, by a compiler."""
    folder = tmp_path_factory.mktemp("programs")
    # Others than root have to start it, too.
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)

    def built(name: str, compiler: str = "clang", *options: str) -> Path:
        path = folder / "-".join((name, compiler, *(o.strip("-") for o in options)))
        if not path.exists():
            command = (*COMPILERS[compiler], "-O2", "-g", "-pthread", *options)
            subprocess.run((*command, PROGRAMS / f"{name}.c", "-o", path), check=True)
        return path

    return built


@pytest.fixture(scope="session")
def sanitized() -> Path:
    """The sampler with the sanitizers, as it is now."""
    folder = machine.variant("asan-ubsan")
    assert (folder / "CMakeCache.txt").exists(), "tools/check build-sanitized makes it"
    command = ("cmake", "--build", folder, "--target", "ompd-sampler")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "sampler" / "ompd-sampler"


@pytest.fixture(scope="session", autouse=True)
def there_is_a_sampler() -> None:
    assert SAMPLER.exists(), f"{SAMPLER} is not built: cmake says why"
