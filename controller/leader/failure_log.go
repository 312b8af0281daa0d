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

func (t *failureLog) report(doing string, err error) {
	t.op = doing
	t.err = fmt.Errorf("%s: %w", doing, err)
	if text := t.err.Error(); text != t.logged {
		t.logged = text
		t.log.Warn("Cannot "+doing, "err", err)
	}
}

func (t *failureLog) resolve() {
	if t.err != nil {
		t.log.Info("The lease can be read and written again")
	}
	t.err, t.op, t.logged = nil, "", ""
}
