"""Compares LexDecimal with Python's decimal on generated cases: lex_decimal_property_test.py PROGRAM [--seed N]
[--lines N].

Each line sent to PROGRAM (lex_decimal_property.cc) is a number with two of its forms, or bytes with the number that
they are.
"""

import argparse
import decimal
import random
import subprocess
import sys

EXACT = decimal.Context(prec=5000, Emax=999999999999, Emin=-999999999999, traps=[])


def form(value, zeros):
    """The bytes of a decimal, `zeros` more digits behind its last, as one long integer of bits."""
    if not value:
        return b"\x80"
    sign, digits, exponent = value.normalize(EXACT).as_tuple()
    exponent += len(digits)
    text = "".join(map(str, digits)) + "0" * zeros
    if -62 <= exponent < 62:
        lead = bytes([0xC0 + exponent])
    else:
        lead = bytes([0xFE if exponent > 0 else 0x81]) + (exponent + 2**31).to_bytes(4, "big")
    bits = ""
    for at in range(0, len(text), 3):
        bits += format(12 + int(text[at:at + 3].ljust(3, "0")), "010b")
    bits += format((len(text) - 1) % 3, "010b")
    if sign:  # everything but the bits that fill the last byte is flipped
        lead = bytes(byte ^ 0xFF for byte in lead)
        bits = bits.translate({ord("0"): "1", ord("1"): "0"})
    bits += "0" * (-len(bits) % 8)
    return lead + int(bits, 2).to_bytes(len(bits) // 8, "big")


def number(data):
    """The decimal that bytes are, None if they are none."""
    if data == b"\x80":
        return decimal.Decimal(0)
    if not data or data[0] in (0x00, 0x7F, 0x80, 0xFF):
        return None
    negative = data[0] < 0x80
    lead = data[0] ^ (0xFF if negative else 0)
    if lead in (0xFE, 0x81):
        if len(data) < 5:
            return None
        exponent = int.from_bytes(bytes(byte ^ (0xFF if negative else 0) for byte in data[1:5]), "big") - 2**31
        rest = data[5:]
    else:
        exponent = lead - 0xC0
        rest = data[1:]
    bits = "".join(format(byte, "08b") for byte in rest)
    text = ""
    while len(bits) >= 10:
        code = int(bits[:10], 2) ^ (1023 if negative else 0)
        bits = bits[10:]
        if code < 3:
            unused = 2 - code
            if not text or text[0] == "0" or len(bits) >= 8 or "1" in bits or int("0" + text[len(text) - unused:]):
                return None
            return EXACT.create_decimal((int(negative), tuple(map(int, text)), exponent - len(text)))
        if not 12 <= code < 1012:
            return None
        text += format(code - 12, "03")
    return None


def answer(data):
    value = number(data)
    if value is None:
        return "no"
    if not value:
        return "0"
    value = value.normalize(EXACT)
    if len(value.as_tuple().digits) > 38 or not -130 <= value.adjusted() <= 125:
        return "fault"
    return format(value, "f")


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self):
        if self.random.random() < 0.01:
            return decimal.Decimal(0)
        length = self.random.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 19, 20, 36, 37, 38, self.random.randint(1, 38)))
        digits = str(self.random.randrange(10 ** (length - 1), 10**length))
        if self.random.random() < 0.2:
            digits = self.random.choice(("9" * length, "1" + "0" * (length - 1), "1" + "0" * (length - 1) + "1"))[:38]
        leading = self.random.choice((
            self.random.randint(-3, 6), self.random.randint(-130, 125), -130, 125, 60, 61, 62, -62, -63, -64,
        ))
        sign = self.random.choice(("", "-"))
        return EXACT.create_decimal(f"{sign}{digits[0]}.{digits[1:] or '0'}E{leading}")

    def damaged(self, data):
        kind = self.random.random()
        at = self.random.randrange(len(data))
        if kind < 0.5:
            return data[:at] + bytes([data[at] ^ 1 << self.random.randrange(8)]) + data[at + 1:]
        if kind < 0.7:
            return data[:at]
        if kind < 0.8:
            return data + bytes([self.random.choice((0, 1, self.random.randrange(256)))])
        return self.random.randbytes(self.random.choice((1, 4, 6, 8, 9)))

    def line(self):
        value = self.value()
        zeros = self.random.choice((0, 1, 2, 3, 4, self.random.randrange(60)))
        other = form(value, zeros)
        if self.random.random() < 0.4:
            data = self.damaged(other)
            return f"?\t{data.hex()}\t{answer(data)}\n"
        return f"{value}\t{form(value, 0).hex()}\t{other.hex()}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=20170419)
    parser.add_argument("--lines", type=int, default=100_000)
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
