package resourcetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
)

// CompareFactories requires that a factory with a namespace and a tweak has the same
// events, listers and results as client-go's, and that its informers are ours. A resource
// that is requested after Start has to be started, and one that is requested after
// Shutdown cannot be. NewFake returns a fake client.
func CompareFactories[C any](t *testing.T, libraries Libraries[C], newFake func(...runtime.Object) (C, *clienttesting.Fake, clienttesting.ObjectTracker)) {
	seeds := func() []runtime.Object {
		return []runtime.Object{Pod("shop", "web-0", "web"), Pod("shop", "db-0", "db"), Pod("other", "web-1", "web")}
	}
	expected := map[string][]string{}
	for name, library := range libraries.inOrder {
		t.Run(name, func(t *testing.T) {
			t.Run("server", func(t *testing.T) {
				srv := apitest.NewServer(apitest.Options{})
				defer srv.Close()
				create := func(object runtime.Object) { apitest.Create(t, srv, object.(*corev1.Pod)) }
				for _, object := range seeds() {
					create(object)
				}
				client, err := library.Client(ConfigOf(srv))
				require.NoError(t, err)
				events := factoryEvents(t, library, client, name != "client-go", func() {}, create)
				if name == "client-go" {
					expected["server"] = events
				}
				require.Equal(t, expected["server"], events)
			})
			if name == "our client" {
				return // a fake is its own client
			}
			t.Run("fake", func(t *testing.T) {
				client, fake, tracker := newFake(seeds()...)
				watched := func() {
					require.Eventually(t, func() bool {
						return slices.ContainsFunc(fake.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() == "watch" })
					}, 2*time.Minute, time.Millisecond)
				}
				events := factoryEvents(t, library, client, name != "client-go", watched, func(object runtime.Object) {
					if _, isMetadata := any(client).(metadata.Interface); isMetadata {
						object = Partial(object)
					} else {
						object = untyped(object)
					}
					require.NoError(t, tracker.Create(Pods, object, "shop"))
				})
				if name == "client-go" {
					expected["fake"] = events
				}
				require.Equal(t, expected["fake"], events)
			})
		})
	}
}

// factoryEvents returns what a program observes that uses a factory of one namespace and a
// label selector.
func factoryEvents[C any](t *testing.T, library Library[C], client C, isOurs bool, watched func(), create func(runtime.Object)) (lines []string) {
	t.Helper()
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f := library.Filtered(client, 0, "shop", func(o *metav1.ListOptions) { o.LabelSelector = "app=web" })
	defer f.Shutdown()
	defer cancel()
	pods := f.ForResource(Pods)
	require.True(t, pods.Informer() == f.ForResource(Pods).Informer(), "the factory has two informers of a resource")
	requireOurs(t, pods.Informer(), isOurs)
	added := make(chan string, 10)
	_, err := pods.Informer().AddEventHandler(clientcache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) { added <- fmt.Sprintf("add %s %t", described(obj), initial) },
	})
	require.NoError(t, err)
	next := func() string {
		select {
		case line := <-added:
			return line
		case <-ctx.Done():
			t.Error("no event")
			return ""
		}
	}

	f.Start(ctx.Done())
	say("%v", f.WaitForCacheSync(ctx.Done()))
	say("%s", next())
	watched()
	create(Pod("shop", "web-2", "web"))
	say("%s", next())
	found, err := pods.Lister().List(labels.Everything())
	say("list %s %v", describedAll(found), err)
	found, err = pods.Lister().ByNamespace("shop").List(labels.SelectorFromSet(labels.Set{"app": "web"}))
	say("list of a namespace %s %v", describedAll(found), err)
	found, err = pods.Lister().ByNamespace("other").List(labels.Everything())
	say("list of another namespace %s %v", describedAll(found), err)
	_, err = pods.Lister().Get("shop/web-9")
	say("get %v", err)
	one, err := pods.Lister().Get("shop/web-0")
	say("get %s %v", described(one), err)

	late := f.ForResource(maps)
	requireOurs(t, late.Informer(), isOurs)
	say("%v", f.WaitForCacheSync(ctx.Done()))
	f.Start(ctx.Done())
	say("%v", f.WaitForCacheSync(ctx.Done()))
	cancel()
	f.Shutdown()
	say("%t %t", pods.Informer().IsStopped(), late.Informer().IsStopped())
	after := f.ForResource(corev1.SchemeGroupVersion.WithResource("secrets"))
	f.Start(make(chan struct{}))
	f.Shutdown()
	say("%t %v", after.Informer().IsStopped(), f.WaitForCacheSync(ctx.Done()))
	return lines
}

// requireOurs fails unless the informer and its indexer are ours, or client-go's.
func requireOurs(t *testing.T, informer clientcache.SharedIndexInformer, isOurs bool) {
	t.Helper()
	for _, value := range []any{informer, informer.GetIndexer(), informer.GetStore()} {
		kind := reflect.TypeOf(value)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		require.Equal(t, isOurs, strings.HasPrefix(kind.PkgPath(), "github.com/thinformer/"), "%s", kind)
	}
}
