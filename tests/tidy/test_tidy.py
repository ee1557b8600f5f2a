"""What every file of the project keeps to. The sizes are ratchets: ratchet.txt lists what is over a limit today, and
may only shrink. `test_tidy.py --shrink` writes the smaller numbers into it."""

import pathlib
import re
import sys

import sources

FILE_LINES = 600
FUNCTION_LINES = 70
HEADER_LINES = 250
LINE_COLUMNS = 120
RATCHET = pathlib.Path(__file__).with_name("ratchet.txt")

TEXT = re.compile(r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'""")
DATA = re.compile(r"""(?<=[=(,] )"{3}.*?"{3}|(?<=[(,])"{3}.*?"{3}""", re.DOTALL)  # long texts that are no docstring
# Tests, and what only tests are built with, may use more than the library that they test.
OF_TESTS = re.compile(r"(_test|_testing|test_support)\.(cc|h)$")
GENERATED = ("examples/package-lock.json", "LICENSE")


def report(faults):
    assert not faults, "\n" + "\n".join(faults)


def matching_lines(names, pattern, of=sources.text):
    """["name:line: the line"] for every line of these files in which `pattern` is found."""
    found = []
    for name in names:
        for number, line in enumerate(of(name).splitlines(), 1):
            if re.search(pattern, line):
                found.append(f"{name}:{number}: {line.strip()}")
    return found


def text_files(*suffixes):
    kinds = suffixes or (".h", ".cc", ".inc", ".py", ".js", ".mjs", ".md", ".txt", ".cmake", ".sh", ".json", ".yml")
    plain = [name for name in sources.files() if name.endswith(kinds) or name in ("dev", ".ci/run")]
    return [name for name in plain if name not in GENERATED]


def is_public_header(name):
    return name.startswith("src/") and name.endswith(".h")


# --- sizes ------------------------------------------------------------------------------------------------------------


def oversized():
    """{what: size} of all that is over its limit."""
    found = {}
    for name in sources.cxx_files() + text_files(".py"):
        lines = sources.text(name).count("\n")
        if lines > FILE_LINES:
            found[f"file {name}"] = lines
        if is_public_header(name) and lines > HEADER_LINES:
            found[f"header {name}"] = lines
        measure = sources.python_functions if name.endswith(".py") else sources.cxx_functions
        for function, _, length in measure(name):
            if length > FUNCTION_LINES:
                what = f"function {name} {function}"
                found[what] = max(length, found.get(what, 0))
    return found


def read_ratchet():
    entries = {}
    for line in RATCHET.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            what, size = line.rsplit(" ", 1)
            entries[what] = int(size)
    return entries


def test_sizes():
    found, allowed, faults = oversized(), read_ratchet(), []
    for what, size in sorted(found.items()):
        if size > allowed.get(what, 0):
            faults.append(f"{what}: {size} lines, more than {allowed.get(what, 'its limit')}: cut it")
    for what, size in sorted(allowed.items()):
        if found.get(what, 0) < size:
            faults.append(f"{what}: has shrunk, so must ratchet.txt: run tests/tidy/test_tidy.py --shrink")
    report(faults)


def shrink():
    found, lines = oversized(), []
    for line in RATCHET.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            what, size = line.rsplit(" ", 1)
            if what not in found:
                continue
            line = f"{what} {min(found[what], int(size))}"
        lines.append(line)
    RATCHET.write_text("\n".join(lines) + "\n")


def test_lines():
    """A text that stands in one piece, so that one can search for it, may make its line longer, and so may data."""
    faults = []
    for name in text_files(".h", ".cc", ".inc", ".py", ".js", ".mjs", ".cmake", "CMakeLists.txt", "dev"):
        whole = DATA.sub(lambda found: sources.blank(found.group()), sources.text(name))
        for number, line in enumerate(whole.splitlines(), 1):
            if len(TEXT.sub('""', line)) > LINE_COLUMNS:
                faults.append(f"{name}:{number}: {len(line)} columns")
            if "\t" in line:
                faults.append(f"{name}:{number}: a tab")
            if line != line.rstrip():
                faults.append(f"{name}:{number}: white space at the end")
    report(faults)


# --- C++ --------------------------------------------------------------------------------------------------------------


def test_headers():
    faults = []
    for name in sources.cxx_files():
        if not name.endswith(".h"):
            continue
        whole = sources.text(name)
        if "#pragma once" not in whole:
            faults.append(f"{name}: no #pragma once")
        if not whole.startswith("//"):
            faults.append(f"{name}: must open with a comment that says what it promises")
    report(faults + matching_lines([n for n in sources.cxx_files() if n.endswith(".h")], r"\busing namespace\b"))


def test_no_exceptions_are_thrown():
    report(matching_lines([n for n in sources.cxx_files() if n.startswith("src/")], r"\bthrow\b", of=sources.code))


def test_no_std_regex():
    """It is slow, and recurses as deep as its input is long."""
    served = [name for name in sources.cxx_files() if not OF_TESTS.search(name)]
    report(matching_lines(served, r"std::(basic_)?regex|#include <regex>"))


def test_threads_are_made_in_one_place():
    """base/thread returns an error where the system refuses one; std::thread throws, which ends the process."""
    makers = [name for name in sources.cxx_files() if name.startswith("src/") and not OF_TESTS.search(name)]
    makers = [name for name in makers if not name.startswith("src/base/thread.")]
    pattern = r"std::j?thread(?!::(hardware_concurrency|id)\b)|\bpthread_create\b|std::async"
    report(matching_lines(makers, pattern, of=sources.code))


def test_no_unfinished_business():
    marks = "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3))
    report(matching_lines(text_files(), rf"\b({marks})\b"))


def test_aws_names_of_errors_only_in_wire():
    """An error's AWS name is one row in src/wire; everything else names the fault."""
    aws_name = re.compile(r"\b[A-Z][a-z]\w*Exception\b|\bInternalServerError\b|\bThrottlingError\b")
    faults = []
    for name in sources.cxx_files():
        if not name.startswith("src/") or name.startswith("src/wire/") or OF_TESTS.search(name):
            continue
        faults += [f"{name}:{line}: {literal}" for line, literal in sources.literals(name) if aws_name.search(literal)]
    report(faults)


def test_nothing_of_one_machine():
    """A path that only one machine has does not belong into the project."""
    report(matching_lines(text_files(), r"(?<![\w.~}])/(work|home|root|Users)/"))


def test_every_source_is_built():
    """A source that no CMakeLists.txt of its folder or of one above names is dead."""
    faults = []
    for name in sources.files():
        if name.endswith((".cc", ".c")):
            folder, _, file = name.rpartition("/")
            named = False
            while folder and not named:
                lists = f"{folder}/CMakeLists.txt"
                lines = sources.text(lists) if (sources.ROOT / lists).is_file() else ""
                for rows in re.findall(r"file\(STRINGS (\S+)", lines):  # they name sources
                    lines += (sources.ROOT / folder / rows).read_text()
                if "file(GLOB " in lines and "/" in file:  # which takes all of the folders below
                    lines += file
                named = re.search(rf"(?<![\w.]){re.escape(file.removesuffix('.cc'))}(\.cc)?(?!\w)", lines)
                folder, _, above = folder.rpartition("/")
                file = f"{above}/{file}"
            if not named and not name.startswith("cmake/"):
                faults.append(f"{name}: no CMakeLists.txt names it")
    report(faults)


def test_each_operation_is_one_row_and_one_file():
    """src/ops/operation_list.inc lists every codec, under the wire name that its file has."""
    rows = re.findall(r'^PARTITA_OPERATION\((\w+)(?:, [\w:"-]+){2}, (\w+), (\w+)\)$',
                      sources.text("src/ops/operation_list.inc"), re.MULTILINE)
    assert rows
    made = [name for path in sorted((sources.ROOT / "src" / "ops").glob("*/*.cc"))
            for name in re.findall(r"^constinit const JsonCodec (\w+) = ", path.read_text(), re.MULTILINE)]
    assert made
    faults = []
    for wire_name, codec, service in rows:
        file = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", wire_name).lower()
        if service == "kAutoScaling" and file.endswith("_resource"):  # a name that several services have
            file = "scaling_" + file
        if service == "kDax" and file.endswith("_resource"):
            file = "dax_" + file
        if len(list((sources.ROOT / "src" / "ops").glob(f"*/{file}.cc"))) != 1:
            faults.append(f"{wire_name}: there is no src/ops/GROUP/{file}.cc, or several")
        if codec != file:
            faults.append(f"{wire_name}: its codec should be called {file}, not {codec}")
    faults += [f"{name}: a codec that no row names" for name in made if name not in {codec for _, codec, _ in rows}]
    report(faults)


# --- tiers ------------------------------------------------------------------------------------------------------------



def tiers():
    """{folder of src/: (its tier, what it may use beside `base`)}: the table of docs/architecture.md. None: all."""
    page = sources.text("docs/architecture.md")
    rows = re.findall(r"^\| (\d+(?:\.\d)?) \| ([^|]+) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    folders = {folder for _, named, _ in rows for folder in re.findall(r"`([a-z/]+)`", named)}
    found = {}
    for tier, named, words in rows:
        may_use = None if words == "all" else set(re.findall(r"[a-z/]+", words))
        used = may_use and {folder for word in may_use for folder in modules_of(word, folders)}
        found.update({folder: (float(tier), used) for folder in re.findall(r"`([a-z/]+)`", named)})
    return found


def modules_of(name, folders):
    """The folders that `name` stands for: itself, or, if it only groups others (`table`), those."""
    return {name} if name in folders else {folder for folder in folders if folder.startswith(name + "/")} or {name}


def uses():
    """{folder of src/: the folders that its CMakeLists.txt names after USES}; what is no library keeps its name."""
    libraries = sources.libraries()
    folder_by_library = {library: folder for folder, (library, _) in libraries.items()}
    return {
        folder: {one for word in words for one in modules_of(folder_by_library.get(word, word), libraries)}
        for folder, (_, words) in libraries.items()
    }


def folder_of(path, folders):
    """The library's folder that `path` (below src/) belongs to."""
    fits = [folder for folder in folders if path.startswith(folder + "/")]
    return max(fits, key=len, default=None)


def includes(name):
    """[(line, file below src/)] of a C++ file."""
    lines = enumerate(sources.text(name).splitlines(), 1)
    found = [(number, re.match(r'\s*#include "([^"]+)"', line)) for number, line in lines]
    return [(number, included.group(1)) for number, included in found if included]


def library_sources():
    return [name for name in sources.cxx_files() if name.startswith("src/") and not OF_TESTS.search(name)]


def test_the_table_of_tiers_fits_the_folders():
    table, folders = tiers(), set(sources.libraries())
    faults = [f"src/{folder}: the table of tiers does not know it" for folder in sorted(folders - set(table))]
    faults += [f"the table of tiers knows {folder}, which is no folder of src/" for folder in sorted(set(table) - folders)]
    for folder, (tier, may_use) in table.items():
        higher = [used for used in may_use or () if used not in table or table[used][0] >= tier]
        faults += [f"the table of tiers lets {folder} use {used}, which is in no lower tier" for used in sorted(higher)]
    report(faults)


def test_declared_uses_are_allowed():
    table, faults = tiers(), []
    for folder, used in uses().items():
        _, may_use = table.get(folder, (0, set()))
        unknown = sorted(used - set(table))
        faults += [f"src/{folder} uses {one}, which is no library of src/" for one in unknown]
        too_much = sorted(used - set(unknown) - may_use - {"base"}) if may_use is not None else []
        faults += [f"src/{folder} must not use {one}" for one in too_much]
    report(faults)


def test_includes_are_declared():
    """A folder includes only itself, `base`, and what its CMakeLists.txt names after USES. (Unit tests may use more.)"""
    declared, faults = uses(), []
    for name in library_sources():
        own = folder_of(name.removeprefix("src/"), declared)
        for number, included in includes(name) if own else ():
            other = folder_of(included, declared)
            if other and other not in declared[own] | {own, "base"}:
                faults.append(f"{name}:{number}: includes {included}, undeclared in the USES of src/{own}")
            if other is None and not (sources.ROOT / "src" / included).is_file():
                faults.append(f"{name}:{number}: {included} is not below src/")
    report(faults)


def circles(edges):
    """The nodes of {node: its successors} that can be reached from themselves."""
    found = set()
    for start in edges:
        seen, open_nodes = set(), list(edges[start])
        while open_nodes:
            node = open_nodes.pop()
            if node not in seen:
                seen.add(node)
                open_nodes += edges.get(node, ())
        if start in seen:
            found.add(start)
    return found


def test_no_circle_of_files():
    """Within a folder, no header with its source includes itself by way of others."""
    folders = sources.libraries()
    edges = {}
    for name in library_sources():
        node = name.removeprefix("src/").rpartition(".")[0]
        others = {included.rpartition(".")[0] for _, included in includes(name)} - {node}
        same = {other for other in others if folder_of(other, folders) == folder_of(node, folders)}
        edges.setdefault(node, set()).update(same)
    report([f"src/{node} is in a circle of includes within its folder" for node in sorted(circles(edges))])


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"b", "c"}


if __name__ == "__main__":
    if sys.argv[1:] == ["--shrink"]:
        shrink()
    else:
        sys.exit("Run it with pytest, or with --shrink.")
