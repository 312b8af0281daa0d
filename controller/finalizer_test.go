package controller_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

const testFinalizer = "example.com/account"

// fakeAccounts are resources outside of the cluster.
type fakeAccounts struct {
	t    *testing.T
	s    *fixture
	open map[string]bool
	// interrupt, if set, provides the result of work and cleanup.
	interrupt func() error
}

func (a *fakeAccounts) work(_ context.Context, obj *configMap) (controller.Result, error) {
	stored := apitest.Get(a.t, a.s.server, obj)
	require.Contains(a.t, stored.Finalizers, testFinalizer, "work runs without the finalizer")
	a.open[obj.Name] = true
	return controller.Result{}, a.interrupted()
}

func (a *fakeAccounts) cleanup(_ context.Context, obj *configMap) (controller.Result, error) {
	delete(a.open, obj.Name)
	return controller.Result{}, a.interrupted()
}

func (a *fakeAccounts) interrupted() error {
	if a.interrupt == nil {
		return nil
	}
	return a.interrupt()
}

// slimMap has only the fields that Finalize needs.
type slimMap struct {
	slimMapMeta `json:"metadata"`
}

type slimMapMeta struct {
	rest.SlimMeta     `json:",inline"`
	DeletionTimestamp *metav1.Time `json:"deletionTimestamp"`
	Finalizers        []string     `json:"finalizers"`
}

func (m *slimMapMeta) GetDeletionTimestamp() *metav1.Time { return m.DeletionTimestamp }
func (m *slimMapMeta) GetFinalizers() []string            { return m.Finalizers }

// Finalize reaches the same state if any request fails, before or after its effect, and if
// work or cleanup is interrupted.
func TestFinalizeCanBeInterruptedAnywhere(t *testing.T) {
	for fault, do := range map[string]apitest.Action{
		"request fails":         apitest.Fail(500, 0),
		"connection reset":      apitest.Reset(),
		"response lost":         apitest.TruncateJSON(),
		"conflict":              apitest.Fail(409, 0),
		"timeout of the server": apitest.Fail(504, 0),
	} {
		for nth := 1; nth <= 2; nth++ {
			for _, slim := range []bool{false, true} {
				for step := range 4 {
					t.Run(fmt.Sprintf("%s, patch %d, slim=%v, step %d", fault, nth, slim, step), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							s := newFixture(t, 0)
							steps := 0
							account := &fakeAccounts{t: t, s: s, open: map[string]bool{}, interrupt: func() error {
								if steps++; steps == step {
									return errors.New("interrupted")
								}
								return nil
							}}
							s.create("a")
							s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "patch"}, Nth: nth, Action: do})
							retryUntilStable(t, func() error { return finalize(t, s, slim, account) })
							require.Equal(t, map[string]bool{"a": true}, account.open)
							require.Equal(t, []string{testFinalizer}, apitest.Get(t, s.server, newMap("a")).Finalizers)

							require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
							retryUntilStable(t, func() error { return finalize(t, s, slim, account) })
							require.Empty(t, account.open)
							require.Empty(t, apitest.List(t, s.server, newMap("")), "the object still exists")
						})
					})
				}
			}
		}
	}
}

// finalize calls Finalize with the current object of the server, like a reconcile.
func finalize(t *testing.T, s *fixture, slim bool, account *fakeAccounts) error {
	full := func(f func(context.Context, *configMap) (controller.Result, error)) func(context.Context, *slimMap) (controller.Result, error) {
		return func(ctx context.Context, obj *slimMap) (controller.Result, error) { return f(ctx, newMap(obj.Name)) }
	}
	if slim {
		maps := rest.NewResource[*slimMap](s.client, configMaps)
		obj, err := maps.Namespace("default").Get(t.Context(), "a", metav1.GetOptions{})
		if err == nil {
			_, err = controller.Finalize(t.Context(), maps, obj, testFinalizer, full(account.cleanup), full(account.work))
		}
		return controller.IgnoreNotFound(err)
	}
	obj, err := s.maps.Get(t.Context(), "a", metav1.GetOptions{})
	if err == nil {
		_, err = controller.Finalize(t.Context(), s.maps, obj, testFinalizer, account.cleanup, account.work)
	}
	return controller.IgnoreNotFound(err)
}

// retryUntilStable repeats do, like a controller, until it has succeeded twice in a row.
func retryUntilStable(t *testing.T, do func() error) {
	t.Helper()
	succeeded := 0
	for range 10 {
		err := do()
		if err != nil {
			t.Log(err)
			succeeded = 0
		} else if succeeded++; succeeded == 2 {
			return
		}
	}
	t.Fatal("no success in 10 attempts")
}

// Two controllers with different finalizers change the same list. Neither removes the
// finalizer of the other; the later change fails with a conflict.
func TestFinalizersOfOthersAreKept(t *testing.T) {
	s := newFixture(t, 0)
	doNothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	finalize := func(obj *configMap, finalizer string) error {
		_, err := controller.Finalize(t.Context(), s.maps, obj, finalizer, doNothing, doNothing)
		return err
	}
	finalizers := func() []string { return apitest.Get(t, s.server, newMap("a")).Finalizers }

	empty := s.create("a")
	require.NoError(t, finalize(empty, "example.com/one"))
	err := finalize(empty, "example.com/two")
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.Equal(t, []string{"example.com/one"}, finalizers())

	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/two"))
	one := apitest.Get(t, s.server, empty)
	apitest.Modify(t, s.server, empty, func(o *configMap) { o.Finalizers = append(o.Finalizers, "example.com/three") })
	err = finalize(one, "example.com/four")
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.Equal(t, []string{"example.com/one", "example.com/two", "example.com/three"}, finalizers())

	require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	err = finalize(one, "example.com/five")
	require.True(t, apierrors.IsConflict(err), "the object is being deleted, and the informer has the old state: %v", err)
	deleted := apitest.Get(t, s.server, empty)
	require.NoError(t, finalize(deleted, "example.com/one"))
	err = finalize(deleted, "example.com/two")
	require.True(t, apierrors.IsConflict(err), "the index has another finalizer by now: %v", err)
	require.Equal(t, []string{"example.com/two", "example.com/three"}, finalizers())
	require.NoError(t, finalize(deleted, "example.com/none"), "the object does not have this finalizer")
	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/three"))
	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/two"))
	require.Empty(t, apitest.List(t, s.server, newMap("")))

	require.NoError(t, finalize(deleted, "example.com/two"), "the object is already deleted")
	again := s.create("a")
	err = finalize(empty, "example.com/one")
	require.True(t, apierrors.IsConflict(err), "another object with the same name: %v", err)
	require.Equal(t, again.ResourceVersion, apitest.Get(t, s.server, again).ResourceVersion)
}

// A validation error in another field is not reported as a conflict, since a controller
// logs conflicts only at the debug level.
func TestRejectedFinalizerIsNotAConflict(t *testing.T) {
	s := newFixture(t, 0)
	doNothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	invalid := apierrors.NewInvalid(configMaps.GroupVersionKind().GroupKind(), "a", nil)
	invalid.ErrStatus.Details.Causes = []metav1.StatusCause{{Field: "spec.color"}}
	s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "patch"}, Action: apitest.FailWith(invalid)})
	_, err := controller.Finalize(t.Context(), s.maps, s.create("a"), testFinalizer, doNothing, doNothing)
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, "add finalizer "+testFinalizer)
}

// Finalize keeps the finalizer until cleanup returns no error and no RequeueAfter.
func TestFinalizeWaitsForTheCleanup(t *testing.T) {
	s := newFixture(t, 0)
	obj := newMap("a")
	obj.Finalizers = []string{testFinalizer}
	apitest.Create(t, s.server, obj)
	require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	obj = apitest.Get(t, s.server, obj)
	work := func(context.Context, *configMap) (controller.Result, error) {
		panic("work was called for an object that is being deleted")
	}
	for _, c := range []struct {
		result controller.Result
		err    error
	}{{controller.Result{RequeueAfter: time.Second}, nil}, {controller.Result{}, errors.New("not finished")}} {
		result, err := controller.Finalize(t.Context(), s.maps, obj, testFinalizer,
			func(context.Context, *configMap) (controller.Result, error) { return c.result, c.err }, work)
		require.Equal(t, c.result, result)
		require.Equal(t, c.err, err)
		require.Equal(t, []string{testFinalizer}, apitest.Get(t, s.server, obj).Finalizers)
	}
}

func TestFinalizeRejectsInvalidArguments(t *testing.T) {
	s := newFixture(t, 0)
	doNothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	obj := s.create("a")
	for want, f := range map[string]func() (controller.Result, error){
		"the resource is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), nil, obj, testFinalizer, doNothing, doNothing)
		},
		"the object is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, nil, testFinalizer, doNothing, doNothing)
		},
		"has no uid": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, newMap("a"), testFinalizer, doNothing, doNothing)
		},
		`the finalizer "cleanup" is not`: func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, obj, "cleanup", doNothing, doNothing)
		},
		"cleanup or work is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, obj, testFinalizer, doNothing, nil)
		},
	} {
		_, err := f()
		require.ErrorIs(t, err, controller.ErrFinalize)
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, s.server.Requests(apitest.Match{Verb: "patch"}))
}

// In a controller with a late informer, cleanup is called once: the key waits for the
// deletion that the removal of the last finalizer causes.
func TestCleanupIsCalledOnceWithALateInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, watchDelay)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		var calls []string
		step := func(name string) func(context.Context, *configMap) (controller.Result, error) {
			return func(context.Context, *configMap) (controller.Result, error) {
				calls = append(calls, name)
				return controller.Result{}, nil
			}
		}
		requests := make(chan controller.Request)
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			obj, ok := maps.Get(req.String())
			if !ok {
				return controller.Result{}, nil
			}
			return controller.Finalize(ctx, s.maps, obj, testFinalizer, step("cleanup"), step("work"))
		}), controller.Options{})
		controller.For(c, maps, controller.GenerationChanged)
		controller.Channel(c, requests)
		s.create("a")
		stop := s.run(c)
		time.Sleep(time.Minute)
		require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
		time.Sleep(watchDelay + time.Millisecond)
		for range 5 {
			requests <- controller.Request{Namespace: "default", Name: "a"}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		stop()
		require.Equal(t, []string{"work", "cleanup"}, calls)
		require.Empty(t, apitest.List(t, s.server, newMap("")))
	})
}
