"""The last lines of a run show what each request spent."""

FIGURES = []


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("spent per request (callgrind; system calls by strace)")
    for line in FIGURES:
        terminalreporter.write_line(line)
