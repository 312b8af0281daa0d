package controller_test

import (
	"context"
	"testing"

	"github.com/thinformer/thinformer/controller"
)

// Leading ends when the process no longer leads, and not when the program is asked to
// stop. Without an election it never ends.
func TestLeadingDoesNotEndWithTheStop(t *testing.T) {
	leading, lose := context.WithCancelCause(t.Context())
	ctx, stop := context.WithCancel(controller.WithLeading(t.Context(), leading))
	stop()
	if err := controller.Leading(ctx).Err(); err != nil {
		t.Errorf("after the stop: Leading has ended: %v", err)
	}
	lose(controller.ErrNotLeading)
	if cause := context.Cause(controller.Leading(ctx)); cause != controller.ErrNotLeading {
		t.Errorf("after the loss: the cause is %v", cause)
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if err := controller.Leading(ctx).Err(); err != nil {
		t.Errorf("without an election: Leading has ended: %v", err)
	}
}
