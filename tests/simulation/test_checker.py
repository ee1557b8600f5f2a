"""The checker finds each anomaly in a history that was written for it, and none in those that are in order."""

import itertools
import math
import random

import pytest
from checker import FAILED, UNKNOWN, Last, Transaction, check


def at_once(*transactions):
    """[(reads, writes)] that all overlap, so that the clock says nothing."""
    return [
        Transaction(i, 0, 1, reads=list(reads), writes=list(writes)) for i, (reads, writes) in enumerate(transactions)
    ]


def in_turn(*transactions):
    """[(reads, writes)], each of which began when the one before had ended."""
    return [
        Transaction(i, 2 * i, 2 * i + 1, reads=list(reads), writes=list(writes))
        for i, (reads, writes) in enumerate(transactions)
    ]


def kinds(history, claimed=None):
    return {anomaly.kind for anomaly in check(history, claimed)}


IN_ORDER = {
    "nothing": [],
    "one after another": in_turn(
        ([("x", ())], [("x", 1)]), ([("x", (1,))], [("x", 2), ("y", 3)]), ([("x", (1, 2)), ("y", (3,))], [])
    ),
    "against the order of their numbers": at_once(([("x", (1,))], []), ([], [("x", 1)])),
    "a write that nobody saw yet": [
        Transaction(0, 0, 9, writes=[("x", 1)]), Transaction(1, 1, 2, reads=[("x", ())])
    ],
    "a write whose end nobody knows, seen": [
        Transaction(0, 0, math.inf, UNKNOWN, writes=[("x", 1)]), Transaction(1, 5, 6, reads=[("x", (1,))])
    ],
    "a write whose end nobody knows, not seen": [
        Transaction(0, 0, math.inf, UNKNOWN, writes=[("x", 1)]), Transaction(1, 5, 6, reads=[("x", ())])
    ],
    "a write that failed": [
        Transaction(0, 0, 1, FAILED, writes=[("x", 1)]), Transaction(1, 5, 6, reads=[("x", ())])
    ],
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_history_in_order_has_no_anomaly(name):
    assert check(IN_ORDER[name]) == []


READ_BOTH = ([("x", (1, 2)), ("y", (2, 1))], [])
ANOMALIES = {
    "G0": at_once(([], [("x", 1), ("y", 1)]), ([], [("x", 2), ("y", 2)]), READ_BOTH),
    "G1a": [Transaction(0, 0, 1, FAILED, writes=[("x", 1)]), Transaction(1, 0, 1, reads=[("x", (1,))])],
    "G1b": at_once(([], [("x", 1), ("x", 2)]), ([("x", (1,))], []), ([("x", (1, 2))], [])),
    "G1c": at_once(([("y", (2,))], [("x", 1)]), ([("x", (1,))], [("y", 2)])),
    "G-single": at_once(([], [("x", 1), ("y", 1)]), ([("x", (1,)), ("y", ())], []), ([("y", (1,))], [])),
    "G2": at_once(([("x", ())], [("y", 1)]), ([("y", ())], [("x", 2)]), ([("x", (2,)), ("y", (1,))], [])),
    "G0-realtime": in_turn(([], [("x", 1)]), ([], [("x", 2)]), ([("x", (2, 1))], [])),
    "G1c-realtime": in_turn(([("x", (1,))], []), ([], [("x", 1)])),
    "G-single-realtime": in_turn(([], [("x", 1)]), ([("x", ())], []), ([("x", (1,))], [])),
    "incompatible order": at_once(
        ([], [("x", 1)]), ([], [("x", 2)]), ([("x", (1, 2))], []), ([("x", (2, 1))], [])
    ),
    "duplicate": at_once(([], [("x", 1)]), ([("x", (1, 1))], [])),
    "garbage": at_once(([("x", (7,))], [])),
}


@pytest.mark.parametrize("kind", ANOMALIES)
def test_each_anomaly_is_found(kind):
    assert kind in kinds(ANOMALIES[kind])


def test_a_lost_update_is_found():
    """Both saw the first version, and both wrote theirs on top of it."""
    history = at_once(
        ([], [("x", 1)]), ([("x", (1,))], [("x", 2)]), ([("x", (1,))], [("x", 3)]), ([("x", (1, 2, 3))], [])
    )
    assert kinds(history) == {"G-single"}


def test_an_acknowledged_append_that_is_gone_is_found():
    history = in_turn(([], [("x", 1)]), ([], [("x", 2)]), ([("x", (1,))], []))
    assert kinds(history) == {"G-single-realtime"}


def test_long_circles_of_antidependencies_are_found():
    """Each of three reads what the next writes: no two of them are in conflict."""
    names = "xyz"
    history = at_once(*(([(names[i], ())], [(names[(i + 1) % 3], i)]) for i in range(3)))
    history.append(Transaction(9, 0, 1, reads=[(names[(i + 1) % 3], (i,)) for i in range(3)]))
    assert kinds(history) == {"G2"}


def test_registers_follow_the_order_that_is_claimed():
    claimed = {"r": ["a", "b", "c"]}
    history = in_turn(
        ([], [("r", "a")]), ([("r", Last("a"))], [("r", "b")]), ([("r", ())], []), ([], [("r", "c")])
    )
    assert kinds(history, claimed) == {"G-single-realtime"}
    del history[2]
    assert not check(history, claimed)
    assert "G0-realtime" in kinds(history[:1] + history[2:], {"r": ["c", "a", "b"]})
    assert "not in the claimed order" in kinds(history, {"r": ["a", "b"]})
    assert "garbage" in kinds(history, {"r": ["a", "b", "x", "c"]})


def serial_history(chance, transactions=40, keys=4):
    """Transactions that did run one after another, each somewhere in the time between its request and its reply."""
    state = {key: () for key in range(keys)}
    history = []
    for number in range(transactions):
        chosen = chance.sample(range(keys), chance.randrange(1, 4))
        one = Transaction(number, number - chance.random() * 4, number + chance.random() * 4)
        one.reads = [(key, state[key]) for key in chosen if chance.random() < 0.6]
        one.writes = [(key, f"{number}/{key}") for key in chosen if chance.random() < 0.5]
        for key, value in one.writes:
            state[key] += (value,)
        history.append(one)
    history.append(Transaction(transactions, transactions + 9, transactions + 9, reads=list(state.items())))
    return history


@pytest.mark.parametrize("seed", range(30))
def test_serial_histories_pass_and_a_read_from_another_time_fails(seed):
    chance = random.Random(seed)
    history = serial_history(chance)
    assert check(history) == []
    early = [one for one in history[:-1] if any(values for _, values in one.reads)]
    one = chance.choice(early)
    place, (key, values) = chance.choice([(i, read) for i, read in enumerate(one.reads) if read[1]])
    # Long before this transaction began its version was written over by one that had ended.
    one.reads[place] = (key, values[:-1])
    one.began = one.ended = one.id + 5
    assert check(history)


def serialisable(transactions):
    """By trying all orders: whether one of them explains every read."""
    for order in itertools.permutations(transactions):
        state = {}
        for one in order:
            if any(state.get(key, ()) != values for key, values in one.reads):
                break
            for key, value in one.writes:
                state[key] = (*state.get(key, ()), value)
        else:
            return True
    return False


def test_small_histories_are_judged_as_by_trying_all_orders():
    chance = random.Random(2018)
    judged = {True: 0, False: 0}
    for _ in range(3000):
        history = at_once(*(
            ([], [(key, f"{number}{key}") for key in "xy" if chance.random() < 0.5]) for number in range(4)
        ))
        final = {}
        for one in chance.sample(history, 4):
            for key, value in one.writes:
                final[key] = (*final.get(key, ()), value)
        for one in history:
            for key in "xy":
                whole = tuple(value for value in final.get(key, ()) if (key, value) not in one.writes)
                if chance.random() < 0.4 and whole == final.get(key, ()):
                    one.reads.append((key, whole[:chance.randrange(len(whole) + 1)]))
        history.append(Transaction(9, 0, 1, reads=[(key, final.get(key, ())) for key in "xy"]))
        answer = serialisable(history)
        assert (not check(history)) == answer, history
        judged[answer] += 1
    assert min(judged.values()) > 300
