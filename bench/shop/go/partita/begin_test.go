// With the module of Partita: each test has a database of its own, in which the server has created the tables.
package shop

import (
	"testing"

	partita "partita.example/go"
)

func TestMain(m *testing.M) { partita.Main(m, partita.Config{Options: []string{"--seed", "tables"}}) }

func begin(t *testing.T) shop {
	database := partita.ForTest(t)
	return shop{clientOf(database.Endpoint, database.Namespace), ""}
}
