package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// failingSource is a source whose first lists fail.
type failingSource struct {
	*fakeSource
	failures int
}

func (s *failingSource) List(o metav1.ListOptions) (runtime.Object, error) {
	if s.failures > 0 {
		s.failures--
		return nil, errors.New("no route")
	}
	return s.fakeSource.List(o)
}

// A panic of a WatchErrorHandler ends only that call. The handler receives the
// next failure, and the store follows the source.
func TestWatchErrorHandlerPanicIsRecovered(t *testing.T) {
	type following interface{ ListKeys() []string }
	const failures = 3
	for name, start := range map[string]func(ctx context.Context, lw ListerWatcher, handler WatchErrorHandler) (following, func()){
		"SharedIndexInformer": func(ctx context.Context, lw ListerWatcher, handler WatchErrorHandler) (following, func()) {
			i := NewSharedIndexInformer(lw, nil, 0, nil)
			require.NoError(t, i.SetWatchErrorHandler(handler))
			return i.GetStore(), func() { i.RunWithContext(ctx) }
		},
		"SharedIndexInformer, with context": func(ctx context.Context, lw ListerWatcher, handler WatchErrorHandler) (following, func()) {
			i := NewSharedIndexInformer(lw, nil, 0, nil)
			require.NoError(t, i.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) }))
			return i.GetStore(), func() { i.RunWithContext(ctx) }
		},
		"New": func(ctx context.Context, lw ListerWatcher, handler WatchErrorHandler) (following, func()) {
			store := NewStore(MetaNamespaceKeyFunc)
			c := New(&Config{
				Queue:             NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: store}),
				ListerWatcher:     lw,
				WatchErrorHandler: handler,
				Process: func(obj any, _ bool) error {
					for _, d := range obj.(Deltas) {
						require.NoError(t, store.Add(d.Object))
					}
					return nil
				},
			})
			return store, func() { c.RunWithContext(ctx) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logs := &logRecorder{}
				source := &failingSource{newFakeSource("1", "a@1"), failures}
				calls := 0
				ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logs.logger()))
				store, run := start(ctx, source, func(_ *Reflector, err error) {
					if strings.Contains(err.Error(), "no route") {
						calls++
						panic("the handler has failed")
					}
				})
				ended := make(chan struct{})
				go func() { defer close(ended); run() }()
				time.Sleep(time.Minute)
				source.send(watch.Added, newObject("b@2"))
				synctest.Wait()
				require.Equal(t, failures, calls)
				require.ElementsMatch(t, []string{"a", "b"}, store.ListKeys())
				require.Equal(t, 1, strings.Count(logs.String(), "WatchErrorHandler panicked"), logs)
				require.Contains(t, logs.String(), "the handler has failed")
				require.Contains(t, logs.String(), "no route", "the error that was passed to the handler")
				stop()
				<-ended
			})
		})
	}
}
