package controller

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/thinformer/thinformer/informer"
)

// BenchmarkReconcile measures a reconcile without the user's code: from the key in the
// queue to its Done. An empty reconcile allocates only its context. The context is not
// reused, because goroutines of the user may still have it after the call.
func BenchmarkReconcile(b *testing.B) {
	for name, body := range map[string]func(context.Context){
		"empty": func(context.Context) {},
		"done":  func(ctx context.Context) { ctx.Done() },
		"child": func(ctx context.Context) {
			_, cancel := context.WithCancel(ctx)
			cancel()
		},
		"logger": func(ctx context.Context) { Logger(ctx) },
	} {
		b.Run(name, func(b *testing.B) {
			var n atomic.Int64
			done := make(chan struct{})
			c := New("bench", Func(func(ctx context.Context, _ Request) (Result, error) {
				body(ctx)
				if n.Add(1) == int64(b.N) {
					close(done)
				}
				return Result{}, nil
			}), Options{Logger: slog.New(slog.DiscardHandler)})
			For(c, informer.New(newFakeSource(), informer.Options[*book]{PreferList: true}))
			r := newRun(b.Context(), b.Context(), c)
			defer r.gate.stop()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				r.queueKey(Request{Namespace: "a", Name: benchNames[i%len(benchNames)]}, ReasonChanged, "")
				req, _ := r.queue.Get()
				r.workers[0].one(req)
			}
			<-done
			r.queue.ShutDown()
		})
	}
}

var benchNames = []string{"a", "b", "c", "d"}
