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
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// runUntilBlocked runs a reflector in a synctest bubble, and calls test once all
// goroutines are blocked.
func runUntilBlocked(t *testing.T, source listwatch.ListerWatcher[*pod], o Options[*pod], test func(*testing.T, *Reflector[*pod])) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := New[*pod](source, newRecorder(), o)
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		synctest.Wait()
		test(t, r)
		cancel()
		require.NoError(t, <-ended)
	})
}

// itemsOf returns the items of a list: pods and errors.
func itemsOf(items ...any) iter.Seq2[*pod, error] {
	return func(yield func(*pod, error) bool) {
		for _, item := range items {
			p, _ := item.(*pod)
			err, _ := item.(error)
			if !yield(p, err) {
				return
			}
		}
	}
}

func undecodableItem(typ watch.EventType, name string) *listwatch.ItemError {
	return &listwatch.ItemError{Type: typ, Name: name, Err: errors.New(name + " is broken")}
}

var listWithoutReports = Options[*pod]{PreferList: true, WatchErrorHandler: func(context.Context, error) {}}

// Promise: State describes the objects of the list that the store lacks, until
// each of them is decoded or deleted.
func TestStateHasUndecodableObjectsOfTheList(t *testing.T) {
	requireUndecodable := func(t *testing.T, r *Reflector[*pod], n int, text string) {
		t.Helper()
		s := r.State()
		require.Equal(t, n, s.ListUndecodable)
		if text == "" {
			require.NoError(t, s.ListErr)
			return
		}
		require.ErrorContains(t, s.ListErr, text)
		var item *listwatch.ItemError
		require.ErrorAs(t, s.ListErr, &item)
	}
	changes := []any{
		time.Second, modified("a", "6"), time.Second, undecodableItem(watch.Modified, "b"),
		time.Second, modified("b", "8"), time.Second, deleted("c", "9"), time.Second, bookmark("10"),
	}
	steps := func(t *testing.T, r *Reflector[*pod]) {
		for _, left := range []int{2, 2, 2, 1, 0} {
			text := "decode b: b is broken"
			if left == 0 {
				text = ""
			}
			requireUndecodable(t, r, left, text)
			time.Sleep(time.Second)
			synctest.Wait()
		}
	}
	t.Run("list", func(t *testing.T) {
		s := (&scriptedSource{}).items("5", itemsOf(newPod("a", "1"), undecodableItem("", "b"), undecodableItem("", "c"))).watch(changes...)
		runUntilBlocked(t, s, listWithoutReports, func(t *testing.T, r *Reflector[*pod]) { steps(t, r) })
	})
	t.Run("stream", func(t *testing.T) {
		initial := []any{added("a", "1"), &listwatch.ItemError{Type: watch.Added, Name: "b", Err: errors.New("b is broken")}, undecodableItem(watch.Added, "c"), bookmark("5", true)}
		o := listWithoutReports
		o.PreferList = false
		runUntilBlocked(t, (&scriptedSource{}).watch(append(initial, changes...)...), o, func(t *testing.T, r *Reflector[*pod]) {
			require.ErrorContains(t, r.State().ListErr, "decode ADDED event of b: b is broken")
			require.Equal(t, 2, r.State().ListUndecodable)
			time.Sleep(time.Minute)
			synctest.Wait()
			requireUndecodable(t, r, 0, "")
		})
	})
	t.Run("relist", func(t *testing.T) {
		s := (&scriptedSource{}).items("5", itemsOf(newPod("a", "1"), nil, undecodableItem("", ""))).watch(time.Second, &apiStatus{410}).list("7", newPod("a", "1"))
		runUntilBlocked(t, s, listWithoutReports, func(t *testing.T, r *Reflector[*pod]) {
			require.Equal(t, 2, r.State().ListUndecodable, "a nil object and an object without a name")
			require.ErrorIs(t, r.State().ListErr, errNilObject)
			time.Sleep(time.Minute)
			synctest.Wait()
			requireUndecodable(t, r, 0, "")
		})
	})
	t.Run("interrupted list", func(t *testing.T) {
		s := (&scriptedSource{}).items("5", itemsOf(undecodableItem("", "b"), io.ErrUnexpectedEOF)).list("5", newPod("a", "1"))
		runUntilBlocked(t, s, listWithoutReports, func(t *testing.T, r *Reflector[*pod]) {
			requireUndecodable(t, r, 0, "")
			time.Sleep(time.Minute)
			synctest.Wait()
			requireUndecodable(t, r, 0, "")
		})
	})
	t.Run("restarted list", func(t *testing.T) {
		s := (&scriptedSource{}).items("5", itemsOf(undecodableItem("", "b"), rest.ErrRestarted, undecodableItem("", "c"), newPod("b", "2")))
		runUntilBlocked(t, s, listWithoutReports, func(t *testing.T, r *Reflector[*pod]) {
			require.Equal(t, 1, r.State().ListUndecodable)
			require.ErrorContains(t, r.State().ListErr, "decode c")
		})
	})
	t.Run("many undecodable objects", func(t *testing.T) {
		var items []any
		for i := range 3 * maxUndecodedKeys {
			items = append(items, undecodableItem("", fmt.Sprint(i)))
		}
		runUntilBlocked(t, (&scriptedSource{}).items("5", itemsOf(items...)), listWithoutReports, func(t *testing.T, r *Reflector[*pod]) {
			require.Equal(t, 3*maxUndecodedKeys, r.State().ListUndecodable)
			require.Len(t, r.undecoded.keys, maxUndecodedKeys)
		})
	})
}

// Promise: texts from the source are bounded, even if the source does not bound
// them.
func TestTextsFromTheSourceAreBounded(t *testing.T) {
	long := strings.Repeat("7", 20<<20)
	for name, s := range map[string]*scriptedSource{
		"error":                (&scriptedSource{}).items("5", itemsOf(errors.New(long))),
		"watch":                (&scriptedSource{}).list("5").watch(time.Second, errors.New(long)),
		"relist":               (&scriptedSource{}).list("5").watch(&longStatus{apiStatus{410}, long}).list("6"),
		"list version":         (&scriptedSource{}).list(long),
		"event version":        (&scriptedSource{}).list("5").watch(added("a", long)),
		"item version":         (&scriptedSource{}).list("5").watch(&listwatch.ItemError{Type: watch.Modified, Name: "a", ResourceVersion: long, Err: io.EOF}),
		"stream bookmark":      (&scriptedSource{}).watch(added("a", "1"), bookmark(long, true)),
		"stream error":         (&scriptedSource{}).watch(errors.New(long)).list("5"),
		"stream event version": (&scriptedSource{}).watch(added("a", long), bookmark("5", true)),
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			o := Options[*pod]{Logger: slog.New(slog.NewTextHandler(&log, nil)), PreferList: !strings.HasPrefix(name, "stream")}
			var reported []error
			report := DefaultWatchErrorHandler("pods", o.Logger)
			o.WatchErrorHandler = func(ctx context.Context, err error) {
				reported = append(reported, err)
				report(ctx, err)
			}
			runUntilBlocked(t, s, o, func(t *testing.T, r *Reflector[*pod]) {
				time.Sleep(5 * time.Second)
				synctest.Wait()
				state := fmt.Sprintf("%+v", r.State())
				require.LessOrEqual(t, len(state), 4*maxErrorLength)
				require.LessOrEqual(t, len(r.LastSyncResourceVersion()), maxVersionLength)
			})
			require.NotEmpty(t, reported)
			for _, err := range reported {
				require.LessOrEqual(t, len(err.Error()), maxErrorLength+len("..."))
			}
			require.LessOrEqual(t, log.Len(), 4*maxErrorLength)
		})
	}
}

// longStatus is a Status with a long message.
type longStatus struct {
	apiStatus
	text string
}

func (s *longStatus) Error() string { return s.text }

func TestLogLineHasTheFailureAndTheNextAttempt(t *testing.T) {
	synctest.Test(t, logLines)
}

func logLines(t *testing.T) {
	var log bytes.Buffer
	report := DefaultWatchErrorHandler("pods -n a", slog.New(slog.NewTextHandler(&log, nil)))
	for _, c := range []struct {
		err  error
		want string
	}{
		{&Error{Name: "pods -n a", Verb: "list", Reason: ReasonForbidden, Err: errors.New("list pods in namespace a: no"), RetryAt: time.Now().Add(time.Hour)},
			`source="pods -n a" verb=list reason=forbidden err="list pods -n a: no" retry="in 1h0m0s"`},
		{&Error{Name: "pods -n a", Verb: "watch", Reason: ReasonNoInitialEventsEnd, Err: errNoInitialEventsEnd}, `verb=watch reason="no initial-events-end" err="watch pods -n a: the bookmark that ends the initial events was not received within 30s" retry=immediately`},
		{&Error{Name: "pods -n a", Verb: "list", Reason: ReasonUndecodable, Err: undecodableItem("", "b")}, `verb=list reason=undecodable err="list pods -n a: decode b: b is broken" retry="when the object changes"`},
		{errors.New("an error of another type"), `source="pods -n a" reason=other err="an error of another type"`},
	} {
		log.Reset()
		report(t.Context(), c.err)
		require.Contains(t, log.String(), c.want)
	}
}

// Promise: a failure has the time of the next attempt, in State and for the
// handler.
func TestErrorHasTheTimeOfTheNextAttempt(t *testing.T) {
	var reported []error
	o := Options[*pod]{WatchErrorHandler: func(_ context.Context, err error) { reported = append(reported, err) }, Backoff: Backoff{Base: 10 * time.Second, Jitter: -1}}
	s := (&scriptedSource{}).watch(&apiStatus{422}).items("5", itemsOf(&apiStatus{500}))
	runUntilBlocked(t, s, o, func(t *testing.T, r *Reflector[*pod]) {
		require.Len(t, reported, 2)
		var stream, list *Error
		require.ErrorAs(t, reported[0], &stream)
		require.ErrorAs(t, reported[1], &list)
		require.Zero(t, stream.RetryAt, "the list is requested immediately")
		require.Equal(t, time.Now().Add(10*time.Second), list.RetryAt)
		require.Equal(t, list.RetryAt, r.State().RetryAt)
	})
}

// Promise: reflectors of one resource in two namespaces have different names.
func TestNameHasTheNamespace(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://localhost:1"})
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*configMap](client, configMaps)
	name := func(source listwatch.ListerWatcher[*configMap]) string {
		return New[*configMap](source, nil, Options[*configMap]{}).State().Name
	}
	require.Equal(t, "configmaps", name(view))
	require.Equal(t, "configmaps -n a", name(view.Namespace("a")))
	require.Equal(t, "configmaps -n b", name(view.Namespace("b")))
}

// Promise: an error that a retry cannot fix ends Run before the first request.
func TestRunReturnsErrorsOfCheck(t *testing.T) {
	s := (&scriptedSource{}).list("5")
	wrong := listwatch.Modify[*pod](s, func(o *metav1.ListOptions) { o.LabelSelector = "a in (" })
	err := New[*pod](wrong, newRecorder(), listWithoutReports).Run(t.Context())
	require.ErrorIs(t, err, listwatch.ErrSelector)
	require.ErrorContains(t, err, `reflector of *reflector.pod: the selector does not parse: LabelSelector "a in (": `)
	require.Empty(t, s.requests())
}
