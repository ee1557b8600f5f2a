"""The applications that are moved have tests of their own."""

collect_ignore = ["moving"]
