package informer_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
)

// 1,000 informers that have run, half of them of several namespaces, leave no goroutine, connection or memory.
func TestInformersDoNotLeak(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		apitest.Seed(t, r.srv, objects, func(i int) *Pod {
			return &Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: fmt.Sprint("web-", i), Annotations: map[string]string{"weight": strings.Repeat("x", 1000)},
			}}
		})
		round := func() {
			var all sync.WaitGroup
			for range 25 {
				all.Go(func() { runOnce(t, informer.New(r.resource.View, informer.Options[*Pod]{})) })
				all.Go(func() {
					runOnce(t, informer.ForNamespaces(nil, r.resource.View, informer.Options[*Pod]{}, "default", "other"))
				})
			}
			all.Wait()
			synctest.Wait()
			r.srv.ForgetRequests()
		}
		round() // includes what client and server create once
		before, goroutines := liveHeap(), goroutinesOfBubbles()
		require.Positive(t, goroutines)
		for range 1000 / 50 {
			round()
		}
		require.Zero(t, r.srv.OpenWatches())
		require.LessOrEqual(t, goroutinesOfBubbles(), goroutines)
		grown := int64(liveHeap()) - int64(before)
		require.Less(t, grown, int64(4<<20), "the heap has grown; the objects of all informers have 20 MB")
	})
}

const objects = 20

// runOnce runs an informer with a handler and an index until the handler has synced.
func runOnce(t *testing.T, inf *informer.SharedInformer[*Pod]) {
	registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	if _, err := inf.AddIndex("by namespace", func(p *Pod) []string { return []string{p.Namespace} }); err != nil {
		t.Error(err)
	}
	<-registration.Synced()
	if n := inf.State().Objects; n != objects {
		t.Errorf("%d stored objects, want %d", n, objects)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// goroutinesOfBubbles returns the number of goroutines in bubbles. runtime.NumGoroutine
// also counts a goroutine of the runtime while it runs a finalizer or a cleanup.
func goroutinesOfBubbles() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ", synctest bubble ")
}

// liveHeap returns the number of bytes that are in use after a collection.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
