package reflector

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

// These tests run a reflector with a server that has a fault. The decisions of
// the machine are tested by the transcripts in testdata.

var (
	watches = apitest.Match{Verb: "watch", Resource: "configmaps"}
	lists   = apitest.Match{Verb: "list", Resource: "configmaps"}
)

func faulty(f apitest.Fault) func(*apitest.Server) {
	return func(s *apitest.Server) { s.Fault(f) }
}

func (b *serverTest) modify(name, value string) {
	apitest.Modify(b.t, b.server, newConfigMap(name, ""), func(c *configMap) { c.Data["v"] = value })
}

func TestStreamThatEndsEarlyFallsBackToAList(t *testing.T) {
	withServer(t, Options[*configMap]{}, faulty(apitest.Fault{Match: watches, Action: apitest.CutBeforeInitialEventsEnd()}), requireFallback)
}

func TestStreamWithoutAFinalBookmarkFallsBackToAList(t *testing.T) {
	withServer(t, Options[*configMap]{}, faulty(apitest.Fault{Match: watches, Action: apitest.DropInitialEventsEnd()}), func(b *serverTest) {
		time.Sleep(initialEventsTimeout)
		requireFallback(b)
	})
}

func TestServerWithoutStreamingIsListed(t *testing.T) {
	withServer(t, Options[*configMap]{}, faulty(apitest.Fault{Match: watches, Nth: 1, Action: apitest.Fail(http.StatusUnprocessableEntity, 0)}), requireFallback)
}

// A selector that the server refuses does not show that it cannot stream.
func TestRefusalOfListAndStreamIsNotRecorded(t *testing.T) {
	refuse := func(s *apitest.Server) {
		for _, all := range []apitest.Match{watches, lists} {
			s.Fault(apitest.Fault{Match: all, Action: apitest.Fail(http.StatusBadRequest, 0)})
		}
	}
	withServer(t, Options[*configMap]{}, refuse, func(b *serverTest) {
		time.Sleep(time.Minute)
		require.Contains(b.t, b.reasons(), ReasonRefused)
		require.Empty(b.t, New(b.r.source, b.r.store, Options[*configMap]{}).listReason(), "no reason is recorded")
		b.server.RemoveFaults()
		b.waitForSync(time.Minute)
		require.Equal(b.t, ModeWatchList, b.r.State().Mode)
	})
}

// requireFallback requires that the store was filled by a list, and that the
// reason is reported and recorded for later reflectors.
func requireFallback(b *serverTest) {
	b.waitForSync(time.Second)
	s := b.r.State()
	require.Equal(b.t, ModeList, s.Mode)
	require.NotEmpty(b.t, s.ModeReason)
	require.Len(b.t, b.reasons(), 1)
	require.Zero(b.t, s.Relists)
	require.Equal(b.t, s.ModeReason, b.r.listReason(), "the source has the reason")
	next := New(b.r.source, b.r.store, Options[*configMap]{})
	require.Equal(b.t, s.ModeReason, next.listReason(), "the next reflector lists immediately")
	b.modify("a", "2")
	b.waitForSync(time.Second)
}

func TestA500InTheStreamDoesNotForceARelist(t *testing.T) {
	withServer(t, Options[*configMap]{}, nil, func(b *serverTest) {
		b.waitForSync(time.Second)
		b.server.ForgetRequests()
		b.server.Fault(apitest.Fault{Match: watches, Nth: 1, Action: apitest.AfterEvents(1, apitest.Fail(http.StatusInternalServerError, 0))})
		b.server.Fault(apitest.Fault{Match: watches, Nth: 2, Action: apitest.Fail(http.StatusInternalServerError, 0)})
		b.server.Fault(apitest.Fault{Match: watches, Nth: 3, Action: apitest.Refuse(0)})
		b.modify("a", "2")
		b.server.Fault(apitest.Fault{Action: apitest.Cut(), Match: watches, Nth: 1})
		b.waitForSync(time.Minute)
		time.Sleep(time.Minute)
		require.Zero(b.t, b.r.State().Relists)
		require.Empty(b.t, b.relists())
	})
}

func TestA410RelistsConsistently(t *testing.T) {
	for _, o := range []Options[*configMap]{{}, {PreferList: true}} {
		withServer(t, o, nil, func(b *serverTest) {
			b.waitForSync(time.Second)
			b.server.Stop()
			synctest.Wait()
			b.modify("a", "2")
			apitest.Delete(b.t, b.server, newConfigMap("b", ""))
			apitest.Create(b.t, b.server, newConfigMap("c", "1"))
			b.server.Compact()
			b.server.ForgetRequests()
			b.server.Start()
			b.waitForSync(5 * time.Minute)
			s := b.r.State()
			require.Equal(b.t, 1, s.Relists)
			require.Contains(b.t, s.RelistReason, string(ReasonExpired))
			require.Contains(b.t, b.reasons(), ReasonExpired)
			for _, list := range b.relists() {
				require.Empty(b.t, list.Parameter("resourceVersion"), "the list or watch must have the newest state")
			}
			for _, w := range b.server.Requests(watches) {
				if w.Parameter("sendInitialEvents") != "" {
					require.Empty(b.t, w.Parameter("resourceVersion"), "the list or watch must have the newest state")
					require.Equal(b.t, "NotOlderThan", w.Parameter("resourceVersionMatch"))
				}
			}
		})
	}
}

func TestIdleWatchIsReplacedAtTheLastVersion(t *testing.T) {
	withServer(t, Options[*configMap]{PreferList: true, IdleTimeout: time.Minute}, nil, func(b *serverTest) {
		b.waitForSync(time.Second)
		b.server.Fault(apitest.Fault{Match: watches, Nth: 1, Action: apitest.AfterEvents(1, apitest.Silence())})
		time.Sleep(time.Minute)
		synctest.Wait()
		b.modify("a", "2") // the last event
		b.waitForSync(time.Second)
		version := b.r.LastSyncResourceVersion()
		b.modify("a", "3")
		synctest.Wait()
		b.server.ForgetRequests()
		b.waitForSync(2 * time.Minute)
		asked := b.server.Requests(watches)
		require.NotEmpty(b.t, asked)
		require.Equal(b.t, version, asked[0].Parameter("resourceVersion"))
		require.Zero(b.t, b.r.State().Relists)
		require.Empty(b.t, b.reasons(), "an idle timeout is not reported")
	})
}

func TestServerThatWasSetBackBeginsAnEpoch(t *testing.T) {
	for _, o := range []Options[*configMap]{{}, {PreferList: true}} {
		withServer(t, o, nil, func(b *serverTest) {
			for range 5 {
				b.modify("a", "2")
				apitest.Create(b.t, b.server, newConfigMap("c", "1"))
				apitest.Delete(b.t, b.server, newConfigMap("c", ""))
			}
			b.waitForSync(time.Second)
			b.server.RestartFromBackup(8)
			b.modify("b", "3")
			b.waitForSync(10 * time.Minute)
			require.Equal(b.t, 1, b.r.State().Epoch)
			b.modify("b", "4")
			b.waitForSync(time.Second)
			require.Equal(b.t, 1, b.r.State().Epoch)
		})
	}
}

func TestBackoffDoesNotResetWhileFailing(t *testing.T) {
	withServer(t, Options[*configMap]{}, faulty(apitest.Fault{Match: apitest.Match{Resource: "configmaps"}, Action: apitest.Fail(http.StatusForbidden, 0)}), func(b *serverTest) {
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		s := b.r.State()
		require.Less(b.t, s.Failures, 24, "waits of 0.8 s, 1.6 s up to 30 s, with jitter")
		require.Greater(b.t, s.Failures, 10)
		require.Equal(b.t, 10*time.Minute, time.Since(s.Since))
	})
}

func TestErrorEventsReachTheErrorHandler(t *testing.T) {
	for code, reason := range map[int]Reason{
		http.StatusUnauthorized: ReasonUnauthorized, http.StatusForbidden: ReasonForbidden, http.StatusNotFound: ReasonNotFound,
		http.StatusGone: ReasonExpired, http.StatusTooManyRequests: ReasonThrottled, http.StatusInternalServerError: ReasonServerError,
		http.StatusServiceUnavailable: ReasonServerError, http.StatusGatewayTimeout: ReasonTimeout, http.StatusTeapot: ReasonOther,
		http.StatusBadRequest: ReasonRefused,
	} {
		withServer(t, Options[*configMap]{PreferList: true}, faulty(apitest.Fault{
			Match: watches, Nth: 1, Action: apitest.AfterEvents(1, apitest.Fail(code, 0)),
		}), func(b *serverTest) {
			synctest.Wait()
			b.modify("a", "2")
			b.waitForSync(time.Minute)
			require.Equal(b.t, []Reason{reason}, b.reasons(), code)
		})
	}
}

func TestFirstFailureHasAReason(t *testing.T) {
	for _, c := range []struct {
		reason Reason
		do     apitest.Action
	}{
		{ReasonUnauthorized, apitest.Fail(http.StatusUnauthorized, 0)},
		{ReasonForbidden, apitest.Fail(http.StatusForbidden, 0)},
		{ReasonNotFound, apitest.Fail(http.StatusNotFound, 0)},
		{ReasonUndecodable, apitest.HTML()},
		{ReasonUndecodable, apitest.Respond(200, "application/json", `{"kind":"ConfigMapList","metadata":{"resourceVersion":"5"},"items":[{]}`)},
		{ReasonTimeout, apitest.Silence()},
		{ReasonServerError, apitest.Fail(http.StatusServiceUnavailable, 0)},
		{ReasonInterrupted, apitest.Reset()},
	} {
		for _, o := range []Options[*configMap]{{IdleTimeout: 20 * time.Second}, {PreferList: true, IdleTimeout: 20 * time.Second}} {
			withServer(t, o, faulty(apitest.Fault{Match: apitest.Match{Resource: "configmaps"}, Action: c.do}), func(b *serverTest) {
				switch c.reason {
				case ReasonTimeout:
					time.Sleep(o.IdleTimeout)
				case ReasonInterrupted: // package rest repeats the request for a moment
					time.Sleep(3 * time.Second)
				}
				synctest.Wait()
				s := b.r.State()
				require.Error(b.t, s.Err, "%v %+v", c.reason, s)
				known := &Error{}
				require.ErrorAs(b.t, s.Err, &known)
				require.Equal(b.t, c.reason, known.Reason, "%v", s.Err)
				require.Contains(b.t, b.reasons(), c.reason)
			})
		}
	}
}

func TestUnreachableServerIsRetried(t *testing.T) {
	withServer(t, Options[*configMap]{}, nil, func(b *serverTest) {
		b.waitForSync(time.Second)
		b.server.Stop()
		b.modify("a", "2")
		time.Sleep(10 * time.Minute)
		known := &Error{}
		require.ErrorAs(b.t, b.r.State().Err, &known)
		require.Equal(b.t, ReasonUnreachable, known.Reason, "%v", known)
		for b.r.State().Phase != PhaseWaiting {
			time.Sleep(100 * time.Millisecond) // an attempt has begun; it takes two seconds
		}
		require.WithinRange(b.t, b.r.State().RetryAt, time.Now(), time.Now().Add(time.Minute))
		b.server.Start()
		b.waitForSync(2 * time.Minute)
		require.Zero(b.t, b.r.State().Relists)
	})
}

// relists returns the requests for lists, without the checks of a version.
func (b *serverTest) relists() (all []apitest.Request) {
	for _, list := range b.server.Requests(lists) {
		if list.Parameter("limit") != "1" {
			all = append(all, list)
		}
	}
	return all
}

func TestObjectOfTheWrongKindAffectsOnlyItself(t *testing.T) {
	withServer(t, Options[*configMap]{}, faulty(apitest.Fault{Match: watches, Action: apitest.WrongKind()}), func(b *serverTest) {
		synctest.Wait()
		require.Empty(b.t, b.stored())
		b.modify("b", "2")
		synctest.Wait()
		require.EqualValues(b.t, 3, b.r.State().Undecodable)
		require.NoError(b.t, b.r.State().Err)
		require.Equal(b.t, []Reason{ReasonUndecodable, ReasonUndecodable, ReasonUndecodable}, b.reasons())
		require.ErrorContains(b.t, b.errs[0], "default/a")
		version := b.r.LastSyncResourceVersion()
		b.server.RemoveFaults()
		b.server.Stop()
		b.server.Start()
		b.modify("a", "2")
		apitest.Create(b.t, b.server, newConfigMap("c", "2"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(b.t, map[string]string{"a": "2", "c": "2"}, b.stored(), "b keeps its last decodable state")
		require.Zero(b.t, b.r.State().Relists, "the watch continues after version %s", version)
	})
}
