package deltafifo_test

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func meta(name, uid, version string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(uid), ResourceVersion: version}
}

func list(items ...*metav1.ObjectMeta) iter.Seq2[*metav1.ObjectMeta, error] {
	return func(yield func(*metav1.ObjectMeta, error) bool) {
		for _, o := range items {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// Pop delivers one key with all its queued changes.
func ExampleDeltaFIFO_Pop() {
	q := deltafifo.New(deltafifo.Options[*metav1.ObjectMeta]{})
	_ = q.Add(meta("web-0", "a", "1"))
	_ = q.Add(meta("web-1", "b", "2"))
	_ = q.Update(meta("web-0", "a", "3"))
	_ = q.Delete(meta("web-0", "a", "4"))
	q.Close()

	for {
		err := q.Pop(context.Background(), func(key string, d deltafifo.Deltas[*metav1.ObjectMeta], _ bool) error {
			fmt.Println(key)
			for _, delta := range d {
				fmt.Println(" ", delta.Type, delta.Object.ResourceVersion)
			}
			return nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// default/web-0
	//   Added 1
	//   Updated 3
	//   Deleted 4
	// default/web-1
	//   Added 2
	// deltafifo: the queue is closed
}

// PopBatch delivers the queued changes of all keys. A store that applies each batch
// in one step always has the contents of its version.
func ExampleDeltaFIFO_PopBatch() {
	identity := func(o *metav1.ObjectMeta) (types.UID, string) { return o.UID, o.ResourceVersion }
	store := indexer.New(indexer.Options[*metav1.ObjectMeta]{})
	q := deltafifo.New(deltafifo.Options[*metav1.ObjectMeta]{KnownObjects: store, MetaFunc: identity})

	_ = q.Replace(list(meta("web-0", "a", "5"), meta("web-1", "b", "7")), func() string { return "10" })
	_ = q.Update(meta("web-0", "a", "11"))
	_ = q.Delete(meta("web-1", "b", "12"))
	q.Bookmark("20")

	for range 2 { // the Replace, then the changes after it
		_ = q.PopBatch(context.Background(), 0, func(deltas []deltafifo.Delta[*metav1.ObjectMeta], b deltafifo.Batch) error {
			changes := make([]indexer.Change[*metav1.ObjectMeta], len(deltas))
			for i, d := range deltas {
				changes[i] = indexer.Change[*metav1.ObjectMeta]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted}
			}
			return store.Apply(changes, b.Version)
		})
		fmt.Println(slices.Sorted(store.Keys()), store.Version(), q.HasSynced())
	}
	// Output:
	// [default/web-0 default/web-1] 10 true
	// [default/web-0] 20 true
}

// Replace queues a Deleted, with the last known object, for each known object that
// is not in the list. An unchanged object produces no delta.
func ExampleDeltaFIFO_Replace() {
	identity := func(o *metav1.ObjectMeta) (types.UID, string) { return o.UID, o.ResourceVersion }
	store := indexer.New(indexer.Options[*metav1.ObjectMeta]{})
	q := deltafifo.New(deltafifo.Options[*metav1.ObjectMeta]{KnownObjects: store, MetaFunc: identity})
	_ = store.Add(meta("same", "a", "1"))
	_ = store.Add(meta("gone", "b", "2"))
	_ = store.Add(meta("recreated", "c", "3"))

	_ = q.Replace(list(meta("same", "a", "1"), meta("recreated", "d", "8"), meta("new", "e", "9")), func() string { return "9" })
	_ = q.PopBatch(context.Background(), 0, func(deltas []deltafifo.Delta[*metav1.ObjectMeta], b deltafifo.Batch) error {
		for _, d := range deltas {
			fmt.Println(d.Type, d.Key, d.Object.ResourceVersion, d.FinalStateUnknown)
		}
		fmt.Println(b.Replace, b.Version)
		return nil
	})
	// Output:
	// Deleted default/recreated 3 true
	// Added default/recreated 8 false
	// Replaced default/new 9 false
	// Deleted default/gone 2 true
	// true 9
}
