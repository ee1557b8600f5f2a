"""A handler as one writes it for Lambda. It notes what it has processed in the file that $TAKEN names."""

import os


def handle(event, context):
    assert context.get_remaining_time_in_millis() > 0
    failed = []
    with open(os.environ["TAKEN"], "a", encoding="utf-8") as taken:
        for record in event["Records"]:
            value = int(record["dynamodb"]["NewImage"]["v"]["N"])
            if value == 13 and not os.path.exists(os.environ["TAKEN"] + ".mended"):
                raise ValueError("an unlucky number")
            if value % 10 == 7 and not os.path.exists(os.environ["TAKEN"] + f".{value}"):
                with open(os.environ["TAKEN"] + f".{value}", "w", encoding="utf-8"):
                    pass
                failed.append({"itemIdentifier": record["dynamodb"]["SequenceNumber"]})
                break
            taken.write(f"{value}\n")
    return {"batchItemFailures": failed}
