package informer_test

import (
	"fmt"
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
		var lines []string
		line := func(stage string) func(informer.TraceInfo) {
			return func(i informer.TraceInfo) { lines = append(lines, fmt.Sprintf("%s %s %s", stage, i.Event, i.Key)) }
		}
		var steps, states int
		r.pod("a")
		_, stop := r.run(informer.Options[*Pod]{Trace: &informer.Trace{
			Received: line("received"), Popped: line("popped"), Stored: line("stored"),
			Reflector: &reflector.Trace{
				Event:   func(t watch.EventType, _ any, _ string) { lines = append(lines, fmt.Sprintf("reflector %s", t)) },
				Changed: func(reflector.State) { states++ },
				Step:    func(time.Time, string, string) { steps++ },
			},
		}})
		defer stop()
		synctest.Wait()
		require.Equal(t, []string{"popped Replaced default/a", "stored add default/a"}, lines)
		require.NotZero(t, states)

		lines, steps = nil, 0
		r.pod("b")
		synctest.Wait()
		require.Equal(t, []string{"received ADDED default/b", "reflector ADDED", "popped Added default/b", "stored add default/b"}, lines)
		require.Equal(t, 1, steps)
	})
}

// A Trace without Received leaves the functions of the reflector's trace as they are.
func TestTraceOfTheReflectorAlone(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		var events int
		_, stop := r.run(informer.Options[*Pod]{Trace: &informer.Trace{
			Reflector: &reflector.Trace{Event: func(watch.EventType, any, string) { events++ }},
		}})
		defer stop()
		synctest.Wait()
		r.pod("a")
		synctest.Wait()
		require.Equal(t, 1, events)
	})
}
