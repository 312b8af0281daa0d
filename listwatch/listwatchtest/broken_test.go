package listwatchtest

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// fakeSource is a correct source that a test breaks. A call that blocks waits for
// released.
type fakeSource struct {
	*palette
	*listwatch.ListWatch[*colour]
	source   Source[*colour]
	released chan struct{}
}

func newFakeSource() *fakeSource {
	p := newPalette()
	s := &fakeSource{palette: p, released: make(chan struct{})}
	s.ListWatch = &listwatch.ListWatch[*colour]{ListFunc: p.List, WatchFunc: p.Watch}
	s.source = p.source()
	s.source.ListerWatcher = s.ListWatch
	return s
}

// changeLists makes List return other items and another version, unless the list is
// empty.
func (s *fakeSource) changeLists(change func(items []*colour, version string) ([]*colour, string)) {
	s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
		list, err := s.palette.List(ctx, opts)
		if err != nil {
			return nil, err
		}
		items, err := list.Slice()
		version := list.ResourceVersion()
		if len(items) > 0 {
			items, version = change(items, version)
		}
		return rest.ListOf(version, items...), err
	}
}

// changeOptions opens every watch with other options.
func (s *fakeSource) changeOptions(change func(*metav1.ListOptions)) {
	s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
		change(&opts)
		return s.palette.Watch(ctx, opts)
	}
}

// changeEvents replaces each event by any number of events.
func (s *fakeSource) changeEvents(change func(event) []event) {
	s.wrapNext(func(next nextFunc) nextFunc {
		var waiting []event
		return func(ctx context.Context) (event, error) {
			for len(waiting) == 0 {
				e, err := next(ctx)
				if err != nil {
					return e, err
				}
				waiting = change(e)
			}
			e := waiting[0]
			waiting = waiting[1:]
			return e, nil
		}
	})
}

type nextFunc = func(context.Context) (event, error)

// wrapNext replaces Next of every watch.
func (s *fakeSource) wrapNext(wrap func(nextFunc) nextFunc) {
	s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) { return wrap(w.Next), w.Stop })
}

// wrapWatches replaces Next and Stop of every watch.
func (s *fakeSource) wrapWatches(wrap func(context.Context, *listwatch.Watch[*colour]) (nextFunc, func())) {
	s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
		w, err := s.palette.Watch(ctx, opts)
		if err != nil {
			return nil, err
		}
		return rest.NewWatch(wrap(ctx, w)), nil
	}
}

func (s *fakeSource) block() { <-s.released }

// failing returns the names of the cases that a source fails, with their errors. It
// uses fake time, so that a timeout takes no real time.
func failing(t *testing.T, source func() *fakeSource) (names []string, why map[string]string) {
	why = map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range casesOf[*colour]() {
			s := source()
			_, err := c.perform(s.source)
			if err != nil {
				names = append(names, c.name)
				why[c.name] = err.Error()
			}
			close(s.released)
		}
	})
	return names, why
}

func TestCorrectSourcePasses(t *testing.T) {
	got, why := failing(t, newFakeSource)
	require.Empty(t, got, why)
}

// A source may do less than a server: it may send no bookmarks and no initial state,
// end each watch after one event, and never discard its history.
func TestMinimalSourcePasses(t *testing.T) {
	got, why := failing(t, func() *fakeSource {
		s := newFakeSource()
		s.source.Expire, s.source.WatchList = nil, false
		s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
			if opts.ResourceVersion == "" {
				s.mu.Lock()
				opts.ResourceVersion = s.version()
				s.mu.Unlock()
			}
			w, err := s.palette.Watch(ctx, metav1.ListOptions{ResourceVersion: opts.ResourceVersion})
			if err != nil {
				return nil, err
			}
			given := false
			return rest.NewWatch(func(ctx context.Context) (event, error) {
				if given {
					return event{}, io.EOF
				}
				e, err := w.Next(ctx)
				given = err == nil
				return e, err
			}, w.Stop), nil
		}
		return s
	})
	require.Empty(t, got, why)
}

// A watch may end with the final bookmark or at any time after it, like any other
// watch.
func TestSourceWhoseWatchEndsAfterTheFinalBookmarkPasses(t *testing.T) {
	got, why := failing(t, func() *fakeSource {
		s := newFakeSource()
		s.wrapNext(func(next nextFunc) nextFunc {
			over := false
			return func(ctx context.Context) (event, error) {
				if over {
					return event{}, io.EOF
				}
				e, err := next(ctx)
				over = e.InitialEventsEnd
				return e, err
			}
		})
		return s
	})
	require.Empty(t, got, why)
}

// The notes of a case report which optional behaviour it did not test.
func TestSkippedCasesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		s.source.WatchList = false
		s.changeOptions(func(opts *metav1.ListOptions) {
			opts.AllowWatchBookmarks = false
			if opts.SendInitialEvents != nil {
				opts.SendInitialEvents, opts.ResourceVersion = nil, "0"
			}
		})
		var all []string
		for _, c := range casesOf[*colour]() {
			if c.name == "bookmarks" || c.name == "watch-list" {
				s.palette.colours, s.palette.log = map[string]*colour{}, nil
				notes, err := c.perform(s.source)
				require.NoError(t, err)
				all = append(all, notes...)
			}
		}
		require.Equal(t, []string{
			"no bookmark was received, so none was tested",
			`the source does not stream its initial state, which is allowed. the option is ignored: within 2.5s the objects ["a" "b" "c" "d"] were received, and no final bookmark`,
		}, all)
	})
}

// Each defect of a source fails the cases that test it, and no others.
func TestBrokenSourcesFail(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*fakeSource)
		fails  string // the names of the cases
		why    string // a part of the first error
	}{
		"list without a version": {func(s *fakeSource) {
			s.changeLists(func(items []*colour, _ string) ([]*colour, string) { return items, "" })
		}, "list list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", "has no version after"},
		"list with a duplicate object": {func(s *fakeSource) {
			s.changeLists(func(items []*colour, version string) ([]*colour, string) { return append(items, items[0]), version })
		}, "list list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", `the list has`},
		"list with an earlier version": {func(s *fakeSource) {
			s.changeLists(func(items []*colour, version string) ([]*colour, string) { return items, earlier(version) })
		}, "list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", "want MODIFIED c of"},
		"list of only one page": {func(s *fakeSource) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				list, _ := s.palette.List(ctx, opts)
				items, _ := list.Slice()
				if limit := int(opts.Limit); limit > 0 && limit < len(items) {
					items = items[:limit]
				}
				return rest.ListOf(list.ResourceVersion(), items...), ctx.Err()
			}
		}, "list-pages", `want ["a" "b" "c" "d" "e"]`},
		"stale list": {func(s *fakeSource) {
			var first *listwatch.List[*colour]
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				if first == nil {
					first, _ = s.palette.List(ctx, opts)
				}
				items, _ := first.Slice()
				first = rest.ListOf(first.ResourceVersion(), items...)
				return first, ctx.Err()
			}
		}, "list list-pages old-version goroutines", "the list has []"},
		"nil list without an error": {func(s *fakeSource) {
			s.source.ListerWatcher = both{none{}, s.ListWatch}
		}, "list-empty list list-pages watch-past watch-live watch-resume bookmarks old-version context-list context-watch context-next stop two-watches goroutines", "List returned nil and no error"},
		"nil watch without an error": {func(s *fakeSource) {
			s.source.ListerWatcher = both{s.ListWatch, none{}}
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version context-watch context-next stop two-watches goroutines", "Watch returned nil and no error"},
		"panic in List": {func(s *fakeSource) {
			s.ListFunc = func(context.Context, metav1.ListOptions) (*listwatch.List[*colour], error) { panic("failed") }
		}, "list-empty list list-pages watch-past watch-live watch-resume bookmarks old-version context-list context-watch context-next stop two-watches goroutines", "List: panic: failed"},
		"watch that repeats the last change of the list": {func(s *fakeSource) {
			s.changeOptions(func(opts *metav1.ListOptions) { opts.ResourceVersion = earlier(opts.ResourceVersion) })
		}, "list-pages watch-past watch-live watch-resume bookmarks watch-list old-version goroutines", "change 1 of the watch is ADDED e, want MODIFIED c"},
		"watch that begins at the current version": {func(s *fakeSource) {
			s.changeOptions(func(opts *metav1.ListOptions) {
				if opts.ResourceVersion != "" {
					opts.ResourceVersion = s.version()
				}
			})
		}, "watch-past watch-resume bookmarks watch-list old-version two-watches", "waiting for MODIFIED a"},
		"watch without deletions": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Deleted {
					return nil
				}
				return []event{e}
			})
		}, "watch-past watch-live watch-resume bookmarks old-version two-watches", "change 3 of the watch is MODIFIED a, want DELETED b"},
		"deletions of type MODIFIED": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Deleted {
					e.Type = watch.Modified
				}
				return []event{e}
			})
		}, "watch-past watch-live watch-resume bookmarks old-version two-watches", "change 3 of the watch is MODIFIED b, want DELETED b"},
		"duplicate events": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event { return []event{e, e} })
		}, "watch-past watch-live watch-resume bookmarks watch-list two-watches", "change 2 of the watch is MODIFIED a, want ADDED c"},
		"events in the wrong order": {func(s *fakeSource) {
			var held []event
			s.changeEvents(func(e event) []event {
				if held = append(held, e); len(held) < 2 || e.Type == watch.Bookmark || held[0].Type == watch.Bookmark {
					return nil
				}
				out := []event{held[1], held[0]}
				held = nil
				return out
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version two-watches goroutines", "waiting for ADDED a"},
		"events without a version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type != watch.Bookmark {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version two-watches goroutines", "has no version"},
		"deletions with the version of the deleted object": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Deleted {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "watch-resume", "of DELETED b, change 3, begins with DELETED b, want MODIFIED a"},
		"unknown event type": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				e.Type = "CHANGED"
				return []event{e}
			})
		}, "list-empty list-pages watch-past watch-live watch-resume watch-list old-version two-watches goroutines", `an event of type "CHANGED"`},
		"bookmarks with an earlier version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "bookmarks", "of the bookmark after change"},
		"bookmarks with a later version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion += "0"
				}
				return []event{e}
			})
		}, "bookmarks", "of the bookmark after change"},
		"bookmarks before their event": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Bookmark {
					return []event{e}
				}
				return []event{{Type: watch.Bookmark, ResourceVersion: e.ResourceVersion}, e}
			})
		}, "bookmarks", "before and after change 1"},
		"bookmarks without a version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "bookmarks watch-list", "the bookmark has no version"},
		"watches that end immediately": {func(s *fakeSource) {
			s.wrapNext(func(nextFunc) nextFunc {
				return func(context.Context) (event, error) { return event{}, io.EOF }
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version context-watch context-next stop two-watches goroutines", "EOF"},
		"initial state without a final bookmark": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.InitialEventsEnd {
					return nil
				}
				return []event{e}
			})
		}, "watch-list", "no final bookmark"},
		"final bookmark before the last initial object": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.Type == watch.Added && e.Object.name == "b" && e.ResourceVersion == "3" {
					return []event{{Type: watch.Bookmark, ResourceVersion: e.ResourceVersion, InitialEventsEnd: true}, e}
				}
				return []event{e}
			})
		}, "watch-list", "before the object \"b\""},
		"watch that blocks after an undeclared final bookmark": {func(s *fakeSource) {
			s.source.WatchList = false
			s.wrapNext(func(next nextFunc) nextFunc {
				over := false
				return func(ctx context.Context) (event, error) {
					if over {
						s.block()
						return event{}, io.EOF
					}
					e, err := next(ctx)
					over = e.InitialEventsEnd
					return e, err
				}
			})
		}, "watch-list", "waiting for ADDED d"},
		"final bookmark without a version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.InitialEventsEnd {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "watch-list", "the final bookmark has no version"},
		"duplicate final bookmark": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.InitialEventsEnd {
					return []event{e, e}
				}
				return []event{e}
			})
		}, "watch-list", "final bookmark twice"},
		"final bookmark with an earlier version": {func(s *fakeSource) {
			s.changeEvents(func(e event) []event {
				if e.InitialEventsEnd {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "watch-list", "of the final bookmark begins with ADDED c, want ADDED d"},
		"initial objects of type MODIFIED": {func(s *fakeSource) {
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				w, err := s.palette.Watch(ctx, opts)
				if err != nil || opts.SendInitialEvents == nil {
					return w, err
				}
				return rest.NewWatch(func(ctx context.Context) (event, error) {
					e, err := w.Next(ctx)
					if e.Type == watch.Added {
						e.Type = watch.Modified
					}
					return e, err
				}, w.Stop), nil
			}
		}, "watch-list", "received MODIFIED a"},
		"declared initial state that is rejected": {func(s *fakeSource) {
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				if opts.SendInitialEvents != nil {
					return nil, apierrors.NewBadRequest("sendInitialEvents is forbidden")
				}
				return s.palette.Watch(ctx, opts)
			}
		}, "watch-list", "the source does not stream its initial state. Watch: sendInitialEvents is forbidden"},
		"other error for an expired version": {func(s *fakeSource) {
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				w, err := s.palette.Watch(ctx, opts)
				if apierrors.IsResourceExpired(err) {
					err = errors.New("unavailable")
				}
				return w, err
			}
		}, "old-version", "unavailable"},
		"watch that omits expired changes": {func(s *fakeSource) {
			s.changeOptions(func(opts *metav1.ListOptions) {
				if at, _ := strconv.Atoi(opts.ResourceVersion); at < s.expired {
					opts.ResourceVersion = strconv.Itoa(s.expired)
				}
			})
		}, "old-version", "delivers ADDED z, want ADDED a"},
		"list that blocks after the end of its context": {func(s *fakeSource) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				if ctx.Err() != nil {
					s.block()
				}
				return s.palette.List(ctx, opts)
			}
		}, "context-list", "timed out after 10s: List with an ended context"},
		"other error after the end of the context of a list": {func(s *fakeSource) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				list, err := s.palette.List(ctx, opts)
				if err != nil {
					err = errors.New("interrupted")
				}
				return list, err
			}
		}, "context-list", "the error is not that of the context: interrupted"},
		"watch that ignores its context": {func(s *fakeSource) {
			s.WatchFunc = func(_ context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				w, err := s.palette.Watch(context.Background(), opts)
				if err != nil {
					return nil, err
				}
				return rest.NewWatch(s.release(w.Next), w.Stop), nil
			}
		}, "context-watch", "Next still blocks"},
		"Next that ignores its context": {func(s *fakeSource) {
			s.wrapNext(func(next nextFunc) nextFunc {
				return s.release(func(context.Context) (event, error) { return next(context.Background()) })
			})
		}, "context-next", "Next still blocks"},
		"watch that continues after the context of Next": {func(s *fakeSource) {
			s.wrapWatches(func(opener context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return func(ctx context.Context) (event, error) {
					if ctx.Err() != nil {
						return event{}, ctx.Err()
					}
					e, err := w.Next(ctx)
					if errors.Is(err, io.EOF) {
						return event{Type: watch.Modified, Object: &colour{name: "unexpected"}, ResourceVersion: "9"}, nil
					}
					return e, err
				}, w.Stop
			})
		}, "context-next stop", "an ended watch delivers an event"},
		"Stop that does not end Next": {func(s *fakeSource) {
			s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return s.release(w.Next), func() {}
			})
		}, "stop", "Stop while Next waits: Next still blocks"},
		"second Stop that panics": {func(s *fakeSource) {
			s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				stopped := make(chan struct{})
				return w.Next, func() { close(stopped); w.Stop() }
			})
		}, "stop", "Stop again: panic: close of closed channel"},
		"Stop that waits for Next": {func(s *fakeSource) {
			s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				reading := make(chan struct{}, 1)
				return func(ctx context.Context) (event, error) {
						reading <- struct{}{}
						defer func() { <-reading }()
						return s.release(w.Next)(ctx)
					}, func() {
						select {
						case reading <- struct{}{}:
							w.Stop()
							<-reading
						case <-s.released:
						}
					}
			})
		}, "stop", "Stop while Next waits"},
		"watches that share their events": {func(s *fakeSource) {
			var one *listwatch.Watch[*colour]
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (w *listwatch.Watch[*colour], err error) {
				if one == nil && opts.SendInitialEvents == nil {
					one, err = s.palette.Watch(ctx, opts)
					return one, err
				}
				if one != nil {
					return rest.NewWatch(s.release(one.Next), func() {}), nil
				}
				return s.palette.Watch(ctx, opts)
			}
		}, "list-pages watch-resume bookmarks two-watches goroutines", "EOF"},
		"Stop that ends all watches": {func(s *fakeSource) {
			all := make(chan struct{})
			var once sync.Once
			s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return func(ctx context.Context) (event, error) {
					select {
					case <-all:
						return event{}, errors.New("another watch was stopped")
					default:
					}
					return w.Next(ctx)
				}, func() { once.Do(func() { close(all) }); w.Stop() }
			})
		}, "list-pages watch-resume bookmarks two-watches goroutines", "another watch was stopped"},
		"goroutine leaked by each watch": {func(s *fakeSource) {
			s.wrapWatches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				go s.block()
				return w.Next, w.Stop
			})
		}, "goroutines", "leaked"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := failing(t, func() *fakeSource {
				s := newFakeSource()
				c.breaks(s)
				return s
			})
			want := strings.Split(c.fails, " ")
			require.Equal(t, want, got, why)
			require.Contains(t, why[want[0]], c.why)
		})
	}
}

// earlier returns the previous version.
func earlier(version string) string {
	at, err := strconv.Atoi(version)
	if err != nil || at == 0 {
		return version
	}
	return strconv.Itoa(at - 1)
}

// release returns next with a context that ends with the test.
func (s *fakeSource) release(next nextFunc) nextFunc {
	return func(ctx context.Context) (event, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-s.released:
				cancel()
			case <-ctx.Done():
			}
		}()
		return next(ctx)
	}
}

// none returns nil results without an error.
type none struct{}

func (none) List(context.Context, metav1.ListOptions) (*listwatch.List[*colour], error) {
	return nil, nil
}

func (none) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*colour], error) {
	return nil, nil
}

// both lists one source and watches another one.
type both struct {
	listwatch.Lister[*colour]
	listwatch.Watcher[*colour]
}
