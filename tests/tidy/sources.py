"""The files of the project, and just enough understanding of C++ to measure them."""

import ast
import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# One token at a time: comments and literals disappear, so that what is left is code.
_NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.DOTALL,
)
_SCOPE = re.compile(r"^\s*(template\s*<.*>\s*)?(inline\s+)?(class|struct|union|enum|namespace|extern)\b", re.DOTALL)
_MEMBER_INIT = re.compile(r"\)\s*(noexcept\s*)?:(?!:).*[\w>]\s*$", re.DOTALL)


@functools.cache
def files():
    """Every file of the project, as paths relative to ROOT: what git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    return sorted(name for name in set(listed) if (ROOT / name).is_file())


def cxx_files():
    return [name for name in files() if name.endswith((".h", ".cc", ".inc"))]


@functools.cache
def text(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def blank(literal):
    """As many lines as `literal` has, and nothing on them; a string stays a (short) string."""
    return ('""' if literal[:1] in "\"R" else " ") + "\n" * literal.count("\n")


@functools.cache
def code(name):
    """The text of a C++ file without comments and without what stands in literals; lines keep their numbers."""
    return _NOT_CODE.sub(lambda found: blank(found.group()), text(name))


@functools.cache
def literals(name):
    """(line, string literal) of a C++ file."""
    whole = text(name)
    return [
        (whole.count("\n", 0, found.start()) + 1, found.group())
        for found in _NOT_CODE.finditer(whole)
        if found.group()[0] in "\"R"
    ]


def cxx_functions(name):
    """(function, first line, number of lines) for each function of a C++ file."""
    return list(functions_in(code(name)))


def functions_in(whole):
    # Preprocessor lines are no part of any function's head.
    directive = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
    whole = directive.sub(lambda found: "\n" * found.group().count("\n"), whole)
    inside = 0  # how many braces deep in a function or initialiser
    head_from = 0
    for at, char in enumerate(whole):
        if inside:
            inside += (char == "{") - (char == "}")
            if not inside:
                if function:
                    line = whole.count("\n", 0, start) + 1
                    yield function, line, whole.count("\n", start, at) + 1
                if not member:
                    head_from = at + 1
        elif char in ";}":
            head_from = at + 1
        elif char == "{":
            head = whole[head_from:at]
            member = _MEMBER_INIT.search(head)
            if member or head.rstrip().endswith(("=", "(", ",", "return")):
                inside, function = 1, None  # braces that initialise something
                continue
            if "(" not in head or _SCOPE.match(head):
                head_from = at + 1
                continue
            named = re.search(r"([\w:~]+|operator\W+)\s*\(", head)
            function = named.group(1).strip() if named else "?"
            start = head_from + len(head) - len(head.lstrip())
            inside = 1


def python_functions(name):
    tree = ast.parse(text(name))
    return [
        (node.name, node.lineno, node.end_lineno - node.lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def libraries():
    """{folder of src/: (library's name, [names it declares in USES])}, as the CMakeLists.txt files say it."""
    found = {}
    for name in files():
        if not (name.startswith("src/") and name.endswith("/CMakeLists.txt")):
            continue
        without_comments = re.sub(r"#[^\n]*", "", text(name))
        for library, arguments in re.findall(r"partita_library\(\s*(\w+)([^)]*)\)", without_comments):
            uses = re.search(r"\bUSES\b([\w\s]*)", arguments)
            words = uses.group(1).split() if uses else []
            keywords = [i for i, word in enumerate(words) if word.isupper()]
            found[name.removesuffix("/CMakeLists.txt").removeprefix("src/")] = (
                library,
                words[: keywords[0]] if keywords else words,
            )
    return found
