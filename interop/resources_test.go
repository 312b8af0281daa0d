package interop_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	clientdynamic "k8s.io/client-go/dynamic/dynamicinformer"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	clientmetadata "k8s.io/client-go/metadata/metadatainformer"
	clientrest "k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/dynamicinformer"
	"github.com/thinformer/thinformer/interop/metadatainformer"
)

// resourceFactory has the methods of the factories of client-go's dynamic and metadata
// clients.
type resourceFactory interface {
	Start(stopCh <-chan struct{})
	ForResource(gvr schema.GroupVersionResource) informers.GenericInformer
	WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool
	Shutdown()
}

type tweak = func(*metav1.ListOptions)

// resourceLibrary is one of the packages with such factories. C is the client.
type resourceLibrary[C any] struct {
	client   func(*clientrest.Config) (C, error)
	all      func(C, time.Duration) resourceFactory
	filtered func(C, time.Duration, string, tweak) resourceFactory
	single   func(C, schema.GroupVersionResource, string, time.Duration, clientcache.Indexers, tweak) informers.GenericInformer
}

var dynamicLibraries = map[string]resourceLibrary[dynamic.Interface]{
	"client-go": {
		client: func(c *clientrest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) },
		all: func(c dynamic.Interface, resync time.Duration) resourceFactory {
			return clientdynamic.NewDynamicSharedInformerFactory(c, resync)
		},
		filtered: func(c dynamic.Interface, resync time.Duration, ns string, tweak tweak) resourceFactory {
			return clientdynamic.NewFilteredDynamicSharedInformerFactory(c, resync, ns, tweak)
		},
		single: func(c dynamic.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak tweak) informers.GenericInformer {
			return clientdynamic.NewFilteredDynamicInformer(c, gvr, ns, resync, indexers, tweak)
		},
	},
	"ours": ourDynamic(func(c *clientrest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) }),
	// It decodes the responses.
	"our client": ourDynamic(dynamicinformer.NewClientForConfig),
}

func ourDynamic(client func(*clientrest.Config) (dynamic.Interface, error)) resourceLibrary[dynamic.Interface] {
	return resourceLibrary[dynamic.Interface]{
		client: client,
		all: func(c dynamic.Interface, resync time.Duration) resourceFactory {
			return dynamicinformer.NewDynamicSharedInformerFactory(c, resync)
		},
		filtered: func(c dynamic.Interface, resync time.Duration, ns string, tweak tweak) resourceFactory {
			return dynamicinformer.NewFilteredDynamicSharedInformerFactory(c, resync, ns, tweak)
		},
		single: func(c dynamic.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak tweak) informers.GenericInformer {
			return dynamicinformer.NewFilteredDynamicInformer(c, gvr, ns, resync, indexers, tweak)
		},
	}
}

var metadataLibraries = map[string]resourceLibrary[metadata.Interface]{
	"client-go": {
		client: metadata.NewForConfig,
		all: func(c metadata.Interface, resync time.Duration) resourceFactory {
			return clientmetadata.NewSharedInformerFactory(c, resync)
		},
		filtered: func(c metadata.Interface, resync time.Duration, ns string, tweak tweak) resourceFactory {
			return clientmetadata.NewFilteredSharedInformerFactory(c, resync, ns, tweak)
		},
		single: func(c metadata.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak tweak) informers.GenericInformer {
			return clientmetadata.NewFilteredMetadataInformer(c, gvr, ns, resync, indexers, tweak)
		},
	},
	"ours": ourMetadata(metadata.NewForConfig),
	// It decodes the responses.
	"our client": ourMetadata(metadatainformer.NewClientForConfig),
}

func ourMetadata(client func(*clientrest.Config) (metadata.Interface, error)) resourceLibrary[metadata.Interface] {
	return resourceLibrary[metadata.Interface]{
		client: client,
		all: func(c metadata.Interface, resync time.Duration) resourceFactory {
			return metadatainformer.NewSharedInformerFactory(c, resync)
		},
		filtered: func(c metadata.Interface, resync time.Duration, ns string, tweak tweak) resourceFactory {
			return metadatainformer.NewFilteredSharedInformerFactory(c, resync, ns, tweak)
		},
		single: func(c metadata.Interface, gvr schema.GroupVersionResource, ns string, resync time.Duration, indexers clientcache.Indexers, tweak tweak) informers.GenericInformer {
			return metadatainformer.NewFilteredMetadataInformer(c, gvr, ns, resync, indexers, tweak)
		},
	}
}

var mapsResource = corev1.SchemeGroupVersion.WithResource("configmaps")

// A factory with a namespace and a tweak has the same events, listers and results as
// client-go's, and its informers are ours. A resource that is requested after Start has to be
// started, and one that is requested after Shutdown cannot be.
func TestFactoryOfResources(t *testing.T) {
	t.Run("dynamic", func(t *testing.T) {
		compareFactories(t, dynamicLibraries, func(objects ...runtime.Object) (dynamic.Interface, *clienttesting.Fake, clienttesting.ObjectTracker) {
			client := dynamicfake.NewSimpleDynamicClient(scheme.Scheme, objects...)
			return client, &client.Fake, client.Tracker()
		})
	})
	t.Run("metadata", func(t *testing.T) {
		compareFactories(t, metadataLibraries, func(objects ...runtime.Object) (metadata.Interface, *clienttesting.Fake, clienttesting.ObjectTracker) {
			known := metadatafake.NewTestScheme()
			require.NoError(t, metav1.AddMetaToScheme(known))
			for i, object := range objects {
				objects[i] = partialOf(object)
			}
			client := metadatafake.NewSimpleMetadataClient(known, objects...)
			return client, &client.Fake, client.Tracker()
		})
	})
}

func partialOf(object runtime.Object) *metav1.PartialObjectMetadata {
	metadata := meta.AsPartialObjectMetadata(object.(metav1.Object))
	kinds, _, _ := scheme.Scheme.ObjectKinds(object)
	metadata.SetGroupVersionKind(kinds[0])
	return metadata
}

func unstructuredOf(object runtime.Object) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err) // objects of k8s.io/api can be converted
	}
	kinds, _, _ := scheme.Scheme.ObjectKinds(object)
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u
}

func compareFactories[C any](t *testing.T, libraries map[string]resourceLibrary[C], newFake func(...runtime.Object) (C, *clienttesting.Fake, clienttesting.ObjectTracker)) {
	seeds := func() []runtime.Object {
		return []runtime.Object{pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("other", "web-1", "web")}
	}
	expected := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(libraries)) { // client-go is the first
		library := libraries[name]
		t.Run(name, func(t *testing.T) {
			t.Run("server", func(t *testing.T) {
				srv := apitest.NewServer(apitest.Options{})
				defer srv.Close()
				var over lines
				create := func(object runtime.Object) { apitest.Create(t, srv, object.(*corev1.Pod)) }
				for _, object := range seeds() {
					create(object)
				}
				defer over.cut()
				client, err := library.client(configOf(srv, &over))
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
						object = partialOf(object)
					} else {
						object = unstructuredOf(object)
					}
					require.NoError(t, tracker.Create(podsResource, object, "shop"))
				})
				if name == "client-go" {
					expected["fake"] = events
				}
				require.Equal(t, expected["fake"], events)
			})
		})
	}
}

// configOf returns client-go's config for a test server.
func configOf(srv *apitest.Server, over *lines) *clientrest.Config {
	c := srv.Config()
	return &clientrest.Config{
		Host: c.Host, TLSClientConfig: clientrest.TLSClientConfig{CAData: c.TLS.CAData}, BearerToken: c.BearerToken,
		QPS: -1, Dial: over.dial,
	}
}

// factoryEvents returns what a program observes that uses a factory of one namespace and a
// label selector.
func factoryEvents[C any](t *testing.T, library resourceLibrary[C], client C, isOurs bool, watched func(), create func(runtime.Object)) (lines []string) {
	t.Helper()
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f := library.filtered(client, 0, "shop", func(o *metav1.ListOptions) { o.LabelSelector = "app=web" })
	defer f.Shutdown()
	defer cancel()
	pods := f.ForResource(podsResource)
	require.True(t, pods.Informer() == f.ForResource(podsResource).Informer(), "the factory has two informers of a resource")
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
	create(pod("shop", "web-2", "web"))
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

	late := f.ForResource(mapsResource)
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

// described returns the type, the kind and the key of an object. Metadata that this module
// decodes have their own kind.
func described(obj any) string {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err.Error()
	}
	kind := obj.(runtime.Object).GetObjectKind().GroupVersionKind().Kind
	if kind == "PartialObjectMetadata" {
		kind = ""
	}
	return fmt.Sprintf("%T %s %s/%s", obj, kind, object.GetNamespace(), object.GetName())
}

func describedAll(objects []runtime.Object) []string {
	var all []string
	for _, object := range objects {
		all = append(all, described(object))
	}
	slices.Sort(all)
	return all
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

// An informer of no factory has its own indexers and resyncs, and the factories of all
// namespaces have all objects.
func TestInformersOfResources(t *testing.T) {
	objects := func() []runtime.Object {
		return []runtime.Object{pod("shop", "web-0", "web"), pod("other", "web-1", "web")}
	}
	for name, library := range dynamicLibraries {
		t.Run("dynamic of "+name, func(t *testing.T) {
			informersOfResources(t, library, dynamicfake.NewSimpleDynamicClient(scheme.Scheme, objects()...))
		})
	}
	for name, library := range metadataLibraries {
		t.Run("metadata of "+name, func(t *testing.T) {
			known := metadatafake.NewTestScheme()
			require.NoError(t, metav1.AddMetaToScheme(known))
			informersOfResources(t, library, metadatafake.NewSimpleMetadataClient(known, partialOf(objects()[0]), partialOf(objects()[1])))
		})
	}
}

func informersOfResources[C any](t *testing.T, library resourceLibrary[C], client any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	byApp := clientcache.Indexers{"app": func(obj any) ([]string, error) {
		object, err := meta.Accessor(obj)
		return []string{object.GetLabels()["app"]}, err
	}}
	single := library.single(client.(C), podsResource, "other", 0, byApp, nil).Informer()
	require.Len(t, single.GetIndexer().GetIndexers(), 1)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { single.RunWithContext(ctx) })
	require.True(t, clientcache.WaitFor(ctx, "", single.HasSyncedChecker()))
	found, err := single.GetIndexer().ByIndex("app", "web")
	require.NoError(t, err)
	require.Len(t, found, 1)

	f := library.all(client.(C), time.Hour)
	pods := f.ForResource(podsResource)
	f.Start(ctx.Done())
	require.Equal(t, map[schema.GroupVersionResource]bool{podsResource: true}, f.WaitForCacheSync(ctx.Done()))
	all, err := pods.Lister().List(labels.Everything())
	require.NoError(t, err)
	require.Len(t, all, 2)
	cancel()
	f.Shutdown()
}

// The options of the metadata factory apply to each informer.
func TestTransformOfTheMetadataFactory(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	known := metadatafake.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(known))
	client := metadatafake.NewSimpleMetadataClient(known, partialOf(pod("shop", "web-0", "web")))
	f := metadatainformer.NewSharedInformerFactoryWithOptions(client, 0, metadatainformer.WithTransform(func(obj any) (any, error) {
		obj.(*metav1.PartialObjectMetadata).Labels = nil
		return obj, nil
	}))
	pods := f.ForResource(podsResource)
	f.Start(ctx.Done())
	defer f.Shutdown()
	defer cancel()
	require.True(t, f.WaitForCacheSync(ctx.Done())[podsResource])
	object, err := pods.Lister().Get("shop/web-0")
	require.NoError(t, err)
	require.Empty(t, object.(*metav1.PartialObjectMetadata).Labels)
}

// A nil client is an error of each list.
func TestInformersOfANilClient(t *testing.T) {
	for name, informer := range map[string]informers.GenericInformer{
		"dynamic":       dynamicinformer.NewDynamicSharedInformerFactory(nil, 0).ForResource(podsResource),
		"a nil pointer": dynamicinformer.NewDynamicSharedInformerFactory((*dynamic.DynamicClient)(nil), 0).ForResource(podsResource),
		"metadata":      metadatainformer.NewSharedInformerFactory(nil, 0).ForResource(podsResource),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 10)
			require.NoError(t, informer.Informer().SetWatchErrorHandler(func(_ *clientcache.Reflector, err error) {
				select {
				case failed <- err:
				default:
				}
			}))
			var running sync.WaitGroup
			running.Go(func() { informer.Informer().RunWithContext(ctx) })
			require.Error(t, <-failed)
			cancel()
			running.Wait()
		})
	}
}

// The error of a config says which client was to be created.
func TestClientsOfABadConfig(t *testing.T) {
	broken := &clientrest.Config{Host: "http://a b"}
	_, err := dynamicinformer.NewClientForConfig(broken)
	require.ErrorContains(t, err, "create a dynamic client")
	_, err = metadatainformer.NewClientForConfig(broken)
	require.ErrorContains(t, err, "create a metadata client")
}
