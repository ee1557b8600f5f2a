#!/usr/bin/python3
"""Tags: the purpose and the cost centre of a table. They are set by the table's ARN, with the table or later."""

from common import create_table, main, refusal

TABLE = "Tagged"


def run(dynamodb):
    client = dynamodb.meta.client
    create_table(client, TABLE, {"ID": "S"}, Tags=[{"Key": "team", "Value": "blue"}, {"Key": "stage", "Value": "test"}])
    arn = client.describe_table(TableName=TABLE)["Table"]["TableArn"]

    def tags():
        listed = client.list_tags_of_resource(ResourceArn=arn)["Tags"]
        return sorted(f"{tag['Key']} = {tag['Value']}" for tag in listed)

    at_first = tags()
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "live"}, {"Key": "cost centre", "Value": "4711"}])
    changed = tags()
    client.untag_resource(ResourceArn=arn, TagKeys=["team", "never there"])
    own = [{"Key": "aws:team", "Value": "blue"}]
    return {
        "Tags that the table was made with": at_first,
        "One changed, one added": changed,
        "One taken away": tags(),
        "Keys of AWS's own are refused": refusal(client.tag_resource, ResourceArn=arn, Tags=own),
    }


if __name__ == "__main__":
    main(run, __doc__)
