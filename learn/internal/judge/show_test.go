package judge

import (
	"testing"
	"time"
)

// Show has fake time, and returns the failure of the run.
func TestShow(t *testing.T) {
	start := time.Now()
	if err := Show(func(t *T) { <-time.After(time.Hour) }); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("an hour takes %v", took)
	}
	if err := Show(func(t *T) { t.Fatalf("the server is %s", "away") }); err == nil || err.Error() != "the server is away" {
		t.Errorf("Show returns %v", err)
	}
}
