package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestEveryCaseIsWellFormedAndItsNameUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCases() {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if seen[c.Name] {
			t.Errorf("two cases are called %s", c.Name)
		}
		seen[c.Name] = true
	}
}

func TestChoose(t *testing.T) {
	if chosen, err := choose("^store/get$"); err != nil || len(chosen) != 1 {
		t.Errorf("%d cases, %v", len(chosen), err)
	}
	if _, err := choose("("); err == nil {
		t.Error("an expression that does not parse is an error")
	}
}

func TestTheListSaysWhatEachCaseDoes(t *testing.T) {
	var out bytes.Buffer
	if err := describe(&out, allCases()); err != nil {
		t.Fatal(err)
	}
	for _, c := range allCases() {
		if !strings.Contains(out.String(), c.Name+" ("+c.Unit+")\n    "+c.About+"\n") {
			t.Errorf("%s is not listed", c.Name)
		}
	}
}
