package informer_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// "1,000 informers started and stopped leave no goroutine, connection or memory
// behind."
func TestAThousandInformersLeaveNothingBehind(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	defer srv.Close()
	apitest.Seed(t, srv, 100, func(i int) *Pod {
		return &Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprint("web-", i), Annotations: map[string]string{"weight": string(make([]byte, 1000))},
		}}
	})
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*Pod](client, pods)

	const atATime = 50
	round := func() {
		var all sync.WaitGroup
		for range atATime {
			all.Go(func() { oneLife(t, view) })
		}
		all.Wait()
	}
	round() // what a client and a server make once
	srv.ForgetRequests()
	before, goroutines := liveHeap(), runtime.NumGoroutine()
	for range 1000 / atATime {
		round()
	}
	srv.ForgetRequests()
	settled := func() bool { return srv.OpenWatches() == 0 && runtime.NumGoroutine() <= goroutines+atATime }
	for tries := 0; !settled() && tries < 1000; tries++ {
		runtime.Gosched()
	}
	require.Zero(t, srv.OpenWatches())
	client.Close()
	grown := int64(liveHeap()) - int64(before)
	require.Less(t, grown, int64(4<<20), "an informer of these pods holds more than 100 KB")
}

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
	if n := inf.State().Objects; n != 100 {
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
