# SPDX-License-Identifier: Apache-2.0
"""How does the model become a JSON document "ompd/1"? `documents' says what is in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence, TypeVar, cast

from ..model import doubts, ids, targets
from ..model.assessment import Assessment
from ..model.barriers import Barrier, instead
from ..model.doubts import Doubt
from ..model.facts import Library, Program
from ..model.judgement import Judgement
from ..model.locks import Lock
from ..model.messages import NOT_TOLD, Message
from ..model.native import Location
from ..model.overflow import Overflow, Recursion
from ..model.process import Loop, Membership, Part, Process, Region, Runtime, Thread, Wait, pairs
from ..model.tasks import ExplicitTask, waits_for
from ..model.thrown import Thrown
from ..model.waits import Edge
from . import deadlock as deadlock_view
from . import locks as locks_view
from . import outside as outside_view
from . import signals
from . import status as status_view
from . import waits as waits_view
from .json_text import SCHEMA, Json
from .threads import at_of, class_of, words_of

if TYPE_CHECKING:
    from ..documents import regions as of_regions
    from ..documents import stop
    from ..documents import tasks as of_tasks
    from ..documents import threads as of_threads
    from ..documents import waits as of_waits
    from ..documents import words

T = TypeVar("T")

EXACT = 1 << 53  # integers beyond it are not exact in every JSON reader


def envelope(
    command: str,
    stop_id: int,
    gdb_version: str,
    notes: Sequence[str],
    program: Program | None,
    runtimes: Sequence[Runtime],
    **sections: Any,
) -> Json:
    return {
        "schema": SCHEMA,
        "command": command,
        "stop_id": stop_id,
        "gdb_version": gdb_version,
        "notes": list(notes),
        "inferior": None if program is None else _inferior(program),
        "runtimes": [_runtime(runtime) for runtime in runtimes],
        **sections,
    }


def environment(settings: Mapping[str, str]) -> list[stop.Variable]:
    return [{"name": name, "value": value} for name, value in settings.items()]


def _inferior(program: Program) -> stop.Inferior:
    return {
        "num": program.inferior,
        "pid": program.pid,
        "kind": program.kind,
        "program": program.path,
        "core": program.core,
    }


def _runtime(runtime: Runtime) -> stop.Runtime:
    return {
        "id": runtime.id,
        "kind": runtime.kind,
        "version": None if runtime.version is None else str(runtime.version),
        "build_id": runtime.build_id,
        "path": runtime.path,
        "base": address(runtime.base),
        "descriptors": runtime.descriptors,
        "initialized": runtime.initialized,
        "supported": runtime.supported,
        "state_tracking": runtime.state_tracking,
        "diagnostics": [
            {"code": d.code, "subject": d.subject, "text": d.text} for d in runtime.diagnostics
        ],
    }


def library(facts: Library) -> Json:
    return {
        "path": facts.path,
        "version": facts.version,
        "api_version": facts.api_version,
        "missing": list(facts.missing),
    }


def summary(of: Assessment) -> stop.Summary:
    process = of.process
    classes: dict[str, int] = {}
    for thread in process.threads:
        name = class_of(thread)
        classes[name] = classes.get(name, 0) + 1
    return {
        "findings": findings(of),
        "classes": classes,
        "regions": len(process.regions),
        "slowdowns": [{"code": code, "text": text} for code, text in status_view.slowdowns(of)],
        "next": status_view.following(of),
    }


def findings(of: Assessment) -> list[stop.Finding]:
    made: list[stop.Finding] = []
    for code, text in status_view.findings(of):
        made.append({"code": code, "text": text, "wrong": code in status_view.WRONG})
        if status_view.is_of_two_looks(code, of.judgement):
            made[-1]["confirmed"] = True
    return made


def signal(process: Process) -> stop.Signal | None:
    """At which it died or crashed."""
    met = process.signal
    if met is None:
        return None
    thread, cause = process.signalled, process.cause
    native = thread.native if thread is not None else None
    return {
        "name": met.name,
        "number": met.number,
        "crash": met.is_crash,
        "reason": signals.reason(met, cause),
        "address": None if met.address is None else address(met.address),
        "sender": met.sender,
        "lwp": met.lwp,
        "gdb": native.id if native is not None else None,
        "id": signals.openmp_id(thread),
        "where": location(thread.where) if thread is not None else None,
        "exception": _exception(cause.thrown) if cause.thrown is not None else None,
        "handler_of": thread.handles if thread is not None else None,
        "terminated": cause.terminated,
        "said": cause.said.text if cause.said is not None else None,
        "said_by": cause.said.by if cause.said is not None else None,
        "refused": cause.refused.why if cause.refused is not None else None,
        "instruction": cause.refused.text or None if cause.refused is not None else None,
        "file": cause.file,
        "stack_overflow": _overflow(cause.overflow) if cause.overflow is not None else None,
    }


def _overflow(of: Overflow) -> stop.StackOverflow:
    return {
        "certainty": "likely" if of.doubt is not None else "certain",
        "why": of.doubt,
        "stack_bytes": of.size,
        "function": of.function,
        "frame_bytes": of.needs,
        "recursion": _recursion(of.recursion) if of.recursion is not None else None,
        "set_by": of.setting.name if of.setting is not None else None,
        "set_to": of.setting.value if of.setting is not None else None,
        "enough_bytes": of.enough,
    }


def _recursion(of: Recursion) -> stop.Recursion:
    return {"functions": list(of.functions), "depth": of.depth, "bytes_each": of.each}


def _exception(thrown: Thrown) -> stop.Thrown:
    return {
        "type": thrown.type,
        "what": thrown.what,
        "left": thrown.left,
        "loc": location(thrown.location),
    }


def threads(chosen: Sequence[Thread]) -> list[of_threads.Thread]:
    return [_thread(thread) for thread in chosen]


def _thread(thread: Thread) -> of_threads.Thread:
    native = thread.native
    found: of_threads.Thread = {
        "gdb": native.id if native else None,
        "gdb_global": native.global_num if native else None,
        "ptid": list(native.ptid) if native else None,
        "lwp": native.ptid[1] or None if native else None,
        "name": native.name if native else None,
        "running": thread.running,
        "doing": words_of(thread),
        "at": at_of(thread),
        "kind": thread.kind,
        "where": location(thread.where),
        "in_call": location(thread.in_call),
        "message": _message(thread.message),
        "openmp": [_membership(member) for member in thread.openmp],
    }
    waited_for = outside_view.document(thread.kept)
    if waited_for is not None:
        found["outside"] = waited_for
    return with_doubts(found, {**_call_doubt(thread), **thread.doubts})


def _message(message: Message | None) -> of_threads.Message | None:
    if message is None:
        return None
    found: of_threads.Message = {
        "direction": message.direction,
        "rank": message.rank,
        "any_rank": message.any_rank,
        "world": message.world,
    }
    return with_doubts(found, {} if message.is_known else {"rank": NOT_TOLD, "any_rank": NOT_TOLD})


def _call_doubt(thread: Thread) -> dict[str, Doubt]:
    return {"in_call": thread.doubts["where"]} if "where" in thread.doubts else {}


def _membership(member: Membership) -> of_threads.Openmp:
    region = member.region
    found: of_threads.Openmp = {
        "runtime": member.runtime,
        "id": member.id,
        "region": region.id if region else None,
        "thread_num": member.thread_num,
        "team_size": region.raw.team_size if region else None,
        "level": region.raw.level if region else None,
        "active_level": region.raw.active_level if region else None,
        "ancestors": [{"region": outer.id, "thread_num": num} for outer, num in member.chain[1:]],
        "state": member.state,
        "tracked_state": member.tracked_state,
        "wait": _wait(member.wait),
        "passed": _wait(member.passed.wait if member.passed is not None else None),
        "task": _task(member),
    }
    return with_doubts(found, {**_wait_doubt(member), **member.doubts})


def _wait(wait: Wait | None) -> of_threads.Wait | None:
    if wait is None:
        return None
    found: of_threads.Wait = {
        "kind": wait.kind,
        "construct": wait.construct,
        "object": None,
        "name": wait.name,
        "address": address(wait.address) if wait.address is not None else None,
        "holders": None,
        "loc": location(wait.location),
    }
    if wait.phase is not None:
        found["phase"] = wait.phase
    return with_doubts(found, _doubts_of_wait(wait))


def _doubts_of_wait(wait: Wait) -> dict[str, Doubt]:
    found = _doubts_of_line(wait) if wait.location else {"loc": doubts.WAIT_PLACE}
    if wait.construct_doubt is not None:
        found["construct"] = wait.construct_doubt
    if wait.kind in ("critical", "lock", "nest_lock"):
        unknown = [name for name in ("name", "address") if getattr(wait, name) is None]
        found.update(dict.fromkeys(unknown, doubts.OBJECT_NOT_CONSTANT))
        if not wait.exact:
            found.setdefault("address", doubts.OBJECT_NOT_EXACT)
            found.setdefault("name", doubts.OBJECT_NOT_EXACT)
    found["holders"] = found["object"] = doubts.HOLDERS_ELSEWHERE
    return found


def _doubts_of_line(wait: Wait) -> dict[str, Doubt]:
    return {} if wait.exact_line or wait.kind != "barrier" else {"loc": doubts.LINE_NEAR}


def _wait_doubt(member: Membership) -> dict[str, Doubt]:
    """A null without a doubt would mean that it waits for nothing."""
    if member.state is None or (member.state.startswith("wait_") and member.wait is None):
        return {"wait": member.doubts.get("state", doubts.WAIT_UNKNOWN)}
    return {}


def _task(member: Membership) -> of_threads.Task | None:
    task = member.task
    if task is None:
        return None
    implicit = task.kind == "implicit" and member.region is not None
    found: of_threads.Task = {
        "id": task.id,
        "kind": task.kind,
        "final": task.final,
        "address": address(task.address),
        "loc": location(member.region.location) if implicit and member.region else None,
    }
    return with_doubts(
        found, {"loc": doubts.TASK_SITE_ELSEWHERE} if task.kind == "explicit" else {}
    )


def tasks(chosen: Sequence[ExplicitTask]) -> list[of_tasks.ExplicitTask]:
    return [_explicit_task(task) for task in chosen]


def _explicit_task(task: ExplicitTask) -> of_tasks.ExplicitTask:
    raw = task.raw
    found: of_tasks.ExplicitTask = {
        "id": task.id,
        "runtime": task.runtime,
        "region": task.region.id if task.region else None,
        "address": address(raw.address),
        "state": raw.state,
        "undeferred": raw.undeferred,
        "final": raw.final,
        "tied": raw.tied,
        "thread": task.thread_id if raw.state in ("executing", "suspended") else None,
        "inside": task.inside.id if task.inside else None,
        "created": location(task.location),
        "function": location(task.function),
        "parent": task.parent.id if task.parent else None,
        "children": raw.children,
        "unseen_children": task.unseen_children,
        "taskgroup": address(raw.taskgroup) if raw.taskgroup else None,
        "taskgroup_left": raw.taskgroup_count,
        "priority": raw.priority,
        "depends_on": [before.id for before in task.predecessors],
        "wait": _task_wait(task),
    }
    return with_doubts(found, task.doubts)


def _task_wait(task: ExplicitTask) -> of_threads.Wait | None:
    kind = waits_for(task)
    if not kind:
        return None
    wait: of_threads.Wait = {
        "kind": kind,
        "object": None,
        "name": None,
        "address": None,
        "holders": None,
    }
    if kind == "taskwait":
        wait["loc"] = location(task.taskwait)
        if task.taskwait is None:
            with_doubts(wait, {"loc": doubts.TASKWAIT_PLACE})
    if task.deferred is not None:
        wait["object"], wait["phase"] = task.deferred.in_words, targets.DEVICE
    return wait


def barriers(found: Sequence[Barrier]) -> list[of_regions.Barrier]:
    return [_barrier(barrier) for barrier in found]


def _barrier(barrier: Barrier) -> of_regions.Barrier:
    region = barrier.region.id
    found: of_regions.Barrier = {
        "region": region,
        "kind": barrier.wait.construct or "unknown",
        "loc": location(barrier.location),
        "arrived": f"{region}.{ids.compress(barrier.arrived)}",
        "missing": f"{region}.{ids.compress(barrier.missing)}" if barrier.missing else None,
        "instead": [_instead(barrier, num) for num in barrier.missing],
    }
    unsure: dict[str, Doubt | None] = {**_doubts_of_line(barrier.wait)}
    if barrier.wait.construct is None:
        unsure["kind"] = barrier.wait.construct_doubt
    if barrier.missing:
        unsure["missing"] = barrier.doubt
    return with_doubts(
        found, {field: doubt for field, doubt in unsure.items() if doubt is not None}
    )


def _instead(barrier: Barrier, num: int) -> of_regions.Instead:
    """What the one does that is missing."""
    thread = barrier.region.members[num]
    return {
        "who": f"{barrier.region.id}.{num}",
        "doing": instead(thread, barrier.region),
        "in_call": location(thread.in_call) if thread else None,
        "loc": location(thread.where) if thread else None,
    }


def locks(chosen: Sequence[Lock]) -> list[of_waits.Lock]:
    return [_lock(lock) for lock in chosen]


def _lock(lock: Lock) -> of_waits.Lock:
    raw = lock.raw
    found: of_waits.Lock = {
        "id": lock.id,
        "runtime": lock.runtime,
        "kind": raw.kind or "unknown",
        "construct": lock.construct,
        "nested": raw.nested,
        "name": lock.name,
        "address": address(lock.variable or raw.address),
        "held": raw.held,
        "depth": raw.depth,
        "holder": locks_view.who(lock.holder, lock.runtime) if lock.holder else None,
        "held_since": location(lock.held_since),
        "never_released": lock.never_released,
        "left_at": [_place(one) for one in lock.left_at],
        "suspects": [locks_view.who(thread, lock.runtime) for thread in lock.suspects],
        "waiting": raw.waiting if raw.waiting is not None else len(lock.waiters),
        "waiters": [locks_view.who(thread, lock.runtime) for thread in lock.waiters],
        "ordered": lock.ordered,
    }
    return with_doubts(found, lock.doubts)


def deadlock(judgement: Judgement) -> of_waits.Deadlock:
    found, movement = judgement.waits, judgement.movement
    bystanders = pairs(member for thread in found.bystanders for member in thread.openmp)
    return {
        "verdict": found.verdict,
        "certainty": "certain" if found.certain else "likely",
        "text": deadlock_view.headline(found),
        "cycles": [
            [_edge(edge, before) for before, edge in zip([circle[-1], *circle], circle)]
            for circle in found.circles
        ],
        "bystanders": ids.thread_list(bystanders) or None,
        "waits": waits_view.document(found),
        "unknown": [*found.unknown, *found.open],
        "second_look": None if movement is None else deadlock_view.second_look(movement),
        "queued": [task.id for task in found.queued],
        "tasks": tasks(found.named_tasks()),
    }


def _edge(edge: Edge, before: Edge) -> of_waits.WaitEdge:
    """before: the one of the circle that leads here: what it wants is held here."""
    runtime = edge.member.runtime
    return {
        "thread": locks_view.who(edge.waiter, runtime),
        "waits_for": locks_view.who(edge.needed, runtime),
        "kind": edge.wait.kind,
        "holds": before.lock.id if before.lock else None,
        "wants": edge.lock.id if edge.lock else None,
        "region": edge.region.id if edge.region else None,
        "task": edge.task.id if edge.task else None,
        "object": outside_view.document(edge.kept),
        "certainty": "likely" if edge.likely else "certain",
        "loc": location(edge.waiter.where),
        "text": deadlock_view.sentence(edge),
    }


def regions(chosen: Sequence[Region]) -> list[of_regions.Region]:
    return [_region(region) for region in chosen]


def _region(region: Region) -> of_regions.Region:
    raw = region.raw
    found: of_regions.Region = {
        "id": region.id,
        "runtime": region.runtime,
        "parent": region.parent.id if region.parent else None,
        "generator": raw.generator,
        "serialized": raw.serialized,
        "level": raw.level,
        "active_level": raw.active_level,
        "team_size": raw.team_size,
        "requested": None,
        "league_size": raw.league_size,
        "team_num": raw.team_num,
        "loc": location(region.location),
        "function": location(region.function),
        "address": address(raw.address),
        "members": [
            {
                "thread_num": num,
                "gdb": thread.native.id if thread and thread.native else None,
            }
            for num, thread in enumerate(region.members)
        ],
        "barrier": None,
    }
    if region.loops is not None:
        found["loops"] = [_loop(region, loop) for loop in region.loops]
    return with_doubts(found, {**_region_doubts(region), **region.doubts})


def _loop(region: Region, loop: Loop) -> of_regions.Loop:
    return {
        "schedule": None if loop.schedule == "unknown" else loop.schedule,
        "sections": loop.sections,
        "loc": location(loop.location),
        "iterations": _integer(loop.iterations),
        "chunk": _integer(loop.chunk),
        "handed_out": _integer(loop.handed_out),
        "ordered_turn": _integer(loop.ordered_turn),
        "ordered_by": None if loop.ordered_by is None else f"{region.id}.{loop.ordered_by}",
        "remaining": _integer(loop.remaining),
        "completed": loop.completed,
        "parts": [_part(region, part) for part in loop.parts],
    }


def _part(region: Region, part: Part) -> of_regions.LoopPart:
    native = part.thread.native if part.thread is not None else None
    found: of_regions.LoopPart = {
        "id": f"{region.id}.{part.thread_num}",
        "gdb": native.id if native is not None else None,
        "first": _integer(part.first),
        "last": _integer(part.last),
        "at": _integer(part.at),
        "left": _integer(part.left),
    }
    return with_doubts(found, part.doubts)


def _integer(value: int | None) -> int | str | None:
    return None if value is None else integer(value)


def _region_doubts(region: Region) -> dict[str, Doubt]:
    if region.raw.generator == "program":
        return {}
    return {"requested": doubts.REQUEST_NOT_KEPT, "barrier": doubts.BARRIER_ELSEWHERE}


def location(place: Location | None) -> words.Loc | None:
    return None if place is None else _place(place)


def _place(place: Location) -> words.Loc:
    return {
        "function": place.function,
        "file": place.file,
        "fullname": place.fullname,
        "line": place.line,
        "pc": address(place.pc) if place.pc else None,
        "objfile": place.objfile,
    }


def address(value: int) -> str:
    return f"{value:#x}"


def integer(value: int) -> int | str:
    return value if -EXACT <= value <= EXACT else str(value)


def with_doubts(fields: T, uncertain: Mapping[str, Doubt]) -> T:
    """Of an object that may have `doubts'."""
    if uncertain:
        cast(Json, fields)["doubts"] = {
            field: {"certainty": doubt.certainty, "why": doubt.why, "how": doubt.advice}
            for field, doubt in uncertain.items()
        }
    return fields
