package rest

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/missing"
)

// definitions finds out when resources are served that were not. The readers of one
// client share it: while at least one waits, one of them asks for all of them every three
// seconds. It has no goroutine: the reader asks on its own.
type definitions struct {
	client *Client

	mu   sync.Mutex
	poll missing.Poll
	// changed is closed when a reader must ask for its next step. It is nil while none
	// waits.
	changed chan struct{}

	// served is what the server has answered. It is kept while readers wait, and used
	// without mu by the one that asks.
	served servedLists
}

// ownAttemptAfter is about how long a reader waits before it tries although its resource
// is not listed.
const ownAttemptAfter = time.Minute

// wait returns when the resource may be served, or when ctx is done. notBefore is the
// backoff of the reader. repeated reports whether the reader has waited for it, because
// the resource was listed when the last attempt failed.
func (d *definitions) wait(ctx context.Context, resource schema.GroupVersionResource, notBefore time.Time) (repeated bool, err error) {
	ownAttempt := time.Now().Add(time.Duration((0.75 + rand.Float64()/2) * float64(ownAttemptAfter)))
	d.mu.Lock()
	reader := d.poll.Join(resource, notBefore, ownAttempt)
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	d.mu.Unlock()
	defer d.leave(reader)
	for {
		d.mu.Lock()
		step, changed := d.poll.Step(reader, time.Now()), d.changed
		d.mu.Unlock()
		switch {
		case step.Ready:
			return step.Repeated, nil
		case step.Ask:
			d.ask(ctx)
		default:
			waitForStep(ctx, step.At, changed)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
}

// nextRound returns when the server is asked next if the resource of a reader is not
// served now.
func (d *definitions) nextRound() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.poll.NextRound(time.Now())
}

// waitForStep waits for a time, unless it is zero, for changed, or for the end of ctx.
func waitForStep(ctx context.Context, at time.Time, changed <-chan struct{}) {
	var due <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-changed:
	case <-ctx.Done():
	}
}

// leave removes a reader. The last one discards the answers.
func (d *definitions) leave(reader *missing.Reader) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch last, next := d.poll.Leave(reader); {
	case last:
		d.served, d.changed = servedLists{}, nil
	case next: // only then, since with many readers each wakes all others
		d.wake()
	}
}

// wake makes all readers ask for their next step. It needs mu.
func (d *definitions) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// ask asks for the resources of all readers.
func (d *definitions) ask(ctx context.Context) {
	d.mu.Lock()
	resources := d.poll.Resources()
	d.mu.Unlock()
	wait := d.served.ask(ctx, d.client, resources, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.poll.Learned(d.served.listing)
		d.wake()
	})
	if ctx.Err() != nil {
		return // the reader leaves
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.poll.Finished(time.Now(), wait)
	d.wake()
}
