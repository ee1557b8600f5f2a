"""progress.py FOLDER [TARGET...]: run Ninja in FOLDER and report its progress on stderr.

A terminal has one line, kept up to date; a file gets a line every 15 seconds ($SECONDS_BETWEEN_LINES). The compiler's
output is passed on at once. The exit code is Ninja's.
"""

import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

SECONDS_BETWEEN_LINES = float(os.environ.get("SECONDS_BETWEEN_LINES", 15))
STATUS = re.compile(r"\[(\d+)/(\d+)\] (.*)")
# Rough seconds of a step in a first build, where only the ratios matter; later builds read them from Ninja's log.
FIRST_TIME = [(r"cmake/\w+/.*\.o$", 15), (r"_\d+\.cc\.o$", 12), (r"\.o$", 5), (r"", 0.3)]


def earlier_seconds(log):
    """{output: the seconds that the last step for it took}"""
    try:
        rows = [line.split("\t") for line in log.read_text().splitlines()]
    except OSError:
        return {}
    return {row[3]: (int(row[1]) - int(row[0])) / 1000 for row in rows if len(row) == 5}


class Estimate:
    """The time left, from the time that the finished steps took."""

    def __init__(self, steps, earlier):
        self.weights = {step: self.weight(step, earlier) for step in steps}
        self.total = sum(self.weights.values())
        self.done = 0

    @staticmethod
    def weight(step, earlier):
        made = step.split(" ")[-1]
        return earlier.get(made) or next(seconds for pattern, seconds in FIRST_TIME if re.search(pattern, made))

    def finish(self, step):
        self.done += self.weights.pop(step, 0)

    def seconds_left(self, elapsed):
        """None while too few steps are finished."""
        if not self.done or self.done < self.total / 20:
            return None
        return elapsed * (self.total - self.done) / self.done


def clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02}"


def progress(finished, total, elapsed, left):
    text = f"[{finished}/{total}] {clock(elapsed)} elapsed"
    return text if left is None else f"{text}, about {clock(left)} left"


class Display:
    """One line that is replaced on a terminal, and a line now and then in a file."""

    def __init__(self, stream):
        self.stream = stream
        self.terminal = stream.isatty()
        self.between = 1 if self.terminal else SECONDS_BETWEEN_LINES
        self.last = 0

    def show(self, elapsed, text, at_once=False):
        if not at_once and elapsed - self.last < self.between:
            return
        self.last = elapsed
        self.stream.write(f"\r{text}\x1b[K" if self.terminal else f"   {text}\n")
        self.stream.flush()

    def pass_on(self, line):
        self.stream.write(("\r\x1b[K" if self.terminal else "") + line + "\n")
        self.stream.flush()


def lines_of(process):
    """A queue of the lines that the process prints, with None at the end."""
    lines = queue.SimpleQueue()

    def read():
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def planned(folder, targets):
    ran = subprocess.run(["ninja", "-n", *targets], cwd=folder, capture_output=True, text=True, errors="replace")
    return [match[3] for match in map(STATUS.fullmatch, ran.stdout.splitlines()) if match]


def run(folder, targets, display):
    began = time.monotonic()
    earlier = earlier_seconds(pathlib.Path(folder, ".ninja_log"))
    estimate = Estimate(planned(folder, targets), earlier)
    finished, total = 0, len(estimate.weights)
    display.show(0, progress(finished, total, 0, None), at_once=display.terminal and total > 0)
    ninja = subprocess.Popen(["ninja", *targets], cwd=folder, env=os.environ | {"NINJA_STATUS": "[%f/%t] "},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = lines_of(ninja)
    while True:
        try:
            line = lines.get(timeout=1)
        except queue.Empty:
            line = ""
        elapsed = time.monotonic() - began
        if line is None:
            break
        if match := STATUS.fullmatch(line):
            finished, total = int(match[1]), int(match[2])
            estimate.finish(match[3])
        elif line and line != "ninja: no work to do.":
            display.pass_on(line)
        if finished < total:
            display.show(elapsed, progress(finished, total, elapsed, estimate.seconds_left(elapsed)))
    status = ninja.wait()
    if finished and not status:
        display.show(elapsed, f"[{finished}/{total}] built in {clock(elapsed)}", at_once=True)
    if display.terminal and finished:
        display.stream.write("\n")
    return status


def main():
    try:
        return run(sys.argv[1], sys.argv[2:], Display(sys.stderr))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
