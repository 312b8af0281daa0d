package controller

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A change that is enqueued after a worker has taken the key, and before Reconcile is
// called, causes no second reconcile, since the first one reads it. A change during the
// reconcile causes another one.
func TestChangeBetweenGetAndReconcile(t *testing.T) {
	var tc *testController
	started := 0
	trace := &Trace{Started: func(TraceInfo) {
		if started++; started == 1 {
			tc.put("x", 2)
			synctest.Wait() // the key is dirty
		}
	}}
	runTestController(t, Options{Trace: trace}, func(own *testController, _ context.Context, _ Request) (Result, error) {
		b, _ := own.books.Get("x")
		own.record("page %d", b.page)
		if b.page == 3 {
			own.put("x", 4)
			synctest.Wait()
		}
		return Result{}, nil
	}, func(own *testController) {
		tc = own
		tc.put("x", 1)
		tc.sleep(time.Second)
		assert.Equal(t, []string{"0s page 2"}, tc.takeRecords())
		tc.put("x", 3)
		tc.sleep(time.Second)
		assert.Equal(t, []string{"1s page 3", "1s page 4"}, tc.takeRecords())
	})
}
