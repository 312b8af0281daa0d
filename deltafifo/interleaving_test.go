package deltafifo

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// Promise: what was learned about a known object is learned again if somebody
// has written meanwhile. MetaFunc stands in for that somebody here: it is asked
// about the known object, and before it answers another one has come.
func TestSomebodyWritesWhileTheUIDIsRead(t *testing.T) {
	for _, write := range []struct {
		name string
		do   func(*DeltaFIFO[thing], thing) error
		want []DeltaType
	}{
		{"update", (*DeltaFIFO[thing]).Update, []DeltaType{Added, Deleted, Added, Deleted, Added}},
		{"delete", (*DeltaFIFO[thing]).Delete, []DeltaType{Added, Deleted, Added, Deleted}},
	} {
		t.Run(write.name, func(t *testing.T) {
			var q *DeltaFIFO[thing]
			meanwhile := false
			q = New(Options[thing]{KeyFunc: thingKey, MetaFunc: func(th thing) (types.UID, string) {
				if th.version == "1" && meanwhile {
					meanwhile = false
					require.NoError(t, q.Update(thing{key: "A", uid: "other", version: "2"}))
				}
				return th.uid, th.version
			}})
			require.NoError(t, q.Add(thing{key: "A", uid: "u", version: "1"}))
			meanwhile = true
			require.NoError(t, write.do(q, thing{key: "A", uid: "u", version: "3"}))
			var got []DeltaType
			for _, d := range q.tryBegin(false, 0).deltas {
				got = append(got, d.Type)
			}
			require.Equal(t, write.want, got)
		})
	}
}

// Promise: a key is not handed out while it is being processed; who waits for
// it is woken when that ends, by either kind of wait.
func TestAWaitForABusyKey(t *testing.T) {
	for _, wait := range waits {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[thing]{KeyFunc: thingKey})
			require.NoError(t, q.Add(thing{key: "A"}))
			h := q.tryBegin(false, 0)
			require.NoError(t, q.Update(thing{key: "A"}))
			q.Close()
			result := make(chan error, 1)
			go func() { result <- wait(t.Context(), q) }()
			synctest.Wait()
			require.Empty(t, result, "handed out twice at once, or taken for drained")
			q.finish(h)
			require.NoError(t, <-result)
			require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
		})
	}
}

// Promise: Close lets consumers take what is left.
func TestACloseLosesNothing(t *testing.T) {
	for _, wait := range waits {
		q := New(Options[thing]{KeyFunc: thingKey})
		require.NoError(t, q.Add(thing{key: "A"}))
		q.Close()
		require.NoError(t, wait(t.Context(), q))
		require.Zero(t, q.Len())
		require.ErrorIs(t, wait(t.Context(), q), ErrClosed)
	}
}

// Promise: a context that is done hands out nothing and leaves nothing behind.
func TestADoneContext(t *testing.T) {
	for _, wait := range waits {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[thing]{KeyFunc: thingKey})
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() { result <- wait(ctx, q) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-result, context.Canceled)
			require.Empty(t, q.waiting)
			require.NoError(t, q.Add(thing{key: "A"}))
			require.ErrorIs(t, wait(ctx, q), context.Canceled)
			require.Equal(t, 1, q.Len())
		})
	}
}

// Promise: a nil object is an error, also when the transform makes it.
func TestATransformThatMakesNothing(t *testing.T) {
	q := New(Options[*thing]{
		KeyFunc:   func(th *thing) (string, error) { return th.key, nil },
		Transform: func(*thing) (*thing, bool, error) { return nil, true, nil },
	})
	var failed *TransformError
	require.ErrorAs(t, q.Add(&thing{key: "A"}), &failed)
	require.Equal(t, "A", failed.Key)
	require.Zero(t, q.Len())
}

var waits = []func(context.Context, *DeltaFIFO[thing]) error{
	func(ctx context.Context, q *DeltaFIFO[thing]) error {
		return q.Pop(ctx, func(string, Deltas[thing], bool) error { return nil })
	},
	func(ctx context.Context, q *DeltaFIFO[thing]) error {
		return q.PopBatch(ctx, 0, func([]Delta[thing], Batch) error { return nil })
	},
}
