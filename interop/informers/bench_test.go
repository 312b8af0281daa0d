package informers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/thinformer/thinformer/interop/informers"
)

// request asks for an informer that the factory has, which programs repeat for each event.
type request struct {
	name string
	run  func()
}

func requestsOf(factory clientgo.SharedInformerFactory) []request {
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	return []request{
		{"Informer", func() { factory.Core().V1().Pods().Informer() }},
		{"Lister", func() { _, _ = factory.Core().V1().Pods().Lister().Pods("shop").Get("web") }},
		{"InformerFor", func() { factory.InformerFor(&corev1.Pod{}, nil) }},
		{"ForResource", func() { _, _ = factory.ForResource(pods) }},
		{"GenericLister", func() {
			generic, err := factory.ForResource(pods)
			if err == nil {
				_, _ = generic.Lister().ByNamespace("shop").Get("web")
			}
		}},
	}
}

// Goal: a request for a known informer is not slower than with client-go's factory.
func BenchmarkKnownInformer(b *testing.B) {
	client := fake.NewClientset()
	theirs, ours := requestsOf(clientgo.NewSharedInformerFactory(client, 0)), requestsOf(informers.NewSharedInformerFactory(client, 0))
	for i := range theirs {
		for library, request := range map[string]request{"client-go": theirs[i], "thinformer": ours[i]} {
			b.Run(request.name+"/"+library, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					request.run()
				}
			})
		}
	}
}

// A request for a known informer has no more allocations than with client-go's factory.
func TestAllocationsOfAKnownInformer(t *testing.T) {
	client := fake.NewClientset()
	theirs, ours := requestsOf(clientgo.NewSharedInformerFactory(client, 0)), requestsOf(informers.NewSharedInformerFactory(client, 0))
	// Goroutines of other tests that end now allocate as well: the least count is that of
	// the request.
	least := func(request func()) float64 {
		count := testing.AllocsPerRun(100, request)
		for range 20 {
			count = min(count, testing.AllocsPerRun(100, request))
		}
		return count
	}
	for i := range theirs {
		require.LessOrEqual(t, least(ours[i].run), least(theirs[i].run), ours[i].name)
	}
}
