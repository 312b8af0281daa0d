package attempt_test

import (
	"context"
	"testing"

	"github.com/thinformer/thinformer/internal/attempt"
)

func TestInnermostMarkApplies(t *testing.T) {
	plain := t.Context()
	once := attempt.Once(plain)
	repeated := attempt.Repeated(once)
	inherited, cancel := context.WithCancel(once)
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		once bool
	}{
		{"no mark", plain, false},
		{"Once", once, true},
		{"a child of Once", inherited, true},
		{"Repeated after Once", repeated, false},
		{"Once after Repeated", attempt.Once(repeated), true},
	} {
		if got := attempt.IsOnce(c.ctx); got != c.once {
			t.Errorf("%s: IsOnce is %v, want %v", c.name, got, c.once)
		}
	}
	if attempt.Repeated(plain) != plain {
		t.Error("Repeated wraps a context that has no mark")
	}
}
