// With any server of the API: each test creates its tables and deletes them.
package shop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func begin(t *testing.T) shop {
	made := shop{clientOf(os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"), "any"), strings.ReplaceAll(t.Name(), "/", "-") + "-"}
	files, err := filepath.Glob("tables/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		said, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var table dynamodb.CreateTableInput
		if err := json.Unmarshal(said, &table); err != nil {
			t.Fatal(err)
		}
		table.TableName = made.name(*table.TableName)
		if _, err := made.client.CreateTable(context.Background(), &table); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_, err := made.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: table.TableName})
			if err != nil {
				t.Error(err)
			}
		})
	}
	return made
}
