// A DynamoDB in this process, in C: a table, items, a query and a rollback. Without an argument it is in memory, else in
// the directory of that name.
//
//   cc music.c $(pkg-config --cflags --libs partita) -o music && ./music
#include <partita.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

// An answer with status 200, which the caller frees.
static partita_reply call(partita_db* db, const char* operation, const char* json) {
  partita_reply reply;
  if (partita_call(db, operation, json, strlen(json), &reply) != PARTITA_OK) fail(operation, "no answer");
  if (reply.status != 200) fail(operation, reply.body);
  return reply;
}

static void run(partita_db* db, const char* operation, const char* json) {
  partita_reply reply = call(db, operation, json);
  partita_reply_free(&reply);
}

static partita_attribute value(uint32_t type, const char* name, const char* data) {
  partita_attribute made = {type, 0, name, strlen(name), data, strlen(data), NULL, 0};
  return made;
}

// Without JSON.
static void put_song(partita_db* db, const char* song, const char* year) {
  partita_attribute item[] = {value(PARTITA_STRING, "Artist", "No One You Know"), value(PARTITA_STRING, "Song", song),
                              value(PARTITA_NUMBER, "Year", year)};
  partita_reply reply;
  if (partita_put_item(db, "Music", item, 3, &reply) != PARTITA_OK) fail("PutItem", "no answer");
  if (reply.status != 200) fail("PutItem", reply.body);
  partita_reply_free(&reply);
}

static void print_song(partita_db* db, const char* song) {
  partita_attribute key[] = {value(PARTITA_STRING, "Artist", "No One You Know"), value(PARTITA_STRING, "Song", song)};
  partita_reply reply;
  if (partita_get_item(db, "Music", key, 2, 0, &reply) != PARTITA_OK) fail("GetItem", "no answer");
  if (reply.status != 200) fail("GetItem", reply.body);
  if (reply.item == NULL) printf("%s: none\n", song);
  for (uint32_t i = 0; i < reply.item_count; ++i) {
    const partita_attribute* one = &reply.item[i];
    if (one->type == PARTITA_NUMBER) printf("%s: %.*s\n", song, (int)one->length, one->data);
  }
  partita_reply_free(&reply);
}

int main(int count, char** words) {
  partita_options options = {sizeof(partita_options), count > 1 ? words[1] : NULL, NULL, 0, 0};
  partita_db* db = NULL;
  char why[512];
  if (partita_open(&options, &db, why, sizeof why) != PARTITA_OK) fail("open", why);
  run(db, "CreateTable",
      "{\"TableName\":\"Music\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
      "{\"AttributeName\":\"Artist\",\"AttributeType\":\"S\"},{\"AttributeName\":\"Song\",\"AttributeType\":\"S\"}],"
      "\"KeySchema\":[{\"AttributeName\":\"Artist\",\"KeyType\":\"HASH\"},"
      "{\"AttributeName\":\"Song\",\"KeyType\":\"RANGE\"}]}");
  put_song(db, "Call Me Today", "1998");
  put_song(db, "My Dog Spot", "2001");
  if (partita_snapshot(db, "two-songs", why, sizeof why) != PARTITA_OK) fail("snapshot", why);
  put_song(db, "Somewhere Down The Road", "2003");
  print_song(db, "Call Me Today");
  print_song(db, "Somewhere Down The Road");
  if (partita_rollback(db, "two-songs", why, sizeof why) != PARTITA_OK) fail("rollback", why);
  print_song(db, "Somewhere Down The Road");
  partita_reply found = call(db, "Query",
                             "{\"TableName\":\"Music\",\"KeyConditionExpression\":\"Artist = :a\",\"Select\":\"COUNT\","
                             "\"ExpressionAttributeValues\":{\":a\":{\"S\":\"No One You Know\"}}}");
  printf("%s\n", found.body);
  partita_reply_free(&found);
  partita_close(db);
  return 0;
}
