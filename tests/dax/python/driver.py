"""Makes the calls that it reads as JSON lines, with boto3 (http:) or with amazon-dax-client (dax:, daxs:).

driver.py dax://127.0.0.1:8111 <steps >results
"""

import base64
import json
import sys

import boto3
import botocore.config
import botocore.exceptions
import botocore.session


def client(url):
    if url.startswith("http"):
        config = botocore.config.Config(retries={"total_max_attempts": 1}, parameter_validation=False)
        return boto3.client("dynamodb", endpoint_url=url, config=config)
    from amazondax import AmazonDaxClient

    return AmazonDaxClient(botocore.session.get_session(), endpoint_url=url)


def decoded(value):
    """Binaries as bytes. An attribute whose name is B has an object as its value, no text."""
    if isinstance(value, list):
        return [decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("B"), str):
        return {"B": base64.b64decode(value["B"])}
    if isinstance(value.get("BS"), list):
        return {"BS": [base64.b64decode(each) for each in value["BS"]]}
    return {name: decoded(each) for name, each in value.items()}


def encoded(value):
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [encoded(each) for each in value]
    return value


def failure(error):
    if isinstance(error, botocore.exceptions.ClientError):
        reasons = error.response.get("CancellationReasons")
        if getattr(error, "cancellation_reasons", None):  # as they came: code, message and item of each
            parts = iter(error.cancellation_reasons)
            reasons = [{"Code": code, "Message": message} for code, message, _ in zip(parts, parts, parts)]
        said = error.response["Error"]
        by_client = type(error).__name__ if getattr(error, "codes", ()) is None else None  # of the DAX client
        return {
            "code": said.get("Code"),
            "message": said.get("Message"),
            "reasons": encoded(reasons),
            "item": encoded(error.response.get("Item")),
            "client": by_client,
        }
    return {"client": type(error).__name__, "message": str(error)}


def outputs(dynamodb, step, done):
    given = dict(step["input"])
    call = getattr(
        dynamodb, "".join("_" + letter.lower() if letter.isupper() else letter for letter in step["call"])[1:]
    )
    for _ in range(1000):
        output = encoded(call(**decoded(given)))
        output.pop("ResponseMetadata", None)
        done.append(output)
        if step.get("again") == "LastEvaluatedKey" and output.get("LastEvaluatedKey"):
            given["ExclusiveStartKey"] = output["LastEvaluatedKey"]
        elif step.get("again") == "Unprocessed" and (output.get("UnprocessedKeys") or output.get("UnprocessedItems")):
            given["RequestItems"] = output.get("UnprocessedKeys") or output.get("UnprocessedItems")
        else:
            return


def main():
    dynamodb = None
    for line in sys.stdin:
        step, done, result = json.loads(line), [], {}
        try:
            dynamodb = dynamodb or client(sys.argv[1])  # which already asks for the nodes
            outputs(dynamodb, step, done)
        except Exception as error:  # noqa: BLE001  (what the caller gets is what is compared)
            result["error"] = failure(error)
        print(json.dumps({"name": step["name"], "outputs": done, **result}), flush=True)


main()
