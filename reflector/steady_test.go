package reflector

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// nothing is a store that keeps nothing.
type nothing struct{}

func (nothing) Add(*pod) error    { return nil }
func (nothing) Update(*pod) error { return nil }
func (nothing) Delete(*pod) error { return nil }
func (nothing) Bookmark(string)   {}
func (nothing) Resync() error     { return nil }

func (nothing) Replace(items iter.Seq2[*pod, error], _ func() string) error {
	for _, err := range items {
		if err != nil {
			return err
		}
	}
	return nil
}

// steady runs a reflector on a watch that brings n events as fast as they are
// taken, after a first few.
func steady(ctx context.Context, n int, begin, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	const before = 100
	version := [...]string{"1000001", "1000002", "1000003", "1000004"}
	object := newPod("a", "1")
	came := 0
	source := &listwatch.ListWatch[*pod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*pod], error) {
			return rest.ListOf[*pod]("1000000"), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*pod], error) {
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*pod], error) {
				came++
				switch came {
				case before:
					begin()
				case before + n:
					end()
					cancel()
				}
				// A version for a quarter of the events, so that they go forward.
				at := min(came*len(version)/(before+n), len(version)-1)
				return listwatch.Event[*pod]{Type: watch.Modified, Object: object, ResourceVersion: version[at]}, ctx.Err()
			}, nil), nil
		},
	}
	r := New(source, Store[*pod](nothing{}), Options[*pod]{
		PreferList: true, Filter: func(*pod) bool { return true },
		WatchErrorHandler: func(context.Context, error) { panic("it fails") },
	})
	if err := r.Run(ctx); err != nil {
		panic(err)
	}
}

// Promise: in steady state an event costs no allocation.
func TestAnEventCostsNoAllocation(t *testing.T) {
	const events = 10_000
	allocations := testing.AllocsPerRun(5, func() { steady(t.Context(), events, func() {}, func() {}) })
	without := testing.AllocsPerRun(5, func() { steady(t.Context(), 1, func() {}, func() {}) })
	require.Less(t, allocations-without, events/100.0, "a timer may run now and then")
}

// The reflector's own part of an event: the machine, the state, the calls.
func BenchmarkEvent(b *testing.B) {
	b.ReportAllocs()
	steady(b.Context(), b.N, b.ResetTimer, b.StopTimer)
}

// The machine's part of that.
func BenchmarkStep(b *testing.B) {
	b.ReportAllocs()
	m := machine{name: "pods", preferList: true}
	for _, kind := range []inputKind{start, listed, replaced, answered} {
		m.step(input{kind: kind, version: "1000000"})
	}
	at := time.Now()
	for b.Loop() {
		if out := m.step(input{kind: event, at: at, typ: watch.Modified, version: "1000001"}); out.verdict != pass {
			b.Fatal(out)
		}
	}
}
