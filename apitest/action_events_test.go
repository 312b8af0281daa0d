package apitest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// A watch of config maps in which each kind of frame occurs: two initial
// events, the bookmark that ends them, and changes with bookmarks between.
const streamed = "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=600"

// watchWithFault runs a test in a bubble, with a server with two objects and a
// watch of them to which an action applies.
func watchWithFault(t *testing.T, do Action, test func(srv *Server, fault *InjectedFault, w *watchClient)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Seed: 1, Resources: []Resource{{ResourceInfo: configMaps}}})
		defer srv.Close()
		write(t, srv, "a", "b")
		fault := srv.Fault(Fault{Match: Match{Verb: "watch"}, Times: 1, Action: do})
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		w := openWatch(t, t.Context(), srv, client, streamed)
		defer w.Body.Close()
		test(srv, fault, w)
	})
}

func write(t *testing.T, srv *Server, names ...string) {
	t.Helper()
	for _, name := range names {
		put(t, srv.store.Table(configMaps.GroupResource()), storage.Key{Namespace: "default", Name: name}, fmt.Sprint(srv.store.Current()), nil)
	}
}

// read returns the next n events once all goroutines are blocked, and how the
// stream ended.
func (w *watchClient) read(n int) (seen string) {
	for range n {
		e, err := w.next()
		if err != nil {
			return seen + err.Error()
		}
		seen += strings.TrimPrefix(strings.TrimSuffix(e.Type, "ED"), "BOOK") + " " + e.Object.Metadata.Name + "; "
	}
	return seen
}

// The events that a client reads for each action.
func TestEventFaults(t *testing.T) {
	const (
		initial = "ADD a; ADD b; MARK ; "
		whole   = initial + "ADD c; ADD d; "
	)
	for _, test := range []struct {
		do   Action
		want string // events after c and d were created
	}{
		{AfterEvents(9, Cut()), whole},
		{DropBookmarks(), "ADD a; ADD b; ADD c; ADD d; "},
		{DropInitialEventsEnd(), "ADD a; ADD b; ADD c; ADD d; "},
		{CutBeforeInitialEventsEnd(), "ADD a; ADD b; EOF"},
		{DuplicateEvents(), "ADD a; ADD a; ADD b; ADD b; MARK ; ADD c; ADD c; ADD d; ADD d; "},
		{ReorderEvents(time.Second), "ADD b; ADD a; MARK ; ADD d; ADD c; "},
		{DelayEvents(time.Second), whole},
		{AfterEvents(0, Cut()), "EOF"},
		{AfterEvents(3, Cut()), initial + "ADD c; EOF"},
		{Cut(), "EOF"},
		{AfterEvents(3, Break()), initial + "ADD c; unexpected EOF"},
		{Break(), "unexpected EOF"},
		{AfterEvents(3, Reset()), initial + "ADD c; read pipe apitest: connection reset by peer"},
		{AfterEvents(3, Refuse(0)), initial + "ADD c; unexpected EOF"},
		{AfterEvents(3, Fail(410, 0)), initial + "ADD c; ERROR ; EOF"},
		{AfterEvents(3, HTML()), initial + "ADD c; invalid character '<' looking for beginning of value"},
		{AfterEvents(3, Delay(time.Second)), whole},
		{AfterEvents(3, Silence()), initial + "ADD c; context canceled"},
		{AfterEvents(3, Freeze()), initial + "ADD c; context canceled"},
		{AfterEvents(3, Call("compact", (*Server).Compact)), whole},
		{AfterEvents(3, Call("restart", (*Server).Restart)), initial + "ADD c; unexpected EOF"},
		{WrongKind(), whole},
	} {
		t.Run(test.do.text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Seed: 1, Resources: []Resource{{ResourceInfo: configMaps}}})
				defer srv.Close()
				write(t, srv, "a", "b")
				srv.Fault(Fault{Match: Match{Verb: "watch"}, Action: test.do})
				client := srv.testClient(t)
				defer client.CloseIdleConnections()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := openWatch(t, ctx, srv, client, streamed)
				var seen string
				ends := 0 // of the stream; an error may follow the last event
				if !strings.HasSuffix(test.want, "; ") {
					ends = 1
				}
				done := make(chan bool)
				go func() {
					defer close(done)
					seen = w.read(strings.Count(test.want, ";") + ends)
				}()
				time.Sleep(10 * time.Second)
				write(t, srv, "c", "d")
				time.Sleep(10 * time.Second)
				cancel()
				<-done
				require.Equal(t, test.want, seen)
			})
		})
	}
}

// Delayed events arrive later by the delay, and together if they were sent
// together.
func TestDelayEventsKeepsDistances(t *testing.T) {
	watchWithFault(t, DelayEvents(3*time.Second), func(srv *Server, fault *InjectedFault, w *watchClient) {
		begin := time.Now()
		require.Equal(t, "ADD a; ADD b; MARK ; ", w.read(3))
		require.Equal(t, 3*time.Second, time.Since(begin))
		begin = time.Now()
		time.AfterFunc(time.Second, func() { write(t, srv, "d") })
		write(t, srv, "c")
		require.Equal(t, "ADD c; ", w.read(1))
		require.Equal(t, 3*time.Second, time.Since(begin))
		require.Equal(t, "ADD d; ", w.read(1))
		require.Equal(t, 4*time.Second, time.Since(begin))
		write(t, srv, "e")
		time.Sleep(time.Second)
		begin = time.Now()
		fault.Remove()
		require.Equal(t, "ADD e; ", w.read(1))
		require.Zero(t, time.Since(begin), "a removed fault does not delay")
	})
}

// Delayed events are sent at once when their watch ends.
func TestDelayedEventsAreSentAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Resources: []Resource{{ResourceInfo: configMaps}}})
		defer srv.Close()
		write(t, srv, "a")
		srv.Fault(Fault{Action: DelayEvents(time.Hour)})
		client := srv.testClient(t)
		defer client.CloseIdleConnections()
		begin := time.Now()
		w := openWatch(t, t.Context(), srv, client, "/api/v1/configmaps?watch=true&timeoutSeconds=5")
		require.Equal(t, "ADD a; EOF", w.read(2))
		require.Equal(t, 5*time.Second, time.Since(begin))
	})
}

// A bookmark ends a span of reordered events: a client that resumes from the
// bookmark would lose an event that it covers and that is sent later.
func TestReorderedEventsStayBeforeTheirBookmark(t *testing.T) {
	watchWithFault(t, ReorderEvents(time.Hour), func(srv *Server, _ *InjectedFault, w *watchClient) {
		begin := time.Now()
		require.Equal(t, "ADD b; ADD a; MARK ; ", w.read(3))
		write(t, srv, "c", "d", "e")
		seen := w.read(4)
		require.True(t, strings.HasSuffix(seen, "MARK ; "), seen)
		for i, at := range []string{"c", "d", "e"} {
			require.NotEqual(t, "ADD "+at, strings.Split(seen, "; ")[i], seen)
		}
		require.Equal(t, time.Minute, time.Since(begin), "the bookmark is sent after a minute")
	})
}

// Faults change the events in the order in which they were set.
func TestEventFaultsCompose(t *testing.T) {
	for name, test := range map[string]struct {
		do   []Action
		want string
	}{
		"cut, then duplicated":                 {[]Action{AfterEvents(1, Cut()), DuplicateEvents()}, "ADD a; ADD a; EOF"},
		"duplicated, then cut after one":       {[]Action{DuplicateEvents(), AfterEvents(1, Cut())}, "ADD a; EOF"},
		"delayed, then broken":                 {[]Action{DelayEvents(time.Second), AfterEvents(1, Break())}, "ADD a; unexpected EOF"},
		"delayed, then cut":                    {[]Action{DelayEvents(time.Second), AfterEvents(2, Cut())}, "ADD a; ADD b; EOF"},
		"delayed, then reset":                  {[]Action{DelayEvents(time.Second), ReorderEvents(time.Second), AfterEvents(1, Reset())}, "ADD b; read pipe apitest: connection reset by peer"},
		"delayed, then reset before it begins": {[]Action{DelayEvents(time.Second), AfterEvents(0, Reset())}, "read pipe apitest: connection reset by peer"},
		"broken, then delayed":                 {[]Action{AfterEvents(1, Break()), DelayEvents(time.Second)}, "ADD a; unexpected EOF"},
		"broken between two delays":            {[]Action{DelayEvents(time.Second), AfterEvents(1, Break()), ReorderEvents(time.Second)}, "ADD a; unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Resources: []Resource{{ResourceInfo: configMaps}}})
				defer srv.Close()
				write(t, srv, "a", "b")
				for _, do := range test.do {
					srv.Fault(Fault{Match: Match{Verb: "watch"}, Action: do})
				}
				client := srv.testClient(t)
				defer client.CloseIdleConnections()
				w := openWatch(t, t.Context(), srv, client, streamed)
				require.Equal(t, test.want, w.read(3))
				synctest.Wait()
				require.Zero(t, srv.OpenWatches(), "the watch has ended")
			})
		})
	}
}

// A silent watch continues after the fault is removed, with the events that
// were held back. So does a watch whose connection is frozen.
func TestSilentWatchContinues(t *testing.T) {
	for _, do := range []Action{Silence(), Freeze()} {
		watchWithFault(t, AfterEvents(2, do), func(srv *Server, fault *InjectedFault, w *watchClient) {
			require.Equal(t, "ADD a; ADD b; ", w.read(2))
			time.AfterFunc(time.Minute, fault.Remove)
			write(t, srv, "c")
			begin := time.Now()
			require.Equal(t, "MARK ; ADD c; ", w.read(2))
			require.Equal(t, time.Minute, time.Since(begin))
		})
	}
}

// A fault that is removed no longer changes a running watch.
func TestRemovedEventFaultPassesEvents(t *testing.T) {
	for _, do := range []Action{DuplicateEvents(), DropBookmarks(), DropInitialEventsEnd(), WrongKind(), AfterEvents(3, Cut()), AfterEvents(3, Break()), ReorderEvents(time.Minute)} {
		watchWithFault(t, do, func(srv *Server, fault *InjectedFault, w *watchClient) {
			synctest.Wait()
			fault.Remove()
			write(t, srv, "c", "d")
			for last := ""; last != "d"; {
				e, err := w.next()
				require.NoError(t, err)
				last = e.Object.Metadata.Name
			}
			write(t, srv, "e", "f")
			require.Equal(t, "ADD e; ADD f; ", w.read(2), do.text)
		})
	}
}

// A watch that was cut can be resumed from its last event without loss.
func TestCutWatchIsResumed(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		write(t, srv, "b", "c", "d")
		srv.Fault(Fault{Match: Match{Verb: "watch"}, Action: AfterEvents(1, Cut())})
		version, seen := "1", ""
		for range 4 {
			w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true&resourceVersion="+version)
			e, err := w.next()
			require.NoError(t, err)
			version, seen = e.Object.Metadata.ResourceVersion, seen+e.Object.Metadata.Name
			_, err = w.next()
			require.ErrorIs(t, err, io.EOF)
		}
		require.Equal(t, "abcd", seen)
	})
}

// Over TCP and HTTP/2, the same breaks are visible.
func TestBrokenWatchesOverSockets(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		for _, do := range []Action{Break(), Reset(), Refuse(time.Millisecond)} {
			fault := srv.Fault(Fault{Match: Match{Verb: "watch"}, Action: AfterEvents(1, do)})
			w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true")
			write(t, srv, "a")
			_, err := w.next()
			if err == nil { // a reset connection may lose earlier data
				_, err = w.next()
			} else if do.text == Break().text {
				require.NoError(t, err, do.text)
			}
			require.Error(t, err)
			require.NotErrorIs(t, err, io.EOF, do.text)
			require.NotErrorIs(t, err, context.Canceled)
			if w.ProtoMajor == 1 && do.text == Reset().text {
				require.ErrorIs(t, err, syscall.ECONNRESET)
			}
			fault.Remove()
			require.Eventually(t, srv.listener.IsOpen, 5*time.Second, time.Millisecond)
		}
	})
}
