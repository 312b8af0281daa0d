package behaviour

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// endWatchWith ends a watch with an ERROR event, and prints the store after the next event
// and the number of lists.
func (s *scenario) endWatchWith(status *metav1.Status) {
	w := newFakeServer("a")
	of := s.observe(w)
	w.send(watch.Error, status)
	w.endWatch()
	s.sleep(time.Minute)
	w.put("b", "x")
	s.settle()
	s.printf("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
}

func sources() []testCase {
	return []testCase{
		{name: "reflector/requests to a source that lists", rows: "list-fresh", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onRequest = func(verb string, o metav1.ListOptions) {
				s.printf("%s from %q, match %q, bookmarks %v", verb, o.ResourceVersion, o.ResourceVersionMatch, o.AllowWatchBookmarks)
			}
			s.runInformer(w, 0)
		}},
		{name: "reflector/requests to a source that streams", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			w.onRequest = func(verb string, o metav1.ListOptions) {
				s.printf("%s from %q, match %q, bookmarks %v, initial events %v", verb, o.ResourceVersion, o.ResourceVersionMatch, o.AllowWatchBookmarks, o.SendInitialEvents != nil && *o.SendInitialEvents)
			}
			s.runInformer(w, 0)
		}},
		{name: "reflector/requests to hand-written functions", rows: "hand-made", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			w.onRequest = func(verb string, o metav1.ListOptions) {
				s.printf("%s, initial events %v", verb, o.SendInitialEvents != nil && *o.SendInitialEvents)
			}
			informer := cache.NewSharedInformer(&cache.ListWatch{
				ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return w.list(o) },
				WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return w.watch(o) },
			}, &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("%v", informer.HasSynced())
		}},
		{name: "reflector/requests after a watch has ended", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			s.runInformer(w, 0)
			w.onRequest = func(verb string, o metav1.ListOptions) {
				s.printf("%s from %q, limit %d", verb, o.ResourceVersion, o.Limit)
			}
			w.endWatch()
			s.settle()
		}},
		{name: "reflector/requests after an outage", rows: "asked-before", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			s.runInformer(w, 0)
			w.onWatch = w.outage()
			w.onRequest = func(verb string, o metav1.ListOptions) {
				s.printf("%s from %q, limit %d", verb, o.ResourceVersion, o.Limit)
			}
			w.endWatch()
			s.sleep(time.Minute)
		}},
		{name: "reflector/a source that refuses to stream", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := cache.NewSharedInformer(&cache.ListWatch{
				ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return w.list(o) },
				WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return w.watch(o) },
			}, &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("%v %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
			w.put("b", "x")
			s.settle()
			s.printf("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "reflector/a source that ignores sendInitialEvents", rows: "no-initial-end", run: func(s *scenario) {
			w := newFakeServer("a")
			w.streams = true
			w.onWatch = func(_ int, o metav1.ListOptions) (watch.Interface, error, bool) {
				w.stream = watch.NewFakeWithChanSize(1000, false)
				stream := w.stream
				time.AfterFunc(2*time.Second, stream.Stop) // as a server ends a watch, only sooner
				return stream, nil, true
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.sleep(10 * time.Minute)
			s.printf("synced: %v, lists: %v", informer.HasSynced(), w.lists > 0)
		}},
		{name: "reflector/a list that fails at first", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onList = func(time int, _ metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), time <= 3
			}
			of := s.observe(w)
			s.sleep(time.Minute)
			s.printf("%v, reported: %d", of.informer.HasSynced(), len(of.takeErrors()))
		}},
		{name: "reflector/a watch that is refused at first", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(time int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, errors.New("as planned"), time <= 3
			}
			of := s.observe(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s, reported: %v", found(of.informer.GetStore().List(), nil), len(of.takeErrors()) > 0)
		}},
		{name: "reflector/a connection that is refused", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(time int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), time <= 3
			}
			of := s.observe(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/410 when a watch begins", run: func(s *scenario) {
			w := newFakeServer("a")
			of := s.observe(w)
			w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, expired(), n == 2
			}
			w.endWatch()
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/410 in a watch", rows: "error-event", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			of := s.observe(w)
			of.takeErrors()
			w.relistAfter(func() { w.remove("b") })
			s.sleep(time.Minute)
			s.printf("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
			for _, err := range of.takeErrors() {
				s.printf("reported: expired: %v", apierrors.IsResourceExpired(err) || apierrors.IsGone(err))
			}
		}},
		{name: "reflector/410 for a list", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			of := s.observe(w)
			w.onList = func(n int, o metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, expired(), o.ResourceVersion != ""
			}
			w.relistAfter(func() { w.remove("b") })
			s.sleep(time.Minute)
			s.printf("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/an internal error in a watch", rows: "internal-error", run: func(s *scenario) {
			s.endWatchWith(status(500, metav1.StatusReasonInternalError))
		}},
		{name: "reflector/too many requests in a watch", run: func(s *scenario) {
			s.endWatchWith(status(429, metav1.StatusReasonTooManyRequests))
		}},
		{name: "reflector/an unknown event", run: func(s *scenario) {
			w := newFakeServer("a")
			of := s.observe(w)
			w.send("WHATEVER", pod("x", "9"))
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/an event without an object", run: func(s *scenario) {
			w := newFakeServer("a")
			of := s.observe(w)
			w.send(watch.Added, nil)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s, logged or reported: %v", found(of.informer.GetStore().List(), nil), s.logged.Load() > 0 || len(of.takeErrors()) > 0)
		}},
		{name: "reflector/watches that end at once", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				stream := watch.NewFake()
				stream.Stop()
				return stream, nil, n <= 3
			}
			of := s.observe(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/attempts if every list fails", rows: "backoff", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), true
			}
			s.observe(w)
			s.sleep(10 * time.Minute)
			s.printf("more than 28 attempts in ten minutes: %v", w.lists > 28)
		}},
		{name: "reflector/a stop during the backoff", rows: "stop-waits", run: func(s *scenario) {
			w := newFakeServer()
			w.streams = true
			w.onWatch = func(int, metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), true
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			stop := s.start(informer.RunWithContext)
			longest := time.Duration(0)
			s.sleep(100 * time.Second)
			before := s.now()
			stop()
			longest = s.now() - before
			s.printf("ended at once: %v", longest < 100*time.Millisecond)
		}},
		{name: "reflector/a server that was restored from a backup", rows: "server-set-back", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c", "d", "e")
			w.streams = true
			of := s.observe(w)
			w.onList = func(_ int, o metav1.ListOptions) (runtime.Object, error, bool) {
				if of, _ := strconv.Atoi(o.ResourceVersion); of > w.version {
					return nil, tooLarge(), true
				}
				return nil, nil, false
			}
			w.mu.Lock()
			w.version, w.pods = 2, map[string]*corev1.Pod{"a": pod("a", "1")}
			w.mu.Unlock()
			w.onWatch = w.outage()
			w.endWatch() // a server sends nothing about versions that it has not reached
			s.sleep(time.Minute)
			s.printf("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/pages", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(_ int, o metav1.ListOptions) (runtime.Object, error, bool) {
				list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}}
				switch o.Continue {
				case "":
					list.Items, list.Continue = []corev1.Pod{*pod("a", "1")}, "two"
				case "two":
					list.Items, list.Continue = []corev1.Pod{*pod("b", "2")}, "three"
				case "three":
					list.Items = []corev1.Pod{*pod("c", "3")}
				}
				return list, nil, true
			}
			informer, _ := s.runInformer(w, 0)
			s.printf("%s %q, %d lists", found(informer.GetStore().List(), nil), informer.LastSyncResourceVersion(), w.lists)
		}},
		{name: "reflector/a continue token that is repeated", rows: "continue-token", run: func(s *scenario) {
			w := newFakeServer()
			w.onList = func(n int, o metav1.ListOptions) (runtime.Object, error, bool) {
				list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}, Items: []corev1.Pod{*pod("a", "1")}}
				if n%100 != 0 {
					list.Continue = "the same"
				}
				return list, nil, true
			}
			of := s.observe(w)
			s.printf("%v, reported: %v", of.informer.HasSynced(), len(of.takeErrors()) > 0)
		}},
		{name: "reflector/a page that has expired", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c")
			w.onList = func(n int, o metav1.ListOptions) (runtime.Object, error, bool) {
				if o.Continue != "" {
					return nil, expired(), true
				}
				list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more"}, Items: []corev1.Pod{*pod("a", "1")}}
				return list, nil, o.Limit != 0 && n == 1
			}
			informer, _ := s.runInformer(w, 0)
			s.sleep(time.Minute)
			s.printf("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "reflector/lists of the wrong type", run: func(s *scenario) {
			for name, wrong := range inOrder(map[string]runtime.Object{
				"nothing":  nil,
				"a pod":    pod("a", "1"),
				"a table":  &metav1.Table{ListMeta: metav1.ListMeta{ResourceVersion: "5"}},
				"a status": &metav1.Status{Status: metav1.StatusFailure},
			}) {
				w := newFakeServer("a")
				w.onList = func(n int, _ metav1.ListOptions) (runtime.Object, error, bool) { return wrong, nil, n == 1 }
				of := s.observe(w)
				s.sleep(time.Minute)
				s.printf("%s: reported or logged: %v, then %s", name, len(of.takeErrors()) > 0 || s.logged.Load() > 0, found(of.informer.GetStore().List(), nil))
				s.logged.Store(0)
			}
		}},
		{name: "reflector/a nil watch", rows: "nil-results", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) { return nil, nil, n == 1 }
			of := s.observe(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.printf("reported: %v, then %s", len(of.takeErrors()) > 0, found(of.informer.GetStore().List(), nil))
		}},
	}
}

// outage makes the next watch find no server.
func (w *fakeServer) outage() func(int, metav1.ListOptions) (watch.Interface, error, bool) {
	next := w.watches + 1
	return func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
		return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), n == next
	}
}

// observed is an informer and the errors that its watch error handler has received.
type observed struct {
	informer cache.SharedInformer
	mu       sync.Mutex
	errors   []error
}

func (s *scenario) observe(w *fakeServer) *observed {
	of := &observed{informer: cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)}
	s.check(of.informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		of.mu.Lock()
		defer of.mu.Unlock()
		of.errors = append(of.errors, err)
	}))
	s.start(of.informer.RunWithContext)
	s.settle()
	return of
}

func (w *observed) takeErrors() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.errors
	w.errors = nil
	return all
}
