#!/usr/bin/python3
"""PartiQL, the SQL of DynamoDB: queries, changes, batches and transactions.

1. ExecuteStatement        INSERT, SELECT, UPDATE and DELETE, with parameters, page by page
2. BatchExecuteStatement   statements that succeed or fail independently
3. ExecuteTransaction      statements that all take effect, or none
"""

from common import create_table, index, main, refusal

ALBUMS = [
    {"Artist": "Acme Band", "Album": "Songs About Life", "Published": 2015, "Stars": 4, "Genres": {"folk"}},
    {"Artist": "Acme Band", "Album": "Louder Than Ever", "Published": 2020, "Stars": 5, "Genres": {"rock", "folk"}},
    {"Artist": "No One You Know", "Album": "Somewhat Famous", "Published": 2018, "Stars": 2, "Genres": {"jazz"}},
    {"Artist": "No One You Know", "Album": "Still Here", "Published": 2021, "Stars": 4, "Genres": {"jazz", "rock"}},
]


def one_statement(music):
    """A SELECT with an equality on the partition key is a Query; without it, a Scan."""

    def execute(statement, *parameters, **more):
        given = {"Parameters": list(parameters)} if parameters else {}
        return music.meta.client.execute_statement(Statement=statement, **given, **more)

    for album in ALBUMS:
        values = [album["Artist"], album["Album"], album["Published"], album["Stars"], album["Genres"]]
        execute("INSERT INTO Music VALUE {'Artist': ?, 'Album': ?, 'Published': ?, 'Stars': ?, 'Genres': ?}", *values)
    again = "INSERT INTO Music VALUE {'Artist': 'Acme Band', 'Album': 'Louder Than Ever'}"
    of_the_band = "SELECT Album, Published FROM Music WHERE Artist = ? ORDER BY Album DESC"
    rock = "SELECT Album FROM Music WHERE Artist IN ['Acme Band', 'No One You Know'] AND contains(Genres, 'rock')"
    best = 'SELECT Artist, Album FROM "Music"."ByStars" WHERE Stars = 4 AND Published >= 2016'
    page = execute("SELECT Album FROM Music WHERE Artist = 'Acme Band'", Limit=1)
    rest = execute("SELECT Album FROM Music WHERE Artist = 'Acme Band'", NextToken=page["NextToken"])
    changed = execute(
        "UPDATE Music SET Stars = Stars + 1 SET Genres = set_add(Genres, ?) SET Awards = {'Grammys': [2020]}"
        " WHERE Artist = 'Acme Band' AND Album = 'Songs About Life' AND Awards IS MISSING RETURNING MODIFIED NEW *",
        {"live"},
    )
    return {
        "An album that is there already": refusal(execute, statement=again),
        "The albums of a band": [f"{item['Album']} ({item['Published']})" for item in execute(of_the_band, "Acme Band")["Items"]],
        "Everything with rock in it": [item["Album"] for item in execute(rock)["Items"]],
        "Four stars since 2016, by an index": [f"{item['Artist']}: {item['Album']}" for item in execute(best)["Items"]],
        "A first page and the rest": [item["Album"] for item in page["Items"] + rest["Items"]],
        "An album as it was changed": [
            f"{name}: {sorted(value) if isinstance(value, set) else value}"
            for name, value in sorted(changed["Items"][0].items())
        ],
        "Part of a document": execute("SELECT Awards.Grammys[0] FROM Music WHERE Album = 'Songs About Life'")["Items"],
    }


def several_statements(music):
    """In a batch, each statement has its own result; in a transaction, one failure undoes all."""
    client = music.meta.client
    batch = client.batch_execute_statement(
        Statements=[
            {"Statement": "SELECT Stars FROM Music WHERE Artist = ? AND Album = ?", "Parameters": ["No One You Know", "Still Here"]},
            {"Statement": "SELECT Stars FROM Music WHERE Artist = 'No One You Know'"},
        ]
    )
    rename = [
        {"Statement": "DELETE FROM Music WHERE Artist = 'No One You Know' AND Album = 'Somewhat Famous' AND Stars < 5"},
        {"Statement": "INSERT INTO Music VALUE {'Artist': 'Someone You Know', 'Album': 'Somewhat Famous'}"},
        {"Statement": "EXISTS(SELECT * FROM Music WHERE Artist = ? AND Album = ? AND Stars = 5)", "Parameters": ["Acme Band", "Louder Than Ever"]},
    ]
    client.execute_transaction(TransactStatements=rename)
    return {
        "A batch": [
            response["Error"]["Message"] if "Error" in response else f"{response['Item']['Stars']} stars"
            for response in batch["Responses"]
        ],
        "The same transaction again": refusal(client.execute_transaction, TransactStatements=rename).split(": ")[1],
        "What is left": sorted(
            f"{item['Artist']}: {item['Album']}" for item in client.execute_statement(Statement="SELECT * FROM Music")["Items"]
        ),
    }


def run(dynamodb):
    key, by_stars = {"Artist": "S", "Album": "S"}, {"Stars": "N", "Published": "N"}
    indexes = [index("ByStars", by_stars)]
    create_table(dynamodb.meta.client, "Music", key, [by_stars], GlobalSecondaryIndexes=indexes)
    music = dynamodb.Table("Music")
    return one_statement(music) | several_statements(music)


if __name__ == "__main__":
    main(run, __doc__)
