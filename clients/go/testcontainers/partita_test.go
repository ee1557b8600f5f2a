package testcontainers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	partita "partita.example/go"
)

// No container is started: there is no engine where this runs.
func TestTheConfiguration(t *testing.T) {
	var request testcontainers.GenericContainerRequest
	for _, each := range append(own(), Options("--seed", "/tables")) {
		if err := each.Customize(&request); err != nil {
			t.Fatal(err)
		}
	}
	const words = "serve --listen 0.0.0.0:8000 --insecure --in-memory --namespaces key --seed /tables"
	if strings.Join(request.Cmd, " ") != words || !slices.Equal(request.ExposedPorts, []string{port}) {
		t.Fatal(request.Cmd, request.ExposedPorts)
	}
	waits, isAll := request.WaitingFor.(*wait.MultiStrategy)
	if !isAll || len(waits.Strategies) != 1 || !strings.Contains(waits.Strategies[0].(*wait.HTTPStrategy).String(), "HTTP") {
		t.Fatal(request.WaitingFor)
	}
}

func TestADatabaseOfIt(t *testing.T) {
	server, err := partita.Start(partita.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	container := Container{Endpoint: server.Endpoint}
	var listed struct{ TableNames []string }
	err = container.Database("worker1").DynamoDB(context.Background(), "ListTables", nil, &listed)
	if err != nil || len(listed.TableNames) != 0 {
		t.Fatal(listed, err)
	}
}
