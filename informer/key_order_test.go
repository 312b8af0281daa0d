package informer

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// expiringSource is a scriptedSource whose watch fails with 410 on demand. The
// informer then lists it again.
type expiringSource struct {
	*scriptedSource
	expire chan struct{}
}

func (s *expiringSource) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*gadget], error) {
		select {
		case event := <-s.events:
			return event, nil
		case <-s.expire:
			return listwatch.Event[*gadget]{}, apierrors.NewResourceExpired("too old resource version")
		case <-ctx.Done():
			return listwatch.Event[*gadget]{}, ctx.Err()
		}
	}, nil), nil
}

// "Across keys the order is that of arrival." The store is busy while a relist
// leaves c out, because the filter refuses it, and while the deletions of b and
// then c arrive. The handler receives the deletion of c at the relist's position. It
// does not receive the final state of c before the deletion of b, which arrived first. The same
// holds for a namespace of an informer of several.
func TestFinalStateIsReportedAfterEarlierChanges(t *testing.T) {
	t.Run("one source", func(t *testing.T) {
		testFinalState(t, func(source listwatch.ListerWatcher[*gadget], o Options[*gadget]) *SharedInformer[*gadget] {
			return New(source, o)
		})
	})
	t.Run("namespaces", func(t *testing.T) {
		testFinalState(t, func(source listwatch.ListerWatcher[*gadget], o Options[*gadget]) *SharedInformer[*gadget] {
			return &SharedInformer[*gadget]{shared: newGadgetsOfNamespaces(source, o)}
		})
	})
}

func testFinalState(t *testing.T, create func(listwatch.ListerWatcher[*gadget], Options[*gadget]) *SharedInformer[*gadget]) {
	synctest.Test(t, func(t *testing.T) {
		source := &expiringSource{newScriptedSource("1", "a@1/ua", "b@1/ub", "c@1/uc"), make(chan struct{})}
		source.namespace = gadgetNamespace
		for _, g := range source.items {
			g.Namespace = gadgetNamespace
		}
		options := preferList()
		options.Filter = func(g *gadget) bool { return g.color != "refused" }
		inf := create(source, options)
		busy := make(chan struct{})
		if _, err := inf.AddIndex("busy", func(g *gadget) []string {
			if g.ResourceVersion == "2" {
				<-busy
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var calls []string
		if _, err := inf.AddEventHandler(textHandler(func(call string) {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, call)
		}), HandlerOptions{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- inf.Run(ctx) }()
		synctest.Wait()

		source.send(watch.Modified, "a@2/ua")
		synctest.Wait()
		refused := newGadget("c@50/uc")
		refused.color = "refused"
		source.version, source.items = "50", []*gadget{newGadget("a@2/ua"), newGadget("b@1/ub"), refused}
		for _, g := range source.items {
			g.Namespace = gadgetNamespace
		}
		source.expire <- struct{}{}
		time.Sleep(time.Minute) // longer than the backoff
		source.send(watch.Deleted, "b@51/ub")
		source.send(watch.Deleted, "c@53/uc")
		synctest.Wait()
		close(busy)
		synctest.Wait()
		if version, _ := inf.VersionIn(gadgetNamespace); version != "53" {
			t.Errorf("the version is %s, want 53", version)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		want := []string{
			"add a@1/ua (initial)", "add b@1/ub (initial)", "add c@1/uc (initial)",
			"update a@1/ua -> a@2/ua", "delete c@1/uc (unknown)", "delete b@51/ub",
		}
		if !slices.Equal(calls, want) {
			t.Errorf("calls:\n%q, want\n%q", calls, want)
		}
	})
}
