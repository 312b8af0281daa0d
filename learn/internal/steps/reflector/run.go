package reflector

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// silence is that of all Reflectors. It is much longer than the times of the back-off.
const silence = time.Hour

// ending is the end of a watch: what a Follower does with the store, and returns.
type ending func(store stack.Store) (last string, err error)

// run is a running Reflector with a scripted source, store, back-off and Follower.
type run struct {
	t         *judge.T
	source    *scripted.Source
	store     *scripted.Store
	backoff   *scripted.Backoff
	reflector stack.Reflector
	cancel    context.CancelFunc
	done      chan struct{}
	err       error

	// follows are the versions from which the watches began. endings are their ends;
	// further watches end with the context.
	mu      sync.Mutex
	follows []string
	endings []ending
	// begun is called when a watch begins. Default: nothing.
	begun func()
}

// scriptedFollower is the Follower of a run. It writes to the store of the Reflector.
type scriptedFollower struct {
	r     *run
	store stack.Store
}

func (f scriptedFollower) Follow(ctx context.Context, version string) (last string, err error) {
	if f.r.begun != nil {
		f.r.begun()
	}
	if end := f.r.begin(version); end != nil {
		return end(f.store)
	}
	<-ctx.Done()
	return version, ctx.Err()
}

// begin records a watch, and returns its end.
func (r *run) begin(version string) ending {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.follows = append(r.follows, version)
	if len(r.endings) == 0 {
		return nil
	}
	end := r.endings[0]
	r.endings = r.endings[1:]
	return end
}

// versions returns follows.
func (r *run) versions() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.follows)
}

// newRun returns a run that start begins.
func newRun(t *judge.T, source *scripted.Source, endings ...ending) *run {
	return &run{t: t, source: source, store: &scripted.Store{}, backoff: &scripted.Backoff{}, endings: endings, done: make(chan struct{})}
}

// start begins Run.
func (r *run) start(parts stack.Parts, stream bool) {
	follow := func(store stack.Store) stack.Follower { return scriptedFollower{r, store} }
	r.reflector = parts.NewReflector(r.source, r.store, stack.ReflectorOptions{Stream: stream, Silence: silence, Backoff: r.backoff, Follow: follow})
	if r.reflector == nil {
		r.t.Fatalf("NewReflector returns nil")
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	r.t.Cleanup(cancel)
	r.t.Go("Run", func() {
		defer close(r.done)
		r.err = r.reflector.Run(ctx)
	})
	r.after(0)
}

// after lets time pass.
func (r *run) after(duration time.Duration) {
	time.Sleep(duration)
	synctest.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
	select {
	case <-r.done:
		r.t.Fatalf("Run returns the error %v although its context has not ended; the requests are: %s", r.err, r.source.Log())
	default:
	}
}

// end ends the context, and waits until Run has returned.
func (r *run) end() {
	r.cancel()
	r.t.Unblocked("Run, after its context has ended,", func() { <-r.done })
}

// stored fails unless the store has received these calls.
func (r *run) stored(want, after string) {
	if got := r.store.Log(); got != want {
		r.t.Fatalf("%s: the store has received %q, want %q", after, got, want)
	}
}

// requested fails unless the source has received these requests.
func (r *run) requested(want, after string) {
	if got := r.source.Log(); got != want {
		r.t.Fatalf("%s: the requests are %q, want %q", after, got, want)
	}
}

// requestedAt fails unless the request with a number, from 0 on, was received at a time.
func (r *run) requestedAt(number int, at time.Duration, after, why string) {
	requests := r.source.Requests()
	if len(requests) <= number {
		r.t.Fatalf("%s: there is no further request after %q: %s", after, r.source.Log(), why)
	}
	if got := requests[number]; got.At != at {
		r.t.Fatalf("%s: the next %s is requested at %v, want %v: %s", after, got.Verb, got.At, at, why)
	}
}

// followed fails unless the watches began from these versions, in one line.
func (r *run) followed(want, after string) {
	if got := strings.Join(r.versions(), ", "); got != want {
		r.t.Fatalf("%s: Follow is called with the versions %q, want %q", after, got, want)
	}
}
