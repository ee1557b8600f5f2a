#!/usr/bin/python3
"""One to many, five ways. The fifth, a composite sort key, is the table of stores in places.mjs.

1. a map attribute           a customer with several mailing addresses
2. duplication               books, each with its author's biography
3. composite key and Query   organizations and their users in one item collection
4. global index and Query    users and their tickets, side by side in an index
"""

from boto3.dynamodb.conditions import Key

from common import fresh_table, index, main, query

CUSTOMER = {
    "CustomerID": "alexdebrie",
    "MailingAddresses": {
        "Home": {"Street": "1111 1st St.", "City": "Omaha", "Zip": "68102"},
        "Work": {"Street": "2222 2nd St.", "City": "Omaha", "Zip": "68114"},
        "Parents": {"Street": "3333 3rd St.", "City": "Lincoln", "Zip": "68502"},
    },
}


def a_map_attribute(dynamodb):
    """For few entries that are never queried alone: store them in their owner, and use document paths to access them."""
    customers = fresh_table(dynamodb, "OneToManyCustomers", {"CustomerID": "S"}, items=[CUSTOMER])
    customer = {"Key": {"CustomerID": "alexdebrie"}}

    def addresses(path):
        return customers.get_item(ProjectionExpression=path, **customer)["Item"]["MailingAddresses"]

    home = addresses("MailingAddresses.Home")
    city = addresses("MailingAddresses.Parents.City")
    customers.update_item(
        UpdateExpression="SET MailingAddresses.#work.Zip = :zip REMOVE MailingAddresses.Parents",
        ExpressionAttributeNames={"#work": "Work"},
        ExpressionAttributeValues={":zip": "68154"},
        **customer,
    )
    return {
        "The home address": [f"{name}: {value}" for name, value in sorted(home["Home"].items())],
        "Where the parents live": city["Parents"]["City"],
        "The zip codes after work moved and the parents were removed": [
            f"{name}: {address['Zip']}" for name, address in sorted(addresses("MailingAddresses").items())
        ],
    }


BOOKS = [
    {"Author": "Stephen King", "Title": title, "Biography": "Born in Maine in 1947."} for title in ("Carrie", "It", "Misery")
] + [{"Author": "J.K. Rowling", "Title": "The Casual Vacancy", "Biography": "Born in Yate in 1965."}]


def duplication(dynamodb):
    """Data that rarely changes may be copied into each item. A change finds and updates all copies."""
    books = fresh_table(dynamodb, "OneToManyBooks", {"Author": "S", "Title": "S"}, items=BOOKS)
    book = {"Author": "Stephen King", "Title": "Misery"}
    before = books.get_item(Key=book)["Item"]["Biography"]
    for copy in query(books, Key("Author").eq("Stephen King")):
        books.update_item(
            Key={"Author": copy["Author"], "Title": copy["Title"]},
            UpdateExpression="SET Biography = :text",
            ExpressionAttributeValues={":text": "Born in Portland, Maine, in 1947."},
        )
    return {
        "A book knows its author's biography": before,
        "All books after the biography was changed": [
            f"{item['Title']}: {item['Biography']}"
            for author in ("J.K. Rowling", "Stephen King")
            for item in query(books, Key("Author").eq(author))
        ],
    }


ORGANIZATIONS = [
    {"PK": "ORG#MICROSOFT", "SK": "METADATA#MICROSOFT", "Name": "Microsoft", "Plan": "Enterprise"},
    {"PK": "ORG#MICROSOFT", "SK": "USER#BILLGATES", "Name": "Bill Gates", "Role": "Member"},
    {"PK": "ORG#MICROSOFT", "SK": "USER#SATYANADELLA", "Name": "Satya Nadella", "Role": "Admin"},
    {"PK": "ORG#AMAZON", "SK": "METADATA#AMAZON", "Name": "Amazon", "Plan": "Pro"},
    {"PK": "ORG#AMAZON", "SK": "USER#JEFFBEZOS", "Name": "Jeff Bezos", "Role": "Admin"},
]


def composite_key(dynamodb):
    """Parent and children share a partition key: one Query returns both, or by a prefix one kind."""
    table = fresh_table(dynamodb, "OneToManyOrganizations", {"PK": "S", "SK": "S"}, items=ORGANIZATIONS)
    microsoft = Key("PK").eq("ORG#MICROSOFT")

    def get(key):
        return table.get_item(Key=key)["Item"]["Name"]

    return {
        "The organization": get({"PK": "ORG#MICROSOFT", "SK": "METADATA#MICROSOFT"}),
        "The organization and its users": [item["Name"] for item in query(table, microsoft)],
        "Only its users": [item["Name"] for item in query(table, microsoft & Key("SK").begins_with("USER#"))],
        "One user": get({"PK": "ORG#AMAZON", "SK": "USER#JEFFBEZOS"}),
    }


def tickets_and_their_user(dynamodb):
    """Tickets live in their own collections; the index brings a user and the user's tickets together, by time."""
    bill = "ORG#MICROSOFT#USER#BILLGATES"
    users = [
        {**item, "GSI1PK": f"{item['PK']}#{item['SK']}", "GSI1SK": item["SK"]}
        for item in ORGANIZATIONS
        if item["SK"].startswith("USER#")
    ]
    tickets = [
        {"PK": f"TICKET#{n}", "SK": f"TICKET#{n}", "Name": text, "GSI1PK": bill, "GSI1SK": f"TICKET#{n}"}
        for n, text in [("20180829", "No sound"), ("20180904", "Blue screen"), ("20180712", "Lost password")]
    ]
    gsi1 = {"GSI1PK": "S", "GSI1SK": "S"}
    table = fresh_table(
        dynamodb,
        "OneToManyTickets",
        {"PK": "S", "SK": "S"},
        [gsi1],
        users + tickets,
        GlobalSecondaryIndexes=[index("GSI1", gsi1)],
    )
    newest_first = {"IndexName": "GSI1", "ScanIndexForward": False}
    page = table.query(KeyConditionExpression=Key("GSI1PK").eq(bill), Limit=2, **newest_first)["Items"]
    return {
        "A ticket": table.get_item(Key={"PK": "TICKET#20180829", "SK": "TICKET#20180829"})["Item"]["Name"],
        "A user, then the tickets from the newest": [
            item["Name"] for item in query(table, Key("GSI1PK").eq(bill), **newest_first)
        ],
        "A user and the newest ticket": [item["Name"] for item in page],
    }


def run(dynamodb):
    return (
        a_map_attribute(dynamodb) | duplication(dynamodb) | composite_key(dynamodb) | tickets_and_their_user(dynamodb)
    )


if __name__ == "__main__":
    main(run, __doc__)
