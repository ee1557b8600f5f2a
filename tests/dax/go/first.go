package main

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"

	"github.com/aws/aws-dax-go/dax"
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/dynamodb"
	"github.com/aws/aws-sdk-go/service/dynamodb/dynamodbiface"
)

func newFirst(url string) dynamodbiface.DynamoDBAPI {
	config := &aws.Config{Region: aws.String(os.Getenv("AWS_REGION")), Endpoint: aws.String(url)}
	if strings.HasPrefix(url, "http") {
		config.MaxRetries = aws.Int(0)
		config.DisableParamValidation = aws.Bool(true)
		return dynamodb.New(session.Must(session.NewSession(config)))
	}
	settings := dax.DefaultConfig()
	settings.Region = os.Getenv("AWS_REGION")
	settings.HostPorts = []string{url}
	settings.Credentials = session.Must(session.NewSession()).Config.Credentials
	settings.RequestTimeout = patience
	if strings.HasPrefix(url, "daxs") {
		dial, err := dax.SecureDialContext(url, false)
		if err != nil {
			panic(err)
		}
		settings.DialContext = dial
	}
	client, err := dax.New(settings)
	if err != nil {
		panic(err)
	}
	return client
}

// The members of this SDK's types have the names of the API, and encoding/json writes bytes as it does.
func first(url string) (caller, func(error) *failure) {
	client := reflect.ValueOf(newFirst(url))
	call := func(operation string, text json.RawMessage) (any, error) {
		method := client.MethodByName(operation)
		input := reflect.New(method.Type().In(0).Elem())
		if err := json.Unmarshal(text, input.Interface()); err != nil {
			return nil, err
		}
		returned := method.Call([]reflect.Value{input})
		err, _ := returned[1].Interface().(error)
		return returned[0].Interface(), err
	}
	return call, func(err error) *failure {
		var said awserr.Error
		if !errors.As(err, &said) {
			return &failure{Client: reflect.TypeOf(err).String(), Message: err.Error()}
		}
		described := &failure{Code: said.Code(), Message: said.Message()}
		var answered awserr.RequestFailure
		if !errors.As(err, &answered) {
			described.Client = said.Code()
		}
		var cancelled *dynamodb.TransactionCanceledException
		if errors.As(err, &cancelled) {
			described.Reasons = cancelled.CancellationReasons
		}
		var failed *dynamodb.ConditionalCheckFailedException
		if errors.As(err, &failed) && failed.Item != nil {
			described.Item = failed.Item
		}
		return described
	}
}
