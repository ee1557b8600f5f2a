#!/usr/bin/python3
"""Real data: the Debian package index of this machine, some 60,000 records, loaded and queried.

    partition key       Section         "editors"
    sort key            PackageVersion  "vim#2:9.0.1378-2"
    index ByMaintainer  Maintainer      "Debian Vim Maintainers <...>", then PackageVersion

Every answer is compared with what Python finds in the same text.
"""

import collections
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from common import connect_client, create_table, index, main

TABLE = "Packages"
KEY = {"Section": "S", "PackageVersion": "S"}
BY_MAINTAINER = {"Maintainer": "S", "PackageVersion": "S"}
NUMBERS = {"Size", "Installed-Size"}
BATCH = 25  # The most that one BatchWriteItem takes.
THREADS = 4


def package_index():
    """The index of all packages that apt knows on this machine, as text."""
    text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, encoding="utf-8", check=True).stdout
    if "\nFilename: " not in text:
        sys.exit("This machine has no package lists yet; fetch them with: apt-get update")
    return text


def records(text):
    """The records of the text, separated by empty lines. A line that begins with a blank continues its field."""
    record, field = {}, None
    for line in text.split("\n"):
        if not line:
            if record:
                yield record
            record = {}
        elif line[0] in " \t":
            record[field] += "\n" + line[1:]
        else:
            field, _, value = line.partition(":")
            record[field] = value.strip()
    if record:
        yield record


def items(text):
    """The records as items, each key once."""
    found = {}
    for record in records(text):
        record = {"Section": "unknown", "Maintainer": "unknown", **record}
        record["PackageVersion"] = f"{record['Package']}#{record['Version']}"
        found[record["Section"], record["PackageVersion"]] = {
            name: {"N" if name in NUMBERS else "S": value} for name, value in record.items()
        }
    return list(found.values())


def write_batch(client, batch):
    """Writes up to 25 items, and retries unprocessed ones."""
    requests, pause = {TABLE: [{"PutRequest": {"Item": item}} for item in batch]}, 0.05
    while requests := client.batch_write_item(RequestItems=requests)["UnprocessedItems"]:
        time.sleep(pause)
        pause = min(2 * pause, 1)


def progress_bar(done, total, started):
    """A progress bar on a terminal; elsewhere one line at the end."""
    if not sys.stderr.isatty() and done < total:
        return
    rate = done / max(time.monotonic() - started, 0.001)
    bar = "#" * (40 * done // total)
    begin = "\r" if sys.stderr.isatty() else ""
    print(f"{begin}[{bar:40}] {done:,} of {total:,}, {rate:,.0f} per second ", end="", file=sys.stderr, flush=True)
    if done == total:
        print(file=sys.stderr)


def load(client, all_items, progress=progress_bar):
    """Creates the table and writes all items into it, several batches at a time."""
    by_maintainer = index("ByMaintainer", BY_MAINTAINER, projection="KEYS_ONLY")
    create_table(client, TABLE, KEY, [BY_MAINTAINER], GlobalSecondaryIndexes=[by_maintainer])
    batches = [all_items[i : i + BATCH] for i in range(0, len(all_items), BATCH)]
    started, done = time.monotonic(), 0
    with ThreadPoolExecutor(max_workers=THREADS) as pool:
        for batch, _ in zip(batches, pool.map(lambda each: write_batch(client, each), batches)):
            done += len(batch)
            progress(done, len(all_items), started)


def pages(call, **request):
    """The pages of a Query or Scan."""
    while True:
        page = call(TableName=TABLE, **request)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def count_by(client, attribute, value, **more):
    """How many packages have this Section, or with IndexName="ByMaintainer" this Maintainer."""
    request = {
        "KeyConditionExpression": "#attribute = :value",
        "ExpressionAttributeNames": {"#attribute": attribute},
        "ExpressionAttributeValues": {":value": {"S": value}},
        "Select": "COUNT",
    }
    return sum(page["Count"] for page in pages(client.query, **request, **more))


def beginning_with(client, section, prefix):
    """The packages of a section whose names begin with `prefix`, as package#version."""
    request = {
        "KeyConditionExpression": "#section = :section AND begins_with(PackageVersion, :prefix)",
        "ExpressionAttributeNames": {"#section": "Section"},  # A reserved word.
        "ExpressionAttributeValues": {":section": {"S": section}, ":prefix": {"S": prefix}},
        "ProjectionExpression": "PackageVersion",
    }
    return [item["PackageVersion"]["S"] for page in pages(client.query, **request) for item in page["Items"]]


def largest(client):
    """The size and the key of the largest package: a scan of the whole table, cut into as many segments as threads."""
    request = {
        "ProjectionExpression": "#size, PackageVersion",
        "ExpressionAttributeNames": {"#size": "Size"},  # A reserved word.
        "TotalSegments": THREADS,
    }

    def largest_of(segment):
        found = (item for page in pages(client.scan, Segment=segment, **request) for item in page["Items"])
        sizes = ((int(item["Size"]["N"]), item["PackageVersion"]["S"]) for item in found if "Size" in item)
        return max(sizes, default=(0, ""))

    with ThreadPoolExecutor(max_workers=THREADS) as pool:
        return max(pool.map(largest_of, range(THREADS)))


def run(client, progress=progress_bar):
    all_items = items(package_index())
    load(client, all_items, progress)

    in_section = collections.Counter(item["Section"]["S"] for item in all_items)
    of_maintainer = collections.Counter(item["Maintainer"]["S"] for item in all_items)
    editors = sorted(item["PackageVersion"]["S"] for item in all_items if item["Section"]["S"] == "editors")
    sizes = ((int(item["Size"]["N"]), item["PackageVersion"]["S"]) for item in all_items if "Size" in item)

    def compared(found, expected):
        return f"{found} (Python agrees)" if found == expected else f"{found}, but Python finds {expected}"

    return {
        "Packages in each of the largest sections": [
            f"{section}: {compared(count_by(client, 'Section', section), count)}"
            for section, count in in_section.most_common(5)
        ],
        "Packages of the busiest maintainers": [
            f"{name}: {compared(count_by(client, 'Maintainer', name, IndexName='ByMaintainer'), count)}"
            for name, count in of_maintainer.most_common(3)
        ],
        "Editors whose names begin with vim-s": compared(
            beginning_with(client, "editors", "vim-s"), [name for name in editors if name.startswith("vim-s")]
        ),
        "The largest package, and its bytes": compared(largest(client), max(sizes)),
    }


if __name__ == "__main__":
    main(run, __doc__, connect=connect_client)
