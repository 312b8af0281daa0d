package controller_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// runOwn runs a controller For config maps with NotOwnWrites, after the initial
// reconciles.
func runOwn(t *testing.T, names []string, reconcile func(s *readsFixture, ctx context.Context, req controller.Request) error, test func(s *readsFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &readsFixture{fixture: newFixture(t, 0), log: &reconcileLog{}}
		for _, name := range names {
			s.create(name)
		}
		s.inf = informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		s.c = controller.New("own", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			s.log.add(req)
			return controller.Result{}, reconcile(s, ctx, req)
		}), controller.Options{Backoff: controller.Backoff{Base: time.Hour}})
		controller.NotOwnWrites(controller.For(s.c, s.inf))
		s.stop = s.run(s.c)
		s.settle()
		test(s)
		s.stop()
	})
}

func (s *readsFixture) patch(ctx context.Context, name, color string) error {
	_, err := s.maps.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"data":{"color":%q}}`, color), metav1.PatchOptions{})
	return err
}

// 100 objects with one write each need 100 reconciles, and no reconcile reads a state
// before its own write.
func TestOwnWritesCauseNoReconcile(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprint("m", i))
	}
	runOwn(t, names, func(s *readsFixture, ctx context.Context, req controller.Request) error {
		m, ok, err := controller.Get(ctx, s.inf, req.String())
		if !ok || err != nil || m.Data["color"] == "red" {
			return err
		}
		if err := s.patch(ctx, req.Name, "red"); err != nil {
			return err
		}
		m, _, err = controller.Get(ctx, s.inf, req.String())
		require.Equal(s.t, "red", m.Data["color"])
		return err
	}, func(s *readsFixture) {
		require.Equal(t, 100, s.reconciles())
		s.set("m7", "blue")
		require.Equal(t, 1, s.reconciles(), "the change of another client")
		s.remove("m7")
		require.Equal(t, 1, s.reconciles(), "the deletion")
	})
}

// Each condition is needed for an event to be ignored. Two events that are not ignored
// may cause one reconcile or two.
func TestWritesThatAreNotIgnored(t *testing.T) {
	get := func(s *readsFixture, ctx context.Context, key string) error {
		_, _, err := controller.Get(ctx, s.inf, key)
		return err
	}
	for name, c := range map[string]struct {
		reconcile func(s *readsFixture, ctx context.Context) error
		ignored   bool
	}{
		"one write": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.patch(ctx, "a", "red"))
		}, true},
		"two writes": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.patch(ctx, "a", "red"), s.patch(ctx, "a", "blue"))
		}, true},
		"without a read": {func(s *readsFixture, ctx context.Context) error { return s.patch(ctx, "a", "red") }, false},
		"another ctx": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.patch(context.Background(), "a", "red"))
		}, false},
		"a change between": {func(s *readsFixture, ctx context.Context) error {
			err := get(s, ctx, "default/a")
			apitest.Update(s.t, s.server, colored("a", "green"))
			return errors.Join(err, s.patch(ctx, "a", "red"))
		}, false},
		"a change after": {func(s *readsFixture, ctx context.Context) error {
			err := errors.Join(get(s, ctx, "default/a"), s.patch(ctx, "a", "red"))
			apitest.Update(s.t, s.server, colored("a", "green"))
			return err
		}, false},
		"an error": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.patch(ctx, "a", "red"), controller.TerminalError(errors.New("failed")))
		}, false},
		"a deletion": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.maps.Delete(ctx, "a", metav1.DeleteOptions{}))
		}, false},
		"a write that changes nothing": {func(s *readsFixture, ctx context.Context) error {
			return errors.Join(get(s, ctx, "default/a"), s.patch(ctx, "a", ""))
		}, true},
		"a write that changes nothing after a change": {func(s *readsFixture, ctx context.Context) error {
			err := get(s, ctx, "default/a")
			apitest.Update(s.t, s.server, colored("a", "red"))
			time.Sleep(time.Second) // the informer observes it
			return errors.Join(err, s.patch(ctx, "a", "red"))
		}, false},
		"a dry run and a change": {func(s *readsFixture, ctx context.Context) error {
			err := get(s, ctx, "default/a")
			_, dry := s.maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"color":"red"}}`), metav1.PatchOptions{DryRun: []string{"All"}})
			apitest.Update(s.t, s.server, colored("a", "red"))
			return errors.Join(err, dry)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			first := true
			runOwn(t, nil, func(s *readsFixture, ctx context.Context, _ controller.Request) error {
				if !first {
					return nil
				}
				first = false
				return c.reconcile(s, ctx)
			}, func(s *readsFixture) {
				s.add("a", "")
				if n := s.reconciles(); c.ignored {
					require.Equal(t, 1, n)
				} else {
					require.Greater(t, n, 1)
				}
			})
		})
	}
}

// The event of an object that the reconcile has created is ignored for its request, and
// not for the request of the object.
func TestCreationIsIgnoredForItsRequest(t *testing.T) {
	runOwn(t, []string{"a"}, func(s *readsFixture, ctx context.Context, req controller.Request) error {
		_, ok, err := controller.Get(ctx, s.inf, "default/b")
		if ok || err != nil {
			return err
		}
		_, err = s.maps.Create(ctx, newMap("b"), metav1.CreateOptions{})
		return err
	}, func(s *readsFixture) {
		require.Equal(t, []string{"a", "b"}, s.log.take())
	})
}
