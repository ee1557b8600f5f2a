"""Tests that begin together when the run does, each in a thread: clients mostly wait, for seconds, before they fail.

    @pytest.mark.parametrize("client", NAMES)
    @at_once
    def test_rights(client): ...            # parameters only; no fixtures

    @shared
    def server():                           # one for all tests that call server(), ended with the run
        with dax_server() as started:
            yield started

conftest.py begins the tests that were selected. In their order each then waits for its own result.
"""

import concurrent.futures
import contextlib
import functools
import threading

import drivers

WORKERS = 12
POOL = concurrent.futures.ThreadPoolExecutor(WORKERS)
ENDED_WITH_THE_RUN = contextlib.ExitStack()


def once(function):
    """Runs once for the same arguments; who comes meanwhile waits."""
    lock, futures = threading.Lock(), {}

    @functools.wraps(function)
    def waited(*arguments):
        with lock:
            mine = arguments not in futures
            future = futures.setdefault(arguments, concurrent.futures.Future())
        if mine:
            try:
                future.set_result(function(*arguments))
            except BaseException as failure:  # also a skip
                future.set_exception(failure)
        return future.result()

    return waited


def at_once(test):
    begun = {}

    @functools.wraps(test)
    def waited(**parameters):
        return begin(parameters).result()

    def begin(parameters):
        key = tuple(sorted(parameters.items()))
        if key not in begun:
            begun[key] = POOL.submit(test, **parameters)
        return begun[key]

    waited.begin = begin
    return waited


def shared(make):
    return once(lambda: ENDED_WITH_THE_RUN.enter_context(contextlib.contextmanager(make)()))


def end():
    """Of the run. If it was interrupted, clients still wait."""
    drivers.ENDED.set()
    POOL.shutdown(wait=False, cancel_futures=True)
    for driver in list(drivers.RUNNING):
        driver.process.kill()
    POOL.shutdown()
    ENDED_WITH_THE_RUN.close()
