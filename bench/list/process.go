package list

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// roleVariable, where it is set, makes the program one of the processes of a
// case instead of the bench.
const roleVariable = "THINFORMER_BENCH_ROLE"

// RunAsChild does what the process was started for and returns true, or returns
// false in a process that nobody here has started. A program that measures
// these cases calls it first.
func RunAsChild() bool {
	role := os.Getenv(roleVariable)
	if role == "" {
		return false
	}
	var ask request
	if err := json.NewDecoder(os.Stdin).Decode(&ask); err != nil {
		fail(err)
	}
	switch role {
	case "server":
		serve(ask)
	case "ours":
		answer(measured(ask, listOurs))
	case "theirs":
		answer(measured(ask, listTheirs))
	default:
		fail(fmt.Errorf("no process is called %q", role))
	}
	return true
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func answer(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		fail(err)
	}
}

// request says what a process is to serve, or to list.
type request struct {
	URL      string
	Encoding encoding
	Pods     int
	// Paged asks for pages, else everything comes in one answer.
	Paged bool
	// Whole keeps the managed fields on our side too.
	Whole bool
}

func child(role string, ask request) *exec.Cmd {
	program, err := os.Executable()
	check(err)
	command := exec.Command(program)
	command.Env = append(os.Environ(), roleVariable+"="+role)
	command.Stdin = strings.NewReader(string(must(json.Marshal(ask))))
	return command
}

// runClient runs one client to its end.
func runClient(who string, ask request) (r result) {
	command := child(who, ask)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		panic(fmt.Sprintf("the client %s: %v: %s", who, err, complaints.String()))
	}
	check(json.Unmarshal(output, &r))
	return r
}

// server is the one that runs. It holds hundreds of megabytes: there is one at a
// time.
var server struct {
	sync.Mutex
	of    request
	url   string
	close func()
}

// serverOf is the address of a server of so many pods in that encoding.
func serverOf(form encoding, pods int) string {
	server.Lock()
	defer server.Unlock()
	of := request{Encoding: form, Pods: pods}
	if server.of == of {
		return server.url
	}
	if server.close != nil {
		server.close()
	}
	server.url, server.close = startServer(of)
	server.of = of
	return server.url
}

// startServer starts a server, which ends when its input does: when it is
// closed, or this process is gone.
func startServer(of request) (url string, stop func()) {
	command := child("server", of)
	command.Stdin = nil
	command.Stderr = os.Stderr
	input, output := must(command.StdinPipe()), must(command.StdoutPipe())
	check(command.Start())
	check(json.NewEncoder(input).Encode(of))
	line, err := bufio.NewReader(output).ReadString('\n')
	check(err)
	return strings.TrimSpace(line), func() {
		_ = input.Close()
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
	}
}

// digests are what the clients have said they hold, of each list.
var digests sync.Map

// agree panics unless both sides hold the same objects.
func agree(ask request, digest string) {
	if first, known := digests.LoadOrStore(ask, digest); known && first != digest {
		panic("the sides hold different objects after the same list")
	}
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
