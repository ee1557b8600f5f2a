package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/aws/aws-dax-go-v2/dax"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

func newSecond(url string) any {
	own, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		panic(err)
	}
	if strings.HasPrefix(url, "http") {
		return dynamodb.NewFromConfig(own, func(options *dynamodb.Options) {
			options.BaseEndpoint = aws.String(url)
			options.RetryMaxAttempts = 1
		})
	}
	settings := dax.NewConfig(own, url)
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

var ofAttributeValue = reflect.TypeFor[types.AttributeValue]()

// fill sets `to`, of a type of the SDK, from what encoding/json reads.
func fill(to reflect.Value, from any) {
	if from == nil {
		return
	}
	if to.Type() == ofAttributeValue {
		if value := attributeValue(from.(map[string]any)); value != nil {
			to.Set(reflect.ValueOf(value))
		}
		return
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		fill(to.Elem(), from)
	case reflect.Struct:
		for name, each := range from.(map[string]any) {
			fill(to.FieldByName(name), each)
		}
	case reflect.Slice:
		list := from.([]any)
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
		for i, each := range list {
			fill(to.Index(i), each)
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for name, each := range from.(map[string]any) {
			value := reflect.New(to.Type().Elem()).Elem()
			fill(value, each)
			to.SetMapIndex(reflect.ValueOf(name), value)
		}
	case reflect.String:
		to.SetString(from.(string))
	case reflect.Bool:
		to.SetBool(from.(bool))
	case reflect.Int32, reflect.Int64:
		number, err := from.(json.Number).Int64()
		if err != nil {
			panic(err)
		}
		to.SetInt(number)
	default:
		panic(fmt.Sprint("a member of type ", to.Type()))
	}
}

func attributeValue(from map[string]any) types.AttributeValue {
	for kind, value := range from {
		var made any
		switch kind {
		case "S":
			made = &types.AttributeValueMemberS{}
		case "N":
			made = &types.AttributeValueMemberN{}
		case "B":
			return &types.AttributeValueMemberB{Value: binary(value)}
		case "BOOL":
			made = &types.AttributeValueMemberBOOL{}
		case "NULL":
			made = &types.AttributeValueMemberNULL{}
		case "SS":
			made = &types.AttributeValueMemberSS{}
		case "NS":
			made = &types.AttributeValueMemberNS{}
		case "BS":
			set := &types.AttributeValueMemberBS{Value: [][]byte{}}
			for _, each := range value.([]any) {
				set.Value = append(set.Value, binary(each))
			}
			return set
		case "L":
			made = &types.AttributeValueMemberL{}
		case "M":
			made = &types.AttributeValueMemberM{}
		}
		fill(reflect.ValueOf(made).Elem().FieldByName("Value"), value)
		return made.(types.AttributeValue)
	}
	return nil
}

func binary(text any) []byte {
	data, err := base64.StdEncoding.DecodeString(text.(string))
	if err != nil {
		panic(err)
	}
	return data
}

// plain is the contrary of fill.
func plain(from reflect.Value) any {
	switch from.Kind() {
	case reflect.Interface, reflect.Pointer:
		if from.IsNil() {
			return nil
		}
		if value, ok := from.Interface().(types.AttributeValue); ok {
			kind := strings.TrimPrefix(reflect.TypeOf(value).Elem().Name(), "AttributeValueMember")
			inside := plain(reflect.ValueOf(value).Elem().FieldByName("Value"))
			if list := reflect.ValueOf(value).Elem().FieldByName("Value"); inside == nil && list.Kind() == reflect.Slice {
				inside = []any{}
			} else if inside == nil && list.Kind() == reflect.Map {
				inside = map[string]any{}
			}
			return map[string]any{kind: inside}
		}
		return plain(from.Elem())
	case reflect.Struct:
		members := map[string]any{}
		for _, field := range reflect.VisibleFields(from.Type()) {
			if field.IsExported() && field.Name != "ResultMetadata" && !from.FieldByIndex(field.Index).IsZero() ||
				field.Name == "Count" || field.Name == "ScannedCount" {
				members[field.Name] = plain(from.FieldByIndex(field.Index))
			}
		}
		return members
	case reflect.Slice:
		if data, ok := from.Interface().([]byte); ok {
			return base64.StdEncoding.EncodeToString(data)
		}
		if from.IsNil() {
			return nil
		}
		list := make([]any, from.Len())
		for i := range list {
			list[i] = plain(from.Index(i))
		}
		return list
	case reflect.Map:
		if from.IsNil() {
			return nil
		}
		members := map[string]any{}
		for _, key := range from.MapKeys() {
			members[key.String()] = plain(from.MapIndex(key))
		}
		return members
	default:
		return from.Interface()
	}
}

func second(url string) (caller, func(error) *failure) {
	client := reflect.ValueOf(newSecond(url))
	call := func(operation string, text json.RawMessage) (any, error) {
		var given map[string]any
		numbers := json.NewDecoder(strings.NewReader(string(text)))
		numbers.UseNumber()
		if err := numbers.Decode(&given); err != nil {
			return nil, err
		}
		method := client.MethodByName(operation)
		input := reflect.New(method.Type().In(1).Elem())
		fill(input.Elem(), given)
		returned := method.Call([]reflect.Value{reflect.ValueOf(context.Background()), input})
		if err, _ := returned[1].Interface().(error); err != nil {
			return nil, err
		}
		return plain(returned[0]), nil
	}
	return call, func(err error) *failure {
		var said smithy.APIError
		if !errors.As(err, &said) {
			return &failure{Client: fmt.Sprintf("%T", err), Message: err.Error()}
		}
		described := &failure{Code: said.ErrorCode(), Message: said.ErrorMessage()}
		if strings.HasPrefix(url, "dax") && !strings.HasPrefix(described.Message, "api error ") &&
			described.Code != "ResponseTimeout" {
			described.Client = fmt.Sprintf("%T", err) // it refused the call by itself
		}
		var cancelled *types.TransactionCanceledException
		if errors.As(err, &cancelled) {
			described.Reasons = plain(reflect.ValueOf(cancelled.CancellationReasons))
		}
		var failed *types.ConditionalCheckFailedException
		if errors.As(err, &failed) {
			described.Item = plain(reflect.ValueOf(failed.Item))
		}
		return described
	}
}
