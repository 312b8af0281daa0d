package controller

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxListed bounds the lists of a State. The counts beside them are exact.
const maxListed = 100

// State is what a controller is doing and how it fares: for health endpoints,
// debug pages and tests. It is a copy. Its lists have at most 100 entries each;
// where there can be more, a count stands beside.
type State struct {
	Name    string
	Running bool
	// Synced: all that was there at the beginning is in the queue, or has been
	// reconciled.
	Synced bool
	// Waiting are the informers whose first list is not there: nothing is
	// reconciled before it is.
	Waiting []Waiting

	// Queued is how many keys wait for a worker.
	Queued int
	// Held is how many keys wait for informers to see what they have written.
	Held int
	// Stale are those of them that have waited longer than WriteTimeout, as it was
	// when that was noticed.
	Stale []*StaleError
	// Working are the keys that are being reconciled, the longest first.
	Working []Working
	// Retrying are keys that have failed, and come again by themselves: the next
	// first, of those that are listed. One that is being reconciled again is still
	// among them.
	Retrying      []Failing
	RetryingCount int
	// Quarantined are keys that have panicked too often: only a change brings
	// them back.
	Quarantined      []Failing
	QuarantinedCount int

	// Reconciles counts the calls that have returned; Errors those of them that
	// returned an error or panicked, Panics the latter alone; Retries the errors
	// after which the key was to come again. All are of all runs.
	Reconciles, Errors, Panics, Retries uint64
}

// Waiting is an informer that has not synced.
type Waiting struct {
	Informer string
	Resource schema.GroupVersionResource
	// Reason is the last failure of its source, or that nobody runs it; nil while
	// the first list is on its way.
	Reason error
}

// Working is a key that is being reconciled.
type Working struct {
	Request Request
	Since   time.Time
}

// Failing is a key that has failed.
type Failing struct {
	Request Request
	// Failures is how often in a row, Err how it did last.
	Failures int
	Err      error
	// Next is when it comes again, if nothing brings it before.
	Next time.Time
}

// into tells of the run.
func (r *run) into(s *State) {
	s.Running = true
	s.Synced = r.synced.Load()
	if !s.Synced {
		s.Waiting = r.waiting()
	}
	s.Queued = r.queue.Len()
	r.gate.into(s)
	s.Working = r.working()
	r.troubles.into(s)
	slices.SortFunc(s.Retrying, func(a, b Failing) int {
		return cmp.Or(a.Next.Compare(b.Next), a.Request.compare(b.Request))
	})
	slices.SortFunc(s.Stale, func(a, b *StaleError) int { return a.Request.compare(b.Request) })
	slices.SortFunc(s.Quarantined, func(a, b Failing) int { return a.Request.compare(b.Request) })
}

// working are the keys that are with a worker.
func (r *run) working() []Working {
	var all []Working
	for _, w := range r.team {
		if job := w.job.Load(); job != nil {
			all = append(all, Working{Request: job.request, Since: job.began})
		}
	}
	slices.SortFunc(all, func(a, b Working) int {
		return cmp.Or(a.Since.Compare(b.Since), a.Request.compare(b.Request))
	})
	return all
}

func (r Request) compare(o Request) int {
	return cmp.Or(cmp.Compare(r.Namespace, o.Namespace), cmp.Compare(r.Name, o.Name))
}
