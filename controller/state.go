package controller

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/workqueue"
)

// maxListed limits the lists of a State. The counts are exact.
const maxListed = 100

// maxDependenciesListed limits the dependencies of each request in a State.
const maxDependenciesListed = 10

// State is a snapshot of a controller for health endpoints, debug pages and tests.
// Each list has at most 100 entries; lists that can be longer have a count beside
// them.
type State struct {
	Name    string
	Running bool
	// Synced is true when the keys of all existing objects have been enqueued.
	Synced bool
	// UnreadyInformers lists the informers that are not ready: informers without a complete
	// first list, for which the controller waits, and informers that lack objects of
	// their list that could not be decoded. The other objects of the latter are
	// reconciled.
	UnreadyInformers []UnreadyInformer

	// Queued is the number of keys that wait for a worker.
	Queued int
	// Queue has the keys in the queue: those that wait for a worker, in their order,
	// those that a worker has taken, and those that will be added after a delay, such
	// as retries. A key that a worker has taken is dirty if it was enqueued again.
	Queue workqueue.Snapshot[Request]
	// Held is the number of keys that wait for informers to observe their writes.
	Held int
	// Stale lists the held keys that have waited longer than WriteTimeout, with the
	// state at that time.
	Stale []*StaleError
	// Working lists the keys that are being reconciled, longest first.
	Working []ActiveRequest
	// Retrying lists the failed keys that will be retried, by time of the next retry.
	// A key that is being reconciled again is still listed.
	Retrying      []FailingRequest
	RetryingCount int
	// Quarantined lists the keys that have panicked too often. They are reconciled
	// again only after a change.
	Quarantined      []FailingRequest
	QuarantinedCount int

	// Tracked lists requests with tracked reads, each with up to ten dependencies; see
	// [Controller.Explain]. TrackedCount is the number of such requests.
	Tracked      []Explanation
	TrackedCount int

	// Reconciles counts the calls that have returned. Errors counts those that
	// returned an error or panicked, Panics those that panicked. Retries counts the
	// errors after which the key was requeued. The counts include all runs.
	Reconciles, Errors, Panics, Retries uint64
}

// UnreadyInformer describes an informer that is not ready.
type UnreadyInformer struct {
	Informer string
	Resource schema.GroupVersionResource
	// Synced is true if the informer has its first list and lacks objects of it.
	Synced bool
	// Reason is the last failure of the informer's source, or that it does not run, or
	// which objects it lacks and why. It is nil while the first list is in progress.
	Reason error
}

// ActiveRequest describes a key that is being reconciled.
type ActiveRequest struct {
	Request Request
	Since   time.Time
}

// FailingRequest describes a key that has failed.
type FailingRequest struct {
	Request Request
	// Failures is the number of consecutive failures, Err the last error.
	Failures int
	Err      error
	// Next is the time of the next retry, unless a change enqueues the key earlier.
	Next time.Time
}

// fill adds the state of the run.
func (r *run) fill(s *State) {
	s.Running = true
	s.Synced = r.pending.Load() == 0
	s.UnreadyInformers = r.waiting()
	s.Queue = r.queue.Snapshot(maxListed)
	s.Queued = s.Queue.WaitingCount
	r.gate.fill(s)
	s.Working = r.working()
	r.retries.fill(s)
	if t := r.tracking(); t != nil {
		var tracked []Request
		s.TrackedCount, tracked = t.tracked()
		for _, req := range tracked {
			s.Tracked = append(s.Tracked, t.explain(req, maxDependenciesListed))
		}
	}
	slices.SortFunc(s.Retrying, func(a, b FailingRequest) int {
		return cmp.Or(a.Next.Compare(b.Next), a.Request.compare(b.Request))
	})
	slices.SortFunc(s.Stale, func(a, b *StaleError) int { return a.Request.compare(b.Request) })
	slices.SortFunc(s.Tracked, func(a, b Explanation) int { return a.Request.compare(b.Request) })
	slices.SortFunc(s.Quarantined, func(a, b FailingRequest) int { return a.Request.compare(b.Request) })
}

// working returns the keys that are being reconciled.
func (r *run) working() []ActiveRequest {
	var all []ActiveRequest
	for _, w := range r.workers {
		if job := w.job.Load(); job != nil {
			all = append(all, ActiveRequest{Request: job.request, Since: job.began})
		}
	}
	// sort.Slice, because slices.SortFunc links a copy of its algorithm for each type.
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(all[i].Since.Compare(all[j].Since), all[i].Request.compare(all[j].Request)) < 0
	})
	return all
}

func (r Request) compare(o Request) int {
	return cmp.Or(cmp.Compare(r.Namespace, o.Namespace), cmp.Compare(r.Name, o.Name))
}
