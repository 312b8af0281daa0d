package deltafifo

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Promise: a comparison with a known object is repeated if another writer has
// changed the object meanwhile. Here MetaFunc is that writer: it updates the key
// while the write under test reads the UID of the known object.
func TestComparisonIsRepeatedAfterAConcurrentWrite(t *testing.T) {
	for _, write := range []struct {
		name string
		do   func(*DeltaFIFO[testObject], testObject) error
		want []DeltaType
	}{
		{"update", (*DeltaFIFO[testObject]).Update, []DeltaType{Added, Deleted, Added, Deleted, Added}},
		{"delete", (*DeltaFIFO[testObject]).Delete, []DeltaType{Added, Deleted, Added, Deleted}},
	} {
		t.Run(write.name, func(t *testing.T) {
			var q *DeltaFIFO[testObject]
			meanwhile := false
			q = New(Options[testObject]{KeyFunc: objectKey, MetaFunc: func(obj testObject) (types.UID, string) {
				if obj.version == "1" && meanwhile {
					meanwhile = false
					require.NoError(t, q.Update(testObject{key: "A", uid: "other", version: "2"}))
				}
				return obj.uid, obj.version
			}})
			require.NoError(t, q.Add(testObject{key: "A", uid: "u", version: "1"}))
			meanwhile = true
			require.NoError(t, write.do(q, testObject{key: "A", uid: "u", version: "3"}))
			var got []DeltaType
			for _, d := range q.tryBegin(false, 0).deltas {
				got = append(got, d.Type)
			}
			require.Equal(t, write.want, got)
		})
	}
}

// Promise: a key is not delivered while it is being processed. A waiting Pop or
// PopBatch is woken when the processing ends.
func TestPopWaitsForKeyInProgress(t *testing.T) {
	for _, wait := range waits {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[testObject]{KeyFunc: objectKey})
			require.NoError(t, q.Add(testObject{key: "A"}))
			d := q.tryBegin(false, 0)
			require.NoError(t, q.Update(testObject{key: "A"}))
			q.Close()
			result := make(chan error, 1)
			go func() { result <- wait(t.Context(), q) }()
			synctest.Wait()
			require.Empty(t, result, "Pop must wait while the key is in progress")
			q.finish(d)
			require.NoError(t, <-result)
			require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
		})
	}
}

// Promise: after Close, consumers can take the queued deltas.
func TestCloseLosesNoDeltas(t *testing.T) {
	for _, wait := range waits {
		q := New(Options[testObject]{KeyFunc: objectKey})
		require.NoError(t, q.Add(testObject{key: "A"}))
		q.Close()
		require.NoError(t, wait(t.Context(), q))
		require.Zero(t, q.Len())
		require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
	}
}

// Promise: a Pop whose context is done takes no deltas, and leaves no waiter in the
// queue.
func TestPopWithDoneContextTakesNothing(t *testing.T) {
	for _, wait := range waits {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[testObject]{KeyFunc: objectKey})
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() { result <- wait(ctx, q) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-result, context.Canceled)
			require.Empty(t, q.waiters)
			require.NoError(t, q.Add(testObject{key: "A"}))
			require.ErrorIs(t, wait(ctx, q), context.Canceled)
			require.Equal(t, 1, q.Len())
		})
	}
}

// Promise: a nil object is an error, also if the transform returns it.
func TestTransformThatReturnsNilIsAnError(t *testing.T) {
	q := New(Options[*testObject]{
		KeyFunc:   func(obj *testObject) (string, error) { return obj.key, nil },
		Transform: func(*testObject) (*testObject, bool, error) { return nil, true, nil },
	})
	var failed *TransformError
	require.ErrorAs(t, q.Add(&testObject{key: "A"}), &failed)
	require.Equal(t, "A", failed.Key)
	require.Zero(t, q.Len())
}

var waits = []func(context.Context, *DeltaFIFO[testObject]) error{
	func(ctx context.Context, q *DeltaFIFO[testObject]) error {
		return q.Pop(ctx, func(string, Deltas[testObject], bool) error { return nil })
	},
	func(ctx context.Context, q *DeltaFIFO[testObject]) error {
		return q.PopBatch(ctx, 0, func([]Delta[testObject], Batch) error { return nil })
	},
}
