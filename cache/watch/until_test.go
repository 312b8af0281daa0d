package watch_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache"
	framework "github.com/thinformer/thinformer/cache/testing"
	"github.com/thinformer/thinformer/cache/watch"
)

// from returns a condition: the event has at least this version.
func from(version int) watch.ConditionFunc {
	return func(event apiwatch.Event) (bool, error) {
		has, err := strconv.Atoi(event.Object.(metav1.Object).GetResourceVersion())
		return has >= version, err
	}
}

func versionOf(t *testing.T, event *apiwatch.Event) string {
	t.Helper()
	if event == nil {
		return ""
	}
	return event.Object.(metav1.Object).GetResourceVersion()
}

// UntilWithoutRetry: conditions are fulfilled in their order, one event may fulfil several,
// and the watch is stopped.
func TestUntilWithoutRetry(t *testing.T) {
	failed := errors.New("failed")
	fails := func(apiwatch.Event) (bool, error) { return true, failed }
	for name, c := range map[string]struct {
		conditions []watch.ConditionFunc
		last       string
		err        error
	}{
		"no condition":          {nil, "", nil},
		"one":                   {[]watch.ConditionFunc{from(2)}, "2", nil},
		"several":               {[]watch.ConditionFunc{from(1), from(3)}, "3", nil},
		"fulfilled by one":      {[]watch.ConditionFunc{from(2), from(1), from(2)}, "2", nil},
		"closed":                {[]watch.ConditionFunc{from(9)}, "3", watch.ErrWatchClosed},
		"an error":              {[]watch.ConditionFunc{from(2), fails}, "2", failed},
		"an error of the first": {[]watch.ConditionFunc{fails}, "1", failed},
	} {
		t.Run(name, func(t *testing.T) {
			stream := apiwatch.NewFakeWithChanSize(3, false)
			for _, version := range []string{"1", "2", "3"} {
				stream.Add(at(version))
			}
			if c.err == watch.ErrWatchClosed {
				stream.Stop()
			}
			event, err := watch.UntilWithoutRetry(t.Context(), stream, c.conditions...)
			require.Equal(t, c.err, err)
			require.Equal(t, c.last, versionOf(t, event))
			require.True(t, stream.IsStopped())
		})
	}
}

// The end of the context: an error that wait.Interrupted recognizes, with the cause.
func TestUntilEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		stream := apiwatch.NewFake()
		event, err := watch.UntilWithoutRetry(ctx, stream, from(1))
		require.Nil(t, event)
		require.True(t, wait.Interrupted(err))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, stream.IsStopped())

		_, err = watch.Until(ctx, "1", &script{steps: []step{{stays: true}}}, from(2))
		require.True(t, wait.Interrupted(err) || errors.Is(err, watch.ErrWatchClosed))
	})
}

// Until: a watch that ends is resumed; one that has expired ends the wait.
func TestUntilReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{{events: []apiwatch.Event{added("2")}}, {events: []apiwatch.Event{added("3")}, stays: true}}}
		event, err := watch.Until(t.Context(), "1", s, from(2), from(3))
		require.NoError(t, err)
		require.Equal(t, "3", versionOf(t, event))

		s = &script{steps: []step{{err: apierrors.NewResourceExpired("old")}}}
		event, err = watch.Until(t.Context(), "1", s, func(event apiwatch.Event) (bool, error) {
			return false, apierrors.FromObject(event.Object)
		})
		require.True(t, apierrors.IsResourceExpired(err))
		require.Equal(t, apiwatch.Error, event.Type)

		// A condition that ignores the ERROR event gets the end of the watch.
		s = &script{steps: []step{{err: apierrors.NewForbidden(resource, "", nil)}}}
		_, err = watch.Until(t.Context(), "1", s, func(apiwatch.Event) (bool, error) { return false, nil })
		require.ErrorIs(t, err, watch.ErrWatchClosed)
	})
}

func named(name string) *object { return &object{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func is(kind apiwatch.EventType, name string) watch.ConditionFunc {
	return func(event apiwatch.Event) (bool, error) {
		return event.Type == kind && event.Object.(metav1.Object).GetName() == name, nil
	}
}

// UntilWithSync: existing objects are ADDED events, then the changes follow, also after a
// relist. The informer has ended on return.
func TestUntilWithSyncFollowsAnInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		a := named("a")
		source.Add(a)
		event, err := watch.UntilWithSync(t.Context(), source, &object{}, nil, is(apiwatch.Added, "a"))
		require.NoError(t, err)
		require.Equal(t, "1", versionOf(t, event))

		time.AfterFunc(time.Minute, func() {
			source.AddDropWatch(named("b"))
			source.DeleteDropWatch(a)
			source.ResetWatch()
		})
		event, err = watch.UntilWithSync(t.Context(), source, &object{}, nil, is(apiwatch.Added, "a"), is(apiwatch.Deleted, "a"))
		require.NoError(t, err)
		require.Equal(t, "a", event.Object.(metav1.Object).GetName())
	})
}

// UntilWithSync: the precondition has the store with the initial list, before any event.
func TestUntilWithSyncTestsThePrecondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		for i := range 3000 {
			source.AddDropWatch(named(strconv.Itoa(i)))
		}
		failed := errors.New("failed")
		for _, c := range []struct {
			fulfilled bool
			err       error
		}{{true, nil}, {false, failed}, {false, nil}} {
			event, err := watch.UntilWithSync(t.Context(), source, &object{}, func(store cache.Store) (bool, error) {
				require.Len(t, store.List(), 3000)
				return c.fulfilled, c.err
			}, func(apiwatch.Event) (bool, error) { return true, nil })
			require.Equal(t, c.err, err)
			require.Equal(t, !c.fulfilled && c.err == nil, event != nil)
		}
	})
}

// UntilWithSync: if the list fails until the context ends, the error has the reason.
func TestUntilWithSyncReportsWhyThereIsNoList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		source.ListError = apierrors.NewForbidden(resource, "", errors.New("no permission"))
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), klog.Logger{}), time.Minute)
		defer cancel()
		_, err := watch.UntilWithSync(ctx, source, &object{}, func(cache.Store) (bool, error) { return true, nil })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
	})
}

// Without a source, the informer ends at once, and so does the wait.
func TestUntilWithSyncWithoutASource(t *testing.T) {
	for _, precondition := range []watch.PreconditionFunc{nil, func(cache.Store) (bool, error) { return true, nil }} {
		_, err := watch.UntilWithSync(t.Context(), nil, &object{}, precondition, from(1))
		require.ErrorIs(t, err, watch.ErrWatchClosed)
	}
}

// NewIndexerInformerWatcher: Stop ends the informer, and the channel of the watch closes,
// with or without a reader.
func TestIndexerInformerWatcherIsStopped(t *testing.T) {
	for _, reads := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			source := framework.NewFakeControllerSource()
			defer source.Shutdown()
			for _, name := range []string{"a", "b", "c"} {
				source.Add(named(name))
			}
			store, controller, w, done := watch.NewIndexerInformerWatcher(source, &object{})
			require.True(t, cache.WaitForCacheSync(t.Context().Done(), controller.HasSynced))
			require.Len(t, store.ListKeys(), 3)
			require.Equal(t, "3", controller.LastSyncResourceVersion())
			for range reads {
				require.Equal(t, apiwatch.Added, (<-w.ResultChan()).Type)
			}
			w.Stop()
			w.Stop()
			<-done
			_, open := <-w.ResultChan()
			require.False(t, open)
		})
	}
}

// A slow reader receives every event, in order: also those of an object that was added and
// deleted meanwhile.
func TestSlowReaderReceivesEveryEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		_, controller, w, done := watch.NewIndexerInformerWatcherWithLogger(klog.Background(), source, &object{})
		defer func() { <-done }()
		defer w.Stop()
		require.True(t, cache.WaitForCacheSync(t.Context().Done(), controller.HasSynced))
		var want []string
		source.Add(named("busy"))
		want = append(want, "ADDED busy 1")
		for i := range 3000 {
			source.Modify(named("busy"))
			want = append(want, fmt.Sprintf("MODIFIED busy %d", i+2))
			synctest.Wait() // each change is a notification of its own
		}
		source.Add(named("brief"))
		source.Delete(named("brief"))
		want = append(want, "ADDED brief 3002", "DELETED brief 3003")
		synctest.Wait()
		for _, event := range want {
			got := <-w.ResultChan()
			obj := got.Object.(metav1.Object)
			require.Equal(t, event, fmt.Sprintf("%s %s %s", got.Type, obj.GetName(), obj.GetResourceVersion()))
		}
	})
}

// UntilWithSync: a condition on an event is fulfilled even if thousands of events were
// pending when it arrived, and the informer ends although the others are not read.
func TestUntilWithSyncMissesNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := framework.NewFakeControllerSource()
		defer source.Shutdown()
		source.Add(named("busy"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		changed := false
		event, err := watch.UntilWithSync(ctx, source, &object{}, nil, func(event apiwatch.Event) (bool, error) {
			if !changed {
				changed = true
				for range 1500 {
					source.Modify(named("busy"))
				}
				source.Add(named("brief"))
				source.Delete(named("brief"))
				for range 1500 {
					source.Modify(named("busy"))
				}
				synctest.Wait()
			}
			return is(apiwatch.Deleted, "brief")(event)
		})
		require.NoError(t, err)
		require.Equal(t, "1503", versionOf(t, event))
	})
}

func TestContextWithOptionalTimeout(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		bounded bool
	}{{time.Hour, true}, {0, false}, {-time.Second, false}} {
		ctx, cancel := watch.ContextWithOptionalTimeout(klog.NewContext(t.Context(), klog.Logger{}), c.timeout)
		_, bounded := ctx.Deadline()
		require.Equal(t, c.bounded, bounded)
		require.NoError(t, ctx.Err())
		cancel()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
	}
}
