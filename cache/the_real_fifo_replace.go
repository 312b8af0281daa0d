// The work is done by this file.

package cache

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/deltafifo"
)

// ReplacedAllInfo is the object of a ReplacedAll: a whole list that replaces
// all objects.
type ReplacedAllInfo struct {
	// ResourceVersion is the version of the list.
	ResourceVersion string
	// Objects are the items, transformed.
	Objects []any
}

// SyncAllInfo is the object of a SyncAll.
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark.
type BookmarkInfo struct {
	// ResourceVersion is the version that all earlier changes have reached.
	ResourceVersion string
}

// Resync queues a Sync of each known object that has nothing queued; with
// AtomicEvents, a SyncAll.
func (f *RealFIFO) Resync() error {
	return f.write(func() {
		if f.atomic {
			f.backlog.push(queuedDelta{Delta: Delta{Type: SyncAll, Object: SyncAllInfo{}}})
			return
		}
		queued := f.newestOf(f.backlog.queue())
		f.eachKnown(queued, func(key string, obj any) {
			if _, waits := queued[key]; !waits && obj != nil {
				f.backlog.push(queuedDelta{Delta: Delta{Type: Sync, Object: obj}, key: key})
			}
		})
	})
}

// Replace queues a list; see RealFIFO. On an error, nothing is queued. An item
// without a key is an error, and so is one that cannot be transformed.
func (f *RealFIFO) Replace(list []any, resourceVersion string) error {
	items := make([]queuedDelta, len(list))
	var err error
	for i, obj := range list {
		if items[i], err = f.newItem(Replaced, obj); err != nil {
			return f.replaceError(err)
		}
	}
	return f.write(func() {
		if f.atomic {
			f.backlog.push(replacedAll(items, resourceVersion))
		} else {
			f.backlog.push(f.missing(items)...)
			f.backlog.push(items...)
		}
		if !f.initial.started {
			f.initial.start(f.backlog.len())
		}
	})
}

// replaceError converts the error of an item to an error of the whole list,
// which does not report that it affects only one item.
func (f *RealFIFO) replaceError(err error) error {
	if failed := (*deltafifo.TransformError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("cache: Replace in %s failed: transforming %q: %w", f.name, failed.Key, failed.Err)
	}
	return err
}

func replacedAll(items []queuedDelta, resourceVersion string) queuedDelta {
	objects := make([]any, len(items))
	for i, item := range items {
		objects[i] = item.Object
	}
	return queuedDelta{Delta: Delta{Type: ReplacedAll, Object: ReplacedAllInfo{ResourceVersion: resourceVersion, Objects: objects}}}
}

// missing returns a Deleted for each known object that is not in items.
func (f *RealFIFO) missing(items []queuedDelta) []queuedDelta {
	listed := f.newestOf(items)
	var deletions []queuedDelta
	f.eachKnown(f.newestOf(f.backlog.queue()), func(key string, obj any) {
		if _, found := listed[key]; !found {
			tombstone := DeletedFinalStateUnknown{Key: key, Obj: obj}
			deletions = append(deletions, queuedDelta{Delta: Delta{Type: Deleted, Object: tombstone}, key: key})
		}
	})
	return deletions
}

// eachKnown calls visit once for each known object: first those queued, in
// their order, then those being processed, then those in KnownObjects.
func (f *RealFIFO) eachKnown(queued map[string]Delta, visit func(key string, obj any)) {
	working := f.newestOf(f.processingItems)
	seen := map[string]struct{}{}
	visitItems := func(newest map[string]Delta, items []queuedDelta) {
		for _, item := range items {
			if _, again := seen[item.key]; again {
				continue
			}
			seen[item.key] = struct{}{}
			if newest := newest[item.key]; newest.Type != Deleted {
				visit(item.key, newest.Object)
			}
		}
	}
	visitItems(queued, f.backlog.queue())
	visitItems(working, f.processingItems)
	for key := range f.known.Keys() {
		if _, again := seen[key]; again {
			continue
		}
		if obj, ok := f.known.Get(key); ok {
			visit(key, obj)
		}
	}
}

// newestOf returns the newest delta of each key.
func (f *RealFIFO) newestOf(items []queuedDelta) map[string]Delta {
	newest := make(map[string]Delta, len(items))
	for _, item := range items {
		newest[item.key] = item.Delta
	}
	return newest
}
