package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/store"
)

func TestEveryContestHasASideForEachColumn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range store.Designs() {
		asCase := harness.Case{Name: c.Name, About: c.About, Unit: c.Unit, Ours: c.Sides[0]}
		if err := asCase.Validate(); err != nil {
			t.Error(err)
		}
		if seen[c.Name] {
			t.Errorf("two contests are called %s", c.Name)
		}
		seen[c.Name] = true
		if len(c.Sides) != len(store.DesignNames) {
			t.Errorf("%s has %d sides, and there are %d columns", c.Name, len(c.Sides), len(store.DesignNames))
		}
	}
}

func TestHoldListsAndRefuses(t *testing.T) {
	var out bytes.Buffer
	if err := hold(&out, harness.Plan{}, "^design/get$", true); err != nil || !strings.HasPrefix(out.String(), "design/get (ns/op)\n") {
		t.Errorf("%s, %v", out.String(), err)
	}
	if err := hold(&out, harness.Plan{}, "(", true); err == nil {
		t.Error("an expression that does not parse is an error")
	}
}
