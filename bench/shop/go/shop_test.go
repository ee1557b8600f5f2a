// Package shop has the tests of a shop. Each finds five empty tables.
package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// shop is what a test has: its client, and a server's name of each table.
type shop struct {
	client *dynamodb.Client
	prefix string
}

func (s shop) name(table string) *string { return aws.String(s.prefix + table) }

// Connections are shared by all tests.
var connections = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

func clientOf(endpoint, key string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: "us-east-1", HTTPClient: connections,
		Credentials: credentials.NewStaticCredentialsProvider(key, "any", ""),
	})
}

func text(value string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: value} }
func number(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

type item = map[string]types.AttributeValue

func TestShop(t *testing.T) {
	for n := 0; n < 50; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			order(t, begin(t), n)
		})
	}
}

func order(t *testing.T, s shop, n int) {
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	customer, order := text(fmt.Sprint("customer ", n)), text(fmt.Sprint("order ", n))
	product := fmt.Sprint("product ", n)
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: s.name("Customers"), Item: item{"Customer": customer, "Town": text("Turin")}})
	must(err)
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: s.name("Products"), Item: item{"Product": text(product), "Stock": number("10")}})
	must(err)
	var lines []types.WriteRequest
	for line := 0; line < 5; line++ {
		lines = append(lines, types.WriteRequest{PutRequest: &types.PutRequest{Item: item{
			"Customer": customer, "Product": text(fmt.Sprint(product, "-", line)), "Count": number("2")}}})
	}
	_, err = s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{*s.name("Carts"): lines}})
	must(err)

	cart, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: s.name("Carts"), KeyConditionExpression: aws.String("Customer = :customer"),
		ExpressionAttributeValues: item{":customer": customer}})
	must(err)
	if len(cart.Items) != 5 {
		t.Fatal(cart.Items)
	}

	taken, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: s.name("Products"), Key: item{"Product": text(product)},
		UpdateExpression: aws.String("SET Stock = Stock - :count"), ConditionExpression: aws.String("Stock >= :count"),
		ExpressionAttributeValues: item{":count": number("2")}, ReturnValues: types.ReturnValueUpdatedNew})
	must(err)
	if stock, ok := taken.Attributes["Stock"].(*types.AttributeValueMemberN); !ok || stock.Value != "8" {
		t.Fatal(taken.Attributes)
	}

	actions := []types.TransactWriteItem{
		{Put: &types.Put{TableName: s.name("Orders"),
			Item: item{"Customer": customer, "Order": order, "State": text("PAID")}}},
		{Put: &types.Put{TableName: s.name("Payments"), Item: item{"Order": order, "Amount": number("19.9")},
			ConditionExpression:      aws.String("attribute_not_exists(#order)"),
			ExpressionAttributeNames: map[string]string{"#order": "Order"}}},
		{Delete: &types.Delete{TableName: s.name("Carts"),
			Key: item{"Customer": customer, "Product": text(product + "-0")}}},
	}
	_, err = s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	must(err)
	_, err = s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatal(err)
	}

	paid, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: s.name("Orders"), IndexName: aws.String("ByState"), KeyConditionExpression: aws.String("#state = :state"),
		ExpressionAttributeNames:  map[string]string{"#state": "State"},
		ExpressionAttributeValues: item{":state": text("PAID")}})
	must(err)
	if len(paid.Items) != 1 {
		t.Fatal(paid.Items)
	}
	payment, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: s.name("Payments"), Key: item{"Order": order}, ConsistentRead: aws.Bool(true)})
	must(err)
	if amount, ok := payment.Item["Amount"].(*types.AttributeValueMemberN); !ok || amount.Value != "19.9" {
		t.Fatal(payment.Item)
	}
	for table, count := range map[string]int32{"Customers": 1, "Carts": 4} {
		found, err := s.client.Scan(ctx, &dynamodb.ScanInput{TableName: s.name(table)})
		must(err)
		if found.Count != count {
			t.Fatalf("%s has %d items, not %d", table, found.Count, count)
		}
	}
}
