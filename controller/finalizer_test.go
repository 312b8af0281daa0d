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

const mark = "example.com/account"

// accounts are what is outside of the cluster.
type accounts struct {
	t    *testing.T
	s    *setting
	open map[string]bool
	// interrupt, if set, is asked in the middle of work and cleanup.
	interrupt func() error
}

func (a *accounts) work(_ context.Context, obj *configMap) (controller.Result, error) {
	stored := apitest.Get(a.t, a.s.server, obj)
	require.Contains(a.t, stored.Finalizers, mark, "nothing is made outside without the mark")
	a.open[obj.Name] = true
	return controller.Result{}, a.interrupted()
}

func (a *accounts) cleanup(_ context.Context, obj *configMap) (controller.Result, error) {
	delete(a.open, obj.Name)
	return controller.Result{}, a.interrupted()
}

func (a *accounts) interrupted() error {
	if a.interrupt == nil {
		return nil
	}
	return a.interrupt()
}

// slimMap is what Finalize needs of an object, and no more.
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

// Whatever request fails, before it was done or after, and wherever the work
// outside is interrupted: in the end it is as if nothing had happened, in a
// process that was restarted as well.
func TestFinalizeCanBeInterruptedAnywhere(t *testing.T) {
	for what, do := range map[string]apitest.Action{
		"the request fails":        apitest.Fail(500, 0),
		"the connection is reset":  apitest.Reset(),
		"its answer is lost":       apitest.TruncateJSON(),
		"others have written":      apitest.Fail(409, 0),
		"the server does not know": apitest.Fail(504, 0),
	} {
		for nth := 1; nth <= 2; nth++ {
			for _, slim := range []bool{false, true} {
				for step := range 4 {
					t.Run(fmt.Sprintf("%s, the %d. patch, slim=%v, step %d", what, nth, slim, step), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							s := newSetting(t, 0)
							steps := 0
							outside := &accounts{t: t, s: s, open: map[string]bool{}, interrupt: func() error {
								if steps++; steps == step {
									return errors.New("interrupted")
								}
								return nil
							}}
							s.make("a")
							s.server.Fault(apitest.Fault{On: apitest.Match{Verb: "patch"}, Nth: nth, Do: do})
							until(t, func() error { return finalize(t, s, slim, outside) })
							require.Equal(t, map[string]bool{"a": true}, outside.open)
							require.Equal(t, []string{mark}, apitest.Get(t, s.server, newMap("a")).Finalizers)

							require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
							until(t, func() error { return finalize(t, s, slim, outside) })
							require.Empty(t, outside.open)
							require.Empty(t, apitest.List(t, s.server, newMap("")), "nothing keeps the object")
						})
					})
				}
			}
		}
	}
}

// finalize does what a reconcile does, with the object as the server has it.
func finalize(t *testing.T, s *setting, slim bool, outside *accounts) error {
	full := func(f func(context.Context, *configMap) (controller.Result, error)) func(context.Context, *slimMap) (controller.Result, error) {
		return func(ctx context.Context, obj *slimMap) (controller.Result, error) { return f(ctx, newMap(obj.Name)) }
	}
	if slim {
		maps := rest.NewResource[*slimMap](s.client, configMaps)
		obj, err := maps.Namespace("default").Get(t.Context(), "a", metav1.GetOptions{})
		if err == nil {
			_, err = controller.Finalize(t.Context(), maps, obj, mark, full(outside.cleanup), full(outside.work))
		}
		return controller.IgnoreNotFound(err)
	}
	obj, err := s.maps.Get(t.Context(), "a", metav1.GetOptions{})
	if err == nil {
		_, err = controller.Finalize(t.Context(), s.maps, obj, mark, outside.cleanup, outside.work)
	}
	return controller.IgnoreNotFound(err)
}

// until repeats what fails, as a controller does, until it has succeeded twice in
// a row.
func until(t *testing.T, do func() error) {
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
	t.Fatal("it does not come to an end")
}

// Two controllers, each with a mark of its own, read the same list and change it:
// none undoes what the other has done, and the later one is told to come again.
func TestFinalizersOfOthersStay(t *testing.T) {
	s := newSetting(t, 0)
	nothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	finalize := func(obj *configMap, finalizer string) error {
		_, err := controller.Finalize(t.Context(), s.maps, obj, finalizer, nothing, nothing)
		return err
	}
	marks := func() []string { return apitest.Get(t, s.server, newMap("a")).Finalizers }

	empty := s.make("a")
	require.NoError(t, finalize(empty, "example.com/one"))
	err := finalize(empty, "example.com/two")
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.Equal(t, []string{"example.com/one"}, marks())

	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/two"))
	one := apitest.Get(t, s.server, empty)
	apitest.Modify(t, s.server, empty, func(o *configMap) { o.Finalizers = append(o.Finalizers, "example.com/three") })
	err = finalize(one, "example.com/four")
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.Equal(t, []string{"example.com/one", "example.com/two", "example.com/three"}, marks())

	require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	err = finalize(one, "example.com/five")
	require.True(t, apierrors.IsConflict(err), "it is being deleted, which the informer does not know yet: %v", err)
	deleted := apitest.Get(t, s.server, empty)
	require.NoError(t, finalize(deleted, "example.com/one"))
	err = finalize(deleted, "example.com/two")
	require.True(t, apierrors.IsConflict(err), "the place is another's by now: %v", err)
	require.Equal(t, []string{"example.com/two", "example.com/three"}, marks())
	require.NoError(t, finalize(deleted, "example.com/none"), "it was never marked by this one")
	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/three"))
	require.NoError(t, finalize(apitest.Get(t, s.server, empty), "example.com/two"))
	require.Empty(t, apitest.List(t, s.server, newMap("")))

	require.NoError(t, finalize(deleted, "example.com/two"), "it is gone, which is what was wanted")
	again := s.make("a")
	err = finalize(empty, "example.com/one")
	require.True(t, apierrors.IsConflict(err), "another object of that name: %v", err)
	require.Equal(t, again.ResourceVersion, apitest.Get(t, s.server, again).ResourceVersion)
}

// What is invalid is no conflict: it would be repeated without an end, and
// without a word.
func TestAFinalizerThatTheServerRefuses(t *testing.T) {
	s := newSetting(t, 0)
	nothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	invalid := apierrors.NewInvalid(configMaps.GroupVersionKind().GroupKind(), "a", nil)
	invalid.ErrStatus.Details.Causes = []metav1.StatusCause{{Field: "spec.color"}}
	s.server.Fault(apitest.Fault{On: apitest.Match{Verb: "patch"}, Do: apitest.FailWith(invalid)})
	_, err := controller.Finalize(t.Context(), s.maps, s.make("a"), mark, nothing, nothing)
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, "add finalizer "+mark)
}

// Cleaning up may take more than one call.
func TestFinalizeWaitsForTheCleanup(t *testing.T) {
	s := newSetting(t, 0)
	obj := newMap("a")
	obj.Finalizers = []string{mark}
	apitest.Create(t, s.server, obj)
	require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	obj = apitest.Get(t, s.server, obj)
	work := func(context.Context, *configMap) (controller.Result, error) { panic("not of what is being deleted") }
	for _, c := range []struct {
		result controller.Result
		err    error
	}{{controller.Result{RequeueAfter: time.Second}, nil}, {controller.Result{}, errors.New("not yet")}} {
		result, err := controller.Finalize(t.Context(), s.maps, obj, mark,
			func(context.Context, *configMap) (controller.Result, error) { return c.result, c.err }, work)
		require.Equal(t, c.result, result)
		require.Equal(t, c.err, err)
		require.Equal(t, []string{mark}, apitest.Get(t, s.server, obj).Finalizers)
	}
}

func TestFinalizeWithoutSense(t *testing.T) {
	s := newSetting(t, 0)
	nothing := func(context.Context, *configMap) (controller.Result, error) { return controller.Result{}, nil }
	obj := s.make("a")
	for want, f := range map[string]func() (controller.Result, error){
		"the resource is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), nil, obj, mark, nothing, nothing)
		},
		"the object is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, nil, mark, nothing, nothing)
		},
		"has no uid": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, newMap("a"), mark, nothing, nothing)
		},
		`the finalizer is "cleanup"`: func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, obj, "cleanup", nothing, nothing)
		},
		"cleanup or work is nil": func() (controller.Result, error) {
			return controller.Finalize(t.Context(), s.maps, obj, mark, nothing, nil)
		},
	} {
		_, err := f()
		require.ErrorIs(t, err, controller.ErrFinalize)
		require.ErrorContains(t, err, want)
	}
	require.Empty(t, s.server.Requests(apitest.Match{Verb: "patch"}))
}

// In a controller whose informer is late, the cleanup is called once: the gate
// knows that the removal of the last mark was the end of the object.
func TestFinalizeInAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetting(t, late)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		var calls []string
		step := func(name string) func(context.Context, *configMap) (controller.Result, error) {
			return func(context.Context, *configMap) (controller.Result, error) {
				calls = append(calls, name)
				return controller.Result{}, nil
			}
		}
		again := make(chan controller.Request)
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			obj, ok := maps.Get(req.String())
			if !ok {
				return controller.Result{}, nil
			}
			return controller.Finalize(ctx, s.maps, obj, mark, step("cleanup"), step("work"))
		}), controller.Options{})
		controller.For(c, maps, controller.GenerationChanged)
		controller.Channel(c, again)
		s.make("a")
		stop := s.run(c)
		time.Sleep(time.Minute)
		require.NoError(t, s.maps.Delete(t.Context(), "a", metav1.DeleteOptions{}))
		time.Sleep(late + time.Millisecond)
		for range 5 {
			again <- controller.Request{Namespace: "default", Name: "a"}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		stop()
		require.Equal(t, []string{"work", "cleanup"}, calls)
		require.Empty(t, apitest.List(t, s.server, newMap("")))
	})
}
