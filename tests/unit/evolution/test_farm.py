"""Farms: scores in order, whatever happens to the workers (ARN-68, FON-80, FON-81, FON-E11)."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from farms import Deadly, Rower, order_of, rowers
from toys import Near, Toys
from zoophyte.errors import MissingExtraError, OwnCodeError, UsageError
from zoophyte.evolution.evaluation import Farm, Order, evaluate
from zoophyte.evolution.evaluation.processes import Processes, WorkerDiedError, WorkerHungError
from zoophyte.evolution.protocols import Score
from zoophyte.evolution.run import evolve
from zoophyte.validation.checks.evolution.farm import order as doers

COUNT = 12


@pytest.fixture(scope="module")
def truth() -> list[Score]:
    """Of all rowers, judged here."""
    return evaluate(order_of(rowers(COUNT)))


def scores_of(farm: Farm, genomes: Sequence[Rower], mark: Path | str = "", size: int = 4) -> list[Score]:
    order = order_of(genomes, Deadly(mark=str(mark)))
    return [score for part in farm.scores(order.split(size)) for score, _ in part]


def traces(folder: Path, deed: str) -> int:
    return sum(path.name.startswith(f"{deed} ") for path in folder.iterdir())


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_threads_give_the_same_bits_in_order(truth: list[Score], workers: int) -> None:
    """Claim: results do not depend on the number of workers. Oracle: one chunk judged here. Tolerance: none."""
    with Farm(workers=workers) as farm:
        assert scores_of(farm, rowers(COUNT)) == truth


class Backwards(Executor):
    """Answers only when all have asked, the last first."""

    def __init__(self, count: int) -> None:
        self.count, self.asked = count, []  # type: ignore[var-annotated]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.asked.append((future, fn, args))
        if len(self.asked) == self.count:
            threading.Thread(target=self._answer).start()
        return future

    def _answer(self) -> None:
        for future, fn, args in reversed(self.asked):
            future.set_result(fn(*args))


def test_results_in_any_order_are_handed_back_in_order(truth: list[Score]) -> None:
    assert scores_of(Farm(Backwards(3), workers=3), rowers(COUNT)) == truth


def test_any_executor_will_do(truth: list[Score]) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert scores_of(Farm(pool), rowers(COUNT)) == truth


def test_no_orders_and_empty_orders_have_no_scores() -> None:
    farm = Farm(workers=1)
    assert list(farm.scores([])) == []
    assert list(farm.scores([order_of([]), order_of([])])) == [[], []]


def test_orders_are_made_while_others_are_judged(truth: list[Score]) -> None:
    """Claim: a farm asks for an order when it can be sent, and for one in advance. Oracle: counting. Tolerance: none."""
    made = []

    def orders() -> Iterator[Order]:
        for order in order_of(rowers(COUNT)).split(2):
            made.append(order)
            yield order

    found, counts = [], []
    for part in Farm(workers=1).scores(orders()):
        counts.append(len(made))
        found += [score for score, _ in part]
    assert counts == [2, 3, 4, 5, 6, 6] and found == truth


def test_processes_replace_what_dies(truth: list[Score], tmp_path: Path) -> None:
    """Claim (FON-E11): who kills its worker twice while alone is failed, and no other notices.

    Oracle: scores of the same genomes judged here; traces that killers leave. Tolerance: none.
    """
    with Farm("processes", workers=2) as farm:
        found = scores_of(farm, rowers(COUNT, n1="kill"), tmp_path)
    assert (found[1].fitness, found[1].status) == (-1.0, "failed")
    assert "stopped its worker 2 times: its process was killed by signal 9" in found[1].reason
    assert [s for n, s in enumerate(found) if n != 1] == [s for n, s in enumerate(truth) if n != 1]
    assert traces(tmp_path, "kill") == 3  # in company once, alone twice


def test_processes_end_what_hangs() -> None:
    """Claim (FON-80): who falls silent is ended and replaced. Oracle: the same without it. Tolerance: none."""
    whole = doers(["live", "live", "hang", "live"])
    with Farm("processes", workers=1, timeout=1.0) as farm:
        (found,) = farm.scores([whole])
    assert "stopped its worker 2 times: no answer within 1 s" in found[2][0].reason
    assert [score for n, (score, _) in enumerate(found) if n != 2] == evaluate(doers(["live"] * 3))


@pytest.mark.slow
def test_a_pool_of_the_standard_library_is_replaced_when_it_breaks(
    truth: list[Score], tmp_path: Path
) -> None:
    """Claim: though the pool does not tell whose fault a death was, only the killer is failed. Tolerance: none."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, Farm(pool) as farm:
        found = scores_of(farm, rowers(COUNT, n5="kill", n6="kill once"), tmp_path)
    assert found[5].status == "failed" and found[5].fitness == -1.0
    assert [s for n, s in enumerate(found) if n != 5] == [s for n, s in enumerate(truth) if n != 5]


def test_a_thread_that_hangs_is_left_alone(truth: list[Score], tmp_path: Path) -> None:
    with Farm(workers=2, timeout=3.0) as farm:
        found = scores_of(farm, rowers(COUNT, n0="sleep once"), tmp_path)
    assert found == truth


def test_processes_tell_what_happened() -> None:
    with Processes(1) as processes:
        assert processes.submit(os.path.basename, "a/b").result() == "b"
        with pytest.raises(WorkerDiedError, match="ended with code 3"):
            processes.submit(os._exit, 3).result()
        with pytest.raises(ZeroDivisionError):
            processes.submit(divmod, 1, 0).result()
        assert processes.submit(divmod, 7, 2).result() == (3, 1)
    with pytest.raises(UsageError, match="shut down"):
        processes.submit(divmod, 1, 1)


def test_an_interruption_ends_processes_at_once() -> None:
    """A second Ctrl-C was heard when all processes had done their chunks; and who killed the program left them running."""
    with pytest.raises(KeyboardInterrupt), Farm("processes", workers=2) as farm:
        futures = [farm.hands.executor.submit(time.sleep, 40.0) for _ in range(2)]
        while not all(future.running() for future in futures):
            time.sleep(0.01)
        raise KeyboardInterrupt
    for future in futures:
        with pytest.raises(WorkerDiedError, match="killed by signal 9"):
            future.result()


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two workers of dask, each replaced by its nanny; a death is told at once."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed (extra 'cluster')")
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, host="127.0.0.1"
    ) as made, distributed.Client(made, set_as_default=False) as client:  # fmt: skip
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_dask_replaces_what_dies_and_what_hangs(
    truth: list[Score], tmp_path: Path, cluster: Any
) -> None:
    """Claim and oracle as with processes; on workers of dask, by its executor."""
    genomes = rowers(COUNT, n4="kill", n9="sleep once", n10="kill once")
    with Farm(cluster.get_executor(), timeout=15.0) as farm:
        found = scores_of(farm, genomes, tmp_path)
    assert found[4].status == "failed" and found[4].fitness == -1.0
    assert [s for n, s in enumerate(found) if n != 4] == [s for n, s in enumerate(truth) if n != 4]


def test_what_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="Did you mean 'processes'"):
        Farm("proceses")
    with pytest.raises(UsageError, match="must be an Executor"):
        Farm(3)
    with pytest.raises(UsageError, match="timeout is -1"):
        Farm(timeout=-1)
    with pytest.raises(UsageError, match="workers is 0"):
        Farm(workers=0)
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[cluster\]'"):
        Farm("tcp://127.0.0.1:1")


def test_tasks_that_cannot_be_sent_are_refused() -> None:
    from zoophyte.evolution.tasks import make_task

    with Farm("processes", workers=1) as farm, pytest.raises(UsageError, match="cannot be sent"):
        list(farm.scores([order_of(rowers(1), make_task(lambda life: 1.0))]))


def test_chunks_give_all_workers_something_to_do() -> None:
    """Claim: three chunks for each, in whole registers of eight, 24 creatures at least; the first chunk comes early."""
    farm = Farm(workers=2)
    assert [farm.chunk_size(count) for count in (1, 10, 96, 300, 1000)] == [1, 10, 24, 56, 168]
    for count, sizes in ((10, [10, 10, 10]), (96, [24, 24, 24]), (300, [24, 56, 56])):
        assert list(islice(farm.chunk_sizes(count), 3)) == sizes


def stop_before_the_first_task(processes: Processes) -> Any:
    """Stop the next process of these as soon as it is there, as a debugger or `kill -STOP` does; what it was asked."""
    future = processes.submit(abs, -3)
    deadline = time.monotonic() + 60.0
    while not (children := [one for one in active_children() if one.pid]) and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(children[0].pid, signal.SIGSTOP)  # type: ignore[arg-type]
    return future


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody tells here that a process was stopped")
def test_a_worker_that_is_stopped_before_its_first_task_is_ended() -> None:
    """A limit of 1 s counted from the moment on that a worker began, and one that was stopped before never did."""
    with Processes(1, timeout=1.0) as processes:
        future = stop_before_the_first_task(processes)
        with pytest.raises(WorkerHungError, match="no answer within 1 s: its process was stopped"):
            future.result(timeout=200.0)  # less than the time in which a process must have started
        assert processes.submit(abs, -3).result() == 3  # another has taken its place


def stop_at_the_next_order() -> None:
    """Let this worker answer, and stop before it reads a byte of the next order."""
    Connection.recv = lambda pipe: os.kill(os.getpid(), signal.SIGSTOP)  # type: ignore[method-assign]


def stop_in_the_answer() -> str:
    """Let this worker stop when it has sent half of its answer."""

    def send(pipe: Connection, message: bytes) -> None:
        os.write(pipe.fileno(), message[: len(message) // 2])
        os.kill(os.getpid(), signal.SIGSTOP)

    Connection._send = send  # type: ignore[attr-defined]
    return "an answer"


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody tells here that a process was stopped")
def test_a_worker_that_is_stopped_before_it_reads_a_large_order_is_ended() -> None:
    """An order that does not fit into the pipe was sent without a limit, and the run hung for ever."""
    with Processes(1, timeout=1.0) as processes:
        processes.submit(stop_at_the_next_order).result()
        future = processes.submit(len, b"a" * 10**7)
        with pytest.raises(WorkerHungError, match="no answer within 1 s: its process was stopped"):
            future.result(timeout=200.0)
        assert processes.submit(len, b"a" * 10**7).result() == 10**7  # another has taken its place


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_a_worker_that_is_stopped_in_its_answer_is_ended() -> None:
    """The limit ended with the first byte of an answer, and the rest was awaited for ever."""
    with Processes(1, timeout=1.0) as processes:
        future = processes.submit(stop_in_the_answer)
        with pytest.raises(WorkerHungError, match="no whole answer within 1 s"):
            future.result(timeout=200.0)
        assert processes.submit(bytes, 10**7).result() == bytes(10**7)


def test_a_worker_that_only_starts_slowly_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker imports before it begins does not count, however short the limit."""
    monkeypatch.setattr("zoophyte.evolution.evaluation.processes.LOOK", 0.001)
    with Processes(1, timeout=0.5) as processes:
        assert processes.submit(abs, -3).result() == 3


def leave(number: int) -> None:
    raise SystemExit(number)


def test_who_exits_is_told_and_ends_no_worker() -> None:
    """A task that called sys.exit ended its worker, twice, and the reason told of a process that "ended with code 0"."""
    with Processes(1) as processes:
        with pytest.raises(
            OwnCodeError, match=r"test_farm\.py, line \d+: SystemExit: 3: what a worker calls must not exit"
        ):
            processes.submit(leave, 3).result()
        assert processes.submit(os.getpid).result() == processes.submit(os.getpid).result()


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor, Processes])
def test_an_executor_that_was_shut_down_is_told(tmp_path: Path, kind: Any) -> None:
    """It ended in a RuntimeError of the standard library, and left a file of a run that had not begun."""
    executor = kind(1)
    executor.shutdown()
    with pytest.raises(
        UsageError, match=rf"the executor, a {kind.__name__}, takes no more work: it was shut down"
    ):
        evolve(
            Near(), genome=Toys(), population=2, generations=1, store=tmp_path / "run.db", executor=executor
        )
    assert not (tmp_path / "run.db").exists()


def test_an_executor_that_is_shut_down_meanwhile_is_told() -> None:
    with ThreadPoolExecutor(1) as executor:
        farm = Farm(executor)
    with pytest.raises(UsageError, match="takes no more work: cannot schedule new futures after shutdown"):
        list(farm.scores([order_of(rowers(1))]))
