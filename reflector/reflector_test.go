package reflector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"regexp"
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

// The store receives the initial state and then each change, with the expected
// requests.
func TestStoreReceivesStateAndChanges(t *testing.T) {
	p := runScript(t, (&scriptedSource{}).watch(added("a", "3"), added("b", "2"), bookmark("5", true), modified("a", "6"), deleted("b", "7"), bookmark("9")),
		newRecorder(), Options[*pod]{}, time.Minute)
	require.Equal(t, "replace [a b] @5, update a, delete b, @9", p.calls())
	require.Equal(t, "watch all", p.requests())
	require.Equal(t, "9", p.r.LastSyncResourceVersion())

	p = runScript(t, (&scriptedSource{}).list("5", newPod("a", "3"), newPod("b", "2")).watch(added("c", "6"), bookmark("9"), 10*time.Minute, io.EOF),
		newRecorder(), preferList, 11*time.Minute)
	require.Equal(t, "replace [a b] @5, add c, @9", p.calls())
	require.Equal(t, "list, watch@5, watch@9, list@9 limit=1, watch@9, list@9 limit=1, watch@9, list@9 limit=1", p.requests(), "each idle watch is replaced")
	require.Empty(t, p.errorTexts())
}

// Changes that a stream delivers before its final bookmark reach the store
// after the initial state.
func TestChangesBeforeTheFinalBookmarkAreHeld(t *testing.T) {
	l := newRecorder()
	p := runScriptOn(t, (&scriptedSource{}).watch(added("a", "3"), added("b", "2"), modified("a", "6"), added("c", "7"), deleted("b", "8"),
		undecodable(watch.Deleted, "a", "9"), bookmark("9", true), modified("c", "10")),
		l, recorderWithKnown{l}, Options[*pod]{}, time.Minute)
	require.Equal(t, "replace [a b] @3, update a, add c, delete b, delete a, @9, update c", p.calls())
	require.Equal(t, "watch pods: decode DELETED event of a: invalid object", strings.ReplaceAll(p.errorTexts(), "*reflector.pod", "pods"))
}

// A list that restarts is not requested again, and its earlier items are
// discarded.
func TestItemsBeforeARestartOfTheListAreDiscarded(t *testing.T) {
	p := runScript(t, (&scriptedSource{}).items("7", func(yield func(*pod, error) bool) {
		_ = yield(newPod("old-a", "1"), nil) && yield(nil, listwatch.ErrRestarted) && yield(newPod("old-b", "2"), nil) &&
			yield(nil, listwatch.ErrRestarted) && yield(newPod("a", "3"), nil) && yield(newPod("b", "4"), nil)
	}), newRecorder(), preferList, time.Minute)
	require.Equal(t, "replace [a b] @7", p.calls())
	require.Equal(t, "list, watch@7", p.requests())
	require.Empty(t, p.errorTexts())
}

func TestUndecodableObjectAffectsOnlyItself(t *testing.T) {
	items := func(yield func(*pod, error) bool) {
		_ = yield(newPod("a", "8"), nil) && yield(nil, undecodable("", "b", "8")) && yield(nil, undecodable("", "new", "8"))
	}
	again := (&scriptedSource{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(&apiStatus{410}).items("9", items).
		watch(undecodable(watch.Modified, "a", "10"), undecodable(watch.Deleted, "b", "11"), undecodable(watch.Deleted, "unknown", "12"))
	l := newRecorder()
	p := runScriptOn(t, again, l, recorderWithKnown{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a b] @9, @10, delete b, @12", p.calls(), "b keeps its last decodable state until it is deleted")
	require.EqualValues(t, 5, p.r.State().Undecodable)
	require.Equal(t, 1, p.r.State().Relists)
	require.Contains(t, p.errorTexts(), "list *reflector.pod: decode b: invalid object; list *reflector.pod: decode new: invalid object; watch *reflector.pod from version 9: decode MODIFIED event of a")

	// An object with the same name and another UID is another object.
	l = newRecorder()
	other := newPod("b", "2")
	other.UID = "another"
	runScriptOn(t, (&scriptedSource{}).list("5", newPod("a", "1"), other).watch(&apiStatus{410}).items("9", items), l, recorderWithKnown{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a] @9", l.calls())

	// A store without Known loses the object in a list, and a deletion causes a
	// relist.
	p = runScript(t, (&scriptedSource{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(undecodable(watch.Modified, "b", "6"), undecodable(watch.Deleted, "b", "7")).items("9", items),
		newRecorder(), preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, @6, replace [a] @9", p.calls())
	require.Contains(t, p.r.State().RelistReason, "undecodable")
}

// A deletion must reach the store even if the name of the object cannot be
// decoded.
func TestUndecodableDeletionWithoutANameCausesARelist(t *testing.T) {
	l := newRecorder()
	p := runScriptOn(t, (&scriptedSource{}).list("5", newPod("a", "1"), newPod("b", "2")).watch(undecodable(watch.Deleted, "", "6")).list("6", newPod("a", "1")).watch(),
		l, recorderWithKnown{l}, preferList, time.Minute)
	require.Equal(t, "replace [a b] @5, replace [a] @6", p.calls())
	require.Equal(t, 1, p.r.State().Relists)
}

// Without versions, changes between two watches are unknown.
func TestSourceWithoutVersionsIsListedAfterEachWatch(t *testing.T) {
	for _, none := range []string{"", "0"} {
		s := (&scriptedSource{}).list(none, newPod("a", ""), newPod("b", "")).watch(added("c", ""), time.Minute, io.EOF).
			list(none, newPod("a", ""), newPod("c", "")).watch(errReset).list(none, newPod("c", "")).watch()
		p := runScript(t, s, newRecorder(), preferList, 2*time.Minute)
		require.Equal(t, "replace [a b] @"+none+", add c, replace [a c] @"+none+", replace [c] @"+none, p.calls())
		require.Contains(t, p.errorTexts(), errNoVersion.Error())
	}
}

// After "too large" the server may have been set back, even if its next list
// has a newer version.
func TestVersionsAreInvalidatedAfterTooLarge(t *testing.T) {
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	for name, c := range map[string]struct {
		after error
		want  string
	}{
		"too large": {tooLarge, "replace [] @5, invalidate, replace [] @9, replace [] @11"},
		"expired":   {&apiStatus{410}, "replace [] @5, replace [] @9, replace [] @11"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newRecorder()
			runScriptOn(t, (&scriptedSource{}).list("5").watch(c.after).list("9").watch(&apiStatus{410}).list("11").watch(), l, recorderWithInvalidation{l}, preferList, time.Minute)
			require.Equal(t, c.want, l.calls())
		})
	}
}

type recorderWithInvalidation struct{ *recorder }

func (d recorderWithInvalidation) InvalidateVersions() { d.lines = append(d.lines, "invalidate") }

// A source may deliver new objects as if they belonged to the initial state,
// without a final bookmark.
func TestStreamOfNewObjectsWithoutAFinalBookmarkFallsBackToAList(t *testing.T) {
	var forever []any
	for i := range 1000 {
		forever = append(forever, time.Second, added("a", fmt.Sprint(i+1)))
	}
	p := runScript(t, (&scriptedSource{}).watch(forever...).list("400", newPod("a", "399")).watch(), newRecorder(), Options[*pod]{}, 10*time.Minute)
	require.Equal(t, "replace [a] @400", p.calls())
	require.Equal(t, errLongStream.Error(), p.r.listReason())
}

func TestErrorOfTheStoreCausesARelist(t *testing.T) {
	failed := errors.New("disk full")
	l := newRecorder()
	l.fails["add c"], l.fails["add d"] = failed, &itemOnly{failed}
	p := runScript(t, (&scriptedSource{}).list("5").watch(added("d", "6"), added("c", "7"), added("e", "8")).list("9", newPod("c", "7")).watch(), l, preferList, time.Minute)
	require.Equal(t, "replace [] @5, add d, add c, replace [c] @9", p.calls(), "an ItemOnly error does not cause a relist")
	require.Equal(t, "watch *reflector.pod from version 6: ADDED at version 7: disk full", firstLine(p.errs[1].Error()))
	require.ErrorIs(t, p.errs[1], failed)
	require.Contains(t, p.r.State().RelistReason, "store failed")

	l = newRecorder()
	l.fails["replace [] @5"] = failed
	p = runScript(t, (&scriptedSource{}).list("5").list("6"), l, preferList, time.Minute)
	require.Equal(t, "replace [] @5, replace [] @6", p.calls())
	require.Contains(t, p.errorTexts(), "disk full")

	lazy := &nonReadingStore{recorder: newRecorder()}
	p = runScriptOn(t, (&scriptedSource{}).list("5", newPod("a", "1")), lazy.recorder, lazy, preferList, time.Second/2)
	require.Contains(t, p.errorTexts(), "did not read all items")
	require.Empty(t, p.r.LastSyncResourceVersion())
}

type itemOnly struct{ error }

func (itemOnly) ItemOnly() bool { return true }

type nonReadingStore struct{ *recorder }

func (*nonReadingStore) Replace(iter.Seq2[*pod, error], func() string) error {
	return nil
}

func TestFilterIsAppliedBeforeTheStore(t *testing.T) {
	o := Options[*pod]{Filter: func(p *pod) bool {
		if p.label == "panic" {
			panic("failed")
		}
		return p.label != "no"
	}}
	withLabel := func(e listwatch.Event[*pod], label string) listwatch.Event[*pod] {
		e.Object.label = label
		return e
	}
	l := newRecorder()
	p := runScriptOn(t, (&scriptedSource{}).watch(added("a", "1"), withLabel(added("b", "2"), "no"), withLabel(added("c", "3"), "panic"), bookmark("3", true),
		withLabel(modified("a", "4"), "no"), withLabel(added("d", "5"), "no"), modified("b", "6"), withLabel(modified("b", "7"), "panic"), withLabel(deleted("b", "8"), "no")),
		l, recorderWithKnown{l}, o, time.Minute)
	require.Equal(t, "replace [a] @3, delete a, delete d, update b, @7, delete b", p.calls())
	require.Equal(t, `filter *reflector.pod: "c": panic in Filter: failed; filter *reflector.pod: "b": panic in Filter: failed`, p.errorTexts())
}

// Invalid behavior of a source is reported, and the next attempt succeeds.
func TestInvalidBehaviorOfASourceIsAnError(t *testing.T) {
	type answers = func(s *scriptedSource)
	for name, c := range map[string]struct {
		source answers
		says   string
	}{
		"no list":  {func(s *scriptedSource) { s.lists = append(s.lists, noList) }, "the source returned a nil list"},
		"no watch": {func(s *scriptedSource) { s.list("1"); s.watches = append(s.watches, noWatch) }, "the source returned a nil watch"},
		"List panics": {func(s *scriptedSource) {
			s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) { panic("failed") })
		}, "panic in List: failed"},
		"Watch panics": {func(s *scriptedSource) {
			s.list("1")
			s.watches = append(s.watches, func(context.Context) (*listwatch.Watch[*pod], error) { panic(io.ErrClosedPipe) })
		}, "panic in Watch: io: read/write on closed pipe"},
		"Items panics": {func(s *scriptedSource) { s.items("1", func(func(*pod, error) bool) { panic("failed") }) }, "panic in Items: failed"},
		"nil items":    {func(s *scriptedSource) { s.items("1", nil) }, "panic in Items"},
		"nil version": {func(s *scriptedSource) {
			s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) {
				return rest.NewList(rest.ListOf[*pod]("1").Items(), nil), nil
			})
		}, "panic in ResourceVersion"},
		"Next panics": {func(s *scriptedSource) { s.list("1").watch(func() { panic("failed") }) }, "panic in Next: failed"},
		"nil item":    {func(s *scriptedSource) { s.list("1", nil, newPod("c", "1")) }, "the event's object is nil"},
		"nil object": {func(s *scriptedSource) {
			s.list("1").watch(listwatch.Event[*pod]{Type: watch.Added, ResourceVersion: "2"})
		}, `ADDED event of version "2": the event's object is nil`},
		"unknown event type": {func(s *scriptedSource) {
			s.list("1").watch(listwatch.Event[*pod]{Type: "RENAMED", Object: newPod("a", "2"), ResourceVersion: "2"})
		}, `unknown event type: "RENAMED"`},
		"ERROR event": {func(s *scriptedSource) { s.list("1").watch(listwatch.Event[*pod]{Type: watch.Error}) }, `unknown event type: "ERROR"`},
		"interrupted list": {func(s *scriptedSource) {
			s.items("1", func(yield func(*pod, error) bool) { _ = yield(newPod("a", "1"), nil) && yield(nil, errReset) })
		}, "unexpected EOF"},
		"consumed list": {func(s *scriptedSource) { s.lists = append(s.lists, consumedList) }, rest.ErrListConsumed.Error()},
		"Stop panics": {func(s *scriptedSource) {
			s.list("1")
			s.watches = append(s.watches, func(context.Context) (*listwatch.Watch[*pod], error) {
				return rest.NewWatch(func(context.Context) (listwatch.Event[*pod], error) { return listwatch.Event[*pod]{}, io.EOF }, func() { panic("failed") }), nil
			})
		}, "panic in Stop: failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scriptedSource{}
			c.source(s)
			l := newRecorder()
			p := runScript(t, s.list("9", newPod("b", "8")).list("9", newPod("b", "8")), l, preferList, 10*time.Second)
			require.Contains(t, p.errorTexts(), c.says)
			require.NotContains(t, l.calls(), "replace [a]", "no item of an interrupted list is visible")
		})
	}
}

func noList(context.Context) (*listwatch.List[*pod], error)   { return nil, nil }
func noWatch(context.Context) (*listwatch.Watch[*pod], error) { return nil, nil }

func consumedList(context.Context) (*listwatch.List[*pod], error) {
	list := rest.ListOf("1", newPod("a", "1"))
	_, err := list.Slice()
	return list, err
}

func TestPanicOfTheStoreIsNotRecovered(t *testing.T) {
	l := newRecorder()
	l.busy = true
	r := New[*pod]((&scriptedSource{}).list("1").watch(added("a", "2")), panickingStore{l}, preferList)
	require.PanicsWithValue(t, "the store is broken", func() { _ = r.Run(t.Context()) })
}

type panickingStore struct{ *recorder }

func (panickingStore) Replace(items iter.Seq2[*pod, error], _ func() string) error {
	for range items {
	}
	panic("the store is broken")
}

func TestInvalidArguments(t *testing.T) {
	source, store := &scriptedSource{}, newRecorder()
	require.ErrorIs(t, New[*pod](nil, store, Options[*pod]{}).Run(t.Context()), ErrNoSource)
	require.ErrorIs(t, New[*pod]((*scriptedSource)(nil), store, Options[*pod]{}).Run(t.Context()), ErrNoSource)
	require.ErrorIs(t, New[*pod](source, nil, Options[*pod]{}).ListAndWatch(t.Context()), ErrNoStore)
	require.ErrorIs(t, New[*pod](source, (*recorder)(nil), Options[*pod]{}).Run(t.Context()), ErrNoStore)
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

// Promise: Run may be called again after it has returned.
func TestSecondRunReadsTheStateAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := (&scriptedSource{}).list("5", newPod("a", "1")).watch().list("7", newPod("b", "6")).watch(), newRecorder()
		r := New[*pod](s, l, preferList)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			require.NoError(t, r.Run(ctx))
			cancel()
		}
		require.Equal(t, "replace [a] @5, replace [b] @7", l.calls())
		require.Equal(t, 1, r.State().Relists)
	})
}

// Promise: ListAndWatch returns an error when the state has to be read again,
// and nil when its context is done.
func TestListAndWatchReadsTheStateOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := preferList
		o.WatchErrorHandler = func(context.Context, error) {}
		s, l := (&scriptedSource{}).list("5").watch(errReset).watch(added("a", "6"), &apiStatus{410}).list("7").watch(), newRecorder()
		r := New[*pod](s, l, o)
		err := r.ListAndWatch(t.Context())
		known := &Error{}
		require.ErrorAs(t, err, &known)
		require.Equal(t, ReasonExpired, known.Reason)
		require.Equal(t, "replace [] @5, add a", l.calls(), "an interrupted watch is resumed")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, r.ListAndWatch(ctx))
	})
}

// Promise: every wait ends immediately with the context.
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
		source func() *scriptedSource
		o      Options[*pod]
		phase  Phase
	}{
		"list without a response":         {func() *scriptedSource { return &scriptedSource{lists: sliceOf(hangingList)} }, preferList, PhaseListing},
		"list without an end":             {func() *scriptedSource { return &scriptedSource{lists: sliceOf(hangingItems)} }, preferList, PhaseListing},
		"stream without a response":       {func() *scriptedSource { return &scriptedSource{watches: sliceOf(hangingWatch)} }, Options[*pod]{}, PhaseStreaming},
		"stream without a final bookmark": {func() *scriptedSource { return (&scriptedSource{}).watch(added("a", "1")) }, Options[*pod]{}, PhaseStreaming},
		"watch without a response":        {func() *scriptedSource { return (&scriptedSource{watches: sliceOf(hangingWatch)}).list("1") }, preferList, PhaseWatching},
		"watch without events":            {func() *scriptedSource { return (&scriptedSource{}).list("1").watch() }, preferList, PhaseWatching},
		"wait after a failure":            {func() *scriptedSource { return (&scriptedSource{}).watch(&apiStatus{403}) }, Options[*pod]{}, PhaseWaiting},
	} {
		for _, resync := range []time.Duration{0, time.Hour} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c.o.WatchErrorHandler = func(context.Context, error) {}
					c.o.ResyncPeriod = resync
					r := New[*pod](c.source(), newRecorder(), c.o)
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

func sliceOf[F any](f F) []F { return []F{f} }

// Promise: Resync is called periodically, never concurrently with another
// method of the store, and causes no request.
func TestResyncIsSerializedAndSendsNoRequest(t *testing.T) {
	o := preferList
	o.ResyncPeriod = time.Minute
	slow := func(yield func(*pod, error) bool) {
		time.Sleep(90 * time.Second)
		yield(newPod("a", "1"), nil)
	}
	l := newRecorder()
	l.fails["resync"] = errors.New("no")
	p := runScript(t, (&scriptedSource{}).items("5", slow).watch(61*time.Second, &apiStatus{410}).items("9", slow).watch(), l, o, 6*time.Minute)
	require.Equal(t, "replace [a] @5, resync, replace [a] @9, resync, resync", p.calls(), "Resync waits until Replace returns")
	require.Equal(t, "list, watch@5, list, watch@9", p.requests())
	require.Contains(t, p.errorTexts(), "resync *reflector.pod: no")
}

// List options that the reflector does not set reach the source.
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
		require.NoError(t, New(source, Store[*pod](newRecorder()), Options[*pod]{WatchErrorHandler: func(context.Context, error) {}}).Run(ctx))
	})
	require.Len(t, asked, 3, "requests of a stream, a list and a watch")
	for _, o := range asked {
		require.NotEmpty(t, o.ShardSelector)
		require.Equal(t, "a=b", o.LabelSelector)
	}
}

// The first error of a kind is logged, and then at most one per minute with the
// number of suppressed ones.
func TestErrorsAreLoggedOncePerMinuteWithoutAHandler(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	synctest.Test(t, func(t *testing.T) {
		s := (&scriptedSource{}).list("5")
		for range 100 {
			s.watch(10*time.Minute, io.EOF) // a normal end
		}
		for range 100 {
			s.watch(&apiStatus{403})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		o := preferList
		o.Logger, o.IdleTimeout, o.Backoff = logger, -1, Backoff{Base: 10 * time.Second, Max: 10 * time.Second}
		require.NoError(t, New[*pod](s, newRecorder(), o).Run(ctx))
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Regexp(t, regexp.QuoteMeta(`level=WARN msg="List or watch failed" source=*reflector.pod verb=watch reason=forbidden err="watch *reflector.pod from version 5: the server responded with 403" retry="in 1`)+`\d(\.\d+)?s"$`, lines[0])
	require.Regexp(t, `suppressed=[2-5]$`, lines[1])
	require.Less(t, len(lines), 40)
	require.Greater(t, len(lines), 10)
}

func TestStateInEachPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		o := Options[*pod]{Name: "pods", WatchErrorHandler: func(context.Context, error) {}, Backoff: Backoff{Base: time.Minute}}
		r := New[*pod]((&scriptedSource{}).watch(&apiStatus{403}).watch(time.Second, added("a", "1"), time.Second, bookmark("5", true), time.Second, modified("a", "6"), time.Second, bookmark("7"), time.Minute, &apiStatus{410}).watch(),
			newRecorder(), o)
		require.Equal(t, State{Name: "pods", Phase: PhaseIdle}, r.State())
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = r.Run(ctx) })
		defer running.Wait()
		defer cancel()
		synctest.Wait()
		s := r.State()
		require.ErrorContains(t, s.Err, "watch pods: the server responded with 403")
		require.WithinRange(t, s.RetryAt, begun.Add(time.Minute), begun.Add(2*time.Minute))
		s.Err, s.RetryAt = nil, time.Time{}
		require.Equal(t, State{Name: "pods", Phase: PhaseWaiting, Mode: ModeWatchList, Since: begun, Failures: 1}, s)

		time.Sleep(time.Until(r.State().RetryAt))
		synctest.Wait()
		opened := time.Now()
		s = r.State()
		require.Equal(t, PhaseStreaming, s.Phase)
		require.Zero(t, s.RetryAt)
		require.Error(t, s.Err, "no event has been received since the failure")
		require.False(t, s.Recovering)
		time.Sleep(4*time.Second + time.Millisecond)
		s = r.State()
		require.Equal(t, PhaseWatching, s.Phase)
		require.Equal(t, "7", s.Version)
		require.Equal(t, opened.Add(3*time.Second).UnixNano(), s.LastEvent.UnixNano())
		require.Equal(t, opened.Add(4*time.Second).UnixNano(), s.LastBookmark.UnixNano())
		require.Error(t, s.Err)
		require.Equal(t, begun, s.Since)
		require.True(t, s.Recovering)
		time.Sleep(5 * time.Second)
		require.Error(t, r.State().Err)
		time.Sleep(5 * time.Second)
		require.NoError(t, r.State().Err, "the source is healthy after ten seconds")
		require.False(t, r.State().Recovering)
		time.Sleep(50 * time.Second)
		synctest.Wait()
		s = r.State()
		require.Equal(t, PhaseStreaming, s.Phase, "a 410 is retried without a wait")
		require.Equal(t, 1, s.Relists)
		require.Equal(t, "expired: the server responded with 410", s.RelistReason)
		require.Equal(t, "7", s.Version, "the version of the store")
		cancel()
		synctest.Wait()
		require.Equal(t, PhaseStopped, r.State().Phase)
	})
}

// The version is checked once after a failed attempt, and not after a watch
// that the server has ended.
func TestVersionIsCheckedAfterAFailedAttemptOnly(t *testing.T) {
	o := preferList
	o.IdleTimeout = -1
	s := (&scriptedSource{}).list("5").watch(9*time.Second, io.EOF).watch(9*time.Minute+30*time.Second, bookmark("6"), time.Minute, io.EOF).watch(2*time.Second, errReset)
	s.watches = append(s.watches, func(context.Context) (*listwatch.Watch[*pod], error) { return nil, errReset })
	p := runScript(t, s.watch(), newRecorder(), o, time.Hour)
	require.Equal(t, "list, watch@5, watch@5, watch@6, watch@6, watch@6, list@6 limit=1", p.requests())
}

// Promise: the source is healthy when watches have been open for ten seconds,
// even without events.
func TestSourceIsHealthyWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := preferList
		o.WatchErrorHandler = func(context.Context, error) {}
		r := New[*pod]((&scriptedSource{}).list("5").watch(errReset).watch(), newRecorder(), o)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = r.Run(ctx) })
		defer running.Wait()
		defer cancel()
		time.Sleep(5 * time.Second)
		require.Equal(t, PhaseWatching, r.State().Phase)
		require.Error(t, r.State().Err)
		time.Sleep(10 * time.Second)
		require.NoError(t, r.State().Err)
		require.Zero(t, r.State().Failures)
		require.Zero(t, r.State().Since)
	})
}
