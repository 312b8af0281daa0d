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
	"github.com/thinformer/thinformer/rest"
)

// "1,000 informers started and stopped leave no goroutine, connection or memory
// behind."
func TestAThousandInformersLeaveNothingBehind(t *testing.T) {
	inRoom(t, apitest.Options{}, func(t *testing.T, r *room) {
		apitest.Seed(t, r.srv, objects, func(i int) *Pod {
			return &Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: fmt.Sprint("web-", i), Annotations: map[string]string{"weight": strings.Repeat("x", 1000)},
			}}
		})
		round := func() {
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() { oneLife(t, r.resource.View) })
			}
			all.Wait()
			synctest.Wait()
			r.srv.ForgetRequests()
		}
		round() // what a client and a server make once
		before, goroutines := liveHeap(), runtime.NumGoroutine()
		for range 1000 / 50 {
			round()
		}
		require.Zero(t, r.srv.OpenWatches())
		require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
		grown := int64(liveHeap()) - int64(before)
		require.Less(t, grown, int64(4<<20), "the objects alone of all informers are 20 MB")
	})
}

const objects = 20

// oneLife is that of an informer with a handler and an index, all of which see
// everything.
func oneLife(t *testing.T, view *rest.View[*Pod]) {
	inf := informer.New(view, informer.Options[*Pod]{})
	registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	if _, err := inf.AddIndex("namespace", func(p *Pod) []string { return []string{p.Namespace} }); err != nil {
		t.Error(err)
	}
	<-registration.Synced()
	if n := inf.State().Objects; n != objects {
		t.Errorf("%d objects", n)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// liveHeap is how many bytes the last collection has found in use.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
