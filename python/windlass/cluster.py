"""Runs on a Dask cluster: the machines make them, this process keeps them.

A point travels as text (:mod:`windlass.travel`), its tables come back and are written to the client's store, so that a
cluster needs no common disk. A run whose worker dies is given to another one by Dask. Only a few more runs than there
are cores wait at the scheduler, so that long sweeps need no memory there.
"""

from __future__ import annotations

import gc
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from windlass import resources
from windlass.errors import Cancelled, InputError, Interrupted, WindlassError
from windlass.extras import how_to_install
from windlass.travel import Packed, packed, unpacked
from windlass.workers import keep, stored

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass import _core
    from windlass.progress import Step
    from windlass.store import Store
    from windlass.sweep import Runnable, RunResult

__all__ = ["Cluster"]

ANSWER_S = 10.0
"""How long a scheduler may take to answer, seconds."""

AHEAD = 4
"""Runs at the scheduler for each core, so that none waits for work."""

LEAST_AHEAD = 32
"""Least number of them."""

LOOK_S = 0.2
"""How often the caller's token is looked at while no run ends, seconds."""

COUNT_S = 5.0
"""How often the cores are counted: a cluster may grow or shrink, seconds."""


class Cluster:
    """A Dask cluster; `jobs` of :func:`windlass.sweep` takes it. To be closed, or used as a context manager.

    Parameters
    ----------
    address : str
        Of its scheduler: ``"tcp://10.0.0.1:8786"``.

    Raises
    ------
    InputError
        If Dask is not installed, or no scheduler answers there.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError(
                "Dask is not installed", code="cluster.no-dask", hint=f"{how_to_install('dask')} installs it"
            ) from None
        self.address = address
        # A client that could not connect closes itself when it is collected. If that happens while another one starts,
        # both wait for the same lock for ever.
        gc.collect()
        try:
            self._client = Client(address, timeout=ANSWER_S, set_as_default=False)
        except Exception as error:  # noqa: BLE001  what a senseless address comes to differs by version
            raise InputError(
                f"no scheduler answers at `{address}`: {_first_line(error)}",
                code="cluster.no-answer",
                hint="`dask scheduler` starts one and prints its address, such as tcp://10.0.0.1:8786",
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Cluster({self.address!r})"

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        _try_to(self._client.close)

    def make(
        self,
        tasks: Mapping[str, tuple[Runnable, int]],
        places: Mapping[str, Store | None],
        progress: Step | None,
        cancel: _core.Cancel,
    ) -> dict[str, RunResult]:
        """Make the runs there, or read them from the store; see :meth:`windlass.workers.Workers.make`."""
        made: dict[str, RunResult] = {}
        batch = _Batch(self._client, cancel)
        try:
            for key, result in self._results(batch, tasks, places, cancel):
                made[key] = result
                if progress is not None:
                    progress(len(made), len(tasks))
        except BaseException as error:
            batch.stop()
            if isinstance(error, (KeyboardInterrupt, Cancelled)):
                raise Interrupted(len(made), len(tasks), any(places.values())) from None
            raise
        return made

    def _results(
        self,
        batch: _Batch,
        tasks: Mapping[str, tuple[Runnable, int]],
        places: Mapping[str, Store | None],
        cancel: _core.Cancel,
    ) -> Iterator[tuple[str, RunResult]]:
        """Each run, as soon as it is read or has come back and is kept."""
        from windlass.sweep import RunResult

        waiting = iter(tasks.items())
        texts: dict[int, Packed] = {}
        left = True
        while left or batch.running:
            while left and len(batch.running) < batch.room():
                key, (point, seed) = next(waiting, (None, (None, 0)))
                if key is None or point is None:
                    left = False
                elif (found := stored(point, seed, key, places.get(key))) is not None:
                    yield key, found
                else:
                    batch.submit(key, _text(texts, point), seed)
                if cancel.is_set():
                    raise Cancelled("the runs were stopped")
            for key, tables in batch.finished():
                point, seed = tasks[key]
                yield key, keep(point, RunResult(key, seed, point.axes, tables), places.get(key))
            if cancel.is_set():
                raise Cancelled("the runs were stopped")


def _text(texts: dict[int, Packed], point: Runnable) -> Packed:
    """The point as text, made once for all of its seeds, which mostly follow each other."""
    if id(point) not in texts:
        texts.clear()
        texts[id(point)] = packed(point)
    return texts[id(point)]


class _Batch:
    """The runs of one call that are at the scheduler."""

    def __init__(self, client: Any, cancel: _core.Cancel) -> None:
        self.client = client
        self.cancel = cancel
        self.name = secrets.token_hex(8)
        self.running: dict[Any, str] = {}
        self.ended: SimpleQueue[Any] = SimpleQueue()
        self._room = LEAST_AHEAD
        self._counted = float("-inf")

    def room(self) -> int:
        """How many may be there."""
        if time.monotonic() - self._counted > COUNT_S:
            with _lost():
                cores = sum(self._ask(self.client.nthreads).values())
            self._room = max(LEAST_AHEAD, AHEAD * cores)
            self._counted = time.monotonic()
        return self._room

    def submit(self, key: str, text: Packed, seed: int) -> None:
        name = f"windlass-{self.name}-{key}"
        future = self.client.submit(_run, text, seed, self.name, resources.given(), key=name, pure=False)
        self.running[future] = key
        future.add_done_callback(self.ended.put)

    def finished(self) -> list[tuple[str, dict[str, pa.Table]]]:
        """Runs that have come back since, if only after a while."""
        futures = []
        with suppress(Empty):
            futures.append(self.ended.get(timeout=LOOK_S))
            while True:
                futures.append(self.ended.get_nowait())
        with _lost():
            tables = self._ask(lambda: self.client.gather(futures))
        return [(self.running.pop(future), own) for future, own in zip(futures, tables, strict=True)]

    def stop(self) -> None:
        """Give up what is waiting, and end what runs."""

        def give_up() -> None:
            self.client.cancel(list(self.running), force=True)
            self.client.run(_stop, self.name, on_error="ignore")

        _try_to(give_up)
        self.running.clear()

    def _ask(self, question: Callable[[], Any]) -> Any:
        """The answer of the cluster, which may never come: the caller can stop it all the same."""
        answer = _Answer(question)
        while not answer.wait(LOOK_S):
            if self.cancel.is_set():
                raise Cancelled("the runs were stopped")
        return answer.get()


class _Answer:
    """What a call comes to that is made in a thread of its own, since it may wait for ever."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._value: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._make, args=(call,), daemon=True)
        self._thread.start()

    def _make(self, call: Callable[[], Any]) -> None:
        try:
            self._value = call()
        except BaseException as error:  # noqa: BLE001  it is raised where it is asked for
            self._error = error

    def wait(self, seconds: float) -> bool:
        """Whether it is there, after a while."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def get(self) -> Any:
        """The value, or the error raised."""
        if self._error is not None:
            raise self._error
        return self._value


def _try_to(call: Callable[[], Any]) -> None:
    """Make a call of which nothing depends: the cluster may be gone, and then it is not waited for."""
    _Answer(call).wait(ANSWER_S)


@contextmanager
def _lost() -> Iterator[None]:
    """Errors of Dask's own, as ours."""
    import asyncio
    import concurrent.futures

    from distributed import KilledWorker

    try:
        yield
    except WindlassError:
        raise
    except (asyncio.CancelledError, concurrent.futures.CancelledError, OSError) as error:
        raise InputError(
            f"the cluster was lost: {_first_line(error)}",
            code="cluster.lost",
            hint="finished runs are kept, and the same command goes on from there",
        ) from None
    except KilledWorker as error:
        raise InputError(
            f"a run was on several workers when they died: {_first_line(error)}",
            code="cluster.lost",
            hint="look into their logs; often they have too little memory",
        ) from None
    except Exception as error:  # noqa: BLE001  whatever the worker has raised
        raise InputError(
            f"a worker cannot make a run: {type(error).__name__}: {_first_line(error)}",
            code="cluster.worker",
            hint="install the same version of Windlass there, and Dask",
        ) from None


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]


# ---- in the worker

_TOKENS: dict[str, _core.Cancel] = {}
"""What stops the runs of a batch in this process, by its name."""

_LOCK = threading.Lock()


def _token(batch: str) -> _core.Cancel:
    from windlass import _core

    with _LOCK:
        return _TOKENS.setdefault(batch, _core.Cancel())


def _run(
    text: Packed, seed: int, batch: str, given: tuple[float | None, float | None] = (None, None)
) -> Mapping[str, pa.Table]:
    """Make a run that may need what was given, or what this machine has."""
    with resources.limits(max_memory=given[0], max_time=given[1]):
        return unpacked(text).run(seed, _token(batch)).tables


def _stop(batch: str) -> None:
    """End the runs of a batch, those that run and those that would come."""
    _token(batch).set()
