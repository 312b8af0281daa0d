package interop_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	clientgodynamic "k8s.io/client-go/dynamic/dynamicinformer"
	clientgoinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	clientgometadata "k8s.io/client-go/metadata/metadatainformer"
	clientgorest "k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/dynamicinformer"
	"github.com/thinformer/thinformer/interop/informers"
	"github.com/thinformer/thinformer/interop/metadatainformer"
)

// anyFactory has the methods that all factories have.
type anyFactory interface {
	Start(stopCh <-chan struct{})
	Shutdown()
}

// Promise: informers of a factory, whose responses this module decodes, deliver what
// client-go's deliver: before and after a watch that is resumed, and after a list that
// replaces a watch, with a tombstone for an object that was deleted in between.
func TestFactoriesAfterAnOutage(t *testing.T) {
	podsOf := func(config *clientgorest.Config, newFactory func(kubernetes.Interface, time.Duration) clientgoinformers.SharedInformerFactory) (anyFactory, clientcache.SharedIndexInformer) {
		client, err := kubernetes.NewForConfig(config)
		require.NoError(t, err)
		factory := newFactory(client, 0)
		return factory, factory.Core().V1().Pods().Informer()
	}
	untyped := func(config *clientgorest.Config, newClient func(*clientgorest.Config) (dynamic.Interface, error), newFactory func(dynamic.Interface, time.Duration) dynamicinformer.DynamicSharedInformerFactory) (anyFactory, clientcache.SharedIndexInformer) {
		client, err := newClient(config)
		require.NoError(t, err)
		factory := newFactory(client, 0)
		return factory, factory.ForResource(podResource).Informer()
	}
	partial := func(config *clientgorest.Config, newClient func(*clientgorest.Config) (metadata.Interface, error), newFactory func(metadata.Interface, time.Duration) metadatainformer.SharedInformerFactory) (anyFactory, clientcache.SharedIndexInformer) {
		client, err := newClient(config)
		require.NoError(t, err)
		factory := newFactory(client, 0)
		return factory, factory.ForResource(podResource).Informer()
	}
	for kind, libraries := range map[string][]func(*clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer){
		"generated": {
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return podsOf(c, clientgoinformers.NewSharedInformerFactory)
			},
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return podsOf(c, informers.NewSharedInformerFactory)
			},
		},
		"dynamic": {
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return untyped(c, func(c *clientgorest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) }, clientgodynamic.NewDynamicSharedInformerFactory)
			},
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return untyped(c, dynamicinformer.NewClientForConfig, dynamicinformer.NewDynamicSharedInformerFactory)
			},
		},
		"metadata": {
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return partial(c, metadata.NewForConfig, clientgometadata.NewSharedInformerFactory)
			},
			func(c *clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer) {
				return partial(c, metadatainformer.NewClientForConfig, metadatainformer.NewSharedInformerFactory)
			},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // client-go waits up to two seconds before it reads again
			for i, library := range libraries {
				t.Run([]string{"client-go", "ours"}[i], func(t *testing.T) {
					t.Parallel()
					outages(t, library)
				})
			}
		})
	}
}

// outages requires the events of an informer in the course of two outages.
func outages(t *testing.T, library func(*clientgorest.Config) (anyFactory, clientcache.SharedIndexInformer)) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	named := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	}
	label := func(name, value string) {
		apitest.Modify(t, srv, named(name), func(p *corev1.Pod) { p.Labels = map[string]string{"value": value} })
	}
	apitest.Create(t, srv, named("a"))
	apitest.Create(t, srv, named("b"))

	config := srv.Config()
	factory, informer := library(&clientgorest.Config{
		Host: config.Host, TLSClientConfig: clientgorest.TLSClientConfig{CAData: config.TLS.CAData}, BearerToken: config.BearerToken, QPS: -1,
	})
	events := make(chan string, 100)
	describe := func(object any) string {
		of := object.(metav1.Object)
		return of.GetName() + " " + of.GetLabels()["value"]
	}
	_, err := informer.AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { events <- "add " + describe(object) },
		UpdateFunc: func(old, object any) { events <- "update " + describe(old) + " to " + describe(object) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(clientcache.DeletedFinalStateUnknown); ok {
				events <- "tombstone " + tombstone.Key + " of " + describe(tombstone.Obj)
				return
			}
			events <- "delete " + describe(object)
		},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	expect := func(what string, expected ...string) {
		t.Helper()
		var found []string
		for range expected {
			select {
			case event := <-events:
				found = append(found, event)
			case <-time.After(2 * time.Minute):
				require.FailNow(t, what, "no event after %q", found)
			}
		}
		slices.Sort(found)
		require.Equal(t, expected, found, what)
	}
	expect("initial state", "add a ", "add b ")
	label("a", "1")
	expect("a watch", "update a  to a 1")

	srv.Stop()
	label("a", "2")
	apitest.Delete(t, srv, named("b"))
	srv.Start()
	expect("a watch that is resumed", "delete b ", "update a 1 to a 2")

	srv.Stop()
	label("a", "3")
	apitest.Create(t, srv, named("c"))
	apitest.Delete(t, srv, named("c"))
	apitest.Create(t, srv, named("d"))
	srv.Compact()
	srv.Start()
	expect("a list after an expired version", "add d ", "update a 2 to a 3")

	srv.Stop()
	label("a", "4")
	apitest.Delete(t, srv, named("d"))
	srv.Compact()
	srv.Start()
	expect("a list without a known object", "tombstone default/d of d ", "update a 3 to a 4")
	label("a", "5")
	expect("the watch after a list", "update a 4 to a 5")
	select {
	case event := <-events:
		require.Fail(t, "one event too many", event)
	default:
	}
}
