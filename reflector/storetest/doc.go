// Package storetest tests implementations of reflector.Store, as testing/slogtest
// tests handlers.
//
// Its input is a [Store]: the reflector.Store, a function that creates objects,
// and a function that returns the contents. [Run] runs one subtest for each
// requirement; a failure states the requirement:
//
//	func TestLibrary(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Store[*Book] {
//			library := NewLibrary()
//			return storetest.Store[*Book]{
//				Store:    library,
//				Object:   func(name string, n int) *Book { return &Book{Title: name, Edition: n} },
//				Contents: func() map[string]int { ... }, // editions by title
//			}
//		})
//	}
//
// A store behind a queue is tested through the queue: Contents takes what is
// queued, applies it, and returns the contents.
//
// # Tested
//
//   - After Add, Update and Delete the store has the last state. An Update of a
//     missing object is an Add, an Add of an existing object is an Update, and a
//     Delete of a missing object does nothing.
//   - Replace makes the items the contents of the store, even if there are none.
//     The last of several items for the same object is stored. A nil iterator is
//     an error, not an empty list. The items are read only once.
//   - No item of a Replace is visible before its items have ended, and none at
//     all if they end with an error, which the error of Replace wraps. Readers do
//     not wait for the items, which arrive from a server. Replace calls version
//     after the items have ended, and not before.
//   - A Bookmark changes the version (if Store.Version is set) and nothing else,
//     and Resync changes nothing.
//   - A reader during a Replace sees either the old or the new contents.
//
// # Not tested
//
// It is not tested whether a store compares versions and UIDs: each object of
// the tests is newer than all previous ones. Nor is it tested whether several
// goroutines may write, since a reflector uses one. Performance is not
// tested.
//
// # Related packages
//
// client-go has no counterpart; its ReflectorStore corresponds to
// reflector.Store. Package listwatch/listwatchtest tests the sources of a
// reflector.
package storetest
