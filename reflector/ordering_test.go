package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/listwatch"
)

// runWithOrder runs a reflector with a scripted source of the given order, and
// returns its State before Run ends.
func runWithOrder(t *testing.T, s *scriptedSource, order listwatch.VersionOrder, store Store[*pod], last time.Duration) (state State) {
	t.Helper()
	source := listwatch.Modify(&listwatch.ListWatch[*pod]{ListFunc: s.List, WatchFunc: s.Watch, Order: order}, nil)
	synctest.Test(t, func(t *testing.T) {
		r := New(source, store, Options[*pod]{PreferList: true, WatchErrorHandler: func(context.Context, error) {}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(last)
		synctest.Wait()
		state = r.State()
		cancel()
		require.NoError(t, <-ended)
	})
	return state
}

// Promise: the events of a source whose versions are not ordered reach the store
// immediately and in order, and do not cause a relist.
func TestEventsOfAnUnorderedSourcePassInOrder(t *testing.T) {
	s, l := (&scriptedSource{}).list("10", newPod("a", "10")), newRecorder()
	s.watch(added("b", "5"), modified("b", "5"), modified("b", ""), deleted("a", "3"), time.Hour, modified("b", "1"))
	state := runWithOrder(t, s, listwatch.UnknownOrder, l, 2*time.Hour)
	require.Equal(t, "replace [a] @10, add b, update b, update b, delete a, update b", l.calls())
	require.Equal(t, "list, watch@10", s.requests(), "a watch without events for an hour stays open")
	require.Contains(t, state.Unordered, `"5"`)
	require.Zero(t, state.Relists)
	require.NoError(t, state.Err)
}

// Promise: a bookmark with a version shows that versions are ordered. From then
// on they are compared, and the idle timeout applies.
func TestBookmarkProvesTheOrder(t *testing.T) {
	s, l := (&scriptedSource{}).list("10", newPod("a", "10")), newRecorder()
	s.watch(time.Hour, bookmark("12"))
	state := runWithOrder(t, s, listwatch.UnknownOrder, l, time.Hour+4*time.Minute)
	require.Empty(t, state.Unordered)
	require.Equal(t, "list, watch@10, watch@12, list@12 limit=1", s.requests())
}

// Promise: an event whose version is not above the previous one ends the order
// permanently, and reaches the store.
func TestEventOutOfOrderDisprovesTheOrder(t *testing.T) {
	s, l := (&scriptedSource{}).list("10"), newRecorder()
	s.watch(added("a", "12"), modified("a", "11"), errReset).watch(modified("a", "4"))
	state := runWithOrder(t, s, listwatch.PresumedOrdered, l, 10*time.Minute)
	require.Equal(t, "replace [] @10, add a, update a, update a", l.calls())
	require.Equal(t, "list, watch@10, watch@11", s.requests(), "no check before the watch is resumed")
	require.NotEmpty(t, state.Unordered)
	require.Zero(t, state.Epoch)
}

// Promise: lists of a source without ordered versions are accepted immediately,
// and their items are not compared by version.
func TestListsOfAnUnorderedSourceAreAccepted(t *testing.T) {
	s, l := (&scriptedSource{}).list("10", newPod("a", "1")).list("4", newPod("a", "1")), newRecorder()
	s.watch(added("b", "5"), &apiStatus{code: 410})
	state := runWithOrder(t, s, listwatch.UnknownOrder, recorderWithInvalidation{l}, time.Minute)
	require.Equal(t, "invalidate, replace [a] @10, add b, invalidate, replace [a] @4", l.calls())
	require.Equal(t, "4", state.Version)
	require.Zero(t, state.Epoch)
	require.Equal(t, 1, state.Relists)
}
