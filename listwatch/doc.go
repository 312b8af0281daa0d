// Package listwatch defines the interface between a source of objects and a
// reflector: list the objects once, then watch their changes.
//
// A source is a resource on an API server, or a pair of functions. It
// implements [ListerWatcher], the only interface that a reflector needs. A
// [rest.View] implements it, so a program that uses an API server needs nothing
// else from this package:
//
//	pods := rest.NewView[*Pod](client, podInfo)   // a ListerWatcher[*Pod]
//
// For other cases:
//
//   - [ListWatch] is made of two functions, for a file, another API or a test.
//   - [NewListWatchFromClient] and [NewFilteredListWatchFromClient] use a
//     RESTClient and the name of a resource, as in client-go.
//   - [Select] and [Modify] restrict any ListerWatcher.
//
// # Guarantees
//
// Options apply to lists and watches alike: a selector restricts both, so that a
// watch covers the same objects as the list. A list is streamed: its items are
// yielded one by one, through all pages, and belong to the caller. Watch returns
// an open watch or an error.
//
// # Requirements for implementations
//
// List returns the objects at one version of the collection. The returned list
// reports that version once its items have been read. Watch, given that
// version, returns every later change, in order. Package listwatchtest tests
// these and the other requirements of a reflector.
//
// A source may implement optional interfaces, and [Select] and [Modify] keep
// them: ResourceInfo describes its resource, for a factory. [WatchListRecorder]
// records that a server does not stream its initial state, so that not every
// reflector tries it. [VersionOrderer] declares that versions are not ordered,
// like those of a fake. [Checker] detects mistakes that waiting cannot fix, so
// that a reflector can return an error instead of starting. A custom source
// need not implement any of them.
//
// # Related packages
//
// Lister, Watcher, ListerWatcher and ListWatch have the same names in client-go.
// Its pager corresponds to the loop in package rest, and its list and watch
// objects to the iterators [List] and [Watch]. Package reflector updates a store
// from a ListerWatcher.
package listwatch
