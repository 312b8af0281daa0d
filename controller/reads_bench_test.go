package controller

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/thinformer/thinformer/informer"
)

// readsBench is a controller of books whose worker the benchmark drives.
type readsBench struct {
	r      *run
	source *fakeSource
	books  *informer.SharedInformer[*book]
	body   func(ctx context.Context, req Request)
}

func newReadsBench(b testing.TB) *readsBench {
	s := &readsBench{source: newFakeSource("shop/a", "shop/b")}
	s.books, _ = s.source.runInformer(b)
	if err := s.books.WaitForSync(b.Context()); err != nil {
		b.Fatal(err)
	}
	c := New("bench", Func(func(ctx context.Context, req Request) (Result, error) {
		s.body(ctx, req)
		return Result{}, nil
	}), Options{Logger: slog.New(slog.DiscardHandler)})
	Reads(c, s.books)
	s.r = newRun(b.Context(), b.Context(), c)
	for _, w := range c.watches {
		s.r.gate.addInformer(w.informer())
	}
	b.Cleanup(func() {
		if t := s.r.tracking(); t != nil {
			t.stop()
		}
		s.r.gate.stop()
		s.r.queue.ShutDown()
	})
	return s
}

// reconcile runs body in a reconcile of the request.
func (s *readsBench) reconcile(req Request, body func(ctx context.Context, req Request)) {
	s.body = body
	s.r.queueKey(req, ReasonChanged, "")
	got, _ := s.r.queue.Get()
	s.r.workers[0].one(got)
}

// BenchmarkGet measures what a tracked Get costs beyond a plain one: one that the
// request has made in an earlier reconcile, and one of a new dependency.
func BenchmarkGet(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		s := newReadsBench(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := s.books.Get("shop/a"); !ok {
				b.Fatal("not found")
			}
		}
	})
	b.Run("tracked", func(b *testing.B) {
		s := newReadsBench(b)
		s.reconcile(Request{Name: "x"}, func(ctx context.Context, _ Request) {
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if _, ok, err := Get(ctx, s.books, "shop/a"); !ok || err != nil {
					b.Fatal("not found", err)
				}
			}
		})
	})
	b.Run("new", func(b *testing.B) {
		s := newReadsBench(b)
		keys := make([]string, 100_000)
		for i := range keys {
			keys[i] = fmt.Sprint("shop/", i)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := 0; i < b.N; i += len(keys) {
			s.reconcile(Request{Name: fmt.Sprint(i)}, func(ctx context.Context, _ Request) {
				for _, key := range keys[:min(len(keys), b.N-i)] {
					if _, _, err := Get(ctx, s.books, key); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkDependency measures the memory of a dependency: of requests that read one
// object each, of requests that read the same object, and of one request.
func BenchmarkDependency(b *testing.B) {
	const n = 100_000
	for name, read := range map[string]func(i int) (request, key int){
		"one each":       func(i int) (int, int) { return i, i },
		"the same":       func(i int) (int, int) { return i, 0 },
		"of one request": func(i int) (int, int) { return 0, i },
		"ten each":       func(i int) (int, int) { return i / 10, i },
	} {
		b.Run(name, func(b *testing.B) {
			requests, keys := make([]Request, n), make([]string, n)
			for i := range n {
				requests[i], keys[i] = Request{Namespace: "shop", Name: fmt.Sprint("request-", i)}, fmt.Sprint("shop/object-", i)
			}
			for b.Loop() {
				s := newReadsBench(b)
				s.reconcile(Request{Name: "first"}, func(ctx context.Context, _ Request) { _, _, _ = Get(ctx, s.books, "shop/a") })
				before := liveBytes()
				for i := 0; i < n; {
					first, _ := read(i)
					s.reconcile(requests[first], func(ctx context.Context, _ Request) {
						for ; i < n; i++ {
							request, key := read(i)
							if request != first {
								return
							}
							if _, _, err := Get(ctx, s.books, keys[key]); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
				b.ReportMetric(float64(liveBytes()-before)/n, "B/dependency")
				runtime.KeepAlive(s)
			}
			runtime.KeepAlive(requests)
			runtime.KeepAlive(keys)
		})
	}
}

func liveBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkChangeOfManyDependents measures a change of an object that 10,000 requests
// have read.
func BenchmarkChangeOfManyDependents(b *testing.B) {
	s := newReadsBench(b)
	for i := range 10_000 {
		s.reconcile(Request{Name: fmt.Sprint(i)}, func(ctx context.Context, _ Request) { _, _, _ = Get(ctx, s.books, "shop/a") })
	}
	b.ResetTimer()
	for i := range b.N {
		s.source.put("shop/a", i+1)
		if err := s.books.WaitForVersion(b.Context(), fmt.Sprint(3+i)); err != nil {
			b.Fatal(err)
		}
	}
}
