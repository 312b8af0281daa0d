package memory

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/interop/objects"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// initial returns a side that opens an informer with one handler, until the informer
// and the handler have synced.
func initial(open func(*corev1.PodList) informer[*corev1.Pod]) harness.Side {
	decoded := map[int]*corev1.PodList{}
	return func(m *harness.Meter) {
		size := cached
		if m.IsShort() {
			size = 2_000
		}
		pods := decoded[size]
		if pods == nil {
			pods = &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "300000000"}}
			for i := range size {
				pods.Items = append(pods.Items, *objects.Pod(i))
			}
			decoded[size] = pods
		}
		m.Start()
		i := open(pods)
		m.Stop()
		defer i.Close()
		if last := &pods.Items[size-1]; i.Get(last).Name != last.Name {
			panic("the store lacks the last pod")
		}
	}
}

var nothing = []func(*corev1.Pod){func(*corev1.Pod) {}}

func initialOfLayer(pods *corev1.PodList) informer[*corev1.Pod] {
	return layerFrom(quiet{pods}, false, nothing)
}

func initialOfTheirs(pods *corev1.PodList) informer[*corev1.Pod] {
	return theirsFrom(quiet{pods}, false, nothing)
}

func initialOfTyped(pods *corev1.PodList) informer[*corev1.Pod] {
	return oursFrom(&listwatch.ListWatch[*corev1.Pod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*corev1.Pod], error) {
			items := make([]*corev1.Pod, len(pods.Items))
			for i := range pods.Items {
				pod := pods.Items[i] // a pointer into the list would keep all of it
				items[i] = &pod
			}
			return rest.ListOf(pods.ResourceVersion, items...), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*corev1.Pod], error) {
			stopped := make(chan struct{})
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*corev1.Pod], error) {
				select {
				case <-ctx.Done():
				case <-stopped:
				}
				return listwatch.Event[*corev1.Pod]{}, context.Canceled
			}, sync.OnceFunc(func() { close(stopped) })), nil
		},
	}, false, nothing)
}

// quiet is a source like those in the documentation of client-go. Its watch sends no
// events.
type quiet struct{ pods *corev1.PodList }

func (quiet) IsWatchListSemanticsUnSupported() bool { return true }

func (q quiet) List(metav1.ListOptions) (runtime.Object, error) {
	list := *q.pods
	return &list, nil
}

func (quiet) Watch(metav1.ListOptions) (watch.Interface, error) {
	return stream{make(chan watch.Event)}, nil
}
