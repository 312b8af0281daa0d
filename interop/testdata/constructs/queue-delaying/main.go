// A delaying queue with a clock, as tests use it.
package main

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
)

func main() {
	clock := testingclock.NewFakeClock(time.Now())
	queue := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{Name: "delays", Clock: clock})
	queue.AddAfter("a", time.Minute)
	clock.Step(time.Hour)
	queue.ShutDown()
}
