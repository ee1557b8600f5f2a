"""What the cases of vector indexes share."""

from client import ok
from tables import definitions, plain
from values import N

def vector(*numbers):
    """As an item has it."""
    return {"L": [N(str(number)) for number in numbers]}


def vector_index(name, dimensions, distance="COSINE", attribute="embedding", search=(), projection="ALL", include=None):
    made = {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": attribute},
        "Dimensions": dimensions,
        "DistanceFunction": distance,
        "Projection": {"ProjectionType": projection},
    }
    if search:
        made["SearchSchema"] = [{"AttributeName": one, "SearchSchemaElementType": kind} for one, kind in search]
    if include:
        made["Projection"]["NonKeyAttributes"] = include
    return made


def with_vectors(name, *indexes, **types):
    """A table of these vector indexes; `types` are those of the attributes that searches name."""
    definition = plain(name, {"pk": "S"}, VectorIndexes=list(indexes))
    definition["AttributeDefinitions"] = definitions(pk="S", **types)
    return definition


def searched(table, *numbers, index="vix", top=10, where=None, values=None, **more):
    """[(item, score)]"""
    request = {"TableName": table, "IndexName": index, "SearchVector": vector(*numbers)["L"], "TopK": top, **more}
    if where:
        request.update(SearchConditionExpression=where)
    if values:
        request.update(ExpressionAttributeValues=values)
    return [(hit["Item"], hit["Score"]) for hit in ok("SearchVectors", **request)["SearchResults"]]
