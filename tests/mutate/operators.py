"""Random small changes of C++ sources: a comparison turned, a condition weakened, a statement dropped."""

import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tidy"))

import sources  # noqa: E402  (it knows what is code and what is a comment)

OF_TESTS = re.compile(r"(_test|_testing|test_support)\.(cc|h)$")
# (what it is called, what it looks like, what it becomes)
OPERATORS = [
    ("<", r" < ", " <= "),
    ("<=", r" <= ", " < "),
    (">", r" > ", " >= "),
    (">=", r" >= ", " > "),
    ("==", r" == ", " != "),
    ("!=", r" != ", " == "),
    ("&&", r" && ", " || "),
    ("||", r" \|\| ", " && "),
    ("+", r" \+ (?=\w)", " - "),
    ("-", r" - (?=\w)", " + "),
    ("+=", r" \+= ", " -= "),
    ("true", r"\breturn true;", "return false;"),
    ("false", r"\breturn false;", "return true;"),
    ("not", r"(?<=if \()!(?=\w)", ""),
    ("dropped", r"(?m)^ +[a-z_][\w.>()-]*(\.|->|\()[^\n=]*\);$", "  ;"),
    ("dropped check", r"(?m)^ +PARTITA_(CO_)?TRY_VOID\([^\n]*\);$", "  ;"),
]


@dataclasses.dataclass(frozen=True)
class Change:
    """One place of one file; see mutants.Mutant, which it stands beside."""

    name: str
    file: str
    start: int
    end: int
    new: str
    tests: tuple

    def planted_in(self, whole):
        return whole[: self.start] + self.new + whole[self.end :]


def code_of(whole):
    """`whole` with its comments and literals blanked, every byte in its place."""
    return sources._NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), whole)


def places(root, file):
    whole = (root / file).read_text()
    code = code_of(whole)
    for called, pattern, new in OPERATORS:
        for found in re.finditer(pattern, code):
            line_start = code.rfind("\n", 0, found.start()) + 1
            line = code[line_start : code.find("\n", found.end())]
            if re.match(r"\s*(#|template|static_assert|PARTITA_CHECK|using|co_return|return std::move)", line):
                continue
            if new == "  ;" and line.count("(") != line.count(")"):
                continue
            number = whole.count("\n", 0, found.start()) + 1
            yield called, number, found.start(), found.end(), new


def choose(root, count, chance, paths, tests):
    """`count` places, each operator as likely as any other, each file as likely as it is long."""
    files = [
        name
        for name in sources.cxx_files()
        if name.startswith("src/") and name.endswith(".cc") and not OF_TESTS.search(name)
        and (not paths or any(path in name for path in paths))
    ]
    found = {}
    for file in files:
        for called, number, start, end, new in places(root, file):
            found.setdefault(called, []).append((file, number, start, end, new))
    chosen = []
    while len(chosen) < count and found:
        called = chance.choice(sorted(found))
        file, number, start, end, new = found[called].pop(chance.randrange(len(found[called])))
        if not found[called]:
            del found[called]
        chosen.append(Change(f"{file}:{number} {called}", file, start, end, new, tests))
    return chosen
