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

// Contract §6, memory: nothing of a list is held once it has been popped. The
// list of Replaces under way used to keep the last one in its spare capacity.
func TestAPoppedListIsNotHeld(t *testing.T) {
	type big struct {
		name string
		_    [1 << 16]byte
	}
	q := New(Options[*big]{
		KeyFunc:  func(b *big) (string, error) { return b.name, nil },
		MetaFunc: func(*big) (types.UID, string) { return "u", "1" },
	})
	obj := &big{name: "a"}
	held := weak.Make(obj)
	require.NoError(t, q.Replace(listOf(obj), at("1")))
	obj = nil
	require.NoError(t, q.PopBatch(context.Background(), 0, func([]Delta[*big], Batch) error { return nil }))
	runtime.GC()
	runtime.GC()
	require.True(t, held.Value() == nil, "the object is still held")
	runtime.KeepAlive(q)
}

// Contract: a write of any kind to a closed queue says so, also one whose
// transform fails.
func TestAFailingWriteAfterClose(t *testing.T) {
	q := New(Options[thing]{KeyFunc: thingKey, Transform: thing.judged})
	q.Close()
	err := q.Add(thing{key: "a", verdict: fail})
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, err, errTransform)
}

// Contract: an error is reported, never swallowed: the count of those that were
// not logged comes also when the list breaks off.
func TestTheCountOfErrorsOfABrokenList(t *testing.T) {
	var logged strings.Builder
	q := New(Options[thing]{KeyFunc: thingKey, Transform: thing.judged, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	err := q.Replace(func(yield func(thing, error) bool) {
		for range maxLogged + 3 {
			if !yield(thing{key: "a", verdict: fail}, nil) {
				return
			}
		}
		yield(thing{}, io.ErrUnexpectedEOF)
	}, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, maxLogged+1, strings.Count(logged.String(), "\n"))
	require.Contains(t, logged.String(), "count=3")
}

// Contract: known is the last state. A process function that fails leaves it at
// what the store has, also for a Replace that has read the item already.
func TestAFailedProcessDuringAReplace(t *testing.T) {
	q, store := newThings()
	store["A"] = object("A", "1")
	require.NoError(t, q.Update(object("A", "2")))
	boom := errors.New("boom")
	require.NoError(t, q.Replace(func(yield func(thing, error) bool) {
		yield(object("A", "2"), nil) // as the queued one: nothing to do
		require.ErrorIs(t, q.Pop(background, func(string, Deltas[thing], bool) error { return boom }), boom)
	}, at("9")))
	require.NoError(t, q.PopBatch(background, 0, func(d []Delta[thing], b Batch) error {
		require.Len(t, d, 1)
		require.Equal(t, object("A", "2"), d[0].Object)
		return nil
	}))
}

// Contract: an object with another UID than the known one is a Deleted of that
// one; the known one changes when processing fails while the UID is read.
func TestAFailedProcessWhileTheUIDIsRead(t *testing.T) {
	store := shelf{"A": thing{key: "A", uid: "u1", version: "1"}}
	var q *DeltaFIFO[thing]
	var h *handout[thing]
	q = New(Options[thing]{KeyFunc: thingKey, KnownObjects: store, MetaFunc: func(th thing) (types.UID, string) {
		if h != nil && th.version == "2" {
			h.failed = true
			q.finish(h)
			h = nil
		}
		return th.uid, th.version
	}})
	require.NoError(t, q.Update(thing{key: "A", uid: "u2", version: "2"}))
	h = q.tryBegin(false, 0)
	require.NoError(t, q.Update(thing{key: "A", uid: "u2", version: "3"}))
	g := q.tryBegin(false, 0)
	require.Equal(t, Deleted, g.deltas[0].Type)
	require.Equal(t, "1", g.deltas[0].Object.version)
	q.finish(g)
}

// Contract: ctx ends the wait at once. A token that comes together with it does
// not stay behind, where the next wake-up would block on it.
func TestAWakeUpTogetherWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[thing]{KeyFunc: thingKey})
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- q.Pop(ctx, func(string, Deltas[thing], bool) error { return nil }) }()
			synctest.Wait()
			q.mu.Lock()
			cancel()
			q.wake()
			q.mu.Unlock()
			require.ErrorIs(t, <-done, context.Canceled)
			for _, h := range q.idle {
				require.Empty(t, h.wake)
			}
		}
	})
}

// Contract: an error says what was being processed, whatever process has done
// to what it was handed.
func TestAnErrorNamesTheKey(t *testing.T) {
	q, _ := newThings()
	require.NoError(t, q.Add(object("A", "1")))
	require.ErrorContains(t, q.PopBatch(background, 0, func(d []Delta[thing], _ Batch) error {
		clear(d)
		return errors.New("no")
	}), `beginning with "A"`)
}

// Contract: after Distrust, and until a Replace has succeeded, an item is not
// taken for the known object by its version: the source may have given it out
// twice, for another state of the object.
func TestAReplaceThatDistrustsVersions(t *testing.T) {
	q := New(Options[thing]{KeyFunc: thingKey, MetaFunc: thingMeta})
	first, second := thing{key: "a", uid: "u", version: "5", id: 1}, thing{key: "a", uid: "u", version: "5", id: 2}
	popped := func() (all []Delta[thing]) {
		require.NoError(t, q.PopBatch(context.Background(), 0, func(deltas []Delta[thing], _ Batch) error {
			all = append(all, deltas...)
			return nil
		}))
		return all
	}
	shelved := shelf{}
	q.known = shelved
	require.NoError(t, q.Replace(listOf(first), at("9")))
	popped()
	shelved["a"] = first
	require.NoError(t, q.Replace(listOf(second), at("9")))
	require.Empty(t, popped(), "the version is the same")

	q.Distrust()
	require.Error(t, q.Replace(func(yield func(thing, error) bool) { yield(thing{}, io.ErrUnexpectedEOF) }, at("7")))
	require.NoError(t, q.Replace(listOf(second), at("7")))
	require.Equal(t, []Delta[thing]{{Type: Replaced, Key: "a", Object: second}}, popped())
	shelved["a"] = second
	require.NoError(t, q.Replace(listOf(first), at("7")))
	require.Empty(t, popped(), "it is trusted again")
}
