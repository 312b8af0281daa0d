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

// sound is a palette that a test breaks. What hangs, hangs on released.
type sound struct {
	*palette
	*listwatch.ListWatch[*colour]
	source   Source[*colour]
	released chan struct{}
}

func newSound() *sound {
	p := newPalette()
	s := &sound{palette: p, released: make(chan struct{})}
	s.ListWatch = &listwatch.ListWatch[*colour]{ListFunc: p.List, WatchFunc: p.Watch}
	s.source = p.source()
	s.source.ListerWatcher = s.ListWatch
	return s
}

// lists has every list that is not empty come as its items and version are
// turned into others.
func (s *sound) lists(turn func(items []*colour, version string) ([]*colour, string)) {
	s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
		list, err := s.palette.List(ctx, opts)
		if err != nil {
			return nil, err
		}
		items, err := list.Slice()
		version := list.ResourceVersion()
		if len(items) > 0 {
			items, version = turn(items, version)
		}
		return rest.ListOf(version, items...), err
	}
}

// asks has every watch opened with other options.
func (s *sound) asks(turn func(*metav1.ListOptions)) {
	s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
		turn(&opts)
		return s.palette.Watch(ctx, opts)
	}
}

// events has every event come as what it is turned into: another one, none or
// several.
func (s *sound) events(turn func(event) []event) {
	s.next(func(next nextFunc) nextFunc {
		var waiting []event
		return func(ctx context.Context) (event, error) {
			for len(waiting) == 0 {
				e, err := next(ctx)
				if err != nil {
					return e, err
				}
				waiting = turn(e)
			}
			e := waiting[0]
			waiting = waiting[1:]
			return e, nil
		}
	})
}

type nextFunc = func(context.Context) (event, error)

// next has every watch read in another way.
func (s *sound) next(turn func(nextFunc) nextFunc) {
	s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) { return turn(w.Next), w.Stop })
}

// watches has every watch made of other functions.
func (s *sound) watches(turn func(context.Context, *listwatch.Watch[*colour]) (nextFunc, func())) {
	s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
		w, err := s.palette.Watch(ctx, opts)
		if err != nil {
			return nil, err
		}
		return rest.NewWatch(turn(ctx, w)), nil
	}
}

func (s *sound) hang() { <-s.released }

// failing are the names of the cases that a source fails, with their errors. It
// is tried in fake time, so that waiting for ever costs nothing.
func failing(t *testing.T, source func() *sound) (names []string, why map[string]string) {
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

func TestASoundSourcePasses(t *testing.T) {
	got, why := failing(t, newSound)
	require.Empty(t, got, why)
}

// A source may do less than a server: no bookmarks, no initial state, watches of
// one event, and a past that it never forgets.
func TestAPlainSourcePasses(t *testing.T) {
	got, why := failing(t, func() *sound {
		s := newSound()
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

// A watch may end with the mark of the initial state's end, or any time after it,
// as any other may.
func TestASourceWhoseWatchEndsWithItsMarkPasses(t *testing.T) {
	got, why := failing(t, func() *sound {
		s := newSound()
		s.next(func(next nextFunc) nextFunc {
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

// What is allowed and not tested is said.
func TestWhatIsNotTestedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSound()
		s.source.WatchList = false
		s.asks(func(opts *metav1.ListOptions) {
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
			"no bookmark came, so none was looked at",
			`the source does not stream its initial state, which is allowed. the option is ignored: in 2.5s the objects ["a" "b" "c" "d"] came, and no mark of the end`,
		}, all)
	})
}

// Each thing that can be wrong with a source fails the cases that are about it,
// and no others.
func TestBrokenSourcesFail(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*sound)
		fails  string // the cases
		why    string // a part of what the first one says
	}{
		"a list without a version": {func(s *sound) {
			s.lists(func(items []*colour, _ string) ([]*colour, string) { return items, "" })
		}, "list list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", "names no version"},
		"a list that shows an object twice": {func(s *sound) {
			s.lists(func(items []*colour, version string) ([]*colour, string) { return append(items, items[0]), version })
		}, "list list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", `the list shows`},
		"a list with a version from before": {func(s *sound) {
			s.lists(func(items []*colour, version string) ([]*colour, string) { return items, earlier(version) })
		}, "list-pages watch-past watch-live watch-resume bookmarks old-version goroutines", "and should be MODIFIED c of"},
		"a list of one page": {func(s *sound) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				list, _ := s.palette.List(ctx, opts)
				items, _ := list.Slice()
				if limit := int(opts.Limit); limit > 0 && limit < len(items) {
					items = items[:limit]
				}
				return rest.ListOf(list.ResourceVersion(), items...), ctx.Err()
			}
		}, "list-pages", `and there is ["a" "b" "c" "d" "e"]`},
		"a list that is not brought up to date": {func(s *sound) {
			var first *listwatch.List[*colour]
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				if first == nil {
					first, _ = s.palette.List(ctx, opts)
				}
				items, _ := first.Slice()
				first = rest.ListOf(first.ResourceVersion(), items...)
				return first, ctx.Err()
			}
		}, "list list-pages old-version goroutines", "the list shows []"},
		"no list and no error": {func(s *sound) {
			s.source.ListerWatcher = both{none{}, s.ListWatch}
		}, "list-empty list list-pages watch-past watch-live watch-resume bookmarks old-version context-list context-watch context-next stop two-watches goroutines", "List returned nil and no error"},
		"no watch and no error": {func(s *sound) {
			s.source.ListerWatcher = both{s.ListWatch, none{}}
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version context-watch context-next stop two-watches goroutines", "Watch returned nil and no error"},
		"a panic": {func(s *sound) {
			s.ListFunc = func(context.Context, metav1.ListOptions) (*listwatch.List[*colour], error) { panic("at the disco") }
		}, "list-empty list list-pages watch-past watch-live watch-resume bookmarks old-version context-list context-watch context-next stop two-watches goroutines", "List: a panic: at the disco"},
		"a watch that repeats what the list has": {func(s *sound) {
			s.asks(func(opts *metav1.ListOptions) { opts.ResourceVersion = earlier(opts.ResourceVersion) })
		}, "list-pages watch-past watch-live watch-resume bookmarks watch-list old-version goroutines", "change 1 of the watch is ADDED e, and should be MODIFIED c"},
		"a watch that begins now": {func(s *sound) {
			s.asks(func(opts *metav1.ListOptions) {
				if opts.ResourceVersion != "" {
					opts.ResourceVersion = s.version()
				}
			})
		}, "watch-past watch-resume bookmarks watch-list old-version two-watches", "where MODIFIED a should come"},
		"a watch that leaves out deletions": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Deleted {
					return nil
				}
				return []event{e}
			})
		}, "watch-past watch-live watch-resume bookmarks old-version two-watches", "change 3 of the watch is MODIFIED a, and should be DELETED b"},
		"deletions that look like changes": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Deleted {
					e.Type = watch.Modified
				}
				return []event{e}
			})
		}, "watch-past watch-live watch-resume bookmarks old-version two-watches", "change 3 of the watch is MODIFIED b, and should be DELETED b"},
		"each event twice": {func(s *sound) {
			s.events(func(e event) []event { return []event{e, e} })
		}, "watch-past watch-live watch-resume bookmarks watch-list two-watches", "change 2 of the watch is MODIFIED a, and should be ADDED c"},
		"events two by two, the later first": {func(s *sound) {
			var held []event
			s.events(func(e event) []event {
				if held = append(held, e); len(held) < 2 || e.Type == watch.Bookmark || held[0].Type == watch.Bookmark {
					return nil
				}
				out := []event{held[1], held[0]}
				held = nil
				return out
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version two-watches goroutines", "where ADDED a should come"},
		"events without a version": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type != watch.Bookmark {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version two-watches goroutines", "has no version"},
		"deletions with the version of what was deleted": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Deleted {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "watch-resume", "of DELETED b, change 3, begins with DELETED b, and should with MODIFIED a"},
		"an unknown event": {func(s *sound) {
			s.events(func(e event) []event {
				e.Type = "CHANGED"
				return []event{e}
			})
		}, "list-empty list-pages watch-past watch-live watch-resume watch-list old-version two-watches goroutines", `an event of the type "CHANGED"`},
		"bookmarks from before": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "bookmarks", "of the bookmark after change"},
		"bookmarks from later": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion += "0"
				}
				return []event{e}
			})
		}, "bookmarks", "of the bookmark after change"},
		"bookmarks before what they are of": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Bookmark {
					return []event{e}
				}
				return []event{{Type: watch.Bookmark, ResourceVersion: e.ResourceVersion}, e}
			})
		}, "bookmarks", "before and after change 1"},
		"bookmarks without a version": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Bookmark && !e.InitialEventsEnd {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "bookmarks watch-list", "the bookmark has no version"},
		"watches that end at once": {func(s *sound) {
			s.next(func(nextFunc) nextFunc {
				return func(context.Context) (event, error) { return event{}, io.EOF }
			})
		}, "list-empty list-pages watch-past watch-live watch-resume bookmarks watch-list old-version context-watch context-next stop two-watches goroutines", "EOF"},
		"an initial state without its end": {func(s *sound) {
			s.events(func(e event) []event {
				if e.InitialEventsEnd {
					return nil
				}
				return []event{e}
			})
		}, "watch-list", "no mark of the end"},
		"an end before the initial state is whole": {func(s *sound) {
			s.events(func(e event) []event {
				if e.Type == watch.Added && e.Object.name == "b" && e.ResourceVersion == "3" {
					return []event{{Type: watch.Bookmark, ResourceVersion: e.ResourceVersion, InitialEventsEnd: true}, e}
				}
				return []event{e}
			})
		}, "watch-list", "is marked, and \"b\" has not come"},
		"nothing after the end, without a promise": {func(s *sound) {
			s.source.WatchList = false
			s.next(func(next nextFunc) nextFunc {
				over := false
				return func(ctx context.Context) (event, error) {
					if over {
						s.hang()
						return event{}, io.EOF
					}
					e, err := next(ctx)
					over = e.InitialEventsEnd
					return e, err
				}
			})
		}, "watch-list", "where ADDED d should come"},
		"an end without a version": {func(s *sound) {
			s.events(func(e event) []event {
				if e.InitialEventsEnd {
					e.ResourceVersion = ""
				}
				return []event{e}
			})
		}, "watch-list", "the mark of the end has no version"},
		"an end twice": {func(s *sound) {
			s.events(func(e event) []event {
				if e.InitialEventsEnd {
					return []event{e, e}
				}
				return []event{e}
			})
		}, "watch-list", "marked twice"},
		"an end with a version from before": {func(s *sound) {
			s.events(func(e event) []event {
				if e.InitialEventsEnd {
					e.ResourceVersion = earlier(e.ResourceVersion)
				}
				return []event{e}
			})
		}, "watch-list", "of the mark begins with ADDED c, and should with ADDED d"},
		"an initial state of objects that have changed": {func(s *sound) {
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
		}, "watch-list", "MODIFIED a came"},
		"a promise of the initial state that is refused": {func(s *sound) {
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				if opts.SendInitialEvents != nil {
					return nil, apierrors.NewBadRequest("sendInitialEvents is forbidden")
				}
				return s.palette.Watch(ctx, opts)
			}
		}, "watch-list", "the source does not stream its initial state. Watch: sendInitialEvents is forbidden"},
		"an error of another kind for what has expired": {func(s *sound) {
			s.WatchFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				w, err := s.palette.Watch(ctx, opts)
				if apierrors.IsResourceExpired(err) {
					err = errors.New("go away")
				}
				return w, err
			}
		}, "old-version", "go away"},
		"what has expired is left out": {func(s *sound) {
			s.asks(func(opts *metav1.ListOptions) {
				if at, _ := strconv.Atoi(opts.ResourceVersion); at < s.expired {
					opts.ResourceVersion = strconv.Itoa(s.expired)
				}
			})
		}, "old-version", "gives ADDED z in the place of ADDED a"},
		"a list that hangs when its context has ended": {func(s *sound) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				if ctx.Err() != nil {
					s.hang()
				}
				return s.palette.List(ctx, opts)
			}
		}, "context-list", "after 10s it is not done with this: List, whose context has ended"},
		"an error of its own when the list's context has ended": {func(s *sound) {
			s.ListFunc = func(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*colour], error) {
				list, err := s.palette.List(ctx, opts)
				if err != nil {
					err = errors.New("interrupted")
				}
				return list, err
			}
		}, "context-list", "the error is not the context's: interrupted"},
		"a watch that outlives its context": {func(s *sound) {
			s.WatchFunc = func(_ context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
				w, err := s.palette.Watch(context.Background(), opts)
				if err != nil {
					return nil, err
				}
				return rest.NewWatch(s.release(w.Next), w.Stop), nil
			}
		}, "context-watch", "Next still waits"},
		"a Next that does not know its context": {func(s *sound) {
			s.next(func(next nextFunc) nextFunc {
				return s.release(func(context.Context) (event, error) { return next(context.Background()) })
			})
		}, "context-next", "Next still waits"},
		"a watch that goes on after Next's context": {func(s *sound) {
			s.watches(func(opener context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return func(ctx context.Context) (event, error) {
					if ctx.Err() != nil {
						return event{}, ctx.Err()
					}
					e, err := w.Next(ctx)
					if errors.Is(err, io.EOF) {
						return event{Type: watch.Modified, Object: &colour{name: "ghost"}, ResourceVersion: "9"}, nil
					}
					return e, err
				}, w.Stop
			})
		}, "context-next stop", "a watch that is over gives an event"},
		"a Stop that does not end Next": {func(s *sound) {
			s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return s.release(w.Next), func() {}
			})
		}, "stop", "Stop while Next waits: Next still waits"},
		"a Stop for once": {func(s *sound) {
			s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				stopped := make(chan struct{})
				return w.Next, func() { close(stopped); w.Stop() }
			})
		}, "stop", "Stop again: a panic: close of closed channel"},
		"a Stop that waits for Next": {func(s *sound) {
			s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
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
		"watches that share their events": {func(s *sound) {
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
		"one Stop for all": {func(s *sound) {
			all := make(chan struct{})
			var once sync.Once
			s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				return func(ctx context.Context) (event, error) {
					select {
					case <-all:
						return event{}, errors.New("somebody has stopped a watch")
					default:
					}
					return w.Next(ctx)
				}, func() { once.Do(func() { close(all) }); w.Stop() }
			})
		}, "list-pages watch-resume bookmarks two-watches goroutines", "somebody has stopped a watch"},
		"a goroutine for each watch": {func(s *sound) {
			s.watches(func(_ context.Context, w *listwatch.Watch[*colour]) (nextFunc, func()) {
				go s.hang()
				return w.Next, w.Stop
			})
		}, "goroutines", "have left"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := failing(t, func() *sound {
				s := newSound()
				c.breaks(s)
				return s
			})
			want := strings.Split(c.fails, " ")
			require.Equal(t, want, got, why)
			require.Contains(t, why[want[0]], c.why)
		})
	}
}

// earlier is the version before.
func earlier(version string) string {
	at, err := strconv.Atoi(version)
	if err != nil || at == 0 {
		return version
	}
	return strconv.Itoa(at - 1)
}

// release is next, ended with the test.
func (s *sound) release(next nextFunc) nextFunc {
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

// none returns nothing at all.
type none struct{}

func (none) List(context.Context, metav1.ListOptions) (*listwatch.List[*colour], error) {
	return nil, nil
}

func (none) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*colour], error) {
	return nil, nil
}

// both lists one source and watches another.
type both struct {
	listwatch.Lister[*colour]
	listwatch.Watcher[*colour]
}
