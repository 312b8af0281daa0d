package controller_test

import (
	"context"
	"testing"

	"github.com/thinformer/thinformer/controller"
)

// Leading does not end when the program is told to stop, only when it no longer
// leads, and never where nobody was elected.
func TestLeadershipOutlastsTheStop(t *testing.T) {
	leading, lose := context.WithCancelCause(t.Context())
	ctx, stop := context.WithCancel(controller.WithLeading(t.Context(), leading))
	stop()
	if err := controller.Leading(ctx).Err(); err != nil {
		t.Errorf("stopped, and no longer leading: %v", err)
	}
	lose(controller.ErrNotLeading)
	if cause := context.Cause(controller.Leading(ctx)); cause != controller.ErrNotLeading {
		t.Errorf("lost, and the cause is %v", cause)
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if err := controller.Leading(ctx).Err(); err != nil {
		t.Errorf("without an election: %v", err)
	}
}
