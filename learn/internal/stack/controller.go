package stack

import "context"

// WorkQueue is the part of step 10.
type WorkQueue interface {
	// Add adds a key, unless it waits. If it is processed, it waits after Done.
	Add(key string)
	// Get waits for a key. shutdown reports that the queue is shut down and empty.
	Get() (key string, shutdown bool)
	// Done ends the processing of a key.
	Done(key string)
	// AddRateLimited adds a key after a time that doubles with each call, from base to limit.
	AddRateLimited(key string)
	// Forget makes the next time of the key the shortest one.
	Forget(key string)
	// NumRequeues returns the calls of AddRateLimited since Forget.
	NumRequeues(key string) int
	// Len returns the number of the keys that are waiting.
	Len() int
	// ShutDown ends the queue: later keys are ignored, and Get hands out those that are left.
	ShutDown()
}

// Reconciler is the part of step 11. Each ConfigMap with the label SiteLabel owns one
// ConfigMap with the same data: its page, whose name ends with "-page".
type Reconciler interface {
	// Reconcile makes the page of a site what it should be.
	Reconcile(ctx context.Context, key string) error
}

// The labels of the objects in step 11.
const (
	SiteLabel = "course/site" // on a site: any value
	PageLabel = "course/page" // on a page: the name of its site
)

// Call is one call of a handler.
type Call struct {
	Type     string // "add", "update" or "delete"
	Old, New Object // Old is nil for an add, New for a delete
	Initial  bool   // the flag of an add
}

// Checker is the part of step 12: it finds what is wrong in the calls of one handler.
type Checker interface {
	// Observe returns an error if a call of the handler cannot follow those before it.
	Observe(call Call) error
	// Compare returns an error unless the calls lead to these objects of the server.
	Compare(objects []Object) error
}
