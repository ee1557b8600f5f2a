package partita

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

var (
	shared  *Server
	serving atomic.Int64
)

// Main runs the tests of a package with a server that ForTest uses:
//
//	func TestMain(m *testing.M) { partita.Main(m, partita.Config{}) }
func Main(m *testing.M, config Config) {
	server, err := Start(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "partita:", err)
		os.Exit(1)
	}
	shared = server
	code := m.Run()
	if err := server.Stop(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "partita:", err)
		code = 1
	}
	os.Exit(code)
}

// ForTest is an empty database for this test alone, also beside parallel ones, with the tables of Config.Options'
// --seed. It is gone when the test has ended.
func ForTest(t testing.TB) *Database {
	t.Helper()
	if shared == nil {
		t.Fatal("partita.ForTest needs func TestMain(m *testing.M) { partita.Main(m, partita.Config{}) }")
	}
	database := shared.Database(fmt.Sprintf("test-%d", serving.Add(1)))
	t.Cleanup(func() {
		err := database.Call(context.Background(), "DeleteNamespace", named{database.Namespace}, nil)
		if err != nil && !strings.Contains(err.Error(), "ResourceNotFoundException") {
			t.Errorf("the database of the test could not be deleted: %v", err)
		}
	})
	return database
}
