// Package reflector keeps a store equal to what a source serves: it takes over
// the state that is there, then every change.
//
//	              ┌────────────────────────────────────────────┐
//	source        │ machine: step(input) outcome               │     store
//	              │                                            │
//	list  ──────► │    ┌─► streaming ──────────┐               │ ──► Replace
//	watch ──────► │ ───┤       │ cannot        ├─► watching    │ ──► Add, Update, Delete
//	event ──────► │    └─► listing ─► opening ─┘      │        │ ──► Bookmark
//	error ──────► │          ▲            ▲           ▼        │
//	              │          └─ waiting ──┴─── checking        │ ──► State, errors
//	              └────────────────────────────────────────────┘
//
// What comes in is a [listwatch.ListerWatcher], such as a rest.View. What goes
// out are the calls of a [Store]: one Replace with everything there is, then one
// call for each change, in the server's order; and a [State] that says at any
// time what is going on, and why it is not going better.
//
// # The shortest use
//
//	store := indexer.New(indexer.Options[*Pod]{})
//	r := reflector.New(rest.NewView[*Pod](client, podInfo), store, reflector.Options[*Pod]{})
//	err := r.Run(ctx)
//
// # What is promised
//
// The store:
//
//   - It ends equal to the source, whatever happened between: the state is
//     always taken over as it is at that moment, never from an old cache.
//   - A Replace whose list breaks off leaves no trace. Its items are not
//     gathered first: the store has each as it arrives.
//   - An object that cannot be decoded is reported with its key and costs only
//     itself: what was known of it stays, and goes when it is deleted, if the
//     store can tell what it knows (a method Known(key) (T, bool), where the key
//     is namespace/name, or the name alone).
//   - An error of the store is reported, and everything is read again, unless
//     the error says that it has cost its object and no more (a method
//     ItemOnly() bool).
//   - In steady state an event costs no allocation, no timer and no goroutine.
//
// The source:
//
//   - Its initial state is streamed by the watch that then goes on, where it
//     can do that. Where it refuses, ends too soon, or does not say when the
//     state is whole, it is listed at once; the reason is in State, and
//     remembered in the source ([listwatch.WatchListMemory]) for those after;
//     that of a refusal, or a silence, when the list did not fail as well.
//   - A watch that breaks, falls silent or is refused is resumed at the last
//     version. Everything is read again only where that version is of no use:
//     410, a version too large, a resource that was gone, a version that the
//     source will not take, no version, versions that went back, and the third
//     time in a row that nothing can be read at one version.
//   - Within an epoch the version that the store is told never goes back. A
//     source that is older than it was is asked a second time; if it is still
//     older, it was set back, and a new epoch begins with its state. A server
//     accepts a watch from a version that it has not reached, and is silent: so
//     before a lost watch is resumed it is asked, by the beginning of a list
//     that may not be older.
//
// Failure:
//
//   - Run ends with its context and for nothing else. Every wait ends with it.
//   - Each failure is told to the WatchErrorHandler, once, as an [*Error] with a
//     [Reason], and stands in State after the first attempt that met it. The
//     normal end of a watch is none.
//   - Waits grow, and begin anew when a watch has proved healthy: when it was in
//     order for ten seconds, or for as long as the last wait. Retry-After is
//     honoured up to two minutes.
//   - What a source does wrong, nil results, nil objects, unknown events,
//     panics, is an error. A panic of the store is not caught.
//
// # Rules
//
//   - The store is called by one goroutine at a time. It may be slow: that is no
//     silence of the source.
//   - A List, Watch or Next that does not end with its context holds Run up.
//   - The options of lists and watches that are about versions, time and
//     bookmarks are the reflector's. All others, selectors and shards too,
//     belong to the source: see [listwatch.Modify].
//   - A source made by hand that cannot stream its state ignores
//     SendInitialEvents or returns an error, and is listed. PreferList spares it
//     the question. It may be asked for a list with a Limit of 1 of which
//     nothing is read; if that is an error of no known kind, the watch is opened
//     all the same. One that names no versions, or "0", is read again after each
//     watch.
//   - A store that takes an item of a Replace for what it has by its version can
//     have a method Distrust(): it is called before a Replace that may bring
//     versions which have been given out twice.
//   - Versions that are not numbers are compared by equality alone: whether they
//     have gone back nobody can say.
//
// # How it works
//
// A machine decides, in one function without objects, clocks or chance: what
// has happened goes in, with its time and a throw of the dice for the wait; what
// becomes of it comes out. Around it is a shell that asks, waits and calls the
// store, on one goroutine. What Trace.Step is told is what went through that
// function, line by line, and replays. docs/design/reflector.md says why.
//
// # What client-go calls these things
//
//	Reflector, Run, ListAndWatch        the same
//	ReflectorStore                      Store, which takes a list as it arrives
//	LastSyncResourceVersion             the same
//	WatchErrorHandler                   Options.WatchErrorHandler
//	DefaultWatchErrorHandler            what happens without one: a line a minute
//	WatchListClient, its feature gate   Options.PreferList, the other way round
//	MinWatchTimeout                     Options.WatchTimeout
//	ShouldResync, resyncPeriod          Options.ResyncPeriod
//	MaxInternalErrorRetryDuration       not needed: a 500 leaves the version good
//
// What is different:
//
//   - Lists are consistent, not from version "0": an informer that starts beside
//     a server that lags behind does not begin with the past.
//   - ERROR events reach the error handler, as everything does that fails.
//   - A stream without its mark is not waited for without end, nor opened again
//     and again.
//   - The backoff does not begin anew every two minutes of failure.
//   - A server that was set back is found out. There its silence is believed.
//
// Upstream is package listwatch; downstream are deltafifo, a queue that is a
// Store, and indexer, a Store without a queue. reflector/storetest has the tests
// for a Store of your own.
package reflector
