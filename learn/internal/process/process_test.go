package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/process"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The test binary is the program that the tests run, if its first argument selects checks.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		runChild()
		return
	}
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		checks := programs[os.Args[1]]
		os.Args = append(os.Args[:1], os.Args[2:]...)
		judge.Main(judge.Step{Checks: checks}, stack.Parts{})
		return
	}
	os.Exit(m.Run())
}

var programs = map[string][]judge.Check{"checks": checks, "loop": loop, "children": children}

// panicInGoroutine panics where the check cannot recover.
func panicInGoroutine(value any) {
	go func() { panic(value) }()
	select {}
}

var checks = []judge.Check{
	{Name: "passes", Run: func(*judge.T, stack.Parts) {}},
	{Name: "fails", Run: func(t *judge.T, _ stack.Parts) { t.Errorf("one\ntwo") }},
	{Name: "prints", Run: func(*judge.T, stack.Parts) {
		fmt.Print("one\n{\"check\":\"x\"}\n\x1enothing\n")
		fmt.Fprint(os.Stderr, "no end of line")
	}},
	{Name: "prints records", Run: func(*judge.T, stack.Parts) {
		fmt.Print("\x1e{\"check\":\"x\"}\n\x1e{\"check\":\"x\",\"begun\":true}\n\x1eno end")
	}},
	{Name: "prints a lot", Run: func(t *judge.T, _ stack.Parts) {
		for i := range 100_000 {
			fmt.Println("line", i)
		}
	}},
	{Name: "panics", Run: func(*judge.T, stack.Parts) { panicInGoroutine("oh\nno") }},
	{Name: "panics after output", Run: func(*judge.T, stack.Parts) {
		fmt.Println("before")
		panicInGoroutine(errors.New("oh"))
	}},
	{Name: "exits with 0", Run: func(*judge.T, stack.Parts) { os.Exit(0) }},
	{Name: "exits with 3", Run: func(*judge.T, stack.Parts) { os.Exit(3) }},
	{Name: "reads", Run: func(t *judge.T, _ stack.Parts) {
		if text, err := io.ReadAll(os.Stdin); len(text) > 0 || err != nil {
			t.Errorf("read %q, %v", text, err)
		}
	}},
	{Name: "recurses without end", Run: func(*judge.T, stack.Parts) {
		var deep func(int) int
		deep = func(i int) int { return deep(i+1) + 1 }
		deep(0)
	}},
	{Name: "allocates", Run: func(*judge.T, stack.Parts) {
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	}},
	{Name: "is the last", Run: func(*judge.T, stack.Parts) {}},
}

var children = []judge.Check{{Name: "starts a process", Run: startProcess}}

var loop = []judge.Check{
	{Name: "passes", Run: func(*judge.T, stack.Parts) {}},
	{Name: "loops", Run: count},
	{Name: "loops again", Run: count},
}

func count(*judge.T, stack.Parts) {
	for i := 0; ; i++ {
		counted = i
	}
}

// What the checks compute.
var (
	kept    [][]byte
	counted int
)

func program(t *testing.T, name string) process.Program {
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return process.Program{Path: executable, Args: []string{name}, Limit: time.Minute}
}

// A solution that ends the program fails one check, and the next ones are judged.
func TestOutcomes(t *testing.T) {
	type outcome struct{ reason, output string }
	got := map[string]outcome{}
	var order []string
	err := program(t, "checks").Judge(t.Context(), len(checks), func(o process.Outcome) bool {
		order = append(order, o.Check)
		got[o.Check] = outcome{o.Reason, o.Output}
		return true
	})
	if err != nil || len(order) != len(checks) || order[len(order)-1] != "is the last" {
		t.Fatalf("Judge returns %v after %q", err, order)
	}
	for check, want := range map[string]outcome{
		"passes":               {},
		"fails":                {reason: "one\ntwo"},
		"prints":               {output: "one\n{\"check\":\"x\"}\n\x1enothing\nno end of line"},
		"prints records":       {output: "\x1e{\"check\":\"x\"}\n\x1e{\"check\":\"x\",\"begun\":true}\n\x1eno end"},
		"panics":               {reason: "a goroutine of the solution panics: oh"},
		"panics after output":  {reason: "a goroutine of the solution panics: oh", output: "before\n"},
		"exits with 0":         {reason: "the program ends with exit code 0: the solution calls os.Exit"},
		"exits with 3":         {reason: "the program ends with exit code 3: the solution calls os.Exit"},
		"reads":                {},
		"recurses without end": {reason: "the runtime ends the program: stack overflow"},
		"allocates":            {reason: "the solution uses more than 1024 MB of memory"},
		"is the last":          {},
	} {
		if got := got[check]; !strings.HasPrefix(got.reason, want.reason) || (want.reason == "") != (got.reason == "") || got.output != want.output {
			t.Errorf("%s: got %+v, want %+v", check, got, want)
		}
	}
	if output := got["prints a lot"].output; len(output) > 100<<10 || !strings.HasPrefix(output, "line 0\n") || !strings.HasSuffix(output, "line 99999\n") {
		t.Errorf("the shortened output has %d bytes", len(output))
	}
}

func TestReportCanStop(t *testing.T) {
	judged := 0
	err := program(t, "checks").Judge(t.Context(), len(checks), func(process.Outcome) bool { judged++; return judged < 2 })
	if err != nil || judged != 2 {
		t.Errorf("Judge returns %v after %d checks, want nil after 2", err, judged)
	}
}

func TestTheLimitOfTimeEndsALoop(t *testing.T) {
	p := program(t, "loop")
	p.Limit = 300 * time.Millisecond
	if err := p.Judge(t.Context(), len(loop), func(process.Outcome) bool { return true }); !errors.Is(err, process.ErrLimit) {
		t.Errorf("Judge returns %v, want %v", err, process.ErrLimit)
	}
}

// The limit of a check is another one after a check that has exceeded it.
func TestTheLimitOfACheckEndsALoop(t *testing.T) {
	p := program(t, "loop")
	p.Args = append(p.Args, "-limit", "500ms")
	var reasons []string
	err := p.Judge(t.Context(), len(loop), func(o process.Outcome) bool {
		reasons = append(reasons, o.Reason)
		return true
	})
	want := []string{"", "the check does not end within 500ms: a loop", "the check does not end within 1s: a loop"}
	if err != nil || !slices.EqualFunc(reasons, want, strings.HasPrefix) {
		t.Errorf("Judge returns %v with the reasons %q, want %q", err, reasons, want)
	}
}

func TestTheContextEndsALoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := program(t, "loop").Judge(ctx, len(loop), func(process.Outcome) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Judge returns %v, want %v", err, context.Canceled)
	}
}
