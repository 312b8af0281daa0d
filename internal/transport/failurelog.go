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
func (l *failureLog) record(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	l.mu.Lock()
	previous := l.lastError
	l.lastError = text
	l.mu.Unlock()
	switch {
	case text == previous:
	case err != nil:
		l.logger.Error(l.failed, "err", err)
	default:
		l.logger.Info(l.recovered)
	}
}
