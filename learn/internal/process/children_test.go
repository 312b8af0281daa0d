package process_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/process"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// addressVariable has the address that a process of startProcess connects to. It runs
// until the connection ends.
const addressVariable = "COURSE_TEST_ADDRESS"

// startProcess starts a process that does not end, and waits until it is connected.
func startProcess(t *judge.T, _ stack.Parts) {
	executable, err := os.Executable()
	if err != nil {
		t.Fatalf("%v", err)
	}
	child := exec.Command(executable, "child")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatalf("%v", err)
	}
	child.Stderr = os.Stderr // the pipe stays open when the program ends
	if err := child.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	if _, err := output.Read(make([]byte, 1)); err != nil {
		t.Errorf("read from the process: %v", err)
	}
}

func runChild() {
	conn, err := net.Dial("tcp", os.Getenv(addressVariable))
	if err != nil {
		return
	}
	fmt.Println("connected")
	_, _ = io.Copy(io.Discard, conn)
}

// A process that the solution has started ends with the program.
func TestProcessesOfTheSolutionEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no process groups")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv(addressVariable, listener.Addr().String())
	err = program(t, "children").Judge(t.Context(), len(children), func(o process.Outcome) bool {
		if o.Reason != "" {
			t.Error(o.Reason)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the process still runs")
	}
}
