package leader

import (
	"fmt"
	"log/slog"
)

// failureLog logs a failure once until it changes or is resolved.
type failureLog struct {
	log *slog.Logger
	err error
	// op is the failed operation, logged the last logged text.
	op, logged string
}

func (l *failureLog) report(doing string, err error) {
	l.op = doing
	l.err = fmt.Errorf("%s: %w", doing, err)
	if text := l.err.Error(); text != l.logged {
		l.logged = text
		l.log.Warn("Cannot "+doing, "err", err)
	}
}

func (l *failureLog) resolve() {
	if l.err != nil {
		l.log.Info("The lease can be read and written again")
	}
	l.err, l.op, l.logged = nil, "", ""
}
