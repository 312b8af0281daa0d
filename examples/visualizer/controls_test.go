package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
)

func (f *fixture) stored(name string) *ConfigMap {
	return apitest.Get(f.t, f.srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
}

// advance advances the fake time.
func (f *fixture) advance(d time.Duration) {
	require.NoError(f.t, wait(f.t.Context(), d))
	synctest.Wait()
}

// Objects are created, changed and deleted, and so are their copies.
func TestObjectControls(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		require.Empty(t, f.keys())
		require.Contains(t, f.use("create", "{}"), "default/item-0001 is created, version ")
		require.Equal(t, []string{"default/item-0001", "default/item-0001-copy"}, f.keys())
		f.use("create", `{"name": "mine", "color": "green"}`)
		require.Equal(t, "green", f.stored("mine-copy").Labels[colorLabel])

		f.use("update", `{"name": "mine"}`)
		require.Equal(t, "2", f.stored("mine-copy").Data["n"])
		f.use("update", "{}")
		require.Equal(t, "3", f.stored("item-0001").Data["n"])

		require.Equal(t, "default/item-0001 is deleted", f.use("delete", "{}"))
		require.Equal(t, []string{"default/mine", "default/mine-copy"}, f.keys())

		require.Contains(t, f.use("burst", `{"n": 60}`), "60 objects are created and 0 changed")
		require.Equal(t, 122, f.snapshot().Store.Objects)
		require.Contains(t, f.use("burst", `{"n": 70}`), "10 objects are created and 60 changed")
		require.Equal(t, 142, f.snapshot().Store.Objects)

		f.use("clear", "{}")
		require.Empty(t, f.keys())
	})
}

// Objects of others are not changed, and failures are reported.
func TestObjectControlsFail(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		apitest.Create(t, f.srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "other"}})
		f.settle()
		for _, c := range []struct{ name, parameters, want string }{
			{"update", `{"name": "other"}`, "has no label app=visualizer"},
			{"delete", `{"name": "other"}`, "has no label app=visualizer"},
			{"delete", `{"name": "absent"}`, "no object \"absent\""},
			{"create", `{"name": "item-0001"}`, "already exists"},
			{"create", `{"name": "../x"}`, "x"},
		} {
			_, err := f.view.controls.use(t.Context(), c.name, []byte(c.parameters))
			require.ErrorContains(t, err, c.want, c.parameters)
		}
		f.use("clear", "{}")
		require.Equal(t, []string{"default/other"}, f.keys())
		_, err := f.view.controls.use(t.Context(), "update", nil)
		require.ErrorIs(t, err, errNoSource)
		require.True(t, f.view.controls.busy.TryLock())
		_, err = f.view.controls.use(t.Context(), "burst", nil)
		require.ErrorIs(t, err, errBusy)
		f.view.controls.busy.Unlock()
	})
}

// A watch that is cut resumes at its last version, without a list.
func TestCut(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		before := f.newest()
		f.use("cut", "{}")
		f.advance(10 * time.Second)
		f.use("create", `{"name": "later"}`)
		require.Contains(t, f.keys(), "default/later")
		require.Equal(t, 0, f.snapshot().Machine.Relists)
		records := f.since(before)
		require.Equal(t, 1, count(records, StageSocket, "closed"))
		require.Len(t, f.pipeline.sockets.open, len(f.snapshot().Sockets))
		for _, r := range records {
			if r.Stage == StageSocket && r.Kind == "closed" {
				require.Equal(t, errCut.Error(), r.Error)
			}
		}
	})
}

// A silent watch delivers nothing until speak, or until it is replaced.
func TestSilence(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		f.use("silence", "{}")
		f.use("create", `{"name": "first"}`)
		require.NotContains(t, f.keys(), "default/first")
		require.True(t, f.controlState("silence").Active)
		f.use("speak", "{}")
		require.Contains(t, f.keys(), "default/first")
		require.False(t, f.controlState("silence").Active)

		f.use("silence", "{}")
		require.Contains(t, f.use("create", "{}"), "item-0002 is created")
		require.Contains(t, f.use("create", "{}"), "item-0003 is created")
		f.use("update", `{"name": "item-0001"}`)
		f.use("update", `{"name": "item-0001"}`)
		require.Equal(t, "3", f.stored("item-0001").Data["n"])
		f.use("create", `{"name": "second"}`)
		require.NotContains(t, f.keys(), "default/second")
		f.advance(idleTimeout + 10*time.Second)
		require.Contains(t, f.keys(), "default/second")
		require.False(t, f.controlState("silence").Active)
	})
}

// A watch that gets a 410 is followed by a relist.
func TestExpire(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		f.use("expire", "{}")
		f.advance(10 * time.Second)
		machine := f.snapshot().Machine
		require.Equal(t, 1, machine.Relists)
		require.Contains(t, machine.RelistReason, "too old")
		require.Equal(t, "watching", machine.Phase)
	})
}

// An object that has been created again since the cache saw it is not deleted.
func TestDeleteIsForTheObjectInTheCache(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		f.use("silence", "{}")
		apitest.Delete(t, f.srv, f.stored("item-0001"))
		apitest.Create(t, f.srv, sourceIn("default", "item-0001"))
		_, err := f.view.controls.use(t.Context(), "delete", []byte(`{"name": "item-0001"}`))
		require.True(t, apierrors.IsConflict(err), err)
		require.NotNil(t, f.stored("item-0001"))
	})
}

func sourceIn(namespace, name string) *ConfigMap {
	object := sourceObject(name, "", 1)
	object.Namespace = namespace
	return object
}

// A control that is used while the program ends delays nothing.
func TestControlAtTheEnd(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		f.view.controls.release()
		f.use("slow", `{"ms": 10000}`)
		f.use("work", `{"ms": 10000}`)
		f.use("silence", "{}")
		f.use("away", "{}")
		for _, name := range []string{"slow", "work", "silence", "away"} {
			require.False(t, f.controlState(name).Active, name)
		}
	})
}

// A control ends after a time if the server does not answer.
func TestControlTimeout(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		f.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "create"}, Times: 1, Action: apitest.Silence()})
		began := time.Now()
		_, err := f.view.controls.use(t.Context(), "create", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, controlTimeout, time.Since(began))
	})
}

// While the server is away the machine waits between attempts.
func TestAwayAndBack(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		f.use("away", "{}")
		f.use("away", "{}") // nothing more: one back ends it
		require.True(t, f.controlState("away").Active)
		f.advance(10 * time.Second)
		machine := f.snapshot().Machine
		require.NotZero(t, machine.Failures)
		require.NotEmpty(t, machine.Error)
		f.use("back", "{}")
		require.False(t, f.controlState("away").Active)
		f.advance(time.Minute)
		f.use("create", `{"name": "later"}`)
		require.Contains(t, f.keys(), "default/later-copy")
		f.use("restart", "{}")
		f.advance(time.Minute)
		f.use("create", `{"name": "last"}`)
		require.Contains(t, f.keys(), "default/last-copy")
	})
}

// A slow handler has a backlog, and delays neither the store nor the other handler.
func TestSlowHandler(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		f.use("slow", `{"ms": 5000}`)
		f.use("burst", `{"n": 20}`)
		state := f.handlerState(slowHandler)
		require.Equal(t, 5000.0, state.DelayMs)
		require.Positive(t, state.Pending)
		require.Positive(t, state.BusyMs)
		require.Zero(t, f.handlerState("controller copier").Pending)
		require.Equal(t, 40, f.snapshot().Store.Objects)
		f.use("slow", `{"ms": 0}`)
		require.Zero(t, f.handlerState(slowHandler).Pending)
		require.Equal(t, uint64(40), f.handlerState(slowHandler).Position)
	})
}

// A handler that panics loses one notification.
func TestPanic(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		f.use("panic", "{}")
		require.True(t, f.controlState("panic").Active)
		before := f.newest()
		f.use("create", "{}")
		require.Equal(t, uint64(1), f.handlerState(slowHandler).Panics)
		require.Equal(t, 1, count(f.since(before), StageHandler, "panic"))
		require.False(t, f.controlState("panic").Active)
		require.Len(t, f.keys(), 2)
		active := []bool{}
		for _, r := range f.since(0) {
			for _, c := range r.Controls {
				if c.Name == "panic" {
					active = append(active, c.Active)
				}
			}
		}
		require.Equal(t, []bool{true, false}, active)
	})
}

// A slow reconcile leaves keys in the queue. A key that is added meanwhile is dirty.
func TestWork(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		f.use("work", `{"ms": 10000}`)
		f.use("burst", `{"n": 10}`)
		s := f.snapshot()
		require.Len(t, s.Workers, maxWorkers)
		require.Equal(t, maxWorkers, s.Queue.ProcessingCount)
		require.Equal(t, 10-maxWorkers, s.Queue.WaitingCount)
		f.use("burst", `{"n": 10}`)
		require.Equal(t, maxWorkers, f.snapshot().Queue.DirtyCount)
		require.Len(t, f.snapshot().Queue.Dirty, maxWorkers)
		f.use("burst", `{"n": 70}`)
		require.Equal(t, 70-maxWorkers, f.snapshot().Queue.WaitingCount)
		require.Len(t, f.snapshot().Queue.Waiting, maxQueued)
		f.use("work", `{"ms": 0}`)
		f.advance(time.Minute)
		require.Zero(t, f.snapshot().Queue.WaitingCount)
		require.Equal(t, 140, f.snapshot().Store.Objects)
		require.Empty(t, f.pipeline.copier.outcomes)
	})
}

// A reconcile that fails is retried after a delay.
func TestFail(t *testing.T) {
	withProgram(t, 0, func(t *testing.T, f *fixture) {
		f.use("fail", `{"n": 3}`)
		before := f.newest()
		f.use("create", "{}")
		require.Len(t, f.snapshot().Queue.Delayed, 1)
		f.advance(time.Minute)
		records := f.since(before)
		require.Equal(t, 3, count(records, StageWorker, "retried"))
		require.Equal(t, uint64(3), f.snapshot().Totals.Errors)
		require.Len(t, f.keys(), 2)
	})
}

// Wrong names and parameters are errors and change nothing.
func TestInvalidParameters(t *testing.T) {
	withProgram(t, 1, func(t *testing.T, f *fixture) {
		before := f.newest()
		for _, c := range []struct {
			name, parameters string
			want             error
		}{
			{"nothing", "{}", errNoControl},
			{"", "{}", errNoControl},
			{"burst", `{"n": 0}`, errParameter},
			{"burst", `{"n": 10001}`, errParameter},
			{"burst", `{"n": 1.5}`, errParameter},
			{"burst", `{"n": "1"}`, errParameter},
			{"burst", `{"m": 1}`, errParameter},
			{"burst", `[]`, errParameter},
			{"burst", `null`, errParameter},
			{"burst", `{`, errParameter},
			{"create", `{"name": 1}`, errParameter},
			{"slow", `{"ms": -1}`, errParameter},
		} {
			_, err := f.view.controls.use(t.Context(), c.name, []byte(c.parameters))
			require.ErrorIs(t, err, c.want, "%s %s", c.name, c.parameters)
		}
		require.Equal(t, before, f.newest())
	})
}
