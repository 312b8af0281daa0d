// Package synctrack has the names and signatures of
// k8s.io/client-go/tools/cache/synctrack: it reports when the items of an
// initial list have been processed, not only received.
//
// The input is one call of Start and Finished for each item, and one call of
// UpstreamHasSynced when the source has synced. The output is HasSynced, or the
// channel of Done, for example for cache.WaitForCacheSync and cache.WaitFor.
//
//	tracker := synctrack.NewSingleFileTracker("pods")
//	...
//	tracker.Start()    // when an item of the initial list is received
//	tracker.Finished() // when it has been processed
//	...
//	tracker.UpstreamHasSynced() // when all items of the list were received
//
// # Guarantees
//
//   - HasSynced is never true before UpstreamHasSynced was called and each
//     Start has had its Finished. Once it is true, it stays true.
//   - The zero value of a tracker and of a Lazy can be used.
//   - All methods may be called concurrently.
package synctrack
