// Package reflector keeps a store equal to the contents of a source: it reads
// the current state, then applies every change.
//
//	              ┌────────────────────────────────────────────┐
//	source        │ machine: step(input) outcome               │     store
//	              │                                            │
//	list  ──────► │    ┌─► streaming ──────────────────┐       │ ──► Replace
//	watch ──────► │ ───┤       │ not supported         ├─► watching ──► Add, Update, Delete
//	event ──────► │    └─► listing ─► opening ─────────┤       │ ──► Bookmark
//	error ──────► │          ▲           ▲  └─► checking       │ ──► State, errors
//	              │          └─ waiting ─┘                     │
//	              └────────────────────────────────────────────┘
//
// The source is a [listwatch.ListerWatcher], such as a rest.View. The reflector
// calls the methods of a [Store]: one Replace with the whole state, then one
// call for each change, in the order of the server. Its [State] describes at
// any time what the reflector is doing and which failure it is recovering from.
//
// # Basic use
//
//	store := indexer.New(indexer.Options[*Pod]{})
//	r := reflector.New(rest.NewView[*Pod](client, podInfo), store, reflector.Options[*Pod]{})
//	err := r.Run(ctx)
//
// # Guarantees
//
// The store:
//
//   - The store eventually becomes equal to the source, whatever failures occur.
//     The initial state is always a consistent read, never a read from a stale
//     cache.
//   - A Replace whose list ends with an error has no effect. Items are not
//     collected first: the store receives each item when it arrives.
//   - An object that cannot be decoded is reported with its key and affects only
//     itself. If the store can return the known state (it has a method
//     Known(key) (T, bool), where the key is namespace/name, or only the name),
//     that state stays until the object is deleted. State.ListUndecodable counts
//     the objects of the last list that could not be decoded.
//   - An error of the store is reported and causes a relist, unless the error
//     affects only its object (a method ItemOnly() bool).
//   - In steady state an event costs no allocation, no timer and no goroutine.
//
// The source:
//
//   - If the source supports it, the initial state is streamed by the watch that
//     then continues. If the source refuses, ends the stream too early, or does
//     not send the final bookmark, the state is listed immediately. The reason is
//     in State, and is recorded in the source ([listwatch.WatchListRecorder]) for
//     later reflectors. After a refusal or an idle stream, it is recorded only if
//     the list has succeeded.
//   - A watch that breaks, becomes idle or is refused is resumed at the last
//     version. The whole state is read again only if that version is unusable:
//     after a 410; if the version is too large, missing, or rejected by the
//     source; if the resource was not found; if versions went back; after the
//     third consecutive failure to read anything at one version; and after the
//     second ERROR event with a code of 500 or above if nothing was delivered in
//     between.
//   - While the server does not answer, the reflectors of one client together
//     send about two requests per second. After an answer all of them resume
//     within half a second: see [listwatch.Recoverable].
//   - Within an epoch the version that the store receives never goes back. If the
//     state of the source is older than before, it is read a second time; if it
//     is still older, the source has gone back to an older state, and a new epoch
//     begins with that state. A server accepts a watch from a version that it has
//     not reached, and sends nothing. Therefore, after an outage or an idle
//     watch, the reflector checks the version: it begins a list that must not be
//     older than that version. The error "too large resource version" proves that
//     the source went back.
//
// Failures:
//
//   - Run ends only when its context is done. Every wait ends with the context.
//     If the source detects a mistake that waiting cannot fix, Run returns it
//     before any request: see [listwatch.Checker].
//   - Each failure is reported to the WatchErrorHandler once, as an [*Error] with
//     a [Reason], and appears in State from its first occurrence. The normal end
//     of a watch is not a failure. Error.RetryAt is the time of the next attempt.
//   - While resources of a client are not served (404), one request every three
//     seconds asks for all of them, and each is listed when it is served. Without
//     aggregated discovery, each group version with such resources is asked for. A
//     resource that the server serves and does not list is tried about once a
//     minute. Objects in the store stay until the next list: see
//     rest.RecoveryMember.WaitUntilServed.
//   - Texts from the source are bounded: an error has at most 16 KiB, and a
//     version of more than 1024 bytes is refused.
//   - Waits grow exponentially. Ten seconds of healthy watches reset this
//     growth; a shorter time undoes a proportional part of it. Retry-After is
//     honored up to two minutes.
//   - The end of a watch that has delivered something, or was open for a second,
//     is not a failure, whatever its cause. A 410 is retried without a wait,
//     unless it is the second in a row.
//   - Invalid behavior of a source, such as nil results, nil objects, unknown
//     events and panics, is an error. A panic of the store is not recovered.
//
// # Rules
//
//   - The store is called by one goroutine at a time. It may be slow: the time of
//     its calls does not count towards the IdleTimeout.
//   - A List, Watch or Next that does not return when its context ends delays
//     the end of Run.
//   - The reflector sets the list options for versions, timeouts and bookmarks.
//     All others, including selectors and shards, are set by the source: see
//     [listwatch.Modify].
//   - A custom source that cannot stream its state ignores SendInitialEvents or
//     returns an error, and is listed. PreferList avoids the attempt. The
//     reflector may request a list with a Limit of 1 and not read it; if that
//     request fails with an unknown error, the watch is used nevertheless. A
//     source that returns no versions, or "0", is listed again after each watch.
//   - A store that skips items of a Replace whose version it already has can
//     implement InvalidateVersions(). It is called before a Replace whose
//     versions may have been used before.
//   - Versions that are not numbers are compared only for equality. With such
//     versions, the reflector cannot detect that a source went back to an older
//     state.
//
// # Implementation
//
// A state machine makes the decisions, in one function without objects, clocks
// or randomness: its input is an event with its time and a random number for the
// jitter, its result is a decision. The table at the top of machine.go has all
// its transitions. The code around it sends requests, waits and calls the store,
// on one goroutine. Trace.Step receives each input and decision
// as a line of text that can be replayed. docs/design/reflector.md has the
// reasons.
//
// # Names in client-go
//
//	Reflector, Run, ListAndWatch        the same
//	ReflectorStore                      Store, which receives a list item by item
//	LastSyncResourceVersion             the same
//	WatchErrorHandler                   Options.WatchErrorHandler
//	DefaultWatchErrorHandler            the default: an ErrorLog, at most about one line per minute
//	WatchListClient, its feature gate   Options.PreferList, inverted
//	MinWatchTimeout                     Options.WatchTimeout
//	ShouldResync, resyncPeriod          Options.ResyncPeriod
//	MaxInternalErrorRetryDuration       not needed: a 500 does not invalidate the version
//
// Differences:
//
//   - Lists are consistent, not from version "0": an informer that starts with a
//     lagging server does not begin with an old state.
//   - ERROR events are passed to the error handler, like all other failures.
//   - A stream without its final bookmark neither blocks forever nor is opened
//     again and again.
//   - The backoff is not reset after two minutes of failures.
//   - A server that went back to an older state is detected. client-go treats the
//     silent watch of such a server as healthy.
//
// Sources are in package listwatch. The stores of this module are
// deltafifo.DeltaFIFO, a queue, and indexer.Indexer, a store without a queue.
// Package reflector/storetest tests an implementation of Store.
package reflector
