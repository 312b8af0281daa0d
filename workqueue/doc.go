// Package workqueue provides the queue between event handlers and workers. It
// has the names and signatures of k8s.io/client-go/util/workqueue.
//
// The input is items, usually the keys of changed objects. Any number of event
// handlers may add them, as often as they like. Get returns each added item once,
// to one of any number of workers.
//
//	handlers ──Add──────────────▶ ┌───────┐ ──Get──▶ workers
//	workers  ──AddRateLimited──▶  │ queue │ ◀──Done──
//	            │                 └───────┘
//	            └─ when due ─────────▲
//
// # Usage
//
//	q := workqueue.NewTypedRateLimitingQueue[string](nil)
//
//	// in an event handler
//	q.Add(key)
//
//	// in each worker
//	for {
//		key, shutdown := q.Get()
//		if shutdown {
//			return
//		}
//		if err := reconcile(key); err != nil {
//			q.AddRateLimited(key) // retry with increasing delay
//		} else {
//			q.Forget(key) // reset the delay after a success
//		}
//		q.Done(key)
//	}
//
//	// at the end
//	q.ShutDownWithDrain()
//
// # Guarantees
//
//   - At most one worker processes an item at a time.
//   - An item that is added while it waits is returned by Get once. An item that
//     is added while it is processed is returned again, once, after its Done.
//   - No item that was added before the shutdown is lost, except delayed items.
//   - ShutDownWithDrain waits until Done was called for all waiting items and
//     all items in progress. Any number of callers may wait.
//   - A delayed item is never added early.
//   - Items with low priority wait longer, but do not starve.
//   - Adding never blocks, whatever the number of items.
//   - A queue has no timer and no goroutine after its shutdown, nor while it is
//     idle.
//   - A snapshot shows one state of the queue, in which each item has its place. It
//     holds the lock for a time that depends on its limit.
//
// # Inspecting a queue
//
// [SnapshotOf] returns the items that wait, are processed, and are delayed, all of one
// instant and limited in number. It works with every queue of this package, and costs
// nothing unless it is called.
//
//	s, _ := workqueue.SnapshotOf(q, 100)
//	fmt.Println(s.WaitingCount, s.Waiting, s.Processing, s.Delayed)
//
// # Rules
//
// Done MUST be called once for every item that Get has returned, by any
// goroutine. Workers MUST NOT end before Get returns shutdown: a drain waits
// until workers have taken the waiting items. A custom [Queue] MUST NOT call
// back into the queue. Items are keys: they SHOULD be small and hold no state.
//
// Invalid input does no harm and loses no item. Done of an item that is not
// being processed does nothing. A delay of 0 or less is no delay, and a delay
// of centuries does not overflow. A nil rate limiter means the default one. A
// NaN is not added, because it could not be found again. An item that cannot be
// hashed (a slice in a queue of any) panics, as it would as the key of a map,
// and leaves the queue unchanged.
//
// # Delayed items at shutdown
//
// ShutDown and ShutDownWithDrain drop delayed items. A back-off can last a
// quarter of an hour, which is too long to wait for, and adding the item early
// would break the guarantee of AddAfter. The next start of the program lists
// every object again, so the item is only postponed.
//
// # Which queue to use
//
//   - [Typed]: a queue for any number of workers.
//   - [TypedDelayingInterface]: adds AddAfter.
//   - [TypedRateLimitingInterface]: adds per-item back-off. Controllers use
//     this one.
//   - [PriorityQueue]: adds priorities. It is a type with the method AddWithPriority
//     and not a custom [Queue]. A Queue receives only the item and not the reason
//     for adding it, such as a change or the initial list, on which a priority
//     usually depends.
//
// [ParallelizeUntil] is not a queue. It distributes a known number of pieces of
// work over workers.
//
// # Implementation
//
// One record holds the complete state of an item: whether it waits, is being
// processed, was added again, or is delayed. One table finds the record. The
// queue, the heap of delays and the lists of the metrics link the records
// themselves. So each operation takes one lock and looks up the item at most
// once, and a due item is added under the lock that also guards the delays.
// Memory shrinks when the number of items does.
//
// The queue calls no user code while it holds its lock, except the methods of a
// custom Queue or Clock.
//
// # Differences from client-go
//
// Names and signatures are the same, so that a program switches by changing its
// import path. The behaviour differs as follows:
//
//	                        client-go                  here
//	ShutDownWithDrain       waits for processed items  and for waiting items
//	several drainers        one wakes                  all wake
//	during a drain          idle workers end           they stay for items added again
//	AddAfter                blocks at 1000 pending     never blocks
//	delayed items, same due in no order                in the order of the calls
//	idle delaying queue     a goroutine and a ticker   nothing
//	after ShutDownWithDrain both stay                  nothing stays
//	queue with metrics      a ticker, always           a timer, while items are processed
//	metrics                 called under the lock      called without it
//	DelayingQueueConfig.Logger logs panics             unused
//	nil rate limiter        panics                     is the default one
//	ParallelizeUntil        no workers: does nothing   at least one worker
//	priorities              none                       PriorityQueue, with aging
//	reading the items       none                       SnapshotOf
//
// The untyped names from before generics are in deprecated.go. No exported name
// of client-go's package is missing.
//
// Package informer calls the event handlers; package controller runs the loop
// above.
package workqueue
