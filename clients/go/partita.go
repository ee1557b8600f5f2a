// Package partita starts Partita, a DynamoDB that you own, for the tests of a Go program. It needs nothing but the
// program partita and the standard library; tests use AWS's SDK or any other client.
package partita

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	ownCalls = "Partita_20261123."
	dynamodb = "DynamoDB_20120810."
	// Region is the one that Database signs for; any other works, too.
	Region   = "us-east-1"
	startsIn = time.Minute
	stopsIn  = 30 * time.Second
	// The server takes the place of this shell. Beside it, a second one waits for the end of the pipe that this process
	// holds open, and then ends the server, if that is still the parent.
	untilEndOfInput = `exec 3<&0
		{ read -r _; read -r _ _ _ parent _ </proc/self/stat; [ "$parent" != $$ ] || kill $$; } <&3 >/dev/null 2>&1 &
		exec "$@" 3<&- </dev/null`
)

// Config says how a server runs. The zero value is a server in memory.
type Config struct {
	Program string   // path of the program; empty: PARTITA_BINARY, or else partita in PATH
	Data    string   // directory of its data; empty: in memory
	Options []string // of `partita serve`, such as "--seed=testdata/tables"
}

// Server is a process of Partita on a free port of the loopback interface.
type Server struct {
	Endpoint string // its URL
	process  *exec.Cmd
	said     *tail
	ended    chan error
	stop     sync.Once
	stopped  error
}

// Start starts a server with namespaces by access key. Stop ends it, and so does the end of this process, also after
// kill -9.
func Start(config Config) (*Server, error) {
	program := config.Program
	if program == "" {
		program = os.Getenv("PARTITA_BINARY")
	}
	if program == "" {
		found, err := exec.LookPath("partita")
		if err != nil {
			return nil, errors.New("the program partita is not in PATH: install it, or name it in PARTITA_BINARY")
		}
		program = found
	}
	words := []string{"-c", untilEndOfInput, "partita", program, "serve", "--listen", "127.0.0.1:0", "--namespaces", "key"}
	if config.Data == "" {
		words = append(words, "--in-memory")
	} else {
		words = append(words, "--data", config.Data)
	}
	server := &Server{process: exec.Command("/bin/sh", append(words, config.Options...)...), said: &tail{},
		ended: make(chan error, 1)}
	server.process.Stderr = server.said
	out, err := server.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := server.process.StdinPipe(); err != nil {
		return nil, err
	}
	if err := server.process.Start(); err != nil {
		return nil, fmt.Errorf("the server did not start: %w", err)
	}
	lines := make(chan string, 1)
	go func() {
		reader := bufio.NewReader(out)
		line, _ := reader.ReadString('\n')
		lines <- line
		_, _ = io.Copy(io.Discard, reader)
		server.ended <- server.process.Wait()
	}()
	select {
	case line := <-lines:
		server.Endpoint = regexp.MustCompile(`https?://[^ ,]+`).FindString(line)
	case <-time.After(startsIn):
	}
	if server.Endpoint == "" {
		_ = server.Stop()
		return nil, fmt.Errorf("the server did not start: %s", server.said.text())
	}
	return server, nil
}

// Stop ends the server and waits. Later calls answer as the first one.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		_ = s.process.Process.Signal(syscall.SIGTERM)
		select {
		case s.stopped = <-s.ended:
		case <-time.After(stopsIn):
			_ = s.process.Process.Kill()
			<-s.ended
			s.stopped = errors.New("the server did not stop by itself")
		}
	})
	return s.stopped
}

// Database is that of a namespace: the server makes it when it is first used.
func (s *Server) Database(namespace string) *Database {
	return &Database{Endpoint: s.Endpoint, Namespace: namespace}
}

// Database is a database of a server. Its methods may be called from any goroutine.
type Database struct {
	Endpoint  string // for the BaseEndpoint of an SDK's client
	Namespace string // for the client's access key id; the secret may be anything
}

// CallError is a call that was refused. Code is DynamoDB's name for it, such as ResourceNotFoundException.
type CallError struct {
	Operation, Code, Message string
}

func (e *CallError) Error() string { return e.Operation + ": " + e.Code + ": " + e.Message }

// Call makes one of Partita's own calls, such as "CreateSnapshot". A reply that is not nil gets what it answers.
func (d *Database) Call(ctx context.Context, operation string, members, reply any) error {
	return d.post(ctx, ownCalls+operation, members, reply)
}

// DynamoDB makes one of DynamoDB's calls, such as "CreateTable", without an SDK.
func (d *Database) DynamoDB(ctx context.Context, operation string, members, reply any) error {
	return d.post(ctx, dynamodb+operation, members, reply)
}

type named struct{ Name string }

// CreateSnapshot keeps the state of all tables under that name.
func (d *Database) CreateSnapshot(ctx context.Context, name string) error {
	return d.Call(ctx, "CreateSnapshot", named{name}, nil)
}

// Rollback brings back the state of the snapshot with that name.
func (d *Database) Rollback(ctx context.Context, name string) error {
	return d.Call(ctx, "RollbackToSnapshot", named{name}, nil)
}

// AdvanceClock moves the database's clock, by whole seconds. What has expired by the new time is deleted within about a
// second.
func (d *Database) AdvanceClock(ctx context.Context, by time.Duration) error {
	if by%time.Second != 0 {
		return fmt.Errorf("the clock moves by whole seconds, not by %v", by)
	}
	return d.Call(ctx, "MoveClock", struct{ Seconds int64 }{int64(by / time.Second)}, nil)
}

// ResetClock brings back the machine's clock.
func (d *Database) ResetClock(ctx context.Context) error {
	return d.Call(ctx, "MoveClock", struct{ OffsetSeconds int }{}, nil)
}

func (d *Database) post(ctx context.Context, target string, members, reply any) error {
	if members == nil {
		members = struct{}{}
	}
	body, err := json.Marshal(members)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", target)
	// Nothing is verified: the server of tests has no credentials.
	request.Header.Set("X-Amz-Date", "20260101T000000Z")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+d.Namespace+"/20260101/"+Region+
		"/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature="+strings.Repeat("0", 64))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode == http.StatusOK {
		if reply == nil {
			return nil
		}
		return json.Unmarshal(said, reply)
	}
	var refusal struct {
		Type    string `json:"__type"`
		Message string `json:"message"` // also "Message": names are compared without case
	}
	_ = json.Unmarshal(said, &refusal)
	code := refusal.Type[strings.LastIndex(refusal.Type, "#")+1:]
	if code == "" {
		code = answer.Status
	}
	return &CallError{target, code, refusal.Message}
}

// The last of what a server says.
type tail struct {
	mutex sync.Mutex
	bytes []byte
}

func (t *tail) Write(more []byte) (int, error) {
	const most = 8000
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.bytes = append(t.bytes, more...)
	if len(t.bytes) > most {
		t.bytes = append([]byte(nil), t.bytes[len(t.bytes)-most:]...)
	}
	return len(more), nil
}

func (t *tail) text() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.TrimSpace(string(t.bytes))
}
