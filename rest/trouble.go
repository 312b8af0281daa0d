package rest

import (
	"log/slog"
	"sync"
)

// trouble logs that something does not work when it begins, when it becomes
// something else and when it is over: not each time that it is met.
type trouble struct {
	logger *slog.Logger
	begins string
	over   string

	mu   sync.Mutex
	last string // the error that was logged; "" is none
}

// is reports how the last try went.
func (t *trouble) is(err error) {
	now := ""
	if err != nil {
		now = err.Error()
	}
	t.mu.Lock()
	before := t.last
	t.last = now
	t.mu.Unlock()
	switch {
	case now == before:
	case err != nil:
		t.logger.Error(t.begins, "error", err)
	default:
		t.logger.Info(t.over)
	}
}
