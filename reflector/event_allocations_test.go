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

// discardStore is a store that discards everything.
type discardStore struct{}

func (discardStore) Add(*pod) error    { return nil }
func (discardStore) Update(*pod) error { return nil }
func (discardStore) Delete(*pod) error { return nil }
func (discardStore) Bookmark(string)   {}
func (discardStore) Resync() error     { return nil }

func (discardStore) Replace(items iter.Seq2[*pod, error], _ func() string) error {
	for _, err := range items {
		if err != nil {
			return err
		}
	}
	return nil
}

// runSteady runs a reflector on a watch that delivers n events without pauses,
// after some initial ones.
func runSteady(ctx context.Context, n int, begin, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	const before = 100
	version := [...]string{"1000001", "1000002", "1000003", "1000004"}
	object := newPod("a", "1")
	received := 0
	source := &listwatch.ListWatch[*pod]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*pod], error) {
			return rest.ListOf[*pod]("1000000"), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*pod], error) {
			return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*pod], error) {
				received++
				switch received {
				case before:
					begin()
				case before + n:
					end()
					cancel()
				}
				// Each quarter of the events has one version, so that versions never go back.
				at := min(received*len(version)/(before+n), len(version)-1)
				return listwatch.Event[*pod]{Type: watch.Modified, Object: object, ResourceVersion: version[at]}, ctx.Err()
			}, nil), nil
		},
	}
	r := New(source, Store[*pod](discardStore{}), Options[*pod]{
		PreferList: true, Filter: func(*pod) bool { return true },
		WatchErrorHandler: func(context.Context, error) { panic("the watch failed") },
	})
	if err := r.Run(ctx); err != nil {
		panic(err)
	}
}

// Promise: in steady state an event costs no allocation.
func TestEventsDoNotAllocate(t *testing.T) {
	const events = 10_000
	allocations := testing.AllocsPerRun(5, func() { runSteady(t.Context(), events, func() {}, func() {}) })
	without := testing.AllocsPerRun(5, func() { runSteady(t.Context(), 1, func() {}, func() {}) })
	require.Less(t, allocations-without, events/100.0, "a timer may run during the measurement")
}

// BenchmarkEvent measures the machine, the state and the calls of the store.
func BenchmarkEvent(b *testing.B) {
	b.ReportAllocs()
	runSteady(b.Context(), b.N, b.ResetTimer, b.StopTimer)
}

// BenchmarkStep measures the machine.
func BenchmarkStep(b *testing.B) {
	b.ReportAllocs()
	m := machine{name: "pods", preferList: true}
	for _, kind := range []inputKind{inputStart, inputListed, inputReplaced, inputAnswered} {
		m.step(input{kind: kind, version: "1000000"})
	}
	at := time.Now()
	for b.Loop() {
		if out := m.step(input{kind: inputEvent, at: at, eventType: watch.Modified, version: "1000001"}); out.verdict != verdictPass {
			b.Fatal(out)
		}
	}
}
