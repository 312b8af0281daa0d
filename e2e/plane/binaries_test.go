package plane

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// smallRecipe returns a recipe with one small program.
func smallRecipe(t *testing.T, code string) *recipe {
	t.Helper()
	source := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module small\n\ngo 1.26.0\n", "main.go": code} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &recipe{source: source, programs: []program{{"small", "small"}}}
}

const hello = "package main\n\nfunc main() { print(\"hello\") }\n"

func TestProgramIsBuiltOnceByConcurrentBuilds(t *testing.T) {
	r, dir := smallRecipe(t, hello), t.TempDir()
	const builds = 4
	outputs := make([]bytes.Buffer, builds)
	var running sync.WaitGroup
	for i := range builds {
		running.Go(func() {
			if err := r.build(t.Context(), dir, &outputs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	built := 0
	for i := range outputs {
		built += strings.Count(outputs[i].String(), "built small: ")
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
	if out, err := exec.Command(filepath.Join(dir, "small")).CombinedOutput(); err != nil || string(out) != "hello" {
		t.Errorf("%q, %v", out, err)
	}
	var silence bytes.Buffer
	if err := r.build(t.Context(), dir, &silence); err != nil || silence.Len() > 0 {
		t.Errorf("a complete folder is built: %v, %s", err, silence.String())
	}
}

// The remains of a build that was killed do not count as a program.
func TestUnfinishedProgramIsRebuilt(t *testing.T) {
	r, dir := smallRecipe(t, hello), t.TempDir()
	half := filepath.Join(dir, "small.unfinished")
	// An incomplete file, and an empty file that a crash of the machine has left.
	err := errors.Join(os.WriteFile(half, []byte("half"), 0o700), os.WriteFile(filepath.Join(dir, "small"), nil, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.build(t.Context(), dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("the unfinished file is still there")
	}
	if out, err := exec.Command(filepath.Join(dir, "small")).CombinedOutput(); err != nil || string(out) != "hello" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestFailedBuildReportsWhyAndLeavesNoProgram(t *testing.T) {
	dir := t.TempDir()
	err := smallRecipe(t, "package main\n\nfunc main() { nonsense() }\n").build(t.Context(), dir, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "build small: ") || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("%v, %v", left, err)
	}
}

func TestLockIsAwaitedUntilContextEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	lock, err := lockFile(t.Context(), file, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("enough"))
	defer cancel()
	var output bytes.Buffer
	if _, err := lockFile(impatient, file, &output); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(output.String(), "another process holds "+file) {
		t.Errorf("output: %q", output.String())
	}
	time.AfterFunc(10*time.Millisecond, func() { lock.Close() })
	again, err := lockFile(t.Context(), file, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// replaceGo replaces the go command by a shell script.
func replaceGo(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The go command is interrupted and not killed, so that it can clean up.
func TestBuildIsInterruptedWithItsContext(t *testing.T) {
	r, dir := smallRecipe(t, hello), t.TempDir()
	begun := filepath.Join(t.TempDir(), "begun")
	replaceGo(t, `trap 'echo "cleaned up:" >&2; exit 1' INT; : >`+begun+`; while :; do sleep 0.01; done`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := os.Stat(begun); err == nil || t.Context().Err() != nil {
				return
			}
		}
	}()
	if err := r.build(ctx, dir, io.Discard); err == nil || !strings.Contains(err.Error(), "cleaned up:") {
		t.Errorf("%v", err)
	}
}

// If a process is killed, its go command may continue to write. No other build starts until
// the go command has ended.
func TestRemainingGoCommandKeepsTheLock(t *testing.T) {
	r, dir := smallRecipe(t, hello), t.TempDir()
	number := filepath.Join(t.TempDir(), "number")
	replaceGo(t, `sleep 60 >/dev/null 2>&1 & echo $! >`+number+`; exit 1`)
	if err := r.build(t.Context(), dir, io.Discard); err == nil {
		t.Fatal("built")
	}
	text, err := os.ReadFile(number)
	if err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(left, syscall.SIGKILL) }()
	impatient, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := r.build(impatient, dir, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("concurrently with a running build: %v", err)
	}
	if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	lock, err := lockFile(t.Context(), filepath.Join(dir, "lock"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}

func TestHashOfRecipeHasAllInputs(t *testing.T) {
	mod := "module " + pinned + newest + "\n\nrequire k8s.io/kubernetes v1.37.2 // indirect\n"
	name := func(mod, sum string) string {
		t.Helper()
		dir := t.TempDir()
		for file, text := range map[string]string{"go.mod": mod, "go.sum": sum} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := readRecipe(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, stamp := range []string{"gitVersion=v1.37.2", "gitMajor=1", "gitMinor=37"} {
			if !strings.Contains(r.flags[1], stamp) {
				t.Errorf("the flags lack %s: %q", stamp, r.flags)
			}
		}
		return r.hash
	}
	first := name(mod, "a")
	if again := name(mod, "a"); again != first {
		t.Errorf("equal pins have different hashes: %s, %s", first, again)
	}
	if name(mod, "b") == first || name(mod+"\n", "a") == first {
		t.Error("different pins have equal hashes")
	}
	if _, err := readRecipe(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder without pins has a recipe")
	}
}

func TestPinsAreFoundFromAnywhereInTheCheckout(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{newest, "controlplane-1.36"} {
		want := filepath.Join(here, "..", folder)
		for _, start := range []string{here, filepath.Join(here, ".."), filepath.Join(here, "..", "..", "rest", "testdata"), want} {
			if got, err := findSource(start, folder); err != nil || got != want {
				t.Errorf("from %s: %s, %v", start, got, err)
			}
		}
	}
	if got, err := findSource(t.TempDir(), newest); err == nil {
		t.Errorf("found outside of the checkout: %s", got)
	}
	if got, err := findSource(here, "controlplane-0"); err == nil || !strings.Contains(err.Error(), choice) {
		t.Errorf("a folder that does not exist: %s, %v", got, err)
	}
}

func TestProgressCountsOutputOfGoCommand(t *testing.T) {
	var out bytes.Buffer
	p := showProgress(&out, "thing")
	for _, piece := range []string{
		"go: downloading k8s.io/kubernetes v1.37.2\n", "k8s.io/api", "/core/v1\ninternal/abi\nk8s.io/klog/v2\n",
		"# k8s.io/broken\nbroken.go:1:2: undefined: x\nno end",
	} {
		if _, err := p.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := p.end(true), "# k8s.io/broken\nbroken.go:1:2: undefined: x\nno end"; got != want {
		t.Errorf("complaints: %q", got)
	}
	if want := regexp.MustCompile(`built thing: \d+ s, 1 modules downloaded, 3 packages compiled\n$`); !want.MatchString(out.String()) {
		t.Errorf("output %q", out.String())
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var all bytes.Buffer
	kept := &tail{also: &all}
	for i := range 10 * keptOfLog / 16 {
		if _, err := kept.Write(bytes.Repeat([]byte{'a' + byte(i%26)}, 16)); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept.String(); len(got) != keptOfLog || !strings.HasSuffix(all.String(), got) {
		t.Errorf("kept %d bytes of the last %d", len(got), keptOfLog)
	}
	if all.Len() != 10*keptOfLog {
		t.Errorf("passed on %d bytes", all.Len())
	}
}
