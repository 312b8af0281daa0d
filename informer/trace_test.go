package informer_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// An object of the initial state is popped and stored; a later event is received,
// decided on by the reflector, popped and stored, in this order.
func TestTraceFollowsAnEventToTheStore(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		// The feeds of several namespaces call the Trace concurrently.
		var mu sync.Mutex
		var lines []string
		add := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, fmt.Sprintf(format, args...))
		}
		line := func(stage string) func(informer.TraceInfo) {
			return func(i informer.TraceInfo) { add("%s %s %s", stage, i.Event, i.Key) }
		}
		var steps, states atomic.Int64
		r.pod("a")
		_, stop := r.run(informer.Options[*Pod]{Trace: &informer.Trace{
			Received: line("received"), Popped: line("popped"), Stored: line("stored"),
			Reflector: &reflector.Trace{
				Event:   func(t watch.EventType, _ any, _ string) { add("reflector %s", t) },
				Changed: func(reflector.State) { states.Add(1) },
				Step:    func(time.Time, string, string) { steps.Add(1) },
			},
		}})
		defer stop()
		synctest.Wait()
		require.Equal(t, []string{"popped Replaced default/a", "stored add default/a"}, lines)
		require.NotZero(t, states.Load())

		lines = nil
		steps.Store(0)
		r.pod("b")
		synctest.Wait()
		require.Equal(t, []string{"received ADDED default/b", "reflector ADDED", "popped Added default/b", "stored add default/b"}, lines)
		require.EqualValues(t, 1, steps.Load())
	})
}

// A Trace without Received leaves the functions of the reflector's trace as they are.
func TestTraceOfTheReflectorAlone(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		var events atomic.Int64
		_, stop := r.run(informer.Options[*Pod]{Trace: &informer.Trace{
			Reflector: &reflector.Trace{Event: func(watch.EventType, any, string) { events.Add(1) }},
		}})
		defer stop()
		synctest.Wait()
		r.pod("a")
		synctest.Wait()
		require.EqualValues(t, 1, events.Load())
	})
}
