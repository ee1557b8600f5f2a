// A DynamoDB in this process, in Go with cgo: a table, items, a query and a rollback. Without an argument it is in
// memory, else in the directory of that name.
//
//	go run .
package main

/*
#cgo LDFLAGS: -lpartita
#include <partita.h>
#include <stdlib.h>
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Database may be used by any goroutine until it is closed.
type Database struct{ db *C.partita_db }

func Open(path string) (*Database, error) {
	options := C.partita_options{size: C.sizeof_partita_options}
	if path != "" {
		options.path = C.CString(path)
		defer C.free(unsafe.Pointer(options.path))
	}
	made, why := &Database{}, [512]C.char{}
	if C.partita_open(&options, &made.db, &why[0], C.size_t(len(why))) != C.PARTITA_OK {
		return nil, errors.New(C.GoString(&why[0]))
	}
	return made, nil
}

func (d *Database) Close() { C.partita_close(d.db) }

// Call takes the members of the request, and sets what `answer` points to from the answer.
func (d *Database) Call(operation string, members map[string]any, answer any) error {
	body, err := json.Marshal(members)
	if err != nil {
		return err
	}
	name := C.CString(operation)
	defer C.free(unsafe.Pointer(name))
	var reply C.partita_reply
	if code := C.partita_call(d.db, name, (*C.char)(unsafe.Pointer(&body[0])), C.size_t(len(body)), &reply); code != C.PARTITA_OK {
		return fmt.Errorf("%s has no answer: %d", operation, code)
	}
	defer C.partita_reply_free(&reply)
	said := C.GoBytes(unsafe.Pointer(reply.body), C.int(reply.length))
	if reply.status != 200 {
		return errors.New(string(said))
	}
	return json.Unmarshal(said, answer)
}

// Snapshot and Rollback.
func (d *Database) Snapshot(name string) error { return d.change(name, false) }
func (d *Database) Rollback(name string) error { return d.change(name, true) }

func (d *Database) change(name string, back bool) error {
	text, why := C.CString(name), [512]C.char{}
	defer C.free(unsafe.Pointer(text))
	var code C.partita_code
	if back {
		code = C.partita_rollback(d.db, text, &why[0], C.size_t(len(why)))
	} else {
		code = C.partita_snapshot(d.db, text, &why[0], C.size_t(len(why)))
	}
	if code != C.PARTITA_OK {
		return errors.New(C.GoString(&why[0]))
	}
	return nil
}

type value map[string]string

func key(song string) map[string]value {
	return map[string]value{"Artist": {"S": "No One You Know"}, "Song": {"S": song}}
}

func put(db *Database, song, year string) {
	item := key(song)
	item["Year"] = value{"N": year}
	must(db.Call("PutItem", map[string]any{"TableName": "Music", "Item": item}, &struct{}{}))
}

func show(db *Database, song string) {
	var found struct{ Item map[string]value }
	must(db.Call("GetItem", map[string]any{"TableName": "Music", "Key": key(song)}, &found))
	year := found.Item["Year"]["N"]
	if year == "" {
		year = "none"
	}
	fmt.Printf("%s: %s\n", song, year)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	path := ""
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	db, err := Open(path)
	must(err)
	defer db.Close()
	attribute := func(name string) any { return value{"AttributeName": name, "AttributeType": "S"} }
	keys := []any{value{"AttributeName": "Artist", "KeyType": "HASH"}, value{"AttributeName": "Song", "KeyType": "RANGE"}}
	must(db.Call("CreateTable", map[string]any{"TableName": "Music", "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys,
		"AttributeDefinitions": []any{attribute("Artist"), attribute("Song")}}, &struct{}{}))
	put(db, "Call Me Today", "1998")
	put(db, "My Dog Spot", "2001")
	must(db.Snapshot("two-songs"))
	put(db, "Somewhere Down The Road", "2003")
	show(db, "Call Me Today")
	show(db, "Somewhere Down The Road")
	must(db.Rollback("two-songs"))
	show(db, "Somewhere Down The Road")
	var found json.RawMessage
	must(db.Call("Query", map[string]any{"TableName": "Music", "KeyConditionExpression": "Artist = :a", "Select": "COUNT",
		"ExpressionAttributeValues": map[string]value{":a": {"S": "No One You Know"}}}, &found))
	fmt.Println(string(found))
}
