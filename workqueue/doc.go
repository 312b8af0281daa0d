// Package workqueue is the room between event handlers and workers: it
// delivers keys.
//
// What comes in: items, usually the keys of objects that have changed, from
// any number of event handlers, as often as they like. What goes out: each
// item that was added, to one of any number of workers, once.
//
//	handlers ──Add──────────────▶ ┌──────────┐ ──Get──▶ workers
//	workers  ──AddRateLimited──▶  │ the line │ ◀──Done──
//	            │                 └──────────┘
//	            └─ when due ───────────▲
//
// The shortest use:
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
//			q.AddRateLimited(key) // try again, later each time
//		} else {
//			q.Forget(key) // it has succeeded: the next failure is a first one
//		}
//		q.Done(key)
//	}
//
//	// at the end
//	q.ShutDownWithDrain()
//
// # The promise
//
//   - An item is never with two workers at once.
//   - An item that is added while it waits is handed out once; one that is
//     added while it is in work is handed out again, once, after its Done.
//   - Nothing that was added before the shutdown is lost.
//   - ShutDownWithDrain waits for all that is in line and in work, and any
//     number of callers may wait.
//   - Delayed items come no earlier than asked.
//   - Priorities age: the lowest waits longer, never for ever.
//   - Adding never blocks, whatever the number of items.
//   - After a shutdown no timer and no goroutine is left; before it, an idle
//     queue has none either.
//
// # The rules
//
// Every item that Get has handed out MUST be given back with Done, by
// whomever, once. Workers MUST NOT end before Get tells them to: a drain
// waits for somebody to take what is in line. A [Queue] of your own MUST NOT
// call back into the queue. Items are keys: they SHOULD be small and hold
// no state.
//
// Bad input does no harm, and nothing is lost by it. Done of what is not in
// work does nothing. A delay that is not positive is none; one of
// centuries does not overflow. A nil rate limiter is the default one. A NaN
// is not let in, since nobody could find it again. An item that cannot be
// hashed (a slice in a queue of any) panics as it would as the key of a map,
// and leaves the queue unharmed.
//
// # Delayed items at shutdown
//
// ShutDown and ShutDownWithDrain drop what is delayed. A back-off can last
// for a quarter of an hour, for which no shutdown waits; to deliver it early
// would break the promise of the delay; and the next start sees every object
// anyway, so nothing is lost but the wait.
//
// # Which queue
//
//   - [Typed]: a line and its workers.
//   - [TypedDelayingInterface]: and items added later.
//   - [TypedRateLimitingInterface]: and a memory of failures, which decides
//     how much later. This is the one for controllers.
//   - [Priority]: and priorities. It is a type with a method AddWithPriority,
//     and not a Queue, because a Queue is told only which item is pushed: the
//     priority would have to be found by a function of the item, and could
//     not say what a priority is mostly for, which is why the item was added
//     (a change just now, or the list at the start).
//
// [ParallelizeUntil] is no queue: it spreads a known number of pieces of work
// over workers.
//
// # How it works
//
// All that is known of an item is one record: whether it waits, is in work,
// has been added again, is delayed. One table finds the record of an item;
// the line, the heap of delays and the lists of the metrics link the records
// themselves. So each operation takes one lock and looks the item up once,
// Get not at all, and what is due moves into line under the lock that it is
// kept under. Memory follows the number of items down again.
//
// The queue's methods call nothing of the user's while they hold its lock,
// but for the methods of a Queue and of a Clock that were passed in.
//
// # What client-go calls these things
//
// The same: this package has the names and signatures of
// k8s.io/client-go/util/workqueue, so that a program switches by its import
// path. It behaves the same but for this:
//
//	                        client-go                  here
//	ShutDownWithDrain       waits for what is in work  and for what is in line
//	several drainers        one wakes                  all wake
//	during a drain          idle workers go home       they stay for what was added again
//	AddAfter                blocks at 1000 pending     never blocks
//	delayed items, at once  in no order                in the order of the calls
//	idle delaying queue     a goroutine and a ticker   nothing
//	after ShutDownWithDrain both stay                  nothing stays
//	a measured queue        a ticker, always           a timer, while something is in work
//	metrics                 called under the lock      called without it
//	DelayingQueueConfig.Logger logs panics             has nothing to log
//	nil rate limiter        panics                     is the default one
//	ParallelizeUntil        no workers: does nothing   at least one worker
//	priorities              none                       Priority, with ageing
//
// The untyped names from before generics are in deprecated.go. No exported
// name of client-go's is missing.
//
// The next room is controller, which runs the loop above; the one before,
// informer, calls the handlers.
package workqueue
