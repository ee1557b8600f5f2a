"""Attribute values and JSON texts by chance: right ones, odd ones, wrong ones."""

import base64
import json

WORDS = ("", "a", "pk", "Größe", "名前", "😀😀", "tab\there", 'quo"te', "back\\slash", "\x01\x1f", "line\nfeed", "x" * 300,
         "y" * 2100, "z" * 20_000, "\u2028", "\ud7ff", "a.b", "#a", ":v", "size", "1")
NUMBERS = ("0", "-0", "1", "-1", "42", "1e3", "1E+3", "1000", "0.1", "-0.001", "1.50", "00012", ".5", "5.", "1e125", "1e126",
           "9" * 38, "9" * 39, "-" + "9" * 38, "1." + "3" * 37, "1." + "3" * 38, "1e-130", "1e-131", "9.9e125", "+7", "0e126",
           "12345678901234567890123456789012345678e80", "0.00000000000000000000000000000000000001", "1e99999999999999999999")
NO_NUMBERS = ("", " 1", "1 ", "abc", "NaN", "Infinity", "1e", "--1", "0x10", "1,5", "٣")
NO_BASE64 = ("=", "abc", "a b=", "****", "YQ", "YR==")
ODD = (None, True, False, 0, -1, 1, 1.5, 2**40, 2**63, 1e300, "", "x", "true", "FALSE", [], {}, [[]], [None], {"": 1}, {"S": "a"},
       [{"S": "a"}], "NONE", "TOTAL", "ALL_OLD", {"a": {"S": "a"}}, {"SS": ["a", "a"]}, "arn:aws:dynamodb:us-east-1:1:table/x")


class Pairs(list):
    """An object as the list of its members, so that a name may come twice."""


class Values:
    def __init__(self, chance):
        self.chance = chance

    def often(self, probability):
        return self.chance.random() < probability

    def word(self):
        return self.chance.choice(WORDS) if self.often(0.3) else "w%d" % self.chance.randrange(40)

    def number(self):
        if self.often(0.02):
            return self.chance.choice(NO_NUMBERS)
        return self.chance.choice(NUMBERS) if self.often(0.3) else str(self.chance.randrange(-50, 200))

    def blob(self):
        if self.often(0.02):
            return self.chance.choice(NO_BASE64)
        return base64.b64encode(self.chance.randbytes(self.chance.choice((0, 1, 2, 3, 8, 57, 300)))).decode()

    def members(self, make, few=4):
        made = [make() for _ in range(self.chance.randrange(0 if self.often(0.05) else 1, few))]
        return made if self.often(0.05) else list(dict.fromkeys(made))

    def value(self, depth=0):
        if self.often(0.004):
            return self.chance.choice(ODD)
        if depth == 0 and self.often(0.01):
            return self.nested(self.chance.choice((5, 30, 31, 32, 33, 40, 70)))
        kind = self.chance.choice("SSSNNNBOLMX" + "stb" if depth < 4 else "SN")
        if kind == "L":
            return {"L": [self.value(depth + 1) for _ in range(self.chance.randrange(5))]}
        if kind == "M":
            return {"M": {self.word(): self.value(depth + 1) for _ in range(self.chance.randrange(5))}}
        return self.scalar(kind)

    def scalar(self, kind):
        if kind == "X":
            return {"NULL": not self.often(0.03)}
        if kind == "O":
            return {"BOOL": self.chance.choice((True, False, True, False, True, False, "true"))}
        makers = {"S": self.word, "N": self.number, "B": self.blob}
        if kind in makers:
            return {kind: makers[kind]()}
        name, make = {"s": ("SS", self.word), "t": ("NS", self.number), "b": ("BS", self.blob)}[kind]
        return {name: self.members(make)}

    def nested(self, levels):
        value = {"S": "deep"}
        for level in range(levels):
            value = {"M": {"m": value}} if level % 2 else {"L": [value]}
        return value

    # --- JSON as text ---

    def spoil(self, body):
        """One place of the request, anywhere, becomes something else."""
        places = []
        self._collect(body, places)
        holder, key = self.chance.choice(places or [(None, None)])
        if holder is None:
            return self.chance.choice(ODD)
        how = self.chance.random()
        if how < 0.25:
            del holder[key]
        elif how < 0.75 or isinstance(holder, list):
            holder[key] = self.chance.choice(ODD) if self.often(0.7) else self.value()
        else:
            held = holder.pop(key)
            holder[self.chance.choice((key + "x", key.lower(), "", "TableName", "M", "S", "Limit", "é" * 40))] = held
        return body

    def _collect(self, held, places):
        if isinstance(held, (dict, list)):
            for key in held if isinstance(held, dict) else range(len(held)):
                places.append((held, key))
                self._collect(held[key], places)

    def text(self, held):
        if isinstance(held, Pairs):
            return "{" + ",".join(f"{json.dumps(key)}:{self.text(value)}" for key, value in held) + "}"
        if isinstance(held, dict):
            pairs = Pairs(held.items())
            if pairs and self.often(0.003):
                name, value = self.chance.choice(pairs)
                pairs.append((name, value if self.often(0.5) else self.chance.choice(ODD)))
            if self.often(0.05):
                self.chance.shuffle(pairs)
            return self.text(pairs)
        if isinstance(held, list):
            return "[" + ",".join(map(self.text, held)) + "]"
        return json.dumps(held, ensure_ascii=self.often(0.5))

    def body(self, request):
        """The bytes of a request's JSON; seldom they are no JSON."""
        if self.often(0.12):
            request = self.spoil(request)
        made = self.text(request).encode(errors="surrogatepass")
        if self.often(0.1):
            made = made.replace(b":", b" :\t ").replace(b",", b"\n, ") if self.often(0.5) else b" \r\n" + made + b"\n"
        if self.often(0.01) and made:
            at = self.chance.randrange(len(made))
            made = made[:at] + (b"" if self.often(0.5) else bytes([self.chance.randrange(256)])) + made[at + 1:]
        return made[: self.chance.randrange(len(made) + 1)] if self.often(0.005) else made
