// Package storetest tests implementations of reflector.Store, as testing/slogtest
// tests handlers: whoever brings a store of their own finds out here whether a
// reflector can fill it.
//
// What comes in is a [Store]: the reflector.Store, a way to make objects, and a
// way to see what is in it. What goes out are subtests, one for each thing that
// is expected of a store, each of which says what it expects when it fails:
//
//	func TestShelf(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Store[*Book] {
//			shelf := NewShelf()
//			return storetest.Store[*Book]{
//				Store:    shelf,
//				Object:   func(name string, n int) *Book { return &Book{Title: name, Edition: n} },
//				Contents: func() map[string]int { ... }, // editions by title
//			}
//		})
//	}
//
// What is behind a queue is tested through it: Contents takes out what is queued,
// applies it, and then looks.
//
// # What is tested
//
//   - Add, Update and Delete leave what was said last; an Update of what is not
//     there is an Add, an Add of what is there an Update, and a Delete of what is
//     not there nothing.
//   - Replace makes the items all that there is, also where there are none. Of an
//     object that comes twice the last one counts. nil is an error, and no empty
//     list. The items are read once.
//   - Nothing of a Replace is to be seen before its items have ended, and nothing
//     at all if they end with an error, which errors.Is finds in what Replace
//     returns. Readers do not wait for the items, which come from a server. The
//     version of a list is asked for when they have ended, and not before.
//   - A Bookmark moves the version (if Store.Version shows one) and nothing else,
//     and Resync changes nothing.
//   - Whoever reads while a list takes the place of another sees one or the
//     other.
//
// # What is not
//
// Whether a store looks at versions and uids of objects: each object that is
// made here is newer than all before. Whether several may write at once: a
// reflector is one goroutine. And how fast anything is.
//
// # Elsewhere
//
// client-go has no such thing; its ReflectorStore is what reflector.Store is
// here. Package listwatch/listwatchtest tests the other end of a reflector, its
// source.
package storetest
