package transport

import (
	"log/slog"
	"sync"
)

// failureLog logs a repeated failure once: when it begins, when its error changes,
// and when it is over.
type failureLog struct {
	logger    *slog.Logger
	failed    string
	recovered string

	mu        sync.Mutex
	lastError string // the last logged error; "" is none
}

// record records the result of an attempt.
func (t *failureLog) record(err error) {
	now := ""
	if err != nil {
		now = err.Error()
	}
	t.mu.Lock()
	before := t.lastError
	t.lastError = now
	t.mu.Unlock()
	switch {
	case now == before:
	case err != nil:
		t.logger.Error(t.failed, "error", err)
	default:
		t.logger.Info(t.recovered)
	}
}
