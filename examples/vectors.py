#!/usr/bin/python3
"""Books by topic: vector search.

    partition key  Title    "The Whale"
    other          Shelf    "fiction", a filter of searches
                   Meaning  three numbers: how much it is about the sea, the stars and cooking

A model would compute vectors of hundreds of numbers from the text; three invented ones show the principle.
"""

import json
import urllib.request

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from common import fresh_table, main, session, write

BOOKS = [
    ("The Whale", "fiction", "0.9", "0.1", "0"),
    ("Under Sail", "travel", "0.8", "0.3", "0.1"),
    ("Stars of the South", "travel", "0.5", "0.8", "0"),
    ("First Light", "fiction", "0", "1", "0"),
    ("Fish for Dinner", "cooking", "0.4", "0", "0.9"),
]


def call(dynamodb, operation, **parameters):
    """A signed call without the SDK's model: boto3 before 1.43.64 does not know vectors."""
    own = session()
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    url = dynamodb.meta.client.meta.endpoint_url
    request = AWSRequest("POST", url, headers=headers, data=json.dumps(parameters))
    SigV4Auth(own.get_credentials(), "dynamodb", own.region_name or "us-east-1").add_auth(request)
    sent = urllib.request.Request(url, request.data.encode(), dict(request.headers))
    with urllib.request.urlopen(sent) as answer:
        return json.load(answer)


def numbers(*values):
    return [{"N": value} for value in values]


def by_meaning(name, distance):
    """An index of the vectors. SearchSchema lists the attributes that searches can filter by."""
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "Meaning"},
        "Dimensions": 3,
        "DistanceFunction": distance,
        "SearchSchema": [{"AttributeName": "Shelf", "SearchSchemaElementType": "INLINE_FILTER"}],
        "Projection": {"ProjectionType": "ALL"},
    }


def nearest(dynamodb, *sought, index="by-meaning", top=3, **more):
    request = {"TableName": "Books", "IndexName": index, "SearchVector": numbers(*sought), "TopK": top, **more}
    return call(dynamodb, "SearchVectors", **request)["SearchResults"]


def told(found):
    return [f"{hit['Item']['Title']['S']} ({hit['Score']:.2f})" for hit in found]


def run(dynamodb):
    table = fresh_table(dynamodb, "Books", {"Title": "S"})
    write(table, [{"Title": title, "Shelf": shelf} for title, shelf, *_ in BOOKS])
    # On a table in use: the index is filled from existing items, and later writes are found at once.
    call(
        dynamodb,
        "UpdateTable",
        TableName="Books",
        AttributeDefinitions=[{"AttributeName": "Shelf", "AttributeType": "S"}],
        VectorIndexUpdates=[{"Create": by_meaning("by-meaning", "COSINE")}],
    )
    for title, shelf, *meaning in BOOKS:
        item = {"Title": {"S": title}, "Shelf": {"S": shelf}, "Meaning": {"L": numbers(*meaning)}}
        call(dynamodb, "PutItem", TableName="Books", Item=item)
    while call(dynamodb, "DescribeTable", TableName="Books")["Table"]["VectorIndexes"][0]["IndexStatus"] != "ACTIVE":
        pass  # Until then a search is refused.

    travel = {"SearchConditionExpression": "Shelf = :shelf", "ExpressionAttributeValues": {":shelf": {"S": "travel"}}}
    sea = nearest(dynamodb, "1", "0", "0")
    table.delete_item(Key={"Title": "The Whale"})
    return {
        "About the sea": told(sea),
        "About the stars, for a journey": told(nearest(dynamodb, "0", "1", "0", **travel)),
        "About fish, without the whale": told(nearest(dynamodb, "0.5", "0", "0.5", top=2)),
        "What is stored beside the vector": nearest(dynamodb, "0", "1", "0", top=1)[0]["Item"],
    }


if __name__ == "__main__":
    main(run, __doc__)
