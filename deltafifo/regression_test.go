package deltafifo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Promise: the queue does not retain objects that have been processed. The slice of
// unfinished Replaces once retained the last one in its spare capacity.
func TestPoppedDeltasAreNotRetained(t *testing.T) {
	type big struct {
		name string
		_    [1 << 16]byte
	}
	q := New(Options[*big]{
		KeyFunc:  func(b *big) (string, error) { return b.name, nil },
		MetaFunc: func(*big) (types.UID, string) { return "u", "1" },
	})
	obj := &big{name: "a"}
	pointer := weak.Make(obj)
	require.NoError(t, q.Replace(listOf(obj), versionFunc("1")))
	obj = nil
	require.NoError(t, q.PopBatch(context.Background(), 0, func([]Delta[*big], Batch) error { return nil }))
	runtime.GC()
	runtime.GC()
	require.True(t, pointer.Value() == nil, "the object is still reachable")
	runtime.KeepAlive(q)
}

// Promise: every write to a closed queue returns ErrClosed, also if its transform
// fails.
func TestFailedTransformAfterCloseReturnsErrClosed(t *testing.T) {
	q := New(Options[testObject]{KeyFunc: objectKey, Transform: testObject.transform})
	q.Close()
	err := q.Add(testObject{key: "a", outcome: fails})
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, err, errTransform)
}

// Promise: no error of an item is lost. The number of errors that were not logged
// one by one is logged also if the list fails.
func TestFailedReplaceLogsTheNumberOfOtherErrors(t *testing.T) {
	var logged strings.Builder
	q := New(Options[testObject]{KeyFunc: objectKey, Transform: testObject.transform, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	err := q.Replace(func(yield func(testObject, error) bool) {
		for range maxLogged + 3 {
			if !yield(testObject{key: "a", outcome: fails}, nil) {
				return
			}
		}
		yield(testObject{}, io.ErrUnexpectedEOF)
	}, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, maxLogged+1, strings.Count(logged.String(), "\n"))
	require.Contains(t, logged.String(), "count=3")
}

// Promise: after a failed process function the known state is the object in the
// store. That applies also to a Replace that has already read the item.
func TestProcessFailsWhileReplaceReads(t *testing.T) {
	q, store := newQueue()
	store["A"] = newObject("A", "1")
	require.NoError(t, q.Update(newObject("A", "2")))
	boom := errors.New("boom")
	require.NoError(t, q.Replace(func(yield func(testObject, error) bool) {
		yield(newObject("A", "2"), nil) // unchanged: equal to the queued object
		require.ErrorIs(t, q.Pop(background, func(string, Deltas[testObject], bool) error { return boom }), boom)
	}, versionFunc("9")))
	require.NoError(t, q.PopBatch(background, 0, func(d []Delta[testObject], b Batch) error {
		require.Len(t, d, 1)
		require.Equal(t, newObject("A", "2"), d[0].Object)
		return nil
	}))
}

// Promise: an object with another UID than the known one queues a Deleted of the
// known object. Here processing fails while the UID is read, so the known object
// is again the one in the store.
func TestProcessFailsWhileTheUIDIsRead(t *testing.T) {
	store := mapStore{"A": testObject{key: "A", uid: "u1", version: "1"}}
	var q *DeltaFIFO[testObject]
	var d *delivery[testObject]
	q = New(Options[testObject]{KeyFunc: objectKey, KnownObjects: store, MetaFunc: func(obj testObject) (types.UID, string) {
		if d != nil && obj.version == "2" {
			d.failed = true
			q.finish(d)
			d = nil
		}
		return obj.uid, obj.version
	}})
	require.NoError(t, q.Update(testObject{key: "A", uid: "u2", version: "2"}))
	d = q.tryBegin(false, 0)
	require.NoError(t, q.Update(testObject{key: "A", uid: "u2", version: "3"}))
	g := q.tryBegin(false, 0)
	require.Equal(t, Deleted, g.deltas[0].Type)
	require.Equal(t, "1", g.deltas[0].Object.version)
	q.finish(g)
}

// Promise: cancelling the context ends the wait immediately. A simultaneous wake-up
// leaves no token in the channel, where it would block the next wake-up.
func TestWakeUpTogetherWithCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[testObject]{KeyFunc: objectKey})
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- q.Pop(ctx, func(string, Deltas[testObject], bool) error { return nil }) }()
			synctest.Wait()
			q.mu.Lock()
			cancel()
			q.wake()
			q.mu.Unlock()
			require.ErrorIs(t, <-done, context.Canceled)
			for _, d := range q.idleDeliveries {
				require.Empty(t, d.wake)
			}
		}
	})
}

// Promise: the error of PopBatch names the first key, even if process has changed
// the slice.
func TestPopBatchErrorNamesTheKey(t *testing.T) {
	q, _ := newQueue()
	require.NoError(t, q.Add(newObject("A", "1")))
	require.ErrorContains(t, q.PopBatch(background, 0, func(d []Delta[testObject], _ Batch) error {
		clear(d)
		return errors.New("no")
	}), `beginning with "A"`)
}

// Promise: after InvalidateVersions, and until a Replace has succeeded, an item with
// the version of the known object is not skipped: the source may have used the
// version for another state of the object.
func TestReplaceAfterInvalidateVersionsSkipsNothing(t *testing.T) {
	q := New(Options[testObject]{KeyFunc: objectKey, MetaFunc: objectMeta})
	first, second := testObject{key: "a", uid: "u", version: "5", id: 1}, testObject{key: "a", uid: "u", version: "5", id: 2}
	popBatch := func() (all []Delta[testObject]) {
		require.NoError(t, q.PopBatch(context.Background(), 0, func(deltas []Delta[testObject], _ Batch) error {
			all = append(all, deltas...)
			return nil
		}))
		return all
	}
	store := mapStore{}
	q.known = store
	require.NoError(t, q.Replace(listOf(first), versionFunc("9")))
	popBatch()
	store["a"] = first
	require.NoError(t, q.Replace(listOf(second), versionFunc("9")))
	require.Empty(t, popBatch(), "the UID and the version are unchanged")

	q.InvalidateVersions()
	require.Error(t, q.Replace(func(yield func(testObject, error) bool) { yield(testObject{}, io.ErrUnexpectedEOF) }, versionFunc("7")))
	require.NoError(t, q.Replace(listOf(second), versionFunc("7")))
	require.Equal(t, []Delta[testObject]{{Type: Replaced, Key: "a", Object: second}}, popBatch())
	store["a"] = second
	require.NoError(t, q.Replace(listOf(first), versionFunc("7")))
	require.Empty(t, popBatch(), "versions are compared again after a successful Replace")
}

// Promise: deltas are delivered in the order of arrival. PopBatch does not deliver a
// final state before a delta that arrived earlier. Pop delivers the deltas of one
// key, and delivers the final state.
func TestBatchReturnsNoFinalStateBeforeAnEarlierDelta(t *testing.T) {
	newRelistedQueue := func() *DeltaFIFO[testObject] {
		q, store := newQueue()
		store["B"], store["C"] = newObject("B", "1"), newObject("C", "1")
		require.NoError(t, q.Replace(listOf(newObject("B", "1")), versionFunc("50")))
		require.NoError(t, q.Delete(newObject("B", "51")))
		require.NoError(t, q.Delete(newObject("C", "53")))
		return q
	}
	q := newRelistedQueue()
	replace := q.tryBegin(true, 0)
	require.Equal(t, []Delta[testObject]{{Type: Deleted, Object: newObject("C", "1"), Key: "C", FinalStateUnknown: true}}, replace.deltas)
	require.Equal(t, "50", replace.batchInfo.Version)
	q.finish(replace)
	rest := q.tryBegin(true, 0)
	require.Equal(t, []Delta[testObject]{{Type: Deleted, Object: newObject("B", "51"), Key: "B"}}, rest.deltas)
	require.Equal(t, "53", rest.batchInfo.Version)

	d := newRelistedQueue().tryBegin(false, 0)
	require.Equal(t, []Delta[testObject]{{Type: Deleted, Object: newObject("C", "53"), Key: "C"}}, d.deltas)
}
