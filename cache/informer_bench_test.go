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

// river is a source with a thousand objects and any number of updates of them,
// which are made before they are told.
type river struct {
	objects []partial
	events  chan watch.Event
	// done is closed when the handler has been told of the last.
	done chan struct{}
	left int
}

func newRiver(updates int) *river {
	r := &river{events: make(chan watch.Event), done: make(chan struct{}), left: updates}
	for i := range benchedObjects + updates {
		o := &metav1.PartialObjectMetadata{}
		o.Namespace, o.Name = "ns", fmt.Sprint("object-", i%benchedObjects)
		o.UID, o.ResourceVersion = types.UID(o.Name), fmt.Sprint(1+i)
		r.objects = append(r.objects, o)
	}
	return r
}

func (r *river) List(metav1.ListOptions) (apiruntime.Object, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = fmt.Sprint(benchedObjects)
	for _, o := range r.objects[:benchedObjects] {
		list.Items = append(list.Items, *o)
	}
	return list, nil
}

func (r *river) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(r.events), nil
}

// flow tells all updates, and waits until they have been told on.
func (r *river) flow() {
	for _, o := range r.objects[benchedObjects:] {
		r.events <- watch.Event{Type: watch.Modified, Object: o}
	}
	<-r.done
}

// counted is told of each update.
func (r *river) counted() {
	if r.left--; r.left == 0 {
		close(r.done)
	}
}

// runTyped and runUntyped run an informer of the river until ctx is done.
func runTyped(ctx context.Context, r *river) (synced <-chan struct{}, run func()) {
	i := informer.New(ToTyped[partial](r), informer.Options[partial]{Logger: slog.New(slog.DiscardHandler)})
	handle, err := i.AddEventHandler(informer.ResourceEventHandlerFuncs[partial]{
		UpdateFunc: func(partial, partial) { r.counted() },
	}, informer.HandlerOptions{MaxPending: -1})
	if err != nil {
		panic(err)
	}
	return handle.Synced(), func() { _ = i.Run(ctx) }
}

func runUntyped(ctx context.Context, r *river) (synced <-chan struct{}, run func()) {
	i := NewSharedIndexInformer(r, &metav1.PartialObjectMetadata{}, 0, nil)
	handle, err := i.AddEventHandler(ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { r.counted() }})
	if err != nil {
		panic(err)
	}
	return handle.HasSyncedChecker().Done(), func() { i.RunWithContext(ctx) }
}

// inFlow calls during when the informer is ready for the updates.
func inFlow(t testing.TB, updates int, start func(context.Context, *river) (<-chan struct{}, func()), during func(*river)) {
	r := newRiver(updates)
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

// "Allocations equal to the typed room's": an update costs none more through the
// untyped surface.
func TestAnUpdateCostsNoAllocationMore(t *testing.T) {
	const updates = 20_000
	allocations := func(start func(context.Context, *river) (<-chan struct{}, func())) (each float64) {
		inFlow(t, updates, start, func(r *river) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.flow()
			runtime.ReadMemStats(&after)
			each = float64(after.Mallocs-before.Mallocs) / updates
		})
		return each
	}
	typed, untyped := allocations(runTyped), allocations(runUntyped)
	t.Logf("%.3f allocations for an update of the typed informer, %.3f through cache", typed, untyped)
	require.Less(t, untyped, typed+0.7, "a batch costs one or two, and its size varies; a box around each object would be one more")
}

// BenchmarkInformer is an update of one of a thousand objects, from a source that
// has it ready to a handler that counts.
func BenchmarkInformer(b *testing.B) {
	for name, start := range map[string]func(context.Context, *river) (<-chan struct{}, func()){"typed": runTyped, "untyped": runUntyped} {
		b.Run(name, func(b *testing.B) {
			inFlow(b, b.N, start, func(r *river) {
				b.ReportAllocs()
				b.ResetTimer()
				r.flow()
				b.StopTimer()
			})
		})
	}
}
