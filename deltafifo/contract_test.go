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

func newThings() (*DeltaFIFO[thing], shelf) {
	store := shelf{}
	return New(Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta, KnownObjects: store}), store
}

func object(key, version string) thing { return thing{key: key, uid: "u", version: version} }

func (h *handout[T]) types() (types []DeltaType) {
	for _, d := range h.deltas {
		types = append(types, d.Type)
	}
	return types
}

// Promise: "Version is V only when everything up to V has been handed out and
// processed, whatever the order in which consumers finish."
func TestWatermark(t *testing.T) {
	for _, finishEarly := range []bool{false, true} {
		q, _ := newThings()
		require.NoError(t, q.Add(object("A", "1")))
		require.NoError(t, q.Add(object("B", "2")))
		require.NoError(t, q.Update(object("A", "3")))
		a := q.tryBegin(false, 0)
		require.Equal(t, []DeltaType{Added, Updated}, a.types())
		require.Empty(t, q.Version())
		if finishEarly {
			q.finish(a)
			require.Equal(t, "1", q.Version())
		}
		b := q.tryBegin(false, 0)
		q.finish(b)
		if !finishEarly {
			require.Empty(t, q.Version())
			q.finish(a)
		}
		require.Equal(t, "3", q.Version())
	}
}

// Promise: "A key is known by its newest delta that is queued, else by the
// newest that is being processed": the store need not have it yet.
func TestADeleteOfWhatIsBeingProcessed(t *testing.T) {
	q, store := newThings()
	require.NoError(t, q.Add(object("A", "1")))
	h := q.tryBegin(false, 0)
	require.Empty(t, store)
	require.NoError(t, q.Delete(object("A", "2")))
	require.Nil(t, q.tryBegin(false, 0), "A key is not handed out again while it is being processed")
	q.finish(h)
	require.Equal(t, []DeltaType{Deleted}, q.tryBegin(false, 0).types())
}

// Promise: "a Delete of an unknown key produces nothing, so no two Deleted of a
// key follow each other; of two the one that somebody saw is kept".
func TestDeletes(t *testing.T) {
	q, store := newThings()
	require.NoError(t, q.Delete(object("A", "1")))
	require.Zero(t, q.Len())
	store["A"] = object("A", "1")
	require.NoError(t, q.Replace(listOf[thing](), at("2")))
	require.NoError(t, q.Delete(object("A", "3")))
	require.NoError(t, q.Delete(object("A", "4")))
	h := q.tryBegin(false, 0)
	require.Equal(t, []Delta[thing]{{Type: Deleted, Object: object("A", "3"), Key: "A"}}, h.deltas)
}

// Promise: "Bookmarks and the ends of Replaces are markers in that order, and
// overtake nothing".
func TestAMarkerDoesNotOvertakeAnOpenPop(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Add(object("A", "1")))
	h := q.tryBegin(false, 0)
	q.Bookmark("2")
	require.Nil(t, q.tryBegin(true, 0))
	require.Empty(t, q.Version())
	q.finish(h)
	require.Equal(t, "2", q.Version())
}

// Promise: "A Replace goes out as one batch, whole."
func TestAReplaceIsOneBatch(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Add(object("A", "1")))
	busy := q.tryBegin(false, 0)
	require.NoError(t, q.Replace(listOf(object("A", "2"), object("B", "2"), object("C", "2")), at("5")))
	require.NoError(t, q.Add(object("D", "6")))
	require.Nil(t, q.tryBegin(true, 1), "waits for a busy key")
	q.finish(busy)
	h := q.tryBegin(true, 1)
	require.Equal(t, []DeltaType{Replaced, Replaced, Replaced}, h.types())
	require.Equal(t, Batch{InInitialList: true, Replace: true, Version: "5", Markers: []Marker{{ReplaceEnd, "5", 3}}}, h.about)
	require.False(t, q.HasSynced(), "synced means processed")
	q.finish(h)
	require.True(t, q.HasSynced())
	<-q.Synced()
	require.False(t, q.tryBegin(true, 0).about.InInitialList)
}

// Promise: "Nothing of it is queued unless its list was read to the end", and
// "An item of a Replace without a key is an error of the whole Replace".
func TestABrokenReplaceQueuesNothing(t *testing.T) {
	q, store := newThings()
	store["Z"] = object("Z", "1")
	broken := errors.New("the stream broke")
	err := q.Replace(func(yield func(thing, error) bool) {
		_ = yield(object("A", "1"), nil) && yield(thing{}, broken)
	}, func() string { t.Error("the version was asked"); return "" })
	require.ErrorIs(t, err, broken)
	require.Zero(t, q.Len())

	pods := New(Options[*metav1.ObjectMeta]{})
	err = pods.Replace(listOf(&metav1.ObjectMeta{Name: "a"}, &metav1.ObjectMeta{}), nil)
	require.ErrorIs(t, err, indexer.ErrNoName)
	require.Zero(t, pods.Len())
	require.ErrorIs(t, pods.Replace(nil, nil), ErrNoItems)
}

// Promise: "an item of a Replace with the UID and the version of the known
// object is dropped at once: nobody transforms it".
func TestUnchangedItems(t *testing.T) {
	transformed := 0
	store := shelf{"A": object("A", "1")}
	q := New(Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta, KnownObjects: store, Transform: func(th thing) (thing, bool, error) {
		transformed++
		return th, true, nil
	}})
	require.NoError(t, q.Replace(listOf(object("A", "1"), object("B", "2")), at("2")))
	require.Equal(t, 1, transformed)
	require.Equal(t, "B", q.tryBegin(true, 0).deltas[0].Key)
}

// Promise: "If it fails, the object that was known stays, and the error is told
// with the key".
func TestTransformFailures(t *testing.T) {
	for _, v := range []verdict{fail, blow} {
		var reported []string
		store := shelf{"A": object("A", "1")}
		q := New(Options[thing]{
			KeyFunc: thingKey, MetaFunc: thingMeta, KnownObjects: store, Transform: thing.judged,
			OnError: func(key string, err error) { reported = append(reported, key) },
		})
		bad := thing{key: "A", uid: "u", version: "2", verdict: v}
		for _, write := range []func(thing) error{q.Add, q.Update} {
			err := write(bad)
			require.ErrorIs(t, err, errTransform)
			require.ErrorContains(t, err, `"A"`)
		}
		require.NoError(t, q.Replace(listOf(bad), at("3")))
		require.Equal(t, []string{"A"}, reported)
		require.Zero(t, q.Len())
		require.ErrorIs(t, q.Delete(bad), errTransform)
		require.Equal(t, store["A"], q.tryBegin(false, 0).deltas[0].Object, "A Delete counts even so")
	}
}

// Promise: "Close lets consumers take what is left, and wakes all who wait";
// the context ends every wait at once.
func TestWhatWakesAWait(t *testing.T) {
	pop := func(ctx context.Context, q *DeltaFIFO[thing]) error {
		return q.Pop(ctx, func(string, Deltas[thing], bool) error { return nil })
	}
	popBatch := func(ctx context.Context, q *DeltaFIFO[thing]) error {
		return q.PopBatch(ctx, 0, func([]Delta[thing], Batch) error { return nil })
	}
	for _, wait := range []func(context.Context, *DeltaFIFO[thing]) error{pop, popBatch} {
		synctest.Test(t, func(t *testing.T) {
			q, _ := newThings()
			ctx, cancel := context.WithCancel(t.Context())
			results := make(chan error, 10)
			waits := func(ctx context.Context, n int) {
				for range n {
					go func() { results <- wait(ctx, q) }()
				}
				synctest.Wait()
				require.Empty(t, results)
			}
			waits(ctx, 3)
			cancel()
			for range 3 {
				require.ErrorIs(t, <-results, context.Canceled)
			}
			waits(t.Context(), 2)
			require.NoError(t, q.Add(object("A", "1")))
			require.NoError(t, <-results)
			synctest.Wait()
			require.Empty(t, results)
			q.Close()
			require.ErrorIs(t, <-results, ErrClosed)
			require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
			require.Empty(t, q.waiting)
		})
	}
}

// Promise: "Writing does not wait for processing."
func TestWritesDuringProcessing(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Add(object("A", "1")))
	require.NoError(t, q.Pop(background, func(string, Deltas[thing], bool) error {
		require.NoError(t, q.Update(object("A", "2")))
		require.NoError(t, q.Replace(listOf(object("A", "3")), at("3")))
		return q.Resync()
	}))
	require.Equal(t, 2, q.Len())
}

// Promise: "an error of the process function is what Pop returns", and a panic
// goes on; the queue is usable afterwards.
func TestAFailingProcess(t *testing.T) {
	q, _ := newThings()
	told := errors.New("told to")
	for range 2 {
		require.NoError(t, q.Add(object("A", "1")))
		require.ErrorIs(t, q.Pop(background, func(string, Deltas[thing], bool) error { return told }), told)
		require.NoError(t, q.Add(object("A", "1")))
		require.ErrorIs(t, q.PopBatch(background, 0, func([]Delta[thing], Batch) error { return told }), told)
		require.NoError(t, q.Add(object("A", "1")))
		require.PanicsWithValue(t, "told to", func() {
			_ = q.Pop(background, func(string, Deltas[thing], bool) error { panic("told to") })
		})
		require.NoError(t, q.Add(object("A", "1")))
		require.PanicsWithValue(t, "told to", func() {
			_ = q.PopBatch(background, 0, func([]Delta[thing], Batch) error { panic("told to") })
		})
		require.Empty(t, q.open)
	}
	require.ErrorIs(t, q.Pop(background, nil), ErrNoProcess)
	require.ErrorIs(t, q.PopBatch(background, 0, nil), ErrNoProcess)
}

// Promise: "A write after Close is an error"; bad input is an error.
func TestBadInput(t *testing.T) {
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

// Promise: "A key is not handed out again while it is being processed", by any
// number of consumers, and nothing is lost.
func TestConcurrently(t *testing.T) {
	const keys, producers, writes = 10, 4, 2000
	q := New(Options[thing]{KeyFunc: thingKey})
	var working [keys]atomic.Int32
	var handed atomic.Int64
	enter := func(key string) *atomic.Int32 {
		var i int
		_, err := fmt.Sscan(key, &i)
		require.NoError(t, err)
		return &working[i]
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
			return q.Pop(background, func(key string, d Deltas[thing], _ bool) error {
				handed.Add(int64(len(d)))
				if enter(key).Add(1) != 1 {
					t.Error("twice at once", key)
				}
				enter(key).Add(-1)
				return nil
			})
		})
		consume(func() error {
			return q.PopBatch(background, 5, func(deltas []Delta[thing], b Batch) error {
				handed.Add(int64(len(deltas)))
				seen := map[string]bool{}
				for _, d := range deltas {
					if !seen[d.Key] && enter(d.Key).Add(1) != 1 {
						t.Error("twice at once", d.Key)
					}
					seen[d.Key] = true
				}
				for key := range seen {
					enter(key).Add(-1)
				}
				return nil
			})
		})
	}
	for range producers {
		writers.Go(func() {
			for i := range writes {
				if err := q.Add(thing{key: fmt.Sprint(i % keys)}); err != nil {
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
	require.EqualValues(t, producers*writes, handed.Load())
}

// "Len takes no lock: who watches a queue does not slow it down."
func TestLenTakesNoLock(t *testing.T) {
	q := New(Options[thing]{KeyFunc: thingKey})
	require.NoError(t, q.Add(thing{key: "A"}))
	q.mu.Lock()
	defer q.mu.Unlock()
	require.Equal(t, 1, q.Len()) // or it waits for ever
}

// Promise of NoInitialList: the queue is synced from then on, what comes is in no
// initial list, and no Replace after it syncs it again.
func TestNoInitialList(t *testing.T) {
	q, _ := newThings()
	q.Bookmark("1") // a marker whose number must not be taken for the end of a Replace
	q.NoInitialList()
	q.NoInitialList()
	require.True(t, q.HasSynced())
	require.NoError(t, q.Add(object("A", "2")))
	require.NoError(t, q.Replace(listOf(object("B", "3")), at("4")))
	for range 3 {
		h := q.tryBegin(false, 0)
		if h == nil {
			break
		}
		require.False(t, h.about.InInitialList, "%v", h.deltas)
		q.finish(h)
	}
	require.Equal(t, "4", q.Version())
}

// Promise of NoInitialList: "After the first Replace it does nothing."
func TestNoInitialListAfterAReplace(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Replace(listOf(object("A", "1")), at("1")))
	q.NoInitialList()
	require.False(t, q.HasSynced())
	h := q.tryBegin(false, 0)
	require.True(t, h.about.InInitialList)
	q.finish(h)
	require.True(t, q.HasSynced())
}

// Promise of Settle: "A Replace that has given no deltas counts as processed
// after it", and one that has does not.
func TestSettle(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Replace(listOf[thing](), at("1")))
	require.False(t, q.HasSynced(), "nobody has come to Pop")
	q.Settle()
	require.True(t, q.HasSynced())
	require.Equal(t, "1", q.Version())

	q, _ = newThings()
	require.NoError(t, q.Replace(listOf(object("A", "1")), at("1")))
	q.Settle()
	require.False(t, q.HasSynced(), "A is queued")
	h := q.tryBegin(false, 0)
	q.Settle()
	require.False(t, q.HasSynced(), "A is being processed")
	q.finish(h)
	require.True(t, q.HasSynced())
}
