package informers_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/informers"
)

// kind is one of the informers that the accessors of a factory return.
type kind struct {
	path     string // Apps().V1().Deployments()
	informer clientcache.SharedIndexInformer
	lister   any
	object   reflect.Type
}

// kindsOf requests every informer of a factory, or of the groups of one, through its
// accessors.
func kindsOf(t *testing.T, factory any) (kinds []kind) {
	t.Helper()
	of := reflect.ValueOf(factory)
	groups := reflect.TypeFor[clientgo.SharedInformerFactory]()
	for i := range groups.NumMethod() {
		group := groups.Method(i)
		if group.Type.NumIn() > 0 || group.Type.NumOut() != 1 || group.Type.Out(0).Kind() != reflect.Interface {
			continue // Start and the like, and InformerName
		}
		versions := of.MethodByName(group.Name).Call(nil)[0]
		for version := range versions.Type().Methods() {
			accessors := versions.MethodByName(version.Name).Call(nil)[0]
			for accessor := range accessors.Type().Methods() {
				requested := accessors.MethodByName(accessor.Name).Call(nil)[0]
				lister := requested.MethodByName("Lister").Call(nil)[0]
				listed, ok := lister.Type().MethodByName("List")
				require.True(t, ok)
				kinds = append(kinds, kind{
					path:     group.Name + "()." + version.Name + "()." + accessor.Name + "()",
					informer: requested.MethodByName("Informer").Call(nil)[0].Interface().(clientcache.SharedIndexInformer),
					lister:   lister.Interface(),
					object:   listed.Type.Out(0).Elem(),
				})
			}
		}
	}
	require.Len(t, kinds, resourcesOfClientGo(t), "the accessors and ForResource of client-go's factory differ")
	return kinds
}

// resourcesOfClientGo returns the number of resources for which ForResource of client-go's
// factory has an informer: the kinds of its scheme are tried.
func resourcesOfClientGo(t *testing.T) (count int) {
	t.Helper()
	factory := clientgo.NewSharedInformerFactory(nil, 0)
	for known := range scheme.Scheme.AllKnownTypes() {
		resource, _ := apimeta.UnsafeGuessKindToResource(known)
		if _, err := factory.ForResource(resource); err == nil {
			count++
		}
	}
	return count
}

func (k kind) example() runtime.Object {
	return reflect.New(k.object.Elem()).Interface().(runtime.Object)
}

// isOurs reports whether the indexer of an informer, also beneath client-go's typed
// informers, is the adapter of package interop.
func isOurs(informer clientcache.SharedIndexInformer) bool {
	return strings.HasPrefix(reflect.TypeOf(informer.GetIndexer()).String(), "interop.")
}

// storeOf returns the indexer of this module behind the adapter.
func storeOf(informer clientcache.SharedIndexInformer) any {
	return reflect.ValueOf(informer.GetIndexer()).Field(0).Interface()
}

// clientsets are the two kinds of clientset: one that sends requests, and a fake, which has
// no REST client.
func clientsets(t *testing.T) map[string]kubernetes.Interface {
	t.Helper()
	real, err := kubernetes.NewForConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	require.NoError(t, err)
	return map[string]kubernetes.Interface{"clientset": real, "fake": fake.NewClientset(), "nil": nil}
}

// The contract of the package: the informer of every kind is this module's, however it is
// requested, and each way returns the same one.
func TestEveryInformerIsOurs(t *testing.T) {
	for name, client := range clientsets(t) {
		t.Run(name, func(t *testing.T) {
			factory := informers.NewSharedInformerFactory(client, time.Hour)
			for _, k := range kindsOf(t, factory) {
				require.True(t, isOurs(k.informer), "%s returns an informer of client-go", k.path)
				require.Same(t, storeOf(k.informer), storeOf(factory.InformerFor(k.example(), nil)), "%s: InformerFor has another informer", k.path)
			}
			for _, k := range kindsOf(t, clientgo.NewSharedInformerFactory(client, time.Hour)) {
				require.False(t, isOurs(k.informer), "the test does not recognise the informers of client-go")
			}
		})
		t.Run(name+" with In", func(t *testing.T) {
			factory := informers.NewSharedInformerFactory(client, time.Hour)
			for _, k := range kindsOf(t, informers.In(factory, "shop", nil)) {
				require.True(t, isOurs(k.informer), "In(...).%s returns an informer of client-go", k.path)
				require.Same(t, storeOf(k.informer), storeOf(factory.InformerFor(k.example(), nil)), "In(...).%s is not shared with the factory", k.path)
			}
			for _, k := range kindsOf(t, informers.In(clientgo.NewSharedInformerFactory(client, time.Hour), "shop", nil)) {
				require.True(t, isOurs(k.informer), "In(...).%s over client-go's factory returns an informer of client-go", k.path)
			}
		})
		t.Run(name+" with InformerFor", func(t *testing.T) {
			factory := informers.NewSharedInformerFactory(client, time.Hour)
			others := informers.NewSharedInformerFactory(client, time.Hour)
			for _, k := range kindsOf(t, others) {
				informer := factory.InformerFor(k.example(), func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer { return k.informer })
				require.Same(t, storeOf(k.informer), storeOf(informer), "InformerFor(%v) is not the informer of the function", k.object)
				require.Same(t, storeOf(informer), storeOf(factory.InformerFor(k.example(), nil)), "the first informer is kept")
			}
			theirs := informers.NewSharedInformerFactory(client, time.Hour)
			for _, k := range kindsOf(t, clientgo.NewSharedInformerFactory(client, time.Hour)) {
				informer := theirs.InformerFor(k.example(), func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer { return k.informer })
				require.False(t, isOurs(informer), "InformerFor(%v) is not the informer of the function", k.object)
			}
		})
		t.Run(name+" with ForResource", func(t *testing.T) {
			factory := informers.NewSharedInformerFactory(client, time.Hour)
			theirs := clientgo.NewSharedInformerFactory(client, time.Hour)
			for _, k := range kindsOf(t, theirs) {
				resource := resourceOf(t, theirs, k)
				generic, err := factory.ForResource(resource)
				require.NoError(t, err)
				require.True(t, isOurs(generic.Informer()), "ForResource(%v) returns an informer of client-go", resource)
				require.Same(t, storeOf(factory.InformerFor(k.example(), nil)), storeOf(generic.Informer()), "ForResource(%v) is not the informer of %v", resource, k.object)
			}
		})
		t.Run(name+" with NewInformer", func(t *testing.T) {
			require.True(t, isOurs(informers.NewInformer[*corev1.Pod](client, "", 0, nil)))
			require.True(t, isOurs(informers.NewFilteredInformer[*rbacv1.ClusterRole](client, "", 0, nil, nil)))
		})
	}
}

// resourceOf returns the resource for which client-go's factory has the informer of a kind.
func resourceOf(t *testing.T, theirs clientgo.SharedInformerFactory, k kind) schema.GroupVersionResource {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(k.example())
	require.NoError(t, err)
	resource, _ := apimeta.UnsafeGuessKindToResource(kinds[0])
	generic, err := theirs.ForResource(resource)
	require.NoError(t, err)
	require.Same(t, theirs.InformerFor(k.example(), nil).GetIndexer(), generic.Informer().GetIndexer())
	return resource
}

// The requests of every informer go where those of client-go's factory go: in one namespace,
// where the kind has namespaces.
func TestEveryInformerReadsTheResourceOfItsKind(t *testing.T) {
	var wanted, got paths
	run := func(over *paths, newFactory func(kubernetes.Interface) clientgo.SharedInformerFactory) (stop func()) {
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://server", Transport: over, QPS: -1})
		require.NoError(t, err)
		factory := newFactory(client)
		kindsOf(t, factory)
		ctx, cancel := context.WithCancel(t.Context())
		factory.StartWithContext(ctx)
		return func() { cancel(); factory.Shutdown() }
	}
	defer run(&wanted, func(client kubernetes.Interface) clientgo.SharedInformerFactory {
		return clientgo.NewSharedInformerFactoryWithOptions(client, 0, clientgo.WithNamespace("shop"))
	})()
	defer run(&got, func(client kubernetes.Interface) clientgo.SharedInformerFactory {
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("shop"))
	})()
	count := len(kindsOf(t, clientgo.NewSharedInformerFactory(nil, 0)))
	require.Eventually(t, func() bool { return len(wanted.all()) == count && len(got.all()) >= count }, 2*time.Minute, 10*time.Millisecond)
	require.Equal(t, wanted.all(), got.all())
	require.Contains(t, got.all(), "/apis/apps/v1/namespaces/shop/deployments")
	require.Contains(t, got.all(), "/api/v1/nodes")
}

// paths is a transport that records the paths of its requests, which all fail.
type paths struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (p *paths) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[r.URL.Path] = true
	return nil, errors.New("no server")
}

func (p *paths) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.seen))
}
