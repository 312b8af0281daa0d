package judge

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// T is passed to a check. It fits packages assert and require, and apitest.
type T struct {
	bubble *testing.T

	mu       sync.Mutex
	failures []string
	log      []string
}

// Helper does nothing: a failure is described by its text, not by a line of the check.
func (t *T) Helper() {}

// Errorf reports a failure. The check goes on.
func (t *T) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = append(t.failures, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// FailNow ends the goroutine of the check.
func (t *T) FailNow() { t.bubble.SkipNow() }

// Fatalf is Errorf, followed by FailNow.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	t.FailNow()
}

// Logf adds a line that is printed only if the check fails.
func (t *T) Logf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log = append(t.log, fmt.Sprintf(format, args...))
}

// Failed reports whether the check has failed.
func (t *T) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}

// Context ends before the functions of Cleanup are called.
func (t *T) Context() context.Context { return t.bubble.Context() }

// Cleanup calls f at the end of the check, the last one first.
func (t *T) Cleanup(f func()) { t.bubble.Cleanup(f) }

// Seed returns the seed of a random check that the learner selects, and 0 if the check
// has to use its own.
func (t *T) Seed() uint64 { return seed }

// patience is the fake time for which a call may block. It is longer than every
// back-off, silence and interval of the course.
const patience = 24 * time.Hour

// Unblocked calls f and fails if it does not return. The call is named as in "Pop".
func (t *T) Unblocked(call string, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.recoverPanic(call)
		f()
	}()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-done:
		if t.Failed() {
			t.FailNow()
		}
	case <-timeout.C:
		t.Fatalf("%s does not return%s", call, waitsAt())
	}
}

// Go calls f in a goroutine that the check does not wait for.
func (t *T) Go(call string, f func()) {
	go func() {
		defer t.recoverPanic(call)
		f()
	}()
}

// recoverPanic reports a panic of a call.
func (t *T) recoverPanic(call string) {
	if value := recover(); value != nil {
		t.Errorf("%s panics: %v%s", call, value, panickedAt())
	}
}

// Server starts a server in memory that ends with the check.
func (t *T) Server(options apitest.Options) *apitest.Server {
	options.InMemory = true
	if options.Seed == 0 {
		options.Seed = 1
	}
	server := apitest.NewServer(options)
	t.Cleanup(server.Close)
	return server
}

// Dial returns the base and the Dial of a server, for stack.Parts.
func Dial(server *apitest.Server) (base *url.URL, dial stack.Dial) {
	base, err := url.Parse(server.URL)
	if err != nil {
		panic(err)
	}
	return base, func(ctx context.Context) (net.Conn, error) { return server.Dial(ctx, "tcp", base.Host) }
}
