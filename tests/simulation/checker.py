"""Whether what clients saw can have happened one transaction after another, each between its request and its reply.

A history is a list of Transactions over keys that grow by unique values: a list that is appended to, or a register,
whose state is the row of all values that it had. So a read names what wrote it, and everything before (Elle, VLDB
2020). That tells who came before whom: `ww` who wrote the version before, `wr` who wrote what was read, `rw` who wrote
next after what was read, `rt` who had its reply before the other asked. A circle is an anomaly.

    check([Transaction(0, 0.0, 1.0, writes=[("x", 1)]), Transaction(1, 2.0, 3.0, reads=[("x", ())])])
    -> [Anomaly(kind="G-single-realtime", ...)]
"""

import collections
import dataclasses
import math

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"


@dataclasses.dataclass
class Last:
    """A read of a register: its value, whose place is in the order that is claimed for it."""

    value: object


@dataclasses.dataclass
class Transaction:
    """`reads` are (key, all values in order) or (key, Last), from before its own writes; `writes` (key, value)."""

    id: int
    began: float
    ended: float
    outcome: str = OK
    reads: list = dataclasses.field(default_factory=list)
    writes: list = dataclasses.field(default_factory=list)
    note: str = ""


@dataclasses.dataclass
class Anomaly:
    """`kind` is Adya's name for it, with "-realtime" when only the clock tells."""

    kind: str
    what: str


class History:
    """The transactions that happened, and what is known of the order of each key's versions."""

    def __init__(self, transactions, claimed):
        self.anomalies = []
        self.writers = {}  # (key, value) -> Transaction
        for transaction in transactions:
            for write in transaction.writes:
                self.writers[write] = transaction
        self.orders = self._orders(transactions, claimed)
        seen = {(key, value) for key, order in self.orders.items() for value in order}
        for write in sorted(seen & self.writers.keys(), key=str):
            if self.writers[write].outcome == FAILED:
                self.found("G1a", f"{write} is there, though {self.writers[write]} failed")
        self.transactions = [
            one for one in transactions
            if one.outcome == OK or (one.outcome == UNKNOWN and any(write in seen for write in one.writes))
        ]
        self.edges = collections.defaultdict(dict)  # id -> {id: kind}
        self.by_id = {one.id: one for one in self.transactions}

    def found(self, kind, what):
        self.anomalies.append(Anomaly(kind, what))

    def _orders(self, transactions, claimed):
        """{key: values}, of which all reads must be beginnings."""
        orders = {key: tuple(order) for key, order in claimed.items()}
        for transaction in transactions:
            for key, values in transaction.reads:
                if isinstance(values, Last) or transaction.outcome == FAILED:
                    continue
                known = orders.setdefault(key, ())
                shorter, longer = sorted((known, values), key=len)
                if longer[:len(shorter)] != shorter:
                    self.found("incompatible order", f"of {key}: {known} and {values} in {transaction}")
                elif key in claimed and len(values) > len(claimed[key]):
                    self.found("not in the claimed order", f"{key}: {values}, claimed {claimed[key]}")
                orders[key] = longer
        for key, order in orders.items():
            if len(set(order)) < len(order):
                self.found("duplicate", f"{key}: {order}")
            for value in order:
                if (key, value) not in self.writers:
                    self.found("garbage", f"nobody wrote {value} to {key}: {order}")
        return orders

    def add(self, before, after, kind):
        if before is after or before is None or after is None:
            return
        if before.id in self.by_id and after.id in self.by_id:
            self.edges[before.id].setdefault(after.id, kind)

    def position(self, transaction, key, values):
        """How many versions the reader saw; None when that is not known."""
        if not isinstance(values, Last):
            return len(values)
        try:
            return self.orders.get(key, ()).index(values.value) + 1
        except ValueError:
            self.found("garbage", f"{key} was {values.value} to {transaction}, and is not in its order")
            return None

    def order_writes(self):
        """Writes that no read showed come behind those that one did, in no order among themselves."""
        self.behind = collections.defaultdict(list)
        for key, order in self.orders.items():
            row = [self.writers.get((key, value)) for value in order]
            for before, after in zip(row, row[1:]):
                self.add(before, after, "ww")
        for transaction in self.transactions:
            for key, value in transaction.writes:
                order = self.orders.get(key, ())
                if value not in order:
                    self.behind[key].append(transaction)
                    if order:
                        self.add(self.writers.get((key, order[-1])), transaction, "ww")

    def order_reads(self):
        for reader in self.transactions:
            for key, values in reader.reads:
                seen = self.position(reader, key, values)
                if seen is None:
                    continue
                order = self.orders.get(key, ())
                if seen > 0:
                    self._follow(reader, key, order[seen - 1])
                following = [self.writers.get((key, order[seen]))] if seen < len(order) else self.behind[key]
                for writer in following:
                    self.add(reader, writer, "rw")

    def _follow(self, reader, key, value):
        writer = self.writers.get((key, value))
        if writer is None or writer is reader:
            return
        own = [written for to, written in writer.writes if to == key]
        if own[-1] != value:
            self.found("G1b", f"{reader} saw {value} of {key}, which {writer} wrote over")
        self.add(writer, reader, "wr")


def real_time(transactions):
    """{id: [id]} of who ended before who began, through a chain of moments, so that it grows with their number only."""
    ends = sorted((one.ended, one.id) for one in transactions if one.ended < math.inf)
    moments = [("moment", place) for place in range(len(ends))]
    graph = collections.defaultdict(list)
    for place, (_, who) in enumerate(ends):
        graph[who].append(moments[place])
        if place:
            graph[moments[place - 1]].append(moments[place])
    place = 0
    for began, who in sorted((one.began, one.id) for one in transactions):
        while place < len(ends) and ends[place][0] < began:
            place += 1
        if place:
            graph[moments[place - 1]].append(who)
    return graph


def circle(graph):
    """What is left of a graph when all that nothing comes before, and nothing comes behind, is taken away."""
    for _ in range(2):
        incoming = collections.Counter(after for row in graph.values() for after in row)
        free = [node for node in graph if not incoming[node]]
        gone = set()
        while free:
            node = free.pop()
            gone.add(node)
            for after in graph.get(node, ()):
                incoming[after] -= 1
                if not incoming[after]:
                    free.append(after)
        left = {node: [after for after in row if after not in gone] for node, row in graph.items() if node not in gone}
        graph = collections.defaultdict(list)
        for node, row in left.items():  # turned round for the second pass, and back again by it
            for after in row:
                graph[after].append(node)
    return graph


def path(graph, start, goal):
    """The shortest way, as nodes from start to goal, or None."""
    came, queue = {start: None}, collections.deque([start])
    while queue:
        node = queue.popleft()
        if node == goal:
            way = [node]
            while came[way[-1]] is not None:
                way.append(came[way[-1]])
            return way[::-1]
        for after in graph.get(node, ()):
            if after not in came:
                came[after] = node
                queue.append(after)
    return None


KINDS = (("G0", {"ww"}), ("G1c", {"ww", "wr"}), ("G2", {"ww", "wr", "rw"}))


def shortest_circle(graph):
    ways = [[node, *way] for node in graph for after in graph[node] if (way := path(graph, after, node))]
    return min(ways, key=len)


def classify(history, clock):
    """The plainest circle there is: the fewest kinds of edges, and the clock only if there is none without."""
    for suffix, moments in (("", {}), ("-realtime", clock)):
        for name, kinds in KINDS:
            graph = {node: list(row) for node, row in moments.items()}
            for before, row in history.edges.items():
                graph.setdefault(before, []).extend(after for after, kind in row.items() if kind in kinds)
            left = circle(graph)
            if left:
                return describe(history, name, shortest_circle(left), graph, suffix)
    return []


def describe(history, name, way, graph, suffix):
    if name == "G2":
        without = {before: [after for after in row if history.edges.get(before, {}).get(after) != "rw"]
                   for before, row in graph.items()}
        against = [(before, after) for before, row in history.edges.items() for after in row if row[after] == "rw"]
        singles = [[before, *back] for before, after in against if (back := path(without, after, before))]
        if singles:
            name, way = "G-single", min(singles, key=len)
    lines = []
    for before, after in zip(way, way[1:]):
        kind = history.edges.get(before, {}).get(after, "rt")
        if before in history.by_id:
            lines.append(f"{history.by_id[before]}\n    {kind} ->")
    return [Anomaly(name + suffix, "\n  ".join(lines))]


def check(transactions, claimed=None):
    """All anomalies of a history. `claimed`: {key: values}, the order that something else (a stream) says there was; a
    register that is read needs one."""
    history = History(transactions, claimed or {})
    history.order_writes()
    history.order_reads()
    for key in claimed or {}:
        for transaction in history.behind[key]:
            if transaction.outcome == OK:
                history.found("not in the claimed order", f"{key} of {transaction}: {claimed[key]}")
    clock = real_time(history.transactions)
    whole = {node: list(row) for node, row in clock.items()}
    for before, row in history.edges.items():
        whole.setdefault(before, []).extend(row)
    if circle(whole):
        history.anomalies += classify(history, clock)
    return history.anomalies
