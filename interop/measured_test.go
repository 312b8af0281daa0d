package interop_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
)

var podsResource = corev1.SchemeGroupVersion.WithResource("pods")

// provider is a provider written for client-go. It records which metrics of which identity
// were set.
type provider struct {
	mu  sync.Mutex
	set map[string]float64
}

type metric struct {
	provider *provider
	name     string
}

func (m metric) Set(value float64) {
	m.provider.mu.Lock()
	defer m.provider.mu.Unlock()
	m.provider.set[m.name] = value
}

func (m metric) Observe(value float64) { m.Set(value) }

func (p *provider) named(what string, id clientcache.InformerNameAndResource) metric {
	return metric{p, what + " of " + id.Name() + " " + id.GroupVersionResource().Resource}
}

func (p *provider) NewQueuedItemMetric(id clientcache.InformerNameAndResource) clientcache.GaugeMetric {
	return p.named("queued", id)
}

func (p *provider) NewProcessingLatencyMetric(id clientcache.InformerNameAndResource) clientcache.HistogramMetric {
	return p.named("latency", id)
}

func (p *provider) NewStoreResourceVersionMetric(id clientcache.InformerNameAndResource) clientcache.GaugeMetric {
	return p.named("version", id)
}

// names returns the metrics set since the previous call.
func (p *provider) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for name := range p.set {
		names = append(names, name)
	}
	clear(p.set)
	slices.Sort(names)
	return names
}

// The constructors with client-go's options, client-go's and ours.
var withOptions = map[string]func(clientcache.ListerWatcher, runtime.Object, clientcache.SharedIndexInformerOptions) clientcache.SharedIndexInformer{
	"client-go": clientcache.NewSharedIndexInformerWithOptions,
	"interop":   interop.NewSharedIndexInformerWithOptions,
}

// Promise of NewSharedIndexInformerWithOptions: a provider written for client-go receives
// client-go's identity, until that is released. A second identity of one resource, and no
// identity, have no metrics.
func TestMetricsOfAProviderOfClientGo(t *testing.T) {
	for library, construct := range withOptions {
		t.Run(library, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				name, err := clientcache.NewInformerName("shop")
				require.NoError(t, err)
				defer name.Release()
				p := &provider{set: map[string]float64{}}
				options := clientcache.SharedIndexInformerOptions{InformerMetricsProvider: p, Identifier: name.WithResource(podsResource)}
				source := listsOf([]corev1.Pod{versioned("a", "1")})
				run(t, construct(source, &corev1.Pod{}, options))
				synctest.Wait()
				all := []string{"latency of shop pods", "queued of shop pods", "version of shop pods"}
				require.Equal(t, all, p.names())

				options.Identifier = name.WithResource(podsResource)
				run(t, construct(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, options))
				options.Identifier = clientcache.InformerNameAndResource{}
				run(t, construct(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, options))
				synctest.Wait()
				require.Empty(t, p.names(), "the identity belongs to another informer")

				changed := versioned("a", "200")
				source.events <- watch.Event{Type: watch.Modified, Object: &changed}
				synctest.Wait()
				require.Equal(t, all, p.names())
				if library == "client-go" {
					return // it leaves this to the provider
				}
				name.Release()
				changed = versioned("a", "201")
				source.events <- watch.Event{Type: watch.Modified, Object: &changed}
				synctest.Wait()
				require.Empty(t, p.names(), "the identity was released")
			})
		})
	}
}

// A second Run, which is a mistake and returns at once, leaves the metrics of the first.
func TestASecondRunKeepsTheMetrics(t *testing.T) {
	for library, construct := range withOptions {
		t.Run(library, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				name, err := clientcache.NewInformerName("twice")
				require.NoError(t, err)
				defer name.Release()
				p := &provider{set: map[string]float64{}}
				source := listsOf([]corev1.Pod{versioned("a", "1")})
				inf := construct(source, &corev1.Pod{}, clientcache.SharedIndexInformerOptions{InformerMetricsProvider: p, Identifier: name.WithResource(podsResource)})
				run(t, inf)
				synctest.Wait()
				require.Len(t, p.names(), 3)
				inf.RunWithContext(t.Context())
				inf.Run(t.Context().Done())
				changed := versioned("a", "200")
				source.events <- watch.Event{Type: watch.Modified, Object: &changed}
				synctest.Wait()
				require.Len(t, p.names(), 3)
			})
		})
	}
}

// One identity can be used by one informer after the other, and a reserved one without a
// provider is accepted.
func TestIdentityIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name, err := clientcache.NewInformerName("again")
		require.NoError(t, err)
		defer name.Release()
		p := &provider{set: map[string]float64{}}
		options := clientcache.SharedIndexInformerOptions{InformerMetricsProvider: p, Identifier: name.WithResource(podsResource)}
		for range 3 {
			inf := interop.NewSharedIndexInformerWithOptions(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, options)
			stop := make(chan struct{})
			var running sync.WaitGroup
			running.Go(func() { inf.Run(stop) })
			synctest.Wait()
			require.Len(t, p.names(), 3)
			close(stop)
			running.Wait()
		}
		options.InformerMetricsProvider = nil
		run(t, interop.NewSharedIndexInformerWithOptions(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, options))
		synctest.Wait()
		require.Empty(t, p.names())
	})
}

// The other options, and the informer without indexes, are as client-go's.
func TestOptionsOfAnInformer(t *testing.T) {
	for library, construct := range withOptions {
		t.Run(library, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := listsOf([]corev1.Pod{versioned("a", "1")})
				source.fail = 1
				inf := construct(source, &corev1.Pod{}, clientcache.SharedIndexInformerOptions{
					ResyncPeriod: time.Hour, Indexers: byNamespace, ObjectDescription: "the pods",
				})
				var described string
				require.NoError(t, inf.SetWatchErrorHandler(func(r *clientcache.Reflector, _ error) { described = r.TypeDescription() }))
				handler := &recorder{}
				_, err := inf.AddEventHandler(handler)
				require.NoError(t, err)
				run(t, inf)
				time.Sleep(90 * time.Minute)
				synctest.Wait()
				require.Equal(t, "the pods", described)
				require.Equal(t, []string{"add a true", "update a 1 to 1"}, handler.since())
				found, err := inf.GetIndexer().ByIndex(clientcache.NamespaceIndex, "shop")
				require.NoError(t, err)
				require.Len(t, found, 1)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		plain := interop.NewSharedInformer(listsOf([]corev1.Pod{versioned("a", "1")}), &corev1.Pod{}, 0)
		run(t, plain.(clientcache.SharedIndexInformer))
		synctest.Wait()
		require.Equal(t, []string{"shop/a"}, plain.GetStore().ListKeys())
	})
}

// The modifiers of ListWatch change the options of each list and watch, in their order.
func TestListWatchModifiesOptions(t *testing.T) {
	var asked []string
	client := fake.NewClientset()
	record := func(verb string, o metav1.ListOptions) {
		asked = append(asked, verb+" "+o.LabelSelector+" "+o.FieldSelector)
	}
	client.PrependReactor("list", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		record("list", a.(clienttesting.ListActionImpl).GetListOptions())
		return true, &corev1.PodList{}, nil
	})
	client.PrependWatchReactor("pods", func(a clienttesting.Action) (bool, watch.Interface, error) {
		record("watch", a.(clienttesting.WatchActionImpl).ListOptions)
		return true, watch.NewFake(), nil
	})
	lw := interop.ListWatch(client.CoreV1().Pods("shop"),
		func(o *metav1.ListOptions) { o.LabelSelector = "app=web" },
		nil,
		func(o *metav1.ListOptions) {
			o.FieldSelector, o.LabelSelector = "spec.nodeName=n", o.LabelSelector+",tier=1"
		})
	_, err := lw.ListWithContext(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	w.Stop()
	require.Equal(t, []string{"list app=web,tier=1 spec.nodeName=n", "watch app=web,tier=1 spec.nodeName=n"}, asked)
}
