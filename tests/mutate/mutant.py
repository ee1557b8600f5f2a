"""One mistake that is planted in the sources."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`old`, which stands in `file` exactly once, becomes `new`."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple

    def planted_in(self, whole):
        """The text of the file with the mistake in it, or None when it does not fit any more."""
        return whole.replace(self.old, self.new) if whole.count(self.old) == 1 else None
