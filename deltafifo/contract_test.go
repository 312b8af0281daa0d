package deltafifo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/thinformer/thinformer/indexer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var background = context.Background()

func newQueue() (*DeltaFIFO[testObject], mapStore) {
	store := mapStore{}
	return New(Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta, KnownObjects: store}), store
}

func newObject(key, version string) testObject {
	return testObject{key: key, uid: "u", version: version}
}

func (d *delivery[T]) types() (types []DeltaType) {
	for _, delta := range d.deltas {
		types = append(types, delta.Type)
	}
	return types
}

// Promise: Version is V only when everything up to V has been delivered and
// processed, in whatever order consumers finish.
func TestVersionIsTheWatermark(t *testing.T) {
	for _, finishFirst := range []bool{false, true} {
		q, _ := newQueue()
		require.NoError(t, q.Add(newObject("A", "1")))
		require.NoError(t, q.Add(newObject("B", "2")))
		require.NoError(t, q.Update(newObject("A", "3")))
		a := q.tryBegin(false, 0)
		require.Equal(t, []DeltaType{Added, Updated}, a.types())
		require.Empty(t, q.Version())
		if finishFirst {
			q.finish(a)
			require.Equal(t, "1", q.Version())
		}
		b := q.tryBegin(false, 0)
		q.finish(b)
		if !finishFirst {
			require.Empty(t, q.Version())
			q.finish(a)
		}
		require.Equal(t, "3", q.Version())
	}
}

// Promise: a key in progress is known, even if the store does not have it yet.
func TestDeleteOfKeyInProgressIsDelivered(t *testing.T) {
	q, store := newQueue()
	require.NoError(t, q.Add(newObject("A", "1")))
	d := q.tryBegin(false, 0)
	require.Empty(t, store)
	require.NoError(t, q.Delete(newObject("A", "2")))
	require.Nil(t, q.tryBegin(false, 0), "a key in progress must not be delivered again")
	q.finish(d)
	require.Equal(t, []DeltaType{Deleted}, q.tryBegin(false, 0).types())
}

// Promise: a Delete of an unknown key produces nothing, so two Deleted of a key
// never follow each other. If the first is still queued and its final state is
// unknown, Pop delivers it with the final state of the second.
func TestSecondDeleteGivesTheFinalState(t *testing.T) {
	q, store := newQueue()
	require.NoError(t, q.Delete(newObject("A", "1")))
	require.Zero(t, q.Len())
	store["A"] = newObject("A", "1")
	require.NoError(t, q.Replace(listOf[testObject](), versionFunc("2")))
	require.NoError(t, q.Delete(newObject("A", "3")))
	require.NoError(t, q.Delete(newObject("A", "4")))
	d := q.tryBegin(false, 0)
	require.Equal(t, []Delta[testObject]{{Type: Deleted, Object: newObject("A", "3"), Key: "A"}}, d.deltas)
}

// Promise: a marker waits until everything before it has been processed.
func TestMarkerDoesNotOvertakePopInProgress(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Add(newObject("A", "1")))
	d := q.tryBegin(false, 0)
	q.Bookmark("2")
	require.Nil(t, q.tryBegin(true, 0))
	require.Empty(t, q.Version())
	q.finish(d)
	require.Equal(t, "2", q.Version())
}

// Promise: a Replace is delivered as one complete batch.
func TestReplaceIsOneBatch(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Add(newObject("A", "1")))
	first := q.tryBegin(false, 0)
	require.NoError(t, q.Replace(listOf(newObject("A", "2"), newObject("B", "2"), newObject("C", "2")), versionFunc("5")))
	require.NoError(t, q.Add(newObject("D", "6")))
	require.Nil(t, q.tryBegin(true, 1), "the Replace must wait for the key in progress")
	q.finish(first)
	d := q.tryBegin(true, 1)
	require.Equal(t, []DeltaType{Replaced, Replaced, Replaced}, d.types())
	require.Equal(t, Batch{InInitialList: true, Replace: true, Version: "5", Markers: []Marker{{ReplaceEnd, "5", 3}}}, d.batchInfo)
	require.False(t, q.HasSynced(), "the Replace is delivered but not processed")
	q.finish(d)
	require.True(t, q.HasSynced())
	<-q.Synced()
	require.False(t, q.tryBegin(true, 0).batchInfo.InInitialList)
}

// Promise: no item of a Replace is queued unless the list was read to the end, and
// an item without a key is an error of the whole Replace.
func TestFailedReplaceQueuesNothing(t *testing.T) {
	q, store := newQueue()
	store["Z"] = newObject("Z", "1")
	broken := errors.New("the stream broke")
	err := q.Replace(func(yield func(testObject, error) bool) {
		_ = yield(newObject("A", "1"), nil) && yield(testObject{}, broken)
	}, func() string { t.Error("Replace called version after a failed list"); return "" })
	require.ErrorIs(t, err, broken)
	require.Zero(t, q.Len())

	pods := New(Options[*metav1.ObjectMeta]{})
	err = pods.Replace(listOf(&metav1.ObjectMeta{Name: "a"}, nil), nil)
	require.ErrorIs(t, err, indexer.ErrNilObject)
	require.Zero(t, pods.Len())
	require.ErrorIs(t, pods.Replace(nil, nil), ErrNoItems)
}

// Promise: an item of a Replace without a name is reported and skipped.
func TestReplaceSkipsItemsWithoutName(t *testing.T) {
	var reported []error
	pods := New(Options[*metav1.ObjectMeta]{OnError: func(_ string, err error) { reported = append(reported, err) }})
	require.NoError(t, pods.Replace(listOf(&metav1.ObjectMeta{Name: "a"}, &metav1.ObjectMeta{}, &metav1.ObjectMeta{Name: "b"}), nil))
	require.Equal(t, 2, pods.Len())
	require.Len(t, reported, 1)
	require.ErrorIs(t, reported[0], indexer.ErrNoName)
	require.ErrorIs(t, pods.Update(&metav1.ObjectMeta{}), indexer.ErrNoName)
}

// Promise: an item of a Replace with the UID and the version of the known object is
// skipped, and is not transformed.
func TestReplaceSkipsUnchangedItems(t *testing.T) {
	transformed := 0
	store := mapStore{"A": newObject("A", "1")}
	q := New(Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta, KnownObjects: store, Transform: func(obj testObject) (testObject, bool, error) {
		transformed++
		return obj, true, nil
	}})
	require.NoError(t, q.Replace(listOf(newObject("A", "1"), newObject("B", "2")), versionFunc("2")))
	require.Equal(t, 1, transformed)
	require.Equal(t, "B", q.tryBegin(true, 0).deltas[0].Key)
}

// Promise: if the transform fails, the known object stays, and the error is reported
// with the key.
func TestTransformFailureKeepsTheKnownObject(t *testing.T) {
	for _, failure := range []outcome{fails, panics} {
		var reported []string
		store := mapStore{"A": newObject("A", "1")}
		q := New(Options[testObject]{
			KeyFunc: objectKey, MetaFunc: objectMeta, KnownObjects: store, Transform: testObject.transform,
			OnError: func(key string, err error) { reported = append(reported, key) },
		})
		bad := testObject{key: "A", uid: "u", version: "2", outcome: failure}
		for _, write := range []func(testObject) error{q.Add, q.Update} {
			err := write(bad)
			require.ErrorIs(t, err, errTransform)
			require.ErrorContains(t, err, `"A"`)
		}
		require.NoError(t, q.Replace(listOf(bad), versionFunc("3")))
		require.Equal(t, []string{"A"}, reported)
		require.Zero(t, q.Len())
		require.ErrorIs(t, q.Delete(bad), errTransform)
		require.Equal(t, store["A"], q.tryBegin(false, 0).deltas[0].Object, "a Delete is queued although its transform fails")
	}
}

// Promise: a write wakes one waiting Pop or PopBatch, Close wakes all of them, and
// cancelling the context ends the wait immediately.
func TestPopIsWoken(t *testing.T) {
	pop := func(ctx context.Context, q *DeltaFIFO[testObject]) error {
		return q.Pop(ctx, func(string, Deltas[testObject], bool) error { return nil })
	}
	popBatch := func(ctx context.Context, q *DeltaFIFO[testObject]) error {
		return q.PopBatch(ctx, 0, func([]Delta[testObject], Batch) error { return nil })
	}
	for _, wait := range []func(context.Context, *DeltaFIFO[testObject]) error{pop, popBatch} {
		synctest.Test(t, func(t *testing.T) {
			q, _ := newQueue()
			ctx, cancel := context.WithCancel(t.Context())
			results := make(chan error, 10)
			startWaiting := func(ctx context.Context, n int) {
				for range n {
					go func() { results <- wait(ctx, q) }()
				}
				synctest.Wait()
				require.Empty(t, results)
			}
			startWaiting(ctx, 3)
			cancel()
			for range 3 {
				require.ErrorIs(t, <-results, context.Canceled)
			}
			startWaiting(t.Context(), 2)
			require.NoError(t, q.Add(newObject("A", "1")))
			require.NoError(t, <-results)
			synctest.Wait()
			require.Empty(t, results)
			q.Close()
			require.ErrorIs(t, <-results, ErrClosed)
			require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
			require.Empty(t, q.waiters)
		})
	}
}

// Promise: writing does not wait for processing.
func TestWritesDoNotWaitForProcessing(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Add(newObject("A", "1")))
	require.NoError(t, q.Pop(background, func(string, Deltas[testObject], bool) error {
		require.NoError(t, q.Update(newObject("A", "2")))
		require.NoError(t, q.Replace(listOf(newObject("A", "3")), versionFunc("3")))
		return q.Resync()
	}))
	require.Equal(t, 2, q.Len())
}

// Promise: Pop returns the error of the process function, and does not recover a
// panic. The queue is usable afterwards.
func TestPopReturnsTheErrorOfProcess(t *testing.T) {
	q, _ := newQueue()
	failure := errors.New("deliberate failure")
	for range 2 {
		require.NoError(t, q.Add(newObject("A", "1")))
		require.ErrorIs(t, q.Pop(background, func(string, Deltas[testObject], bool) error { return failure }), failure)
		require.NoError(t, q.Add(newObject("A", "1")))
		require.ErrorIs(t, q.PopBatch(background, 0, func([]Delta[testObject], Batch) error { return failure }), failure)
		require.NoError(t, q.Add(newObject("A", "1")))
		require.PanicsWithValue(t, "deliberate panic", func() {
			_ = q.Pop(background, func(string, Deltas[testObject], bool) error { panic("deliberate panic") })
		})
		require.NoError(t, q.Add(newObject("A", "1")))
		require.PanicsWithValue(t, "deliberate panic", func() {
			_ = q.PopBatch(background, 0, func([]Delta[testObject], Batch) error { panic("deliberate panic") })
		})
		require.Empty(t, q.processing)
	}
	require.ErrorIs(t, q.Pop(background, nil), ErrNoProcess)
	require.ErrorIs(t, q.PopBatch(background, 0, nil), ErrNoProcess)
}

// Promise: a nil object, an object without metadata and a write after Close are
// errors.
func TestInvalidInputIsAnError(t *testing.T) {
	pods := New(Options[*metav1.ObjectMeta]{})
	custom := New(Options[*metav1.ObjectMeta]{KeyFunc: func(o *metav1.ObjectMeta) (string, error) { return o.Name, nil }})
	anything := New(Options[any]{})
	for _, write := range []func(*metav1.ObjectMeta) error{pods.Add, pods.Update, pods.Delete, custom.Add, custom.Update, custom.Delete} {
		var keyError *indexer.KeyError
		err := write(nil)
		require.ErrorAs(t, err, &keyError)
		require.ErrorIs(t, err, indexer.ErrNilObject)
	}
	require.ErrorIs(t, anything.Add(nil), indexer.ErrNilObject)
	require.ErrorIs(t, anything.Add(7), indexer.ErrNoMetadata)
	pods.Close()
	pods.Close()
	o := &metav1.ObjectMeta{Name: "a"}
	for _, err := range []error{pods.Add(o), pods.Update(o), pods.Delete(o), pods.Resync(), pods.Replace(listOf(o), nil)} {
		require.ErrorIs(t, err, ErrClosed)
	}
	pods.Bookmark("1")
	require.Empty(t, pods.Version())
}

// Promise: a key is not delivered again while it is being processed, whatever the
// number of consumers. No delta is lost.
func TestConcurrentConsumersShareNoKey(t *testing.T) {
	const keys, producers, writes = 10, 4, 2000
	q := New(Options[testObject]{KeyFunc: objectKey})
	var consumersOf [keys]atomic.Int32
	var delivered atomic.Int64
	consumersOfKey := func(key string) *atomic.Int32 {
		var i int
		_, err := fmt.Sscan(key, &i)
		require.NoError(t, err)
		return &consumersOf[i]
	}
	var consumers, writers sync.WaitGroup
	consume := func(pop func() error) {
		consumers.Go(func() {
			for {
				if err := pop(); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range 3 {
		consume(func() error {
			return q.Pop(background, func(key string, d Deltas[testObject], _ bool) error {
				delivered.Add(int64(len(d)))
				if consumersOfKey(key).Add(1) != 1 {
					t.Error("two consumers process the key ", key)
				}
				consumersOfKey(key).Add(-1)
				return nil
			})
		})
		consume(func() error {
			return q.PopBatch(background, 5, func(deltas []Delta[testObject], b Batch) error {
				delivered.Add(int64(len(deltas)))
				seen := map[string]bool{}
				for _, d := range deltas {
					if !seen[d.Key] && consumersOfKey(d.Key).Add(1) != 1 {
						t.Error("two consumers process the key ", d.Key)
					}
					seen[d.Key] = true
				}
				for key := range seen {
					consumersOfKey(key).Add(-1)
				}
				return nil
			})
		})
	}
	for range producers {
		writers.Go(func() {
			for i := range writes {
				if err := q.Add(testObject{key: fmt.Sprint(i % keys)}); err != nil {
					t.Error(err)
				}
				if i%50 == 0 {
					q.Bookmark(fmt.Sprint(i))
				}
			}
		})
	}
	writers.Wait()
	q.Close()
	consumers.Wait()
	require.EqualValues(t, producers*writes, delivered.Load())
}

// Promise: Len takes no lock, so calling it does not slow down the queue.
func TestLenTakesNoLock(t *testing.T) {
	q := New(Options[testObject]{KeyFunc: objectKey})
	require.NoError(t, q.Add(testObject{key: "A"}))
	q.mu.Lock()
	defer q.mu.Unlock()
	require.Equal(t, 1, q.Len()) // a deadlock if Len takes the lock
}

// Promise of SkipInitialList: the queue is synced immediately, and later deltas are
// not part of an initial list, including those of a Replace.
func TestSkipInitialList(t *testing.T) {
	q, _ := newQueue()
	q.Bookmark("1") // its sequence number must not count as the end of a Replace
	q.SkipInitialList()
	q.SkipInitialList()
	require.True(t, q.HasSynced())
	require.NoError(t, q.Add(newObject("A", "2")))
	require.NoError(t, q.Replace(listOf(newObject("B", "3")), versionFunc("4")))
	for range 3 {
		d := q.tryBegin(false, 0)
		if d == nil {
			break
		}
		require.False(t, d.batchInfo.InInitialList, "%v", d.deltas)
		q.finish(d)
	}
	require.Equal(t, "4", q.Version())
}

// Promise of SkipInitialList: after the first Replace it does nothing.
func TestSkipInitialListAfterReplaceDoesNothing(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Replace(listOf(newObject("A", "1")), versionFunc("1")))
	q.SkipInitialList()
	require.False(t, q.HasSynced())
	d := q.tryBegin(false, 0)
	require.True(t, d.batchInfo.InInitialList)
	q.finish(d)
	require.True(t, q.HasSynced())
}

// Promise of ConsumeMarkers: it completes a Replace without deltas, but not a Replace
// with unprocessed deltas.
func TestConsumeMarkers(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Replace(listOf[testObject](), versionFunc("1")))
	require.False(t, q.HasSynced(), "no consumer has called Pop")
	q.ConsumeMarkers()
	require.True(t, q.HasSynced())
	require.Equal(t, "1", q.Version())

	q, _ = newQueue()
	require.NoError(t, q.Replace(listOf(newObject("A", "1")), versionFunc("1")))
	q.ConsumeMarkers()
	require.False(t, q.HasSynced(), "A is queued")
	d := q.tryBegin(false, 0)
	q.ConsumeMarkers()
	require.False(t, q.HasSynced(), "A is in progress")
	q.finish(d)
	require.True(t, q.HasSynced())
}
