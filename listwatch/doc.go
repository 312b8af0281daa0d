// Package listwatch is the seam between what serves objects and what keeps up
// with them: list them once, then watch what changes.
//
// What comes in is a source: a view of a resource on an API server, or two
// functions. What goes out is a [ListerWatcher], which is all that a reflector
// asks of the world. A [rest.View] is one as it stands, so a program that talks
// to an API server needs nothing from this package:
//
//	pods := rest.NewView[*Pod](client, podInfo)   // a ListerWatcher[*Pod]
//
// The rest is for the other cases:
//
//   - [ListWatch] makes one of two functions: a file, another API, a test.
//   - [NewListWatchFromClient] and [NewFilteredListWatchFromClient] make one of
//     a RESTClient and the name of a resource, as the documentation of client-go
//     shows it.
//   - [Select] and [Modify] narrow any ListerWatcher.
//
// # What is promised
//
// Options reach list and watch alike: a selector that is put on a source holds
// for both, so that what is watched is what was listed. A list streams: its
// items are there one by one, through all pages, and belong to the caller. A
// watch is opened or it is an error.
//
// # What an implementation must do
//
// List returns the objects of one version of the collection and names that
// version when its items have been read. Watch, given that version, returns
// every change after it, in order. Package listwatchtest has the tests for this
// and for what else a reflector relies on.
//
// A source may say more of itself, and what it says survives narrowing: the
// ResourceInfo of what it serves, which a factory wants to know, and
// [WatchListMemory], so that a server that does not stream its initial state is
// asked for that once and not by each reflector. A source made by hand may have
// neither.
//
// # Elsewhere
//
// client-go calls these Lister, Watcher, ListerWatcher and ListWatch too; its
// pager is the loop in package rest, and its list and watch objects are the
// iterators [List] and [Watch] here. The next room is package reflector, which
// drives a store from a ListerWatcher.
package listwatch
