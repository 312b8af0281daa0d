// Package listwatchtest tests implementations of listwatch.ListerWatcher, as
// testing/slogtest tests handlers: whoever makes a source of objects that is no
// API server finds out here whether a reflector can keep up with it.
//
// What comes in is a [Source]: the ListerWatcher, and functions that create,
// change and delete an object in what it shows. What goes out are subtests, one
// for each thing that a reflector relies on, each of which says what it expects
// when it fails:
//
//	func TestSource(t *testing.T) {
//		listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*Colour] {
//			palette := NewPalette()
//			t.Cleanup(palette.Close)
//			return listwatchtest.Source[*Colour]{
//				ListerWatcher: palette,
//				Name:          func(c *Colour) string { return c.Name },
//				Create:        palette.Add,
//				Update:        palette.Repaint,
//				Delete:        palette.Remove,
//			}
//		})
//	}
//
// # What is tested
//
//   - A list is the state of one version, each object once, and names that
//     version when it has been read; so is one that is asked for in pages.
//   - A watch from a version gives every change after it, in order, and none
//     before it; so does one from the version of any event.
//   - A bookmark, if any comes, is a version to go on from.
//   - A watch that is asked for the initial state (SendInitialEvents) gives it
//     and marks its end, or is refused with an error. One that ignores the
//     option passes, and the test says so, unless Source.WatchList promises it.
//   - A version that is too old is refused as expired (410), or still served.
//   - Contexts end lists and watches at once, and a Next that waits; Stop does,
//     and may be called again.
//   - Two watches do not know of each other.
//   - What has been stopped leaves no goroutine behind.
//
// A watch that ends by itself (io.EOF) is gone on with from its last version, as
// a reflector does, so a source may serve short ones.
//
// # What is not
//
// Selectors, as a source made by hand may have none; what happens when a server
// cannot be reached; and how fast anything is.
//
// # Elsewhere
//
// client-go has no such thing. Package reflector/storetest tests the other end
// of a reflector, its store.
package listwatchtest
