package controller

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// unordered is a fakeSource whose versions have no order: "v1", "v2" and so on.
type unordered struct{ *fakeSource }

func (u unordered) List(ctx context.Context, o metav1.ListOptions) (*rest.List[*book], error) {
	list, err := u.fakeSource.List(ctx, o)
	if err != nil {
		return nil, err
	}
	var all []*book
	for b := range list.Items() {
		all = append(all, withoutOrder(b))
	}
	return rest.ListOf("v"+list.ResourceVersion(), all...), nil
}

func (u unordered) Watch(ctx context.Context, o metav1.ListOptions) (*rest.Watch[*book], error) {
	o.ResourceVersion = strings.TrimPrefix(o.ResourceVersion, "v")
	watch, err := u.fakeSource.Watch(ctx, o)
	if err != nil {
		return nil, err
	}
	return rest.NewWatch(func(ctx context.Context) (rest.Event[*book], error) {
		e, err := watch.Next(ctx)
		if err == nil {
			e.Object = withoutOrder(e.Object)
			e.ResourceVersion = e.Object.ResourceVersion
		}
		return e, err
	}, nil), nil
}

func withoutOrder(b *book) *book {
	other := *b
	other.ResourceVersion = "v" + b.ResourceVersion
	return &other
}

// Versions that cannot be compared are matched exactly. If the written version has already
// passed, that is reported after WriteTimeout and the key is released.
func TestVersionsWithoutAnOrderAreMatchedExactly(t *testing.T) {
	for name, c := range map[string]struct {
		written string
		waits   time.Duration
		stale   int
	}{
		"future version": {"v2", 10 * time.Second, 0},
		"passed version": {"v0", time.Minute, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeSource("a")
				books := informer.New(unordered{s}, informer.Options[*book]{PreferList: true})
				ctx, stop := context.WithCancel(t.Context())
				informerEnded, ended := make(chan error), make(chan error)
				go func() { informerEnded <- books.Run(ctx) }()
				var starts []time.Time
				stale := 0
				ctl := New("books", Func(func(ctx context.Context, _ Request) (Result, error) {
					if starts = append(starts, time.Now()); len(starts) == 1 {
						job := ctx.(*reconcileContext)
						job.run.gate.wrote(job, rest.WriteInfo{Resource: s.ResourceInfo().GroupVersionResource, Name: "a", ResourceVersion: c.written, Verb: "update"})
						return Result{RequeueAfter: time.Second}, nil
					}
					return Result{}, nil
				}), Options{WriteTimeout: time.Minute, Trace: &Trace{Stale: func(TraceInfo, *StaleError) { stale++ }}})
				For(ctl, books)
				go func() { ended <- ctl.Run(ctx) }()
				time.Sleep(10 * time.Second)
				s.put("a", 2)
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if assert.Greater(t, len(starts), 1) {
					assert.Equal(t, c.waits, starts[1].Sub(starts[0]))
				}
				assert.Equal(t, c.stale, stale)
				assert.Zero(t, ctl.State().Held)
				stop()
				assert.NoError(t, <-ended)
				assert.NoError(t, <-informerEnded)
			})
		})
	}
}
