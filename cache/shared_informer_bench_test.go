package cache

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/informer"
)

const benchedObjects = 1000

// updateSource is a source with a thousand objects and prepared updates of
// them.
type updateSource struct {
	objects []partial
	events  chan watch.Event
	// done is closed when the handler has received the last update.
	done chan struct{}
	left int
}

func newUpdateSource(updates int) *updateSource {
	r := &updateSource{events: make(chan watch.Event), done: make(chan struct{}), left: updates}
	for i := range benchedObjects + updates {
		o := &metav1.PartialObjectMetadata{}
		o.Namespace, o.Name = "ns", fmt.Sprint("object-", i%benchedObjects)
		o.UID, o.ResourceVersion = types.UID(o.Name), fmt.Sprint(1+i)
		r.objects = append(r.objects, o)
	}
	return r
}

func (s *updateSource) List(metav1.ListOptions) (apiruntime.Object, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = fmt.Sprint(benchedObjects)
	for _, o := range s.objects[:benchedObjects] {
		list.Items = append(list.Items, *o)
	}
	return list, nil
}

func (s *updateSource) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(s.events), nil
}

// sendAll sends all updates and waits until the handler has received them.
func (s *updateSource) sendAll() {
	for _, o := range s.objects[benchedObjects:] {
		s.events <- watch.Event{Type: watch.Modified, Object: o}
	}
	<-s.done
}

// countUpdate is called by the handler for each update.
func (s *updateSource) countUpdate() {
	if s.left--; s.left == 0 {
		close(s.done)
	}
}

// runTyped and runUntyped return functions that run an informer of the source
// until ctx is done.
func runTyped(ctx context.Context, r *updateSource) (synced <-chan struct{}, run func()) {
	i := informer.New(ToTyped[partial](r), informer.Options[partial]{Logger: slog.New(slog.DiscardHandler)})
	handle, err := i.AddEventHandler(informer.ResourceEventHandlerFuncs[partial]{
		UpdateFunc: func(partial, partial) { r.countUpdate() },
	}, informer.HandlerOptions{MaxPending: -1})
	if err != nil {
		panic(err)
	}
	return handle.Synced(), func() { _ = i.Run(ctx) }
}

func runUntyped(ctx context.Context, r *updateSource) (synced <-chan struct{}, run func()) {
	i := NewSharedIndexInformer(r, &metav1.PartialObjectMetadata{}, 0, nil)
	handle, err := i.AddEventHandler(ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { r.countUpdate() }})
	if err != nil {
		panic(err)
	}
	return handle.HasSyncedChecker().Done(), func() { i.RunWithContext(ctx) }
}

// whenSynced calls during when the informer is ready for the updates.
func whenSynced(t testing.TB, updates int, start func(context.Context, *updateSource) (<-chan struct{}, func()), during func(*updateSource)) {
	r := newUpdateSource(updates)
	ctx, cancel := context.WithCancel(t.Context())
	synced, run := start(ctx, r)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	<-synced
	during(r)
	cancel()
	<-ended
}

// An update allocates as much through the untyped layer as in a typed
// informer.
func TestUpdateAllocationsMatchTypedInformer(t *testing.T) {
	const updates = 20_000
	allocations := func(start func(context.Context, *updateSource) (<-chan struct{}, func())) (each float64) {
		whenSynced(t, updates, start, func(r *updateSource) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.sendAll()
			runtime.ReadMemStats(&after)
			each = float64(after.Mallocs-before.Mallocs) / updates
		})
		return each
	}
	typed, untyped := allocations(runTyped), allocations(runUntyped)
	t.Logf("%.3f allocations for an update of the typed informer, %.3f through cache", typed, untyped)
	require.Less(t, untyped, typed+0.7, "a batch allocates once or twice and varies in size; a wrapper for each object would be one more allocation")
}

// BenchmarkInformer measures an update of one of a thousand objects, from a
// source with prepared events to a handler that counts.
func BenchmarkInformer(b *testing.B) {
	for name, start := range map[string]func(context.Context, *updateSource) (<-chan struct{}, func()){"typed": runTyped, "untyped": runUntyped} {
		b.Run(name, func(b *testing.B) {
			whenSynced(b, b.N, start, func(r *updateSource) {
				b.ReportAllocs()
				b.ResetTimer()
				r.sendAll()
				b.StopTimer()
			})
		})
	}
}
