package controller

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/workqueue"
)

// The state and the debug page have the keys in the queue: those that wait, those that a
// worker has taken, and those that are delayed.
func TestStateHasKeysOfQueue(t *testing.T) {
	reconcile := func(tc *testController, _ context.Context, req Request) (Result, error) {
		if req.Name == "delayed" {
			return Result{RequeueAfter: time.Hour}, nil
		}
		<-tc.release
		return Result{}, nil
	}
	runTestController(t, Options{}, reconcile, func(tc *testController) {
		// One after another: the order of keys that are queued at one instant is not fixed.
		tc.sleep(0)
		tc.put("shop/busy", 0)
		tc.sleep(0)
		tc.put("shop/busy", 1)
		tc.put("shop/next", 0)
		tc.sleep(0)
		state := tc.c.State()
		require.Equal(t, workqueue.Snapshot[Request]{
			Waiting: []Request{{"shop", "next"}}, WaitingCount: 1,
			Processing: []workqueue.ProcessingItem[Request]{{Item: Request{"shop", "busy"}, Dirty: true}}, ProcessingCount: 1, DirtyCount: 1,
			Delayed: []workqueue.DelayedItem[Request]{{Item: Request{"shop", "delayed"}, Due: tc.begin.Add(time.Hour)}}, DelayedCount: 1,
		}, state.Queue)
		require.Equal(t, 1, state.Queued)
		shown := state.page()
		require.Equal(t, []string{"shop/next"}, shown.Waiting)
		require.Equal(t, []string{"shop/busy"}, shown.Dirty)
		require.Equal(t, "shop/delayed", shown.Delayed[0].Key)
		require.Equal(t, 1, shown.DelayedCount)
		close(tc.release)
	}, "shop/delayed")
}
