package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/reflector"
)

// trouble is what an informer tells of that keeps it from being up to date. It
// goes on by itself; only who has no first list, and no right to it, is better
// off with an error.
func (w *watching) trouble(_ context.Context, err error) {
	var failed *reflector.Error
	if !errors.As(err, &failed) {
		fmt.Fprintln(w.out, singleLine(err.Error()))
		return
	}
	switch failed.Reason {
	case reflector.Unauthorized, reflector.Forbidden, reflector.NotFound:
		if !w.table.hasBegun() {
			select {
			case w.failed <- err:
			default: // it is the end already
			}
			return
		}
	}
	if failed.Reason == reflector.NotFound {
		err = fmt.Errorf("%s are not served any more; if they come back, so does the watch", fullName(w.resource))
	}
	if w.last == failed.Reason && time.Since(w.at) < time.Minute {
		return
	}
	w.last, w.at = failed.Reason, time.Now()
	fmt.Fprintln(w.out, singleLine(err.Error()))
}
