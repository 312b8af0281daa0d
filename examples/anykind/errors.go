package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/reflector"
)

// handleError reports failures of the informer, which retries them. If the first list is
// not permitted or does not exist, the command ends with the error.
func (w *watching) handleError(_ context.Context, err error) {
	var failed *reflector.Error
	if !errors.As(err, &failed) {
		fmt.Fprintln(w.out, singleLine(err.Error()))
		return
	}
	switch failed.Reason {
	case reflector.ReasonUnauthorized, reflector.ReasonForbidden, reflector.ReasonNotFound:
		if !w.table.hasBegun() {
			select {
			case w.failed <- err:
			default: // the command is ending already
			}
			return
		}
	}
	if failed.Reason == reflector.ReasonNotFound {
		err = fmt.Errorf("%s are no longer served; the watch continues when they are served again", fullName(w.resource))
	}
	if w.last == failed.Reason && time.Since(w.at) < time.Minute {
		return
	}
	w.last, w.at = failed.Reason, time.Now()
	fmt.Fprintln(w.out, singleLine(err.Error()))
}
