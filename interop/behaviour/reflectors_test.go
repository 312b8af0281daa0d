package behaviour

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// recordingStore is a ReflectorStore that records its calls.
type recordingStore struct {
	mu      sync.Mutex
	lines   []string
	failing error
}

func (t *recordingStore) record(line string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	return t.failing
}

func (t *recordingStore) Add(obj any) error    { return t.record("add " + show(obj)) }
func (t *recordingStore) Update(obj any) error { return t.record("update " + show(obj)) }
func (t *recordingStore) Delete(obj any) error { return t.record("delete " + show(obj)) }
func (t *recordingStore) Resync() error        { return t.record("resync") }
func (t *recordingStore) Replace(list []any, version string) error {
	return t.record(fmt.Sprintf("replace %q %s", sorted(shown(list)), version))
}

// storeWithOptions also has the optional methods of a ReflectorStore.
type storeWithOptions struct{ recordingStore }

func (m *storeWithOptions) Bookmark(version string) error        { return m.record("bookmark " + version) }
func (m *storeWithOptions) UpdateResourceVersion(version string) { _ = m.record("version " + version) }

func (s *scenario) printCalls(t *recordingStore) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		s.printf("the store: nothing")
	}
	for _, line := range t.lines {
		s.printf("the store: %s", line)
	}
	t.lines = nil
}

func reflectors() []testCase {
	return []testCase{
		{name: "reflector/a store is kept up to date", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer("a", "b")
				w.streams = streams
				store := cache.NewStore(cache.MetaNamespaceKeyFunc)
				r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
				s.printf("%q", r.LastSyncResourceVersion())
				s.start(r.RunWithContext)
				s.settle()
				w.put("a", "changed")
				w.put("c", "new")
				w.remove("b")
				s.settle()
				s.printf("%s", found(store.List(), nil))
				s.printf("%q", r.LastSyncResourceVersion())
				w.relistAfter(func() { w.remove("a") })
				s.settle()
				s.printf("%s", found(store.List(), nil))
			})
		}},
		{name: "reflector/calls of the store", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer("a", "b")
				w.streams = streams
				store := &recordingStore{}
				s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
				s.settle()
				w.send(watch.Added, pod("c", "10"))
				w.send(watch.Modified, pod("c", "11"))
				w.send(watch.Bookmark, bookmark("12", false))
				w.send(watch.Deleted, pod("c", "13"))
				s.settle()
				s.printCalls(store)
			})
		}},
		{name: "reflector/a store with the optional methods", run: func(s *scenario) {
			w := newFakeServer("a")
			store := &storeWithOptions{}
			s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			w.send(watch.Added, pod("c", "10"))
			w.send(watch.Bookmark, bookmark("12", false))
			s.settle()
			s.printCalls(&store.recordingStore)
		}},
		{name: "reflector/resync", run: func(s *scenario) {
			store, asked := &recordingStore{}, 0
			r := cache.NewReflectorWithOptions(newFakeServer("a").source(), &corev1.Pod{}, store, cache.ReflectorOptions{ResyncPeriod: time.Minute})
			r.ShouldResync = func() bool { asked++; return asked != 2 }
			s.start(r.RunWithContext)
			s.sleep(200 * time.Second)
			s.printCalls(store)
			s.printf("asked %d times", asked)
		}},
		{name: "reflector/a store that fails", run: func(s *scenario) {
			w := newFakeServer("a")
			store := &recordingStore{}
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			s.start(r.RunWithContext)
			s.settle()
			s.printCalls(store)
			store.failing = errors.New("as planned")
			w.put("b", "x")
			s.sleep(100 * time.Millisecond)
			s.printf("logged: %v", s.logged.Load() > 0)
			store.failing = nil
			w.put("c", "x")
			s.sleep(time.Hour)
			s.printf("logged: %v", s.logged.Load() > 0)
		}},
		{name: "reflector/an object that the store has rejected", run: func(s *scenario) {
			w := newFakeServer("a")
			store := &recordingStore{}
			s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			store.failing = errors.New("as planned")
			w.put("b", "x")
			s.sleep(100 * time.Millisecond)
			store.failing = nil
			s.printCalls(store)
			s.sleep(time.Minute)
			s.printf("a minute later:")
			s.printCalls(store)
		}},
		{name: "reflector/names", rows: "reflector-name", run: func(s *scenario) {
			u := &unstructured.Unstructured{}
			u.SetAPIVersion("v1")
			u.SetKind("Cake")
			w := newFakeServer()
			for name, r := range inOrder(map[string]*cache.Reflector{
				"named":                  cache.NewNamedReflector("name", w.source(), &corev1.Pod{}, &recordingStore{}, 0),
				"nothing expected":       cache.NewReflector(w.source(), nil, &recordingStore{}, 0),
				"unstructured":           cache.NewReflector(w.source(), &unstructured.Unstructured{}, &recordingStore{}, 0),
				"unstructured of a kind": cache.NewReflector(w.source(), u, &recordingStore{}, 0),
				"described":              cache.NewReflectorWithOptions(w.source(), nil, &recordingStore{}, cache.ReflectorOptions{Name: "n", TypeDescription: "d"}),
			}) {
				s.printf("%s: %s %s", name, r.TypeDescription(), regexp.MustCompile(`^.*/|:\d+$`).ReplaceAllString(r.Name(), ""))
			}
		}},
		{name: "reflector/indexer and reflector", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			ix, r := cache.NewNamespaceKeyedIndexerAndReflector(w.source(), &corev1.Pod{}, 0)
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { r.Run(stop); close(ended) }()
			s.settle()
			s.printf("%s", found(ix.ByIndex(cache.NamespaceIndex, "ns")))
			close(stop)
			<-ended
		}},
		{name: "reflector/ListAndWatch", run: func(s *scenario) {
			w := newFakeServer("a")
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.outcome("until stopped", r.ListAndWatchWithContext(ctx))
			s.printf("%s", found(store.List(), nil))
			stop := make(chan struct{})
			time.AfterFunc(time.Second, func() { close(stop) })
			s.outcome("by a channel", cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).ListAndWatch(stop))
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), true
			}
			s.outcome("a list that fails", cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).ListAndWatchWithContext(context.Background()))
		}},
		{name: "reflector/ListAndWatch and an ERROR event", rows: "list-and-watch", run: func(s *scenario) {
			w := newFakeServer("a")
			r := cache.NewReflector(w.source(), &corev1.Pod{}, &recordingStore{}, 0)
			s.start(func(ctx context.Context) { s.outcome("returns", r.ListAndWatchWithContext(ctx)) })
			s.settle()
			w.relistAfter(func() {})
			s.settle()
		}},
		{name: "reflector/ListAndWatch and other ends of a watch", rows: "list-and-watch", run: func(s *scenario) {
			for _, end := range []struct {
				name  string
				event *metav1.Status
			}{
				{"an internal error", status(500, metav1.StatusReasonInternalError)},
				{"another error", status(403, metav1.StatusReasonForbidden)},
				{"too many requests", status(429, metav1.StatusReasonTooManyRequests)},
				{"a watch that ends at once", nil},
			} {
				w := newFakeServer("a")
				if end.event == nil {
					w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
						return watch.NewEmptyWatch(), nil, n == 1
					}
				}
				r := cache.NewReflector(w.source(), &corev1.Pod{}, &recordingStore{}, 0)
				returned := make(chan error, 1)
				stop := s.start(func(ctx context.Context) { returned <- r.ListAndWatchWithContext(ctx) })
				s.settle()
				if end.event != nil {
					w.send(watch.Error, end.event)
					w.endWatch()
				}
				s.sleep(time.Minute)
				select {
				case err := <-returned:
					s.outcome(end.name+": returns", err)
				default:
					s.printf("%s: goes on", end.name)
				}
				stop()
			}
		}},
		{name: "reflector/MaxInternalErrorRetryDuration", rows: "max-internal-error-retry", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				stream := watch.NewFakeWithChanSize(1, false)
				stream.Error(status(500, metav1.StatusReasonInternalError))
				return stream, nil, n <= 5
			}
			r := cache.NewReflector(w.source(), &corev1.Pod{}, &recordingStore{}, 0)
			r.MaxInternalErrorRetryDuration = time.Hour
			s.start(r.RunWithContext)
			s.sleep(100 * time.Millisecond)
			s.printf("opened again without a pause: %v", w.watches > 5)
		}},
		{name: "reflector/errors", run: func(s *scenario) {
			err := error(&cache.VeryShortWatchError{Name: "n"})
			var of *cache.VeryShortWatchError
			s.printf("%v %v", errors.As(err, &of), err.Error() != "")
			r := cache.NewReflector(newFakeServer().source(), &corev1.Pod{}, &recordingStore{}, 0)
			for _, err := range []error{expired(), errors.New("as planned"), err} {
				s.attempt("default", func() { cache.DefaultWatchErrorHandler(context.Background(), r, err) })
			}
			s.printf("done")
		}},
		{name: "reflector/retry with a deadline", run: func(s *scenario) {
			retry := cache.NewRetryWithDeadline(10*time.Second, time.Minute, func(err error) bool { return err.Error() == "again" }, clock.RealClock{})
			s.printf("%v", retry.ShouldRetry())
			retry.After(errors.New("again"))
			s.printf("%v", retry.ShouldRetry())
			s.sleep(5 * time.Second)
			retry.After(errors.New("again"))
			s.printf("%v", retry.ShouldRetry())
			s.sleep(6 * time.Second)
			s.printf("%v", retry.ShouldRetry())
			s.sleep(2 * time.Minute)
			retry.After(errors.New("again"))
			s.printf("%v", retry.ShouldRetry())
			retry.After(errors.New("never"))
			s.printf("%v", retry.ShouldRetry())
		}},
	}
}
