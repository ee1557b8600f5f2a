// The cases through the SDK for Go: one JSON line per case.
//
//	throttled ENDPOINT
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

type item = map[string]types.AttributeValue

// call makes the call of a case to its table, and returns what became of each part of it, if it has parts.
type call func(client *dynamodb.Client, table string) ([][]any, error)

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func key(k string, n int) item {
	return item{"k": text(k), "n": &types.AttributeValueMemberN{Value: strconv.Itoa(n)}}
}

func both(table string) []string { return []string{table + "-open", table} }

func only(table string) []string { return []string{table} }

func put(k, g string) call {
	return func(client *dynamodb.Client, table string) ([][]any, error) {
		written := key(k, 9)
		if g != "" {
			written["g"] = text(g)
		}
		_, err := client.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &table, Item: written})
		return nil, err
	}
}

func get(client *dynamodb.Client, table string) ([][]any, error) {
	_, err := client.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: &table, Key: key("a", 1)})
	return nil, err
}

func query(name, value string, index *string) call {
	return func(client *dynamodb.Client, table string) ([][]any, error) {
		_, err := client.Query(context.Background(), &dynamodb.QueryInput{
			TableName: &table, IndexName: index, KeyConditionExpression: aws.String(name + " = :v"),
			ExpressionAttributeValues: item{":v": text(value)}})
		return nil, err
	}
}

func batchWrite(tablesOf func(string) []string) call {
	return func(client *dynamodb.Client, table string) ([][]any, error) {
		requests := map[string][]types.WriteRequest{}
		for _, name := range tablesOf(table) {
			requests[name] = []types.WriteRequest{{PutRequest: &types.PutRequest{Item: key("a", 9)}}}
		}
		reply, err := client.BatchWriteItem(context.Background(), &dynamodb.BatchWriteItemInput{RequestItems: requests})
		parts := [][]any{}
		if err == nil {
			for name := range reply.UnprocessedItems {
				parts = append(parts, []any{"Unprocessed", name})
			}
		}
		return parts, err
	}
}

func batchRead(client *dynamodb.Client, table string) ([][]any, error) {
	_, err := client.BatchGetItem(context.Background(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{table: {Keys: []item{key("a", 1)}}}})
	return nil, err
}

func writeBoth(k string) call {
	return func(client *dynamodb.Client, table string) ([][]any, error) {
		_, err := client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: aws.String(table + "-open"), Item: key("a", 9)}},
				{Put: &types.Put{TableName: &table, Item: key(k, 9)}}}})
		return nil, err
	}
}

func readBoth(client *dynamodb.Client, table string) ([][]any, error) {
	var gets []types.TransactGetItem
	for _, name := range both(table) {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: aws.String(name), Key: key("a", 1)}})
	}
	_, err := client.TransactGetItems(context.Background(), &dynamodb.TransactGetItemsInput{TransactItems: gets})
	return nil, err
}

func change(table string) *string {
	return aws.String(fmt.Sprintf(`UPDATE "%s" SET v = 1 WHERE k = 'a' AND n = 1`, table))
}

func read(table string) *string {
	return aws.String(fmt.Sprintf(`SELECT v FROM "%s" WHERE k = 'a'`, table))
}

func statement(of func(string) *string) call {
	return func(client *dynamodb.Client, table string) ([][]any, error) {
		_, err := client.ExecuteStatement(context.Background(), &dynamodb.ExecuteStatementInput{Statement: of(table)})
		return nil, err
	}
}

func statementBatch(client *dynamodb.Client, table string) ([][]any, error) {
	var statements []types.BatchStatementRequest
	for _, name := range both(table) {
		statements = append(statements, types.BatchStatementRequest{Statement: change(name)})
	}
	reply, err := client.BatchExecuteStatement(
		context.Background(), &dynamodb.BatchExecuteStatementInput{Statements: statements})
	parts := [][]any{}
	if err == nil {
		for _, each := range reply.Responses {
			if each.Error == nil {
				parts = append(parts, []any{"None", nil})
			} else {
				parts = append(parts, []any{each.Error.Code, each.Error.Message})
			}
		}
	}
	return parts, err
}

func statementTransaction(client *dynamodb.Client, table string) ([][]any, error) {
	var statements []types.ParameterizedStatement
	for _, name := range both(table) {
		statements = append(statements, types.ParameterizedStatement{Statement: change(name)})
	}
	_, err := client.ExecuteTransaction(
		context.Background(), &dynamodb.ExecuteTransactionInput{TransactStatements: statements})
	return nil, err
}

var cases = map[string]call{
	"table-write":           put("a", ""),
	"table-read":            get,
	"index-write":           put("a", "g"),
	"index-read":            query("g", "g", aws.String("by-g")),
	"hot-write":             put("hot", ""),
	"hot-read":              query("k", "hot", nil),
	"hot-write-on-demand":   put("hot", ""),
	"hot-index-write":       put("cold", "hot"),
	"maximum-write":         put("a", ""),
	"maximum-read":          get,
	"batch-write":           batchWrite(only),
	"batch-read":            batchRead,
	"batch-maximum":         batchWrite(only),
	"batch-part":            batchWrite(both),
	"transaction-write":     writeBoth("a"),
	"transaction-read":      readBoth,
	"transaction-hot":       writeBoth("hot"),
	"transaction-maximum":   writeBoth("a"),
	"statement-write":       statement(change),
	"statement-read":        statement(read),
	"statement-maximum":     statement(change),
	"statement-batch":       statementBatch,
	"statement-transaction": statementTransaction,
	"patient-table":         put("a", ""),
	"patient-hot":           put("hot", ""),
	"patient-maximum":       put("a", ""),
}

type told struct {
	Case     string  `json:"case"`
	Error    *string `json:"error"`
	Code     *string `json:"code"`
	Message  *string `json:"message"`
	Reasons  [][]any `json:"reasons"`
	Parts    [][]any `json:"parts"`
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
}

func (t *told) refused(err error, typeOf error, reasons []types.ThrottlingReason) {
	var api smithy.APIError
	if errors.As(err, &api) {
		t.Code, t.Message = aws.String(api.ErrorCode()), aws.String(api.ErrorMessage())
	} else {
		t.Message = aws.String(err.Error())
	}
	t.Error = aws.String(strings.TrimPrefix(fmt.Sprintf("%T", typeOf), "*types."))
	for _, each := range reasons {
		t.Reasons = append(t.Reasons, []any{each.Reason, each.Resource})
	}
}

func (t *told) describe(err error) {
	var exceeded *types.ProvisionedThroughputExceededException
	var throttled *types.ThrottlingException
	var cancelled *types.TransactionCanceledException
	switch {
	case errors.As(err, &exceeded):
		t.refused(err, exceeded, exceeded.ThrottlingReasons)
	case errors.As(err, &throttled):
		t.refused(err, throttled, throttled.ThrottlingReasons)
	case errors.As(err, &cancelled):
		t.refused(err, cancelled, nil)
		for _, each := range cancelled.CancellationReasons {
			t.Parts = append(t.Parts, []any{each.Code, each.Message})
		}
	default:
		t.refused(err, err, nil)
	}
}

// counting counts the attempts: it stands after the SDK's own middleware for retries.
func counting(attempts *int) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("Counting", func(
			ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
		) (middleware.FinalizeOutput, middleware.Metadata, error) {
			*attempts++
			return next.HandleFinalize(ctx, in)
		}), "Retry", middleware.After)
	}
}

func run(endpoint, name string) told {
	t := told{Case: name, Reasons: [][]any{}}
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint, Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		APIOptions:  []func(*middleware.Stack) error{counting(&t.Attempts)},
	})
	began := time.Now()
	parts, err := cases[name](client, name)
	t.Seconds = time.Since(began).Seconds()
	t.Parts = append([][]any{}, parts...)
	if err != nil {
		t.describe(err)
	}
	return t
}

func main() {
	var running sync.WaitGroup
	lines := make(chan told, len(cases))
	for name := range cases {
		running.Add(1)
		go func() {
			defer running.Done()
			lines <- run(os.Args[1], name)
		}()
	}
	running.Wait()
	close(lines)
	for each := range lines {
		line, _ := json.Marshal(each)
		fmt.Println(string(line))
	}
}
