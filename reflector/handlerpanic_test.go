package reflector_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/reflector"
)

// A panic of a WatchErrorHandler ends only that call. The panic and the error
// are logged once.
func TestPanicOfAWatchErrorHandlerIsRecovered(t *testing.T) {
	var log bytes.Buffer
	calls := 0
	handler := reflector.RecoverPanics("pods", slog.New(slog.NewTextHandler(&log, nil)), func(context.Context, error) {
		if calls++; calls < 3 {
			panic("handler failed")
		}
	})
	for range 3 {
		handler(t.Context(), errors.New("no route"))
	}
	if calls != 3 {
		t.Errorf("the handler was called %d times; want 3", calls)
	}
	for text, want := range map[string]int{"WatchErrorHandler panicked": 1, "panic=\"handler failed\"": 1, "no route": 1} {
		if n := strings.Count(log.String(), text); n != want {
			t.Errorf("the log has %q %d times; want %d:\n%s", text, n, want, log.String())
		}
	}
}
