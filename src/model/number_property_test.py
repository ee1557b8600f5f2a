"""Compares Number with Python's decimal on generated cases: number_property_test.py PROGRAM [--seed N] [--lines N].

Each line sent to PROGRAM (number_property.cc) holds one text, or two, and what decimal makes of them. A case is one
answer that is compared: a parsed text, a sum, a difference, a comparison.
"""

import argparse
import decimal
import random
import re
import subprocess
import sys

EXACT = decimal.Context(prec=400, Emax=999999, Emin=-999999, traps=[])
SYNTAX = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def exact(text):
    """The decimal of a well-formed text; exponents that are beyond every limit become one that decimal can hold."""
    mantissa, _, exponent = text.lower().partition("e")
    return EXACT.create_decimal(f"{mantissa}e{max(-99999, min(99999, int(exponent or 0)))}")


def canonical(value):
    """The canonical text of a decimal and its size in bytes, or the fault's name and nothing."""
    if not value:
        return "0", 1
    value = value.normalize(EXACT)
    sign, digits, _ = value.as_tuple()
    leading = value.adjusted()
    if len(digits) > 38:
        return "precision", None
    if leading > 125:
        return "overflow", None
    if leading < -130:
        return "underflow", None
    whole = min(max(leading + 1, 0), len(digits))
    size = 1 + (whole + 1) // 2 + (len(digits) - whole + 1) // 2 + sign
    return format(value, "f"), size


def reading(text):
    """What reading a well-formed text gives; DynamoDB judges a zero by where its last digit stands."""
    value = exact(text)
    mantissa, _, exponent = text.lower().partition("e")
    if not -(2**63) <= int(exponent or 0) < 2**63:
        return "syntax", None
    if not value:
        last = int(exponent or 0) - len(mantissa.partition(".")[2])
        if last > 125:
            return "overflow", None
        if last < -130:
            return "underflow", None
    return canonical(value)


def sum_of(value):
    """What DynamoDB says of a sum: one of too many digits is too large for it."""
    what, _ = canonical(value)
    return "overflow" if what == "precision" else what


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def coefficient(self):
        kind = self.random.random()
        if kind < 0.3:
            return str(self.random.randrange(1000))
        length = self.random.choice((1, 2, 3, 8, 17, 18, 19, 20, 21, 36, 37, 38, 38, self.random.randint(1, 41)))
        if kind < 0.4:
            return self.random.choice(("9" * length, "1" + "0" * (length - 1), "1" + "0" * (length - 1) + "1"))
        digits = str(self.random.randrange(10 ** length))
        if kind < 0.55:
            digits += "0" * self.random.randrange(40)
        elif kind < 0.65:
            digits = "0" * self.random.randrange(40) + digits
        return digits

    def exponent(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.random.randint(-12, 12)
        if kind < 0.8:
            return self.random.randint(-45, 45)
        if kind < 0.9:
            return self.random.randint(-180, 140)
        if kind < 0.98:
            return self.random.choice((-131, -130, -129, 85, 88, 124, 125, 126))
        return self.random.choice((2**63 - 1, 2**63, -(2**63), -(2**63) - 1))

    def text(self):
        digits = self.coefficient()
        sign = self.random.choice(("", "", "-", "-", "+"))
        if self.random.random() < 0.5:
            at = self.random.randint(0, len(digits))
            digits = digits[:at] + "." + digits[at:]
        if self.random.random() < 0.5:
            return sign + digits
        exponent = self.exponent()
        plus = "+" if exponent >= 0 and self.random.random() < 0.5 else ""
        return f"{sign}{digits}{self.random.choice('eE')}{plus}{exponent}"

    def partner(self, text):
        """Another text, often one that nearly cancels the first or touches its last digit."""
        kind = self.random.random()
        if kind < 0.5:
            return self.text()
        value = exact(text)
        _, digits, exponent = value.as_tuple()
        step = decimal.Decimal((self.random.randint(0, 1), (self.random.randint(1, 9),),
                                exponent + self.random.choice((0, 0, 1, -1, len(digits), len(digits) - 38))))
        other = EXACT.add(value, step) if kind < 0.8 else step
        return str(EXACT.minus(other) if self.random.random() < 0.5 else other)

    def damaged(self, text):
        at = self.random.randint(0, len(text))
        junk = self.random.choice("+-.eE_ x0\u0661,")
        return text[:at] + junk + text[at + self.random.randint(0, 1):]

    def single(self, text):
        if not SYNTAX.fullmatch(text):
            return f"{text}\tsyntax\n" if text else ""
        what, size = reading(text)
        return f"{text}\t{what}\t{size}\n" if size else f"{text}\t{what}\n"

    def line(self):
        text = self.text()
        if self.random.random() < 0.1:
            return self.single(self.damaged(text))
        a = exact(text)
        a_text, a_size = reading(text)
        if a_size is None:
            return f"{text}\t{a_text}\n"
        other = self.partner(text)
        b = exact(other)
        b_text, b_size = reading(other)
        if b_size is None:
            return f"{other}\t{b_text}\n"
        added = sum_of(EXACT.add(a, b))
        subtracted = sum_of(EXACT.subtract(a, b))
        order = (a > b) - (a < b)
        return f"{text}\t{a_text}\t{a_size}\t{other}\t{b_text}\t{b_size}\t{order}\t{added}\t{subtracted}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=20120118)
    parser.add_argument("--lines", type=int, default=600_000)
    arguments = parser.parse_args()
    generator = Generator(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    child = subprocess.Popen([arguments.program], stdin=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        for _ in range(arguments.lines // 1000):
            child.stdin.write("".join(generator.line() for _ in range(1000)))
        child.stdin.close()
    except BrokenPipeError:
        pass  # the program found a difference, and its exit code says so
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
