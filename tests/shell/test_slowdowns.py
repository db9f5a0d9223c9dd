# SPDX-License-Identifier: Apache-2.0
"""Does the first screen say what the kernel holds a team back by?"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import machine
import pytest
from command import NOTHING_ODD, ompd
from sessions import PATIENCE

TEAM = 6
GROUPS = Path("/sys/fs/cgroup")
PROGRAM = """\
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long counted;
int main(int argc, char **argv)
{
    #pragma omp parallel num_threads(atoi(argv[1]) ? atoi(argv[1]) : omp_get_max_threads())
    {
        if (omp_get_thread_num() == 0)
            sleep(1), close(creat(argv[2], 0600));
        for (;;)
            counted++;
    }
}
"""


@contextlib.contextmanager
def spinning(
    team: int,
    folder: Path,
    before: Callable[[], None] | None = None,
    program: str = PROGRAM,
    compiler: str = "gcc",
    link: Sequence[str] = (),
    **settings: str,
) -> Iterator[int]:
    source = folder / ("spin.cc" if compiler == "g++" else "spin.c")
    begun = folder / "begun"
    source.write_text(program, encoding="ascii")
    machine.run(compiler, "-g", "-fopenmp", source, "-o", folder / "spin", *link)
    words = machine.in_background(folder / "spin", team, begun)
    with subprocess.Popen(words, env={**os.environ, **settings}, preexec_fn=before) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not begun.exists():
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.02)
            yield process.pid
        finally:
            machine.kill(process)


def slowdowns(pid: int, folder: Path) -> dict[str, str]:
    answer = ompd("pid", str(pid), "--json", folder=folder)
    assert answer.status == NOTHING_ODD, answer
    found: Any = answer.document["summary"]["slowdowns"]
    return {one["code"]: one["text"] for one in found}


def test_all_are_bound_to_one_processor(folder: Path) -> None:
    (mine, *_) = os.sched_getaffinity(0)
    with spinning(TEAM, folder, lambda: os.sched_setaffinity(0, (mine,))) as pid:
        text = f"The {TEAM} threads of R1 are bound to processor {mine}: they take turns."
        assert slowdowns(pid, folder)["few_processors"].startswith(text)
        screen = ompd("pid", str(pid), folder=folder).text.split("\n\n")[0]
        assert " ".join(screen.split()).count(f"Note : {text}") == 1


def test_each_has_its_own(folder: Path) -> None:
    team = min(len(os.sched_getaffinity(0)), TEAM)
    with spinning(team, folder, OMP_PROC_BIND="true", OMP_PLACES="threads") as pid:
        assert slowdowns(pid, folder) == {}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor")
def test_a_team_of_one(folder: Path) -> None:
    with spinning(0, folder, OMP_NUM_THREADS="1") as pid:
        assert "nthreads-var is 1. Look at OMP_NUM_THREADS" in slowdowns(pid, folder)["one_thread"]
    (folder / "begun").unlink()
    with spinning(1, folder) as pid:
        assert slowdowns(pid, folder) == {}, "it is what the clause says"


def test_a_group_with_a_limit(folder: Path) -> None:
    files = {"cpu.max": "120000 100000"}
    group = GROUPS / f"ompd-{os.getpid()}"
    if (GROUPS / "cpu").exists():
        files = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "120000"}
        group = GROUPS / "cpu" / group.name
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    try:
        if not all((group / name).exists() for name in files):
            pytest.skip("its parent does not control processors")
        for name, text in files.items():
            (group / name).write_text(text, encoding="ascii")
        with spinning(
            TEAM,
            folder,
            lambda: (group / "cgroup.procs").write_text("0", encoding="ascii") and None,
        ) as pid:
            assert "1.2 processors' worth" in slowdowns(pid, folder)["little_time"]
    finally:
        group.rmdir()


POOL = """\
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long counted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static void *serve(void *unused)
{
    pthread_mutex_lock(&mutex);
    %s
        pthread_cond_wait(&work, &mutex);
    pthread_mutex_unlock(&mutex);
    for (;;)
        counted++;
}
int main(int argc, char **argv)
{
    pthread_t id;
    for (int i = 0; i < 2; i++)
        pthread_create(&id, NULL, serve, NULL);
    #pragma omp parallel num_threads(atoi(argv[1]))
    {
        if (omp_get_thread_num() == 0)
            sleep(1), close(creat(argv[2], 0600));
        for (;;)
            counted++;
    }
}
"""


@pytest.mark.parametrize("sleeps, is_told", [("while (0)", True), ("while (1)", False)])
def test_a_second_pool(sleeps: str, is_told: bool, folder: Path) -> None:
    """One that sleeps takes nothing from the team."""
    team = len(os.sched_getaffinity(0))
    with spinning(team, folder, program=POOL % sleeps) as pid:
        found = slowdowns(pid, folder)
    assert found.keys() == ({"few_processors"} if is_told else set()), found
    if is_told:
        text = found["few_processors"]
        assert text.startswith(f"2 pools, {team} threads of R1 (GNU libgomp")
        assert " and 2 threads in serve (), may use " in text


TBB = """\
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <unistd.h>
static volatile long counted;
int main(int argc, char **argv)
{
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
    #pragma omp parallel num_threads(atoi(argv[1]))
    {
        if (omp_get_thread_num() == 0)
            close(creat(argv[2], 0600));
        for (;;)
            tbb::parallel_for(0, 1000, [](int) {
                for (int i = 0; i < 10000; i++)
                    counted = counted + 1;
            });
    }
}
"""


@pytest.mark.skipif(not machine.FULL, reason="OMPD_FULL=1: with a real library")
def test_a_library_that_has_threads(folder: Path) -> None:
    team = len(os.sched_getaffinity(0))
    with spinning(team, folder, program=TBB, compiler="g++", link=["-ltbb"]) as pid:
        text = slowdowns(pid, folder)["few_processors"]
        record = folder / "tbb.record"
        assert ompd("record", "-d", "1", "-o", record, str(pid), folder=folder).status == 0
        told = " ".join(ompd("show", record, folder=folder).text.split())
    assert text.startswith(f"2 pools, {team} threads of R1 (GNU libgomp")
    assert re.search(r" and \d+ threads? of libtbb\.so", text), text
    assert text.endswith("Make one smaller: OMP_NUM_THREADS, tbb::global_control.")
    assert re.search(r" 2 pools take turns on .* threads? of libtbb\.so[.\d]* \(", told), told


HELD_UP = """\
#include <omp.h>
#include <unistd.h>
static int flag;
int main(int argc, char **argv)
{
    for (;;) {
        #pragma omp parallel num_threads(3)
        {
            if (omp_get_thread_num() == 2) {
                %s
            }
            #pragma omp barrier
            usleep(argc);
        }
    }
}
"""
# What the third thread does while the others wait; and is it seen to stay there?
WORK = {
    "spins": ("while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) {}", True),
    "polls": ("while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) usleep(1000);", True),
    "works": ("usleep(1000);", False),
}


@pytest.mark.each("kind")
@pytest.mark.parametrize("kind", WORK)
def test_others_wait_for_one_that_stays_where_it_is(kind: str, folder: Path) -> None:
    """A flag that nobody sets is the program's own: it is not known what the thread does there."""
    does, stays = WORK[kind]
    source = folder / "held.c"
    source.write_text(HELD_UP % does, encoding="ascii")
    machine.run("gcc", "-g", "-O1", "-fopenmp", source, "-o", folder / "held")
    with subprocess.Popen([folder / "held"]) as process:
        try:
            time.sleep(0.5)
            found = slowdowns(process.pid, folder)
        finally:
            machine.kill(process)
    assert ("held_up" in found) == stays, found
    if stays:
        line = HELD_UP.split("\n").index("                %s") + 1
        text = found["held_up"]
        assert "R1.0-1 wait for R1.2, which is both times in main () at" in text
        assert f"held.c:{line}" in text and ("in usleep ()" in text) == (kind == "polls")
        assert "uneven_work" not in found


NESTED = """\
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            int outer = omp_get_num_threads();
            #pragma omp parallel
            {
                #pragma omp single
                {
                    FILE *file = fopen(argv[2], "w");
                    fprintf(file, "%d %d", outer, omp_get_num_threads());
                    fclose(file);
                    sleep(100);
                }
            }
        }
        sleep(100);
    }
}
"""


@pytest.mark.parametrize(
    "compiler, settings, said",
    [
        ("gcc", {"OMP_THREAD_LIMIT": "3"}, "R1 has {0} threads, not 6 .*OMP_THREAD_LIMIT"),
        (machine.CLANG, {"OMP_THREAD_LIMIT": "3"}, "R1 has {0} threads, not 6 .*OMP_THREAD_LIMIT"),
        (machine.CLANG, {}, "R2 has {1} thread, not 6 .*OMP_MAX_ACTIVE_LEVELS"),
        ("gcc", {"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_NUM_THREADS": "3,2"}, None),
    ],
)
def test_fewer_threads_than_asked(
    compiler: str, settings: dict[str, str], said: str | None, folder: Path
) -> None:
    wanted = {"OMP_NUM_THREADS": "6", "OMP_DYNAMIC": "false", **settings}
    if compiler != "gcc":
        wanted["LD_LIBRARY_PATH"] = str(machine.cached("libomp-19"))
    with spinning(0, folder, program=NESTED, compiler=compiler, **wanted) as pid:
        answer = ompd("pid", str(pid), "--json", folder=folder)
    found: Any = answer.document["summary"]["slowdowns"]
    texts = [one["text"] for one in found if one["code"] == "few_threads"]
    sizes = (folder / "begun").read_text(encoding="ascii").split()
    if said is None:
        assert texts == []
    else:
        assert any(re.search(said.format(*sizes), text) for text in texts), found
