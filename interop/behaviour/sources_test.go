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

func sources() []scene {
	return []scene{
		{name: "reflector/what is asked of a source that lists", rows: "list-fresh", play: func(s *stage) {
			w := newWorld("a")
			w.asked = func(verb string, o metav1.ListOptions) {
				s.say("%s from %q, match %q, bookmarks %v", verb, o.ResourceVersion, o.ResourceVersionMatch, o.AllowWatchBookmarks)
			}
			s.informed(w, 0)
		}},
		{name: "reflector/what is asked of a source that streams", play: func(s *stage) {
			w := newWorld("a")
			w.streams = true
			w.asked = func(verb string, o metav1.ListOptions) {
				s.say("%s from %q, match %q, bookmarks %v, initial events %v", verb, o.ResourceVersion, o.ResourceVersionMatch, o.AllowWatchBookmarks, o.SendInitialEvents != nil && *o.SendInitialEvents)
			}
			s.informed(w, 0)
		}},
		{name: "reflector/what is asked of functions made by hand", rows: "hand-made", play: func(s *stage) {
			w := newWorld("a")
			w.streams = true
			w.asked = func(verb string, o metav1.ListOptions) {
				s.say("%s, initial events %v", verb, o.SendInitialEvents != nil && *o.SendInitialEvents)
			}
			informer := cache.NewSharedInformer(&cache.ListWatch{
				ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return w.list(o) },
				WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return w.watch(o) },
			}, &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.settle()
			s.say("%v", informer.HasSynced())
		}},
		{name: "reflector/what is asked after a watch has ended", rows: "asked-before", play: func(s *stage) {
			w := newWorld("a")
			s.informed(w, 0)
			w.asked = func(verb string, o metav1.ListOptions) {
				s.say("%s from %q, limit %d", verb, o.ResourceVersion, o.Limit)
			}
			w.cut()
			s.settle()
		}},
		{name: "reflector/a source that refuses to stream", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(&cache.ListWatch{
				ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return w.list(o) },
				WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return w.watch(o) },
			}, &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.settle()
			s.say("%v %s", informer.HasSynced(), found(informer.GetStore().List(), nil))
			w.put("b", "x")
			s.settle()
			s.say("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "reflector/a source that ignores the wish to stream", rows: "no-initial-end", play: func(s *stage) {
			w := newWorld("a")
			w.streams = true
			w.watched = func(_ int, o metav1.ListOptions) (watch.Interface, error, bool) {
				w.stream = watch.NewFakeWithChanSize(1000, false)
				stream := w.stream
				time.AfterFunc(2*time.Second, stream.Stop) // as a server ends a watch, only sooner
				return stream, nil, true
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			s.start(informer.RunWithContext)
			s.sleep(10 * time.Minute)
			s.say("synced: %v, lists: %v", informer.HasSynced(), w.lists > 0)
		}},
		{name: "reflector/a list that fails at first", play: func(s *stage) {
			w := newWorld("a")
			w.listed = func(time int, _ metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), time <= 3
			}
			of := s.watched(w)
			s.sleep(time.Minute)
			s.say("%v, told: %d", of.informer.HasSynced(), len(of.told()))
		}},
		{name: "reflector/a watch that is refused at first", play: func(s *stage) {
			w := newWorld("a")
			w.watched = func(time int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, errors.New("as planned"), time <= 3
			}
			of := s.watched(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, told: %v", found(of.informer.GetStore().List(), nil), len(of.told()) > 0)
		}},
		{name: "reflector/a connection that is refused", play: func(s *stage) {
			w := newWorld("a")
			w.watched = func(time int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), time <= 3
			}
			of := s.watched(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/410 when a watch begins", play: func(s *stage) {
			w := newWorld("a")
			of := s.watched(w)
			w.watched = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, expired(), n == 2
			}
			w.cut()
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/410 in a watch", rows: "error-event", play: func(s *stage) {
			w := newWorld("a", "b")
			of := s.watched(w)
			of.told()
			w.silently(func() { w.drop("b") })
			s.sleep(time.Minute)
			s.say("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
			for _, err := range of.told() {
				s.say("told: expired: %v", apierrors.IsResourceExpired(err) || apierrors.IsGone(err))
			}
		}},
		{name: "reflector/410 for a list", play: func(s *stage) {
			w := newWorld("a", "b")
			of := s.watched(w)
			w.listed = func(n int, o metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, expired(), o.ResourceVersion != ""
			}
			w.silently(func() { w.drop("b") })
			s.sleep(time.Minute)
			s.say("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/an internal error in a watch", rows: "internal-error", play: func(s *stage) {
			w := newWorld("a")
			of := s.watched(w)
			w.send(watch.Error, status(500, metav1.StatusReasonInternalError))
			w.cut()
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/too many requests in a watch", play: func(s *stage) {
			w := newWorld("a")
			of := s.watched(w)
			w.send(watch.Error, status(429, metav1.StatusReasonTooManyRequests))
			w.cut()
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, lists: %d", found(of.informer.GetStore().List(), nil), w.lists)
		}},
		{name: "reflector/an unknown event", play: func(s *stage) {
			w := newWorld("a")
			of := s.watched(w)
			w.send("WHATEVER", pod("x", "9"))
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/an event without an object", play: func(s *stage) {
			w := newWorld("a")
			of := s.watched(w)
			w.send(watch.Added, nil)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s, logged or told: %v", found(of.informer.GetStore().List(), nil), s.logged.Load() > 0 || len(of.told()) > 0)
		}},
		{name: "reflector/watches that end at once", play: func(s *stage) {
			w := newWorld("a")
			w.watched = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				stream := watch.NewFake()
				stream.Stop()
				return stream, nil, n <= 3
			}
			of := s.watched(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/how often is tried when all fails", rows: "backoff", play: func(s *stage) {
			w := newWorld()
			w.listed = func(int, metav1.ListOptions) (runtime.Object, error, bool) {
				return nil, errors.New("as planned"), true
			}
			s.watched(w)
			s.sleep(10 * time.Minute)
			s.say("more than 28 times in ten minutes: %v", w.lists > 28)
		}},
		{name: "reflector/a stop while waiting", rows: "stop-waits", play: func(s *stage) {
			w := newWorld()
			w.streams = true
			w.watched = func(int, metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED), true
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			stop := s.start(informer.RunWithContext)
			longest := time.Duration(0)
			s.sleep(100 * time.Second)
			before := s.now()
			stop()
			longest = s.now() - before
			s.say("ended at once: %v", longest < 100*time.Millisecond)
		}},
		{name: "reflector/a server that was set back", rows: "server-set-back", play: func(s *stage) {
			w := newWorld("a", "b", "c", "d", "e")
			of := s.watched(w)
			w.listed = func(_ int, o metav1.ListOptions) (runtime.Object, error, bool) {
				if of, _ := strconv.Atoi(o.ResourceVersion); of > w.version {
					return nil, tooLarge(), true
				}
				return nil, nil, false
			}
			w.mu.Lock()
			w.version, w.pods = 2, map[string]*corev1.Pod{"a": pod("a", "1")}
			w.mu.Unlock()
			w.cut() // and a server is silent about versions that it has not reached
			s.sleep(time.Minute)
			s.say("%s", found(of.informer.GetStore().List(), nil))
		}},
		{name: "reflector/pages", play: func(s *stage) {
			w := newWorld()
			w.listed = func(_ int, o metav1.ListOptions) (runtime.Object, error, bool) {
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
			informer, _ := s.informed(w, 0)
			s.say("%s %q, %d lists", found(informer.GetStore().List(), nil), informer.LastSyncResourceVersion(), w.lists)
		}},
		{name: "reflector/a page that has expired", play: func(s *stage) {
			w := newWorld("a", "b", "c")
			w.listed = func(n int, o metav1.ListOptions) (runtime.Object, error, bool) {
				if o.Continue != "" {
					return nil, expired(), true
				}
				list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more"}, Items: []corev1.Pod{*pod("a", "1")}}
				return list, nil, o.Limit != 0 && n == 1
			}
			informer, _ := s.informed(w, 0)
			s.sleep(time.Minute)
			s.say("%s", found(informer.GetStore().List(), nil))
		}},
		{name: "reflector/results that are wrong", play: func(s *stage) {
			for name, wrong := range inOrder(map[string]runtime.Object{
				"nothing":  nil,
				"a pod":    pod("a", "1"),
				"a table":  &metav1.Table{ListMeta: metav1.ListMeta{ResourceVersion: "5"}},
				"a status": &metav1.Status{Status: metav1.StatusFailure},
			}) {
				w := newWorld("a")
				w.listed = func(n int, _ metav1.ListOptions) (runtime.Object, error, bool) { return wrong, nil, n == 1 }
				of := s.watched(w)
				s.sleep(time.Minute)
				s.say("%s: told or logged: %v, then %s", name, len(of.told()) > 0 || s.logged.Load() > 0, found(of.informer.GetStore().List(), nil))
				s.logged.Store(0)
			}
		}},
		{name: "reflector/a watch of nothing", rows: "nil-results", play: func(s *stage) {
			w := newWorld("a")
			w.watched = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) { return nil, nil, n == 1 }
			of := s.watched(w)
			s.sleep(time.Minute)
			w.put("b", "x")
			s.settle()
			s.say("told: %v, then %s", len(of.told()) > 0, found(of.informer.GetStore().List(), nil))
		}},
	}
}

// watched is an informer that counts what its watch error handler is told.
type watched struct {
	informer cache.SharedInformer
	mu       sync.Mutex
	errors   []error
}

func (s *stage) watched(w *world) *watched {
	of := &watched{informer: cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)}
	s.unless(of.informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		of.mu.Lock()
		defer of.mu.Unlock()
		of.errors = append(of.errors, err)
	}))
	s.start(of.informer.RunWithContext)
	s.settle()
	return of
}

func (w *watched) told() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.errors
	w.errors = nil
	return all
}
