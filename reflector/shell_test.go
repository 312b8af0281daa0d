package reflector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

var preferList = Options[*pod]{PreferList: true}

// What the store is told, and what the source is asked, where nothing is wrong.
func TestWhatTheStoreIsTold(t *testing.T) {
	p := play(t, (&script{}).watch(added("a", "3"), added("b", "2"), bookmark("5", true), modified("a", "6"), deleted("b", "7"), bookmark("9")),
		newLedger(), Options[*pod]{}, time.Minute)
	require.Equal(t, "replace [a b] @5, update a, delete b, @9", p.all())
	require.Equal(t, "watch all", p.requests())
	require.Equal(t, "9", p.r.LastSyncResourceVersion())

	p = play(t, (&script{}).list("5", newPod("a", "3"), newPod("b", "2")).watch(added("c", "6"), bookmark("9"), 10*time.Minute, io.EOF),
		newLedger(), preferList, 11*time.Minute)
	require.Equal(t, "replace [a b] @5, add c, @9", p.all())
	require.Equal(t, "list, watch@5, list@9 limit=1, watch@9, list@9 limit=1, watch@9, list@9 limit=1, watch@9", p.requests(), "each silent watch is replaced")
	require.Empty(t, p.said())
}

// What comes before the mark and is no part of the initial state waits for it.
func TestChangesBeforeTheMarkAreHeldBack(t *testing.T) {
	l := newLedger()
	p := playOn(t, (&script{}).watch(added("a", "3"), added("b", "2"), modified("a", "6"), added("c", "7"), deleted("b", "8"),
		undecodable(watch.Deleted, "a", "9"), bookmark("9", true), modified("c", "10")),
		l, knowing{l}, Options[*pod]{}, time.Minute)
	require.Equal(t, "replace [a b] @3, update a, add c, delete b, delete a, @9, update c", p.all())
	require.Equal(t, "watch pods: decode DELETED event of a: what is it", strings.ReplaceAll(p.said(), "*reflector.pod", "pods"))
}

// A list that had to begin again is not read twice, and what came before does
// not count.
func TestAListThatBeginsAgainCountsFromThere(t *testing.T) {
	p := play(t, (&script{}).items("7", func(yield func(*pod, error) bool) {
		_ = yield(newPod("gone", "1"), nil) && yield(nil, listwatch.ErrRestarted) && yield(newPod("void", "2"), nil) &&
			yield(nil, listwatch.ErrRestarted) && yield(newPod("a", "3"), nil) && yield(newPod("b", "4"), nil)
	}), newLedger(), preferList, time.Minute)
	require.Equal(t, "replace [a b] @7", p.all())
	require.Equal(t, "list, watch@7", p.requests())
	require.Empty(t, p.said())
}

func TestAnUndecodableObjectCostsOnlyItself(t *testing.T) {
	items := func(yield func(*pod, error) bool) {
		_ = yield(newPod("a", "8"), nil) && yield(nil, undecodable("", "b", "8")) && yield(nil, undecodable("", "new", "8"))
	}
	again := (&script{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(&apiStatus{410}).items("9", items).
		watch(undecodable(watch.Modified, "a", "10"), undecodable(watch.Deleted, "b", "11"), undecodable(watch.Deleted, "stranger", "12"))
	l := newLedger()
	p := playOn(t, again, l, knowing{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a b] @9, @10, delete b, @12", p.all(), "b stays as it was known, until it is deleted")
	require.EqualValues(t, 5, p.r.State().Undecodable)
	require.Equal(t, 1, p.r.State().Relists)
	require.Contains(t, p.said(), "list *reflector.pod: decode b: what is it; list *reflector.pod: decode new: what is it; watch *reflector.pod from version 9: decode MODIFIED event of a")

	// One of the same name and another UID is another object.
	l = newLedger()
	other := newPod("b", "2")
	other.UID = "another"
	playOn(t, (&script{}).list("5", newPod("a", "1"), other).watch(&apiStatus{410}).items("9", items), l, knowing{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a] @9", l.all())

	// A store that cannot tell what is known loses it in a list, and has to be
	// filled anew after a deletion.
	p = play(t, (&script{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(undecodable(watch.Modified, "b", "6"), undecodable(watch.Deleted, "b", "7")).items("9", items),
		newLedger(), preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, @6, replace [a] @9", p.all())
	require.Contains(t, p.r.State().RelistReason, "undecodable")
}

// What was deleted has to go from the store, also if nobody can read its name.
func TestADeletionOfNobodyKnowsWhatIsReadAgain(t *testing.T) {
	l := newLedger()
	p := playOn(t, (&script{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(undecodable(watch.Deleted, "", "6")).list("6", newPod("a", "1")).watch(),
		l, knowing{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a] @6", p.all())
	require.Equal(t, 1, p.r.State().Relists)
}

// A source without versions cannot be asked for what happened between two
// watches.
func TestASourceWithoutVersionsIsReadAgainAfterEachWatch(t *testing.T) {
	for _, none := range []string{"", "0"} {
		s := (&script{}).list(none, newPod("a", ""), newPod("b", "")).watch(added("c", ""), time.Minute, io.EOF).
			list(none, newPod("a", ""), newPod("c", "")).watch(errReset).list(none, newPod("c", "")).watch()
		p := play(t, s, newLedger(), preferList, 2*time.Minute)
		require.Equal(t, "replace [a b] @"+none+", add c, replace [a c] @"+none+", replace [c] @"+none, p.all())
		require.Contains(t, p.said(), errNoVersion.Error())
	}
}

// A server that says "too large" may have been set back, even if it has made up
// for it when everything is read again.
func TestVersionsThatMayHaveBeenGivenOutTwiceAreDistrusted(t *testing.T) {
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	for name, c := range map[string]struct {
		after error
		want  string
	}{
		"too large": {tooLarge, "replace [] @5, distrust, replace [] @9, replace [] @11"},
		"expired":   {&apiStatus{410}, "replace [] @5, replace [] @9, replace [] @11"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			playOn(t, (&script{}).list("5").watch(c.after).list("9").watch(&apiStatus{410}).list("11").watch(), l, distrustful{l}, preferList, time.Minute)
			require.Equal(t, c.want, l.all())
		})
	}
}

type distrustful struct{ *ledger }

func (d distrustful) Distrust() { d.lines = append(d.lines, "distrust") }

// A source that brings what is new as if it were of the initial state, and no
// mark.
func TestAStreamOfNewObjectsWithoutAMarkFallsBackToAList(t *testing.T) {
	var forever []any
	for i := range 1000 {
		forever = append(forever, time.Second, added("a", fmt.Sprint(i+1)))
	}
	p := play(t, (&script{}).watch(forever...).list("400", newPod("a", "399")).watch(), newLedger(), Options[*pod]{}, 10*time.Minute)
	require.Equal(t, "replace [a] @400", p.all())
	require.Equal(t, errLongStream.Error(), p.r.trouble())
}

func TestAStoreThatFails(t *testing.T) {
	failed := errors.New("disk full")
	l := newLedger()
	l.fails["add c"], l.fails["add d"] = failed, &onlyItem{failed}
	p := play(t, (&script{}).list("5").watch(added("d", "6"), added("c", "7"), added("e", "8")).list("9", newPod("c", "7")).watch(), l, preferList, time.Minute)
	require.Equal(t, "replace [] @5, add d, add c, replace [c] @9", p.all(), "what costs only its object is passed over")
	require.Equal(t, "watch *reflector.pod from version 6: ADDED at version 7: disk full", firstLine(p.errs[1].Error()))
	require.ErrorIs(t, p.errs[1], failed)
	require.Contains(t, p.r.State().RelistReason, "store failed")

	l = newLedger()
	l.fails["replace [] @5"] = failed
	p = play(t, (&script{}).list("5").list("6"), l, preferList, time.Minute)
	require.Equal(t, "replace [] @5, replace [] @6", p.all())
	require.Contains(t, p.said(), "disk full")

	lazy := &lazyStore{ledger: newLedger()}
	p = playOn(t, (&script{}).list("5", newPod("a", "1")), lazy.ledger, lazy, preferList, time.Second/2)
	require.Contains(t, p.said(), "has not read the items")
	require.Empty(t, p.r.LastSyncResourceVersion())
}

type onlyItem struct{ error }

func (onlyItem) ItemOnly() bool { return true }

type lazyStore struct{ *ledger }

func (*lazyStore) Replace(iter.Seq2[*pod, error], func() string) error {
	return nil
}

func TestAFilterIsAppliedBeforeAnObjectIsKept(t *testing.T) {
	o := Options[*pod]{Filter: func(p *pod) bool {
		if p.label == "blow" {
			panic("blown")
		}
		return p.label != "no"
	}}
	marked := func(e listwatch.Event[*pod], label string) listwatch.Event[*pod] {
		e.Object.label = label
		return e
	}
	l := newLedger()
	p := playOn(t, (&script{}).watch(added("a", "1"), marked(added("b", "2"), "no"), marked(added("c", "3"), "blow"), bookmark("3", true),
		marked(modified("a", "4"), "no"), marked(added("d", "5"), "no"), modified("b", "6"), marked(modified("b", "7"), "blow"), marked(deleted("b", "8"), "no")),
		l, knowing{l}, o, time.Minute)
	require.Equal(t, "replace [a] @3, delete a, delete d, update b, @7, delete b", p.all())
	require.Equal(t, `filter *reflector.pod: "c": panic in Filter: blown; filter *reflector.pod: "b": panic in Filter: blown`, p.said())
}

// Nonsense from a source is an error, and no more.
func TestNonsenseOfASource(t *testing.T) {
	type answers = func(s *script)
	for name, c := range map[string]struct {
		source answers
		says   string
	}{
		"no list":  {func(s *script) { s.lists = append(s.lists, noList) }, "the source returned no list"},
		"no watch": {func(s *script) { s.list("1"); s.watches = append(s.watches, noWatch) }, "the source returned no watch"},
		"List panics": {func(s *script) {
			s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) { panic("blown") })
		}, "panic in List: blown"},
		"Watch panics": {func(s *script) {
			s.list("1")
			s.watches = append(s.watches, func(context.Context) (*listwatch.Watch[*pod], error) { panic(io.ErrClosedPipe) })
		}, "panic in Watch: io: read/write on closed pipe"},
		"Items panics": {func(s *script) { s.items("1", func(func(*pod, error) bool) { panic("blown") }) }, "panic in Items: blown"},
		"nil items":    {func(s *script) { s.items("1", nil) }, "panic in Items"},
		"nil version": {func(s *script) {
			s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) {
				return rest.NewList(rest.ListOf[*pod]("1").Items(), nil), nil
			})
		}, "panic in ResourceVersion"},
		"Next panics":  {func(s *script) { s.list("1").watch(func() { panic("blown") }) }, "panic in Next: blown"},
		"a nil item":   {func(s *script) { s.list("1", nil, newPod("c", "1")) }, "the event's object is nil"},
		"a nil object": {func(s *script) { s.list("1").watch(listwatch.Event[*pod]{Type: watch.Added, ResourceVersion: "2"}) }, `ADDED event of version "2": the event's object is nil`},
		"an unknown event": {func(s *script) {
			s.list("1").watch(listwatch.Event[*pod]{Type: "RENAMED", Object: newPod("a", "2"), ResourceVersion: "2"})
		}, `an event of an unknown type: "RENAMED"`},
		"an ERROR event": {func(s *script) { s.list("1").watch(listwatch.Event[*pod]{Type: watch.Error}) }, `an event of an unknown type: "ERROR"`},
		"a list that breaks": {func(s *script) {
			s.items("1", func(yield func(*pod, error) bool) { _ = yield(newPod("a", "1"), nil) && yield(nil, errReset) })
		}, "unexpected EOF"},
		"a list read before": {func(s *script) { s.lists = append(s.lists, readBefore) }, rest.ErrListConsumed.Error()},
		"Stop panics": {func(s *script) {
			s.list("1")
			s.watches = append(s.watches, func(context.Context) (*listwatch.Watch[*pod], error) {
				return rest.NewWatch(func(context.Context) (listwatch.Event[*pod], error) { return listwatch.Event[*pod]{}, io.EOF }, func() { panic("blown") }), nil
			})
		}, "panic in Stop: blown"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{}
			c.source(s)
			l := newLedger()
			p := play(t, s.list("9", newPod("b", "8")).list("9", newPod("b", "8")), l, preferList, 10*time.Second)
			require.Contains(t, p.said(), c.says)
			require.NotContains(t, l.all(), "replace [a]", "nothing of a list that breaks is visible")
		})
	}
}

func noList(context.Context) (*listwatch.List[*pod], error)   { return nil, nil }
func noWatch(context.Context) (*listwatch.Watch[*pod], error) { return nil, nil }

func readBefore(context.Context) (*listwatch.List[*pod], error) {
	list := rest.ListOf("1", newPod("a", "1"))
	_, err := list.Slice()
	return list, err
}

// Promise: a panic of the store's is nobody else's to catch.
func TestAPanicOfTheStoreIsNotCaught(t *testing.T) {
	l := newLedger()
	l.busy = true
	r := New[*pod]((&script{}).list("1").watch(added("a", "2")), panics{l}, preferList)
	require.PanicsWithValue(t, "the store is broken", func() { _ = r.Run(t.Context()) })
}

type panics struct{ *ledger }

func (panics) Replace(items iter.Seq2[*pod, error], _ func() string) error {
	for range items {
	}
	panic("the store is broken")
}

func TestMistakesInTheArguments(t *testing.T) {
	source, store := &script{}, newLedger()
	require.ErrorIs(t, New[*pod](nil, store, Options[*pod]{}).Run(t.Context()), ErrNoSource)
	require.ErrorIs(t, New[*pod]((*script)(nil), store, Options[*pod]{}).Run(t.Context()), ErrNoSource)
	require.ErrorIs(t, New[*pod](source, nil, Options[*pod]{}).ListAndWatch(t.Context()), ErrNoStore)
	require.ErrorIs(t, New[*pod](source, (*ledger)(nil), Options[*pod]{}).Run(t.Context()), ErrNoStore)
	require.Equal(t, "*reflector.pod", New[*pod]((*rest.View[*pod])(nil), store, Options[*pod]{}).State().Name)
	synctest.Test(t, func(t *testing.T) {
		r := New[*pod](source, store, Options[*pod]{})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = r.Run(ctx) })
		synctest.Wait()
		require.ErrorIs(t, r.Run(ctx), ErrRunning)
		require.ErrorIs(t, r.ListAndWatch(ctx), ErrRunning)
		cancel()
		running.Wait()
	})
}

// Promise: "It may be called again when it has returned".
func TestASecondRunReadsEverythingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := (&script{}).list("5", newPod("a", "1")).watch().list("7", newPod("b", "6")).watch(), newLedger()
		r := New[*pod](s, l, preferList)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			require.NoError(t, r.Run(ctx))
			cancel()
		}
		require.Equal(t, "replace [a] @5, replace [b] @7", l.all())
		require.Equal(t, 1, r.State().Relists)
	})
}

// Promise: ListAndWatch goes on "until everything has to be read again, which
// is an error, or ctx is done, which is none".
func TestListAndWatchIsOneRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := preferList
		o.WatchErrorHandler = func(context.Context, error) {}
		s, l := (&script{}).list("5").watch(errReset).watch(added("a", "6"), &apiStatus{410}).list("7").watch(), newLedger()
		r := New[*pod](s, l, o)
		err := r.ListAndWatch(t.Context())
		known := &Error{}
		require.ErrorAs(t, err, &known)
		require.Equal(t, Expired, known.Reason)
		require.Equal(t, "replace [] @5, add a", l.all(), "a watch that breaks is no reason to end")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, r.ListAndWatch(ctx))
	})
}

// Promise: every wait ends at once with the context.
func TestEveryWaitEndsWithTheContext(t *testing.T) {
	hang := func(ctx context.Context) { <-ctx.Done() }
	hangingList := func(ctx context.Context) (*listwatch.List[*pod], error) { hang(ctx); return nil, ctx.Err() }
	hangingItems := func(ctx context.Context) (*listwatch.List[*pod], error) {
		return rest.NewList(func(yield func(*pod, error) bool) {
			yield(newPod("a", "1"), nil)
			hang(ctx)
			yield(nil, ctx.Err())
		}, nil), nil
	}
	hangingWatch := func(ctx context.Context) (*listwatch.Watch[*pod], error) { hang(ctx); return nil, ctx.Err() }
	for name, c := range map[string]struct {
		source func() *script
		o      Options[*pod]
		phase  Phase
	}{
		"a list that is not answered":   {func() *script { return &script{lists: one(hangingList)} }, preferList, Listing},
		"a list that does not end":      {func() *script { return &script{lists: one(hangingItems)} }, preferList, Listing},
		"a stream that is not answered": {func() *script { return &script{watches: one(hangingWatch)} }, Options[*pod]{}, Streaming},
		"a stream that does not end":    {func() *script { return (&script{}).watch(added("a", "1")) }, Options[*pod]{}, Streaming},
		"a watch that is not answered":  {func() *script { return (&script{watches: one(hangingWatch)}).list("1") }, preferList, Watching},
		"a watch that brings nothing":   {func() *script { return (&script{}).list("1").watch() }, preferList, Watching},
		"a wait":                        {func() *script { return (&script{}).watch(&apiStatus{403}) }, Options[*pod]{}, Waiting},
	} {
		for _, resync := range []time.Duration{0, time.Hour} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c.o.WatchErrorHandler = func(context.Context, error) {}
					c.o.ResyncPeriod = resync
					r := New[*pod](c.source(), newLedger(), c.o)
					ctx, cancel := context.WithCancel(t.Context())
					ended := make(chan error)
					go func() { ended <- r.Run(ctx) }()
					synctest.Wait()
					require.Equal(t, c.phase, r.State().Phase)
					begun := time.Now()
					cancel()
					require.NoError(t, <-ended)
					require.Zero(t, time.Since(begun))
				})
			})
		}
	}
}

func one[F any](f F) []F { return []F{f} }

// Promise: the store's Resync is called now and then, never beside another of
// its methods, and nothing is asked of the server for it.
func TestResyncIsTheStoresAlone(t *testing.T) {
	o := preferList
	o.ResyncPeriod = time.Minute
	slow := func(yield func(*pod, error) bool) {
		time.Sleep(90 * time.Second)
		yield(newPod("a", "1"), nil)
	}
	l := newLedger()
	l.fails["resync"] = errors.New("no")
	p := play(t, (&script{}).items("5", slow).watch(time.Minute, &apiStatus{410}).items("9", slow).watch(), l, o, 6*time.Minute)
	require.Equal(t, "replace [a] @5, resync, replace [a] @9, resync, resync", p.all(), "it waits for a Replace to end")
	require.Equal(t, "list, watch@5, list, watch@9", p.requests())
	require.Contains(t, p.said(), "resync *reflector.pod: no")
}

// Options that are no business of the reflector's reach list and watch.
func TestShardSelectorIsPassedThrough(t *testing.T) {
	var asked []metav1.ListOptions
	source := listwatch.Modify(&listwatch.ListWatch[*pod]{
		ListFunc: func(_ context.Context, o metav1.ListOptions) (*listwatch.List[*pod], error) {
			asked = append(asked, o)
			return rest.ListOf[*pod]("5"), nil
		},
		WatchFunc: func(ctx context.Context, o metav1.ListOptions) (*listwatch.Watch[*pod], error) {
			asked = append(asked, o)
			return nil, &apiStatus{422}
		},
	}, func(o *metav1.ListOptions) {
		o.ShardSelector = "shardRange(object.metadata.uid, '0x0', '0x8')"
		o.LabelSelector = "a=b"
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		require.NoError(t, New(source, Store[*pod](newLedger()), Options[*pod]{WatchErrorHandler: func(context.Context, error) {}}).Run(ctx))
	})
	require.Len(t, asked, 3, "a stream, a list, a watch")
	for _, o := range asked {
		require.NotEmpty(t, o.ShardSelector)
		require.Equal(t, "a=b", o.LabelSelector)
	}
}

// The first of a kind is logged, then one a minute, with how many there were.
func TestWhatIsLoggedIfNobodyElseWantsTheErrors(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	synctest.Test(t, func(t *testing.T) {
		s := (&script{}).list("5")
		for range 100 {
			s.watch(10*time.Minute, io.EOF) // a normal end
		}
		for range 100 {
			s.watch(&apiStatus{500})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		o := preferList
		o.Logger, o.Silence, o.Backoff = logger, -1, Backoff{Base: 10 * time.Second, Max: 10 * time.Second}
		require.NoError(t, New[*pod](s, newLedger(), o).Run(ctx))
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Equal(t, `level=WARN msg="Cannot keep up with a source" source=*reflector.pod reason="server error" err="watch *reflector.pod from version 5: it answered 500"`, lines[0])
	require.Regexp(t, `more=[2-5]$`, lines[1])
	require.Less(t, len(lines), 40)
	require.Greater(t, len(lines), 10)
}

// Each field of State in each phase.
func TestStateSaysWhatIsGoingOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		o := Options[*pod]{Name: "pods", WatchErrorHandler: func(context.Context, error) {}, Backoff: Backoff{Base: time.Minute}}
		r := New[*pod]((&script{}).watch(&apiStatus{403}).watch(time.Second, added("a", "1"), time.Second, bookmark("5", true), time.Second, modified("a", "6"), time.Second, bookmark("7"), time.Minute, &apiStatus{410}).watch(),
			newLedger(), o)
		require.Equal(t, State{Name: "pods", Phase: Idle}, r.State())
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = r.Run(ctx) })
		defer running.Wait()
		defer cancel()
		synctest.Wait()
		s := r.State()
		require.ErrorContains(t, s.Err, "watch pods: it answered 403")
		require.WithinRange(t, s.RetryAt, begun.Add(time.Minute), begun.Add(2*time.Minute))
		s.Err, s.RetryAt = nil, time.Time{}
		require.Equal(t, State{Name: "pods", Phase: Waiting, Mode: WatchList, Since: begun, Failures: 1}, s)

		time.Sleep(time.Until(r.State().RetryAt))
		synctest.Wait()
		opened := time.Now()
		s = r.State()
		require.Equal(t, Streaming, s.Phase)
		require.Zero(t, s.RetryAt)
		require.Error(t, s.Err, "as nothing has come yet")
		time.Sleep(4*time.Second + time.Millisecond)
		s = r.State()
		require.Equal(t, Watching, s.Phase)
		require.Equal(t, "7", s.Version)
		require.Equal(t, opened.Add(3*time.Second).UnixNano(), s.LastEvent.UnixNano())
		require.Equal(t, opened.Add(4*time.Second).UnixNano(), s.LastBookmark.UnixNano())
		require.Error(t, s.Err)
		require.Equal(t, begun, s.Since)
		time.Sleep(50 * time.Second)
		require.Error(t, r.State().Err, "the last wait was longer than that")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s = r.State()
		require.Equal(t, Waiting, s.Phase)
		require.Equal(t, 1, s.Relists)
		require.Equal(t, "expired: it answered 410", s.RelistReason)
		require.Equal(t, "7", s.Version, "what the store has")
		cancel()
		synctest.Wait()
		require.Equal(t, Stopped, r.State().Phase)
	})
}

// A watch that ended before its time may have been ended by the restore of a
// backup: the source is asked. One that lasted as long as it was to is followed
// by the next at once.
func TestAfterWhichWatchesTheSourceIsAsked(t *testing.T) {
	o := preferList
	o.Silence = -1
	p := play(t, (&script{}).list("5").watch(9*time.Second, io.EOF).watch(9*time.Minute+30*time.Second, bookmark("6"), time.Minute, io.EOF).watch(errReset).watch(), newLedger(), o, time.Hour)
	require.Equal(t, "list, watch@5, list@5 limit=1, watch@5, watch@6, list@6 limit=1, watch@6", p.requests())
}

// Promise: "The source is in order again when a watch has been open for ten
// seconds": also when it has nothing to say.
func TestHealthNeedsNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := preferList
		o.WatchErrorHandler = func(context.Context, error) {}
		r := New[*pod]((&script{}).list("5").watch(errReset).watch(), newLedger(), o)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = r.Run(ctx) })
		defer running.Wait()
		defer cancel()
		time.Sleep(5 * time.Second)
		require.Equal(t, Watching, r.State().Phase)
		require.Error(t, r.State().Err)
		time.Sleep(10 * time.Second)
		require.NoError(t, r.State().Err)
		require.Zero(t, r.State().Failures)
		require.Zero(t, r.State().Since)
	})
}
