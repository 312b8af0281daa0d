package resume

import (
	"context"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// silence is that of all Followers. It is much longer than the times of the back-off.
const silence = time.Hour

// run is a Follow from version 10.
type run struct {
	t       *judge.T
	source  *scripted.Source
	store   *scripted.Store
	backoff *scripted.Backoff
	cancel  context.CancelFunc
	done    chan struct{}
	last    string
	err     error
}

// follow starts a Follow that receives these responses.
func follow(t *judge.T, parts stack.Parts, watches ...scripted.Answer) *run {
	return followInto(t, parts, &scripted.Store{}, watches...)
}

func followInto(t *judge.T, parts stack.Parts, store *scripted.Store, watches ...scripted.Answer) *run {
	r := &run{t: t, source: &scripted.Source{Watches: watches}, store: store, backoff: &scripted.Backoff{}, done: make(chan struct{})}
	follower := parts.NewFollower(r.source, store, r.backoff, silence)
	if follower == nil {
		t.Fatalf("NewFollower returns nil")
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	t.Cleanup(cancel)
	t.Go("Follow", func() {
		defer close(r.done)
		r.last, r.err = follower.Follow(ctx, "10")
	})
	synctest.Wait()
	return r
}

// after lets time pass.
func (r *run) after(duration time.Duration) {
	time.Sleep(duration)
	synctest.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// returned reports whether Follow has returned.
func (r *run) returned() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// end ends the context, and waits until Follow has returned.
func (r *run) end() {
	r.cancel()
	r.t.Unblocked("Follow, after its context has ended,", func() { <-r.done })
}

// request returns the request with a number, which must have been received within some
// time after what the text says.
func (r *run) request(number int, after string) scripted.Request {
	requests := r.source.Requests()
	if len(requests) > number {
		return requests[number]
	}
	if r.returned() {
		r.t.Fatalf("%s: Follow returns %q and the error %v instead of opening another watch", after, r.last, r.err)
	}
	r.t.Fatalf("%s: no other watch is opened; the requests are: %s", after, r.source.Log())
	panic("not reached")
}

// opensFrom fails unless the request with a number is a watch from a version.
func (r *run) opensFrom(number int, version, after string) {
	if got := r.request(number, after).Options.ResourceVersion; got != version {
		r.t.Fatalf("%s: the next watch is from version %q, want %q, the last version that reached the store", after, got, version)
	}
}

// opensAt fails unless the request with a number comes at this time.
func (r *run) opensAt(number int, at time.Duration, after, why string) {
	if got := r.request(number, after).At; got != at {
		r.t.Fatalf("%s: the next watch is requested at %v, want %v: %s", after, got, at, why)
	}
}

// stored fails unless the store has received these calls.
func (r *run) stored(want, after string) {
	if got := r.store.Log(); got != want {
		r.t.Fatalf("%s: the store has received %q, want %q", after, got, want)
	}
}
