# SPDX-License-Identifier: Apache-2.0
# flake8: noqa: F403, F405
"""For Spack 1.0 and newer. In a repository of packages it is ompd/package.py."""

import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Ompd(CMakePackage):
    """Debugging of OpenMP programs, live and from core files: GDB commands that show parallel
    regions, teams, tasks, locks and who waits for whom; reports in the shell; OMPD for other
    debuggers. For LLVM's libomp and GNU's libgomp."""

    # There is no home page yet: `tools/package source .' makes the archive. This file is in it, so
    # its checksum cannot be here: spack install --no-checksum.
    manual_download = True
    url = f"file://{os.getcwd()}/ompd-0.9.0.tar.gz"

    license("Apache-2.0")

    version("0.9.0")

    depends_on("c", type="build")
    depends_on("cmake@3.16:", type="build")
    depends_on("elfutils")
    depends_on("gdb@10: +python", type="run")
    depends_on("python@3.9:", type="run")

    requires("platform=linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of")

    sanity_check_is_file = [
        "bin/ompd",
        "include/ompd.h",
        "libexec/ompd/ompd-sampler",
        "share/ompd/ompd-gdb.py",
    ]

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define("OMPD_PYTHON", False)]

    def setup_run_environment(self, env):
        env.set("OMPD_GDB", self.prefix.share.ompd.join("ompd-gdb.py"))

    def test_version(self):
        """It runs, with the GDB and the Python that it was installed with."""
        Executable(self.prefix.bin.ompd)("--version")
