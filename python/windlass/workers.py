"""Who makes the runs of a sweep: threads of this process, or a cluster. The one place where that is chosen."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import TYPE_CHECKING, Protocol, TypeAlias

from windlass.errors import Cancelled, InputError, Interrupted

if TYPE_CHECKING:
    from windlass import _core
    from windlass.progress import Step
    from windlass.store import Store
    from windlass.sweep import Runnable, RunResult

__all__ = ["Jobs", "Threads", "Workers", "keep", "side_by_side", "stored", "workers_for"]

PATIENCE_S = 3.0
"""How long a run that was told to stop may take, seconds: the engine looks many times a second."""

TIMES = 3
"""How often that is waited for, and a run interrupted, before it is left behind."""


class Workers(Protocol):
    """Who makes runs."""

    def make(
        self,
        tasks: Mapping[str, tuple[Runnable, int]],
        places: Mapping[str, Store | None],
        progress: Step | None,
        cancel: _core.Cancel,
    ) -> dict[str, RunResult]:
        """Make runs, or read them from the store.

        Parameters
        ----------
        tasks : mapping of str to (point, seed)
            What to run, by key.
        places : mapping of str to Store or None
            Where a run may be kept and looked for, by key; a key that is not in it: nowhere.
        progress : callable or None
            Called with (finished, total) after each run, in the caller's thread.
        cancel : _core.Cancel
            Setting it stops the runs.

        Raises
        ------
        InputError
            If a run cannot be made.
        Interrupted
            After Ctrl-C or when the token was set; finished runs are in the store.
        """
        ...


Jobs: TypeAlias = "int | Workers | None"
"""Number of threads, ``None`` for all cores, or who else makes the runs."""


def workers_for(jobs: Jobs) -> Workers:
    """Who is meant.

    Raises
    ------
    InputError
        If the number of threads is not positive.
    """
    if jobs is None:
        return Threads(_cores())
    if not isinstance(jobs, int):
        return jobs
    if jobs < 1:
        raise InputError(f"{jobs} threads, must be at least 1", code="sweep.jobs", hint="leave it out to use all cores")
    return Threads(jobs)


def side_by_side(jobs: Jobs) -> int | None:
    """How many runs are made at a time; ``None`` where others know."""
    workers = workers_for(jobs)
    return workers.count if isinstance(workers, Threads) else None


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this platform
        return os.cpu_count() or 1


def stored(point: Runnable, seed: int, key: str, store: Store | None) -> RunResult | None:
    """A run from the store, if it is there."""
    from windlass.sweep import RunResult

    tables = None if store is None else store.read(key)
    return None if tables is None else RunResult(key, seed, point.axes, tables, stored=True)


def keep(point: Runnable, result: RunResult, store: Store | None) -> RunResult:
    """Put a run that was made into the store."""
    from windlass.engine import results_word

    if store is not None:
        store.write(
            result.key,
            result.tables,
            description=point.effective_json(),
            seed=result.seed,
            results=results_word(point.results()),
        )
    return result


class Threads:
    """Threads of this process.

    Parameters
    ----------
    count : int
        How many.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    def make(
        self,
        tasks: Mapping[str, tuple[Runnable, int]],
        places: Mapping[str, Store | None],
        progress: Step | None,
        cancel: _core.Cancel,
    ) -> dict[str, RunResult]:
        """Make or read the runs, side by side; see :meth:`Workers.make`."""
        made: dict[str, RunResult] = {}
        threads: list[int] = []
        pool = ThreadPoolExecutor(self.count, "windlass", lambda: threads.append(threading.get_ident()))
        waiting: dict[Future[RunResult], str] = {}
        try:
            for key, (point, seed) in tasks.items():
                waiting[pool.submit(_one, point, seed, key, places.get(key), cancel)] = key
            for future in as_completed(waiting):
                made[waiting[future]] = future.result()
                if progress is not None:
                    progress(len(made), len(tasks))
        except BaseException as error:
            cancel.set()
            pool.shutdown(wait=False, cancel_futures=True)
            left = _end(waiting, threads)
            if isinstance(error, (KeyboardInterrupt, Cancelled)):
                ended = [future for future in waiting if future.done() and not future.cancelled()]
                finished = sum(1 for future in ended if future.exception() is None)
                raise Interrupted(finished, len(tasks), any(places.values()), left) from None
            raise
        pool.shutdown()
        return made


def _end(waiting: Iterable[Future[RunResult]], threads: Sequence[int]) -> bool:
    """Wait for runs that were told to stop. One that an algorithm in Python keeps from it is interrupted there.

    Returns
    -------
    bool
        Whether one goes on even so: its algorithm sleeps, or catches what interrupts it.
    """
    rest = {future for future in waiting if not future.cancelled()}
    for _ in range(TIMES):
        rest = wait(rest, timeout=PATIENCE_S).not_done
        if not rest:
            return False
        for thread in threads:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
    return True


def _one(point: Runnable, seed: int, key: str, store: Store | None, cancel: _core.Cancel) -> RunResult:
    """Read a run from the store, or make and keep it."""
    found = stored(point, seed, key, store)
    return found if found is not None else keep(point, point.run(seed, cancel), store)
