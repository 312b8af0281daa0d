// Package listwatchtest tests implementations of listwatch.ListerWatcher, as
// testing/slogtest tests handlers.
//
// Its input is a [Source]: the ListerWatcher, and functions that create, change
// and delete its objects. [Run] runs one subtest for each requirement of a
// reflector; a failure states the requirement:
//
//	func TestSource(t *testing.T) {
//		listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*Color] {
//			palette := NewPalette()
//			t.Cleanup(palette.Close)
//			return listwatchtest.Source[*Color]{
//				ListerWatcher: palette,
//				Name:          func(c *Color) string { return c.Name },
//				Create:        palette.Add,
//				Update:        palette.Repaint,
//				Delete:        palette.Remove,
//			}
//		})
//	}
//
// # Tested
//
//   - A list contains each object of one version of the collection once, and
//     reports that version after it has been read. The same applies to a paged
//     list.
//   - A watch from a version delivers every later change, in order, and none
//     before it; the same applies to the version of any event.
//   - The version of a bookmark, if there is any, can be resumed from.
//   - A watch with SendInitialEvents delivers the initial state and a final
//     bookmark, or is refused with an error. A source that ignores the option
//     passes with a note, unless Source.WatchList is set.
//   - A version that is too old is refused as expired (410), or still served.
//   - Lists, watches and a blocked Next end immediately with their context. Stop
//     ends a watch, and may be called again.
//   - Two watches are independent.
//   - Stopped watches and closed lists leak no goroutine.
//
// A watch that ends normally (io.EOF) is resumed from its last version, as a
// reflector does, so a source may serve short watches.
//
// # Not tested
//
// Selectors, which a custom source may not support; unreachable servers;
// performance.
//
// # Related packages
//
// client-go has no counterpart. Package reflector/storetest tests the stores of
// a reflector.
package listwatchtest
