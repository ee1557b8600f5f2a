// Makes the calls that it reads as JSON lines, with the SDK (http:) or the DAX client (dax:, daxs:) of one version.
//
//	driver 2 dax://127.0.0.1:8111 <steps >results
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// How long a call may take. The clients send no bytes of some calls of unknown tables, and wait for the answer.
const patience = 12 * time.Second

// What the two versions have in common: a call in JSON, as the API has it.
type caller func(operation string, input json.RawMessage) (any, error)

type failure struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Reasons any    `json:"reasons,omitempty"`
	Item    any    `json:"item,omitempty"`
	Client  string `json:"client,omitempty"`
}

type step struct {
	Name, Call, Again string
	Input             map[string]json.RawMessage
}

type result struct {
	Name    string   `json:"name"`
	Outputs []any    `json:"outputs"`
	Error   *failure `json:"error,omitempty"`
}

// next sets what a call that goes on where this one ended is given; false if there is nothing left.
func (s *step) next(output any) bool {
	text, err := json.Marshal(output)
	if err != nil {
		panic(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		panic(err)
	}
	from, to := []string{"LastEvaluatedKey"}, "ExclusiveStartKey"
	if s.Again == "Unprocessed" {
		from, to = []string{"UnprocessedKeys", "UnprocessedItems"}, "RequestItems"
	}
	for _, name := range from {
		if value := string(members[name]); s.Again != "" && value != "" && value != "null" && value != "{}" {
			s.Input[to] = members[name]
			return true
		}
	}
	return false
}

// guarded makes an error of a client's panic.
func guarded(call caller, operation string, input json.RawMessage) (output any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return call(operation, input)
}

func (s *step) make(call caller, describe func(error) *failure) result {
	done := result{Name: s.Name, Outputs: []any{}}
	for range 1000 {
		input, err := json.Marshal(s.Input)
		if err != nil {
			panic(err)
		}
		output, err := guarded(call, s.Call, input)
		if err != nil {
			done.Error = describe(err)
			break
		}
		done.Outputs = append(done.Outputs, output)
		if !s.next(output) {
			break
		}
	}
	return done
}

func main() {
	call, describe := first(os.Args[2])
	if os.Args[1] == "2" {
		call, describe = second(os.Args[2])
	}
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var one step
		if err := json.Unmarshal(line, &one); err != nil {
			panic(err)
		}
		if err := out.Encode(one.make(call, describe)); err != nil {
			panic(fmt.Sprint(one.Name, ": ", err))
		}
	}
}
