package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestCasesAreValidAndNamesUnique(t *testing.T) {
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
	if chosen, err := choose("^store/get$", false); err != nil || len(chosen) != 1 {
		t.Errorf("%d cases, %v", len(chosen), err)
	}
	if _, err := choose("(", false); err == nil {
		t.Error("an expression that does not parse is an error")
	}
}

// A run of all cases takes minutes. It excludes outages, which take longer.
func TestOutagesRunOnlyWhenNamed(t *testing.T) {
	for expression, want := range map[string]int{"": 0, ".": 0, "^recover/": 16} {
		chosen, err := choose(expression, false)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, c := range chosen {
			if strings.HasPrefix(c.Name, "recover/") {
				found++
			}
		}
		if found != want {
			t.Errorf("-run %q chooses %d outages, want %d", expression, found, want)
		}
	}
}

func TestListDescribesEachCase(t *testing.T) {
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
