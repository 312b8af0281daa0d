// Package process runs parts of a case in their own processes, so that the processor
// time and the peak memory of each part can be measured.
package process

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// roleVariable is the environment variable with the role of a child process. It is not
// set in the command bench itself.
const roleVariable = "THINFORMER_BENCH_ROLE"

// A Role is the work of a child process. Its argument is read from the standard input.
type Role func(question json.RawMessage) error

// RunAsChild does the work of a child process and returns true. In a process that this
// package has not started it returns false. A program that measures cases with
// processes calls it first, with all their roles.
func RunAsChild(roles map[string]Role) bool {
	name := os.Getenv(roleVariable)
	if name == "" {
		return false
	}
	role, known := roles[name]
	if !known {
		fail(fmt.Errorf("no process is called %q", name))
	}
	var question json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&question); err != nil {
		fail(err)
	}
	if err := role(question); err != nil {
		fail(err)
	}
	return true
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Answering returns a role that answers one question and ends.
func Answering[Question, Answer any](work func(Question) Answer) Role {
	return func(question json.RawMessage) error {
		var q Question
		if err := json.Unmarshal(question, &q); err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(work(q))
	}
}

// Serving returns a role that serves HTTP/1.1 without TLS on its own port until its
// standard input is closed. That is also the case if the parent process has ended.
func Serving[Question any](open func(Question) http.Handler) Role {
	return func(question json.RawMessage) error {
		var q Question
		if err := json.Unmarshal(question, &q); err != nil {
			return err
		}
		handler := open(q)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Println("http://" + listener.Addr().String())
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		return http.Serve(listener, handler)
	}
}

// Ask runs a process to its end, with additional environment variables, and returns its
// answer. If the process fails, Ask panics with its standard error.
func Ask[Answer any](role string, question any, environment ...string) (answer Answer) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), answerTimeout, fmt.Errorf("no answer within %v", answerTimeout))
	defer cancel()
	command := child(ctx, role)
	command.Env = append(command.Env, environment...)
	command.Stdin = bytes.NewReader(must(json.Marshal(question)))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		panic(fmt.Sprintf("the process %s: %v: %s", role, cmp.Or(context.Cause(ctx), err), stderr.String()))
	}
	check(json.Unmarshal(output, &answer))
	return answer
}

// Serve starts a process with a role of Serving.
func Serve(role string, question any) (url string, stop func()) {
	command := child(context.Background(), role)
	command.Stderr = os.Stderr
	input, output := must(command.StdinPipe()), must(command.StdoutPipe())
	check(command.Start())
	check(json.NewEncoder(input).Encode(question))
	line, err := bufio.NewReader(output).ReadString('\n')
	check(err)
	return strings.TrimSpace(line), func() {
		_ = input.Close()
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
	}
}

// answerTimeout is the maximum duration of a process that answers.
const answerTimeout = 15 * time.Minute

func child(ctx context.Context, role string) *exec.Cmd {
	command := exec.CommandContext(ctx, must(os.Executable()))
	command.Env = append(os.Environ(), roleVariable+"="+role)
	return command
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
