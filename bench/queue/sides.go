package queue

import (
	"time"

	theirs "k8s.io/client-go/util/workqueue"

	ours "github.com/thinformer/thinformer/workqueue"
)

// queue has the methods that controllers use.
type queue interface {
	Add(string)
	AddAfter(string, time.Duration)
	AddRateLimited(string)
	Forget(string)
	Get() (string, bool)
	Done(string)
	ShutDown()
}

// The delay of a first retry is negligible, so that the cases measure the queue and not
// the wait.
const firstRetry, longestRetry = time.Microsecond, time.Minute

func openOurs() queue {
	return ours.NewTypedRateLimitingQueue(
		ours.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, longestRetry))
}

func openTheirs() queue {
	return theirs.NewTypedRateLimitingQueue(
		theirs.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, longestRetry))
}
