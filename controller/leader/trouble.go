package leader

import (
	"fmt"
	"log/slog"
)

// trouble is logged once for as long as it is the same.
type trouble struct {
	log *slog.Logger
	err error
	// doing is what did not work, and as how it was logged.
	doing, as string
}

func (t *trouble) is(doing string, err error) {
	t.doing = doing
	t.err = fmt.Errorf("%s: %w", doing, err)
	if as := t.err.Error(); as != t.as {
		t.as = as
		t.log.Warn("cannot "+doing, "error", err)
	}
}

func (t *trouble) over() {
	if t.err != nil {
		t.log.Info("the lease can be read and written again")
	}
	t.err, t.doing, t.as = nil, "", ""
}
