package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestLinesAreOfOneSort(t *testing.T) {
	text := "// Package p is.\npackage p\n\n/* two\nlines */\nvar a = `x\n\ny` // behind code\n"
	if c := countOne("p.go", []byte(text)); c != (count{code: 4, comments: 3}) {
		t.Errorf("%+v", c)
	}
	if c := countOne("p_test.go", []byte(text)); c != (count{tests: 7}) {
		t.Errorf("%+v", c)
	}
}

// Each room has a line, and what is named of client-go is there.
func TestTheTableHasEachRoom(t *testing.T) {
	theirs, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := table(&out, "../..", strings.TrimSpace(string(theirs))); err != nil {
		t.Fatal(err)
	}
	for _, room := range []string{"rest", "reflector", "indexer", "deltafifo", "informer", "workqueue", "controller"} {
		if !strings.Contains(out.String(), " "+room+" ") {
			t.Errorf("no line for %s:\n%s", room, out.String())
		}
	}
	t.Log("\n" + out.String())
}
