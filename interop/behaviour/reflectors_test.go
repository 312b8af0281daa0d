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

// told is a ReflectorStore of one's own that writes down what it is told.
type told struct {
	mu      sync.Mutex
	lines   []string
	failing error
}

func (t *told) hear(line string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	return t.failing
}

func (t *told) Add(obj any) error    { return t.hear("add " + show(obj)) }
func (t *told) Update(obj any) error { return t.hear("update " + show(obj)) }
func (t *told) Delete(obj any) error { return t.hear("delete " + show(obj)) }
func (t *told) Resync() error        { return t.hear("resync") }
func (t *told) Replace(list []any, version string) error {
	return t.hear(fmt.Sprintf("replace %q %s", sorted(shown(list)), version))
}

// minded is a store with the optional methods.
type minded struct{ told }

func (m *minded) Bookmark(version string) error        { return m.hear("bookmark " + version) }
func (m *minded) UpdateResourceVersion(version string) { _ = m.hear("version " + version) }

func (s *stage) said(t *told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		s.say("the store: nothing")
	}
	for _, line := range t.lines {
		s.say("the store: %s", line)
	}
	t.lines = nil
}

func reflectors() []scene {
	return []scene{
		{name: "reflector/a store is kept up to date", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld("a", "b")
				w.streams = streams
				store := cache.NewStore(cache.MetaNamespaceKeyFunc)
				r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
				s.say("%q", r.LastSyncResourceVersion())
				s.start(r.RunWithContext)
				s.settle()
				w.put("a", "changed")
				w.put("c", "new")
				w.drop("b")
				s.settle()
				s.say("%s", found(store.List(), nil))
				s.say("%q", r.LastSyncResourceVersion())
				w.silently(func() { w.drop("a") })
				s.settle()
				s.say("%s", found(store.List(), nil))
			})
		}},
		{name: "reflector/calls of the store", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld("a", "b")
				w.streams = streams
				store := &told{}
				s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
				s.settle()
				w.send(watch.Added, pod("c", "10"))
				w.send(watch.Modified, pod("c", "11"))
				w.send(watch.Bookmark, bookmark("12", false))
				w.send(watch.Deleted, pod("c", "13"))
				s.settle()
				s.said(store)
			})
		}},
		{name: "reflector/a store with the optional methods", play: func(s *stage) {
			w := newWorld("a")
			store := &minded{}
			s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			w.send(watch.Added, pod("c", "10"))
			w.send(watch.Bookmark, bookmark("12", false))
			s.settle()
			s.said(&store.told)
		}},
		{name: "reflector/resync", play: func(s *stage) {
			store, asked := &told{}, 0
			r := cache.NewReflectorWithOptions(newWorld("a").source(), &corev1.Pod{}, store, cache.ReflectorOptions{ResyncPeriod: time.Minute})
			r.ShouldResync = func() bool { asked++; return asked != 2 }
			s.start(r.RunWithContext)
			s.sleep(200 * time.Second)
			s.said(store)
			s.say("asked %d times", asked)
		}},
		{name: "reflector/a store that fails", play: func(s *stage) {
			w := newWorld("a")
			store := &told{}
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			s.start(r.RunWithContext)
			s.settle()
			s.said(store)
			store.failing = errors.New("as planned")
			w.put("b", "x")
			s.sleep(100 * time.Millisecond)
			s.say("logged: %v", s.logged.Load() > 0)
			store.failing = nil
			w.put("c", "x")
			s.sleep(time.Hour)
			s.say("logged: %v", s.logged.Load() > 0)
		}},
		{name: "reflector/what a store has lost", play: func(s *stage) {
			w := newWorld("a")
			store := &told{}
			s.start(cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			store.failing = errors.New("as planned")
			w.put("b", "x")
			s.sleep(100 * time.Millisecond)
			store.failing = nil
			s.said(store)
			s.sleep(time.Minute)
			s.say("a minute later:")
			s.said(store)
		}},
		{name: "reflector/names", rows: "reflector-name", play: func(s *stage) {
			u := &unstructured.Unstructured{}
			u.SetAPIVersion("v1")
			u.SetKind("Cake")
			w := newWorld()
			for name, r := range inOrder(map[string]*cache.Reflector{
				"named":                  cache.NewNamedReflector("name", w.source(), &corev1.Pod{}, &told{}, 0),
				"nothing expected":       cache.NewReflector(w.source(), nil, &told{}, 0),
				"unstructured":           cache.NewReflector(w.source(), &unstructured.Unstructured{}, &told{}, 0),
				"unstructured of a kind": cache.NewReflector(w.source(), u, &told{}, 0),
				"described":              cache.NewReflectorWithOptions(w.source(), nil, &told{}, cache.ReflectorOptions{Name: "n", TypeDescription: "d"}),
			}) {
				s.say("%s: %s %s", name, r.TypeDescription(), regexp.MustCompile(`^.*/|:\d+$`).ReplaceAllString(r.Name(), ""))
			}
		}},
		{name: "reflector/indexer and reflector", play: func(s *stage) {
			w := newWorld("a", "b")
			ix, r := cache.NewNamespaceKeyedIndexerAndReflector(w.source(), &corev1.Pod{}, 0)
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { r.Run(stop); close(ended) }()
			s.settle()
			s.say("%s", found(ix.ByIndex(cache.NamespaceIndex, "ns")))
			close(stop)
			<-ended
		}},
		{name: "reflector/ListAndWatch", play: func(s *stage) {
			w := newWorld("a")
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.outcome("until stopped", r.ListAndWatchWithContext(ctx))
			s.say("%s", found(store.List(), nil))
			stop := make(chan struct{})
			time.AfterFunc(time.Second, func() { close(stop) })
			s.outcome("by a channel", cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).ListAndWatch(stop))
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), true
			}
			s.outcome("a list that fails", cache.NewReflector(w.source(), &corev1.Pod{}, store, 0).ListAndWatchWithContext(context.Background()))
		}},
		{name: "reflector/ListAndWatch, and an ERROR event", rows: "list-and-watch", play: func(s *stage) {
			w := newWorld("a")
			r := cache.NewReflector(w.source(), &corev1.Pod{}, &told{}, 0)
			s.start(func(ctx context.Context) { s.outcome("returns", r.ListAndWatchWithContext(ctx)) })
			s.settle()
			w.silently(func() {})
			s.settle()
		}},
		{name: "reflector/errors", play: func(s *stage) {
			err := error(&cache.VeryShortWatchError{Name: "n"})
			var of *cache.VeryShortWatchError
			s.say("%v %v", errors.As(err, &of), err.Error() != "")
			r := cache.NewReflector(newWorld().source(), &corev1.Pod{}, &told{}, 0)
			for _, err := range []error{expired(), errors.New("as planned"), err} {
				s.attempt("default", func() { cache.DefaultWatchErrorHandler(context.Background(), r, err) })
			}
			s.say("done")
		}},
		{name: "reflector/retry with a deadline", play: func(s *stage) {
			retry := cache.NewRetryWithDeadline(10*time.Second, time.Minute, func(err error) bool { return err.Error() == "again" }, clock.RealClock{})
			s.say("%v", retry.ShouldRetry())
			retry.After(errors.New("again"))
			s.say("%v", retry.ShouldRetry())
			s.sleep(5 * time.Second)
			retry.After(errors.New("again"))
			s.say("%v", retry.ShouldRetry())
			s.sleep(6 * time.Second)
			s.say("%v", retry.ShouldRetry())
			s.sleep(2 * time.Minute)
			retry.After(errors.New("again"))
			s.say("%v", retry.ShouldRetry())
			retry.After(errors.New("never"))
			s.say("%v", retry.ShouldRetry())
		}},
	}
}
