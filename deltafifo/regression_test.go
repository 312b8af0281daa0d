package deltafifo

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
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
