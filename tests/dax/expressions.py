"""The values of the scenario that are difficult to encode, and its expressions, as rows."""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from tables import BOOL, BS, NS, NULL, SS, B, L, M, N, S  # noqa: E402

NUMBERS = ["0", "-0", "1", "-1", "23", "24", "255", "256", "65536", "4294967296", "1.5", "1.50", "-4.5", "100", "1E2",
           "0.1",
           "0.001", "-0.001", "3.14159265358979", "0.30000000000000004", "9007199254740993", "9223372036854775807",
           "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-18446744073709551616",
           "-18446744073709551617", "12345678901234567890123456789012345678", "-12345678901234567890123456789012345678",
           "1234567890123456789012345678901234567.8", "0.12345678901234567890123456789012345678",
           "9.9999999999999999999999999999999999999E125", "-9.9999999999999999999999999999999999999E125", "1E125",
           "1E38",
           "1E37", "1E-130", "-1E-130", "1.2345678901234567890123456789012345678E-100", "123.456e3", "2.5E-10"]
VALUES = {
    "empty": S(""), "text": S("plain"), "wide": S("ä\N{GRINNING FACE}\U00010ffff\x00\x7f"), "long": S("x" * 70_000),
    "bytes": B(bytes(range(256))), "no-bytes": B(b""), "yes": BOOL(True), "no": BOOL(False), "null": NULL,
    "texts": SS("", "a", "ab", "b", "ä"), "numbers": NS("0", "-1", "1.5", "1E125", "1E-130"),
    "binaries": BS(b"", b"\x00", b"a"),
    "list": L(), "map": M(), "lists": L(L(L()), L(S(""), N(0), NULL)), "maps": M(a=M(b=M(c=M()))),
    "mixed": M(list=L(S("a"), N(1), B(b"b"), BOOL(False), NULL, SS("s"), NS(1), BS(b"b"), M(deep=L(M(x=N("-0.5"))))),
               n=N(1)),
    "long-list": L(*(N(n) for n in range(300))), "wide-map": M(**{f"k{n:03}": S(str(n)) for n in range(300)}),
}
DEEP = N(1)
for _ in range(31):
    DEEP = L(DEEP)

THING = {"pk": S("thing"), "s": S("abc"), "n": N("5"), "b": B(b"\x01\x02"), "yes": BOOL(True), "null": NULL,
         "ss": SS("a", "b"), "ns": NS("1", "2"), "bs": BS(b"x", b"y"), "l": L(S("zero"), N(1), L(S("in"), M(k=S("v")))),
         "m": M(k=S("v"), n=N(7), m=M(deep=L(N(1), N(2))), size=N(3)), "size": S("reserved"), "a.b": S("dotted"),
         "e": S(""), "status": S("open")}
# A condition, its values, and whether it holds for THING.
CONDITIONS = [
    ("n = :v", {":v": N(5)}, True), ("n = :v", {":v": N("5.0")}, True), ("n <> :v", {":v": N(5)}, False),
    ("n < :v", {":v": N(6)}, True), ("n <= :v", {":v": N(5)}, True), ("n > :v", {":v": N(5)}, False),
    ("n >= :v", {":v": N("5")}, True), ("s < :v", {":v": S("abd")}, True), ("b > :v", {":v": B(b"\x01")}, True),
    ("s = :v", {":v": N(5)}, False), ("s <> :v", {":v": N(5)}, True), ("absent = :v", {":v": N(5)}, False),
    ("absent <> :v", {":v": N(5)}, True), ("n = m.n", None, False), ("l[1] < n", None, True),
    ("n BETWEEN :a AND :b", {":a": N(1), ":b": N(9)}, True),
    ("s BETWEEN :a AND :b", {":a": S("b"), ":b": S("c")}, False),
    ("n IN (:a, :b, :c)", {":a": N(1), ":b": S("5"), ":c": N(5)}, True), ("n IN (:a)", {":a": N(1)}, False),
    ("attribute_exists(n)", None, True), ("attribute_exists(m.m.deep[1])", None, True),
    ("attribute_exists(l[9])", None, False),
    ("attribute_not_exists(absent)", None, True), ("attribute_not_exists(m.k)", None, False),
    *((f"attribute_type({path}, :t)", {":t": S(kind)}, True) for path, kind in (
        ("s", "S"), ("n", "N"), ("b", "B"), ("yes", "BOOL"), ("#null", "NULL"), ("ss", "SS"), ("ns", "NS"),
        ("bs", "BS"),
        ("l", "L"), ("m", "M"))),
    ("attribute_type(s, :t)", {":t": S("N")}, False),
    ("begins_with(s, :v)", {":v": S("ab")}, True), ("begins_with(b, :v)", {":v": B(b"\x01")}, True),
    ("begins_with(n, :v)", {":v": S("5")}, False),
    ("contains(s, :v)", {":v": S("bc")}, True), ("contains(ss, :v)", {":v": S("b")}, True),
    ("contains(ns, :v)", {":v": N("2.0")}, True), ("contains(bs, :v)", {":v": B(b"z")}, False),
    ("contains(l, :v)", {":v": S("zero")}, True), ("contains(l, :v)", {":v": L(S("in"), M(k=S("v")))}, True),
    ("size(s) = :v", {":v": N(3)}, True), ("size(b) < :v", {":v": N(2)}, False), ("size(l) >= :v", {":v": N(3)}, True),
    ("size(m) = size(l)", None, False), ("size(ss) BETWEEN :a AND :b", {":a": N(2), ":b": N(2)}, True),
    ("size(n) = :v", {":v": N(1)}, False), ("size(e) = :v", {":v": N(0)}, True),
    ("NOT n = :v", {":v": N(6)}, True), ("NOT (n = :v AND attribute_exists(s))", {":v": N(5)}, False),
    ("n = :v AND s = :s", {":v": N(5), ":s": S("abc")}, True), ("n = :v OR s = :s", {":v": N(6), ":s": S("abc")}, True),
    ("n = :v OR n = :w AND s = :s", {":v": N(5), ":w": N(6), ":s": S("none")}, True),
    ("(n = :v OR n = :w) AND NOT s = :s", {":v": N(5), ":w": N(6), ":s": S("abc")}, False),
    ("#size = :v", {":v": S("reserved")}, True), ("m.#size = :v", {":v": N(3)}, True),
    ("#dotted = :v", {":v": S("dotted")}, True),
    ("m = :m", {":m": THING["m"]}, True), ("l = :l", {":l": THING["l"]}, True), ("ss = :v", {":v": SS("b", "a")}, True),
    ("yes = :v", {":v": BOOL(True)}, True), ("#null = :v", {":v": NULL}, True),
    ("l[2][1].k = :v", {":v": S("v")}, True),
    ("s = :v", {":v": S("")}, False), ("e = :v", {":v": S("")}, True),
]
NAMES = {"#size": "size", "#dotted": "a.b", "#null": "null", "#status": "status", "#m": "m", "#k": "k"}


def used_names(expression):
    found = {name: text for name, text in NAMES.items() if name in expression}
    return {"names": found} if found else {}


def used_values(given):
    return {"values": given} if given else {}

PROJECTIONS = ["s", "s, n", "pk", "pk, s", "absent", "m.k", "m.k, m.n", "m.m.deep[1]", "l[0]", "l[2][1].k",
               "l[2], l[0]",
               "m.m.deep[0], m.m.deep[1]", "l[0], l[1], s", "l[9]", "#size, #dotted", "m.#size", "#null, e", "ss, bs",
               "m.absent", "n[0]", "#m.#k, #status"]

# Each is applied to THING. Its values, and the error.
UPDATES = [
    ("SET s = :v", {":v": S("new")}), ("SET s = :v, absent = :v", {":v": S("new")}), ("SET absent = n", None),
    ("SET n = n + :v", {":v": N("0.5")}), ("SET n = n - :v", {":v": N(7)}), ("SET n = m.n + n", None),
    ("SET n = :v - n", {":v": N(1)}), ("SET absent = if_not_exists(absent, :v)", {":v": N(1)}),
    ("SET n = if_not_exists(n, :v) + :v", {":v": N(1)}), ("SET l = list_append(l, :v)", {":v": L(S("end"))}),
    ("SET l = list_append(:v, l)", {":v": L(S("start"), N(0))}), ("SET l[1] = :v", {":v": S("one")}),
    ("SET l[9] = :v", {":v": S("last")}), ("SET m.k = :v", {":v": S("w")}), ("SET m.m.deep[0] = :v", {":v": M(x=NULL)}),
    ("SET m.absent = :v", {":v": BS(b"a")}), ("SET #size = :v, m.#size = :v", {":v": S("renamed")}),
    ("SET #dotted = :v", {":v": NULL}),
    ("SET absent = list_append(if_not_exists(absent, :e), :v)", {":e": L(), ":v": L(N(1))}),
    ("REMOVE s", None), ("REMOVE s, n, absent", None), ("REMOVE l[0]", None), ("REMOVE l[0], l[2], l[7]", None),
    ("REMOVE m.k, m.m.deep[0]", None), ("REMOVE #dotted", None),
    ("ADD n :v", {":v": N("-5")}), ("ADD absent :v", {":v": N("1E-130")}), ("ADD ss :v", {":v": SS("b", "c")}),
    ("ADD absent :v", {":v": NS(3)}), ("ADD ns :v, m.n :n", {":v": NS("2.0", 3), ":n": N(1)}),
    ("DELETE ss :v", {":v": SS("b", "z")}), ("DELETE ns :v", {":v": NS(1, 2)}),
    ("DELETE bs :v, absent :v", {":v": BS(b"x")}),
    ("SET s = :s REMOVE n ADD ns :ns DELETE ss :ss", {":s": S("all"), ":ns": NS(9), ":ss": SS("a")}),
    ("REMOVE e SET n = :n", {":n": N(0)}),
]
INVALID_UPDATES = [
    ("SET absent = n + s", None), ("SET n = n + :v", {":v": S("5")}), ("SET x = absent", None),
    ("SET x.y = :v", {":v": N(1)}),
    ("SET s[0] = :v", {":v": N(1)}), ("SET pk = :v", {":v": S("other")}), ("REMOVE pk", None),
    ("ADD s :v", {":v": N(1)}),
    ("ADD l :v", {":v": L()}), ("DELETE n :v", {":v": N(1)}), ("DELETE ss :v", {":v": NS(1)}),
    ("SET l = list_append(l, s)", None),
    ("SET m = :v, m.k = :v", {":v": N(1)}), ("SET n = :v, n = :v", {":v": N(1)}),
    ("SET n = n + :v", {":v": N("9E125")}, "9E125"),
    ("ADD m.absent.deep :v", {":v": N(1)}), ("SET l[0] = :v REMOVE l", {":v": N(1)}),
    ("SET big = :v", {":v": S("x" * 410_000)}),
]
RETURNS = ["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
