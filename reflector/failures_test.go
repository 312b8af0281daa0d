package reflector

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

// What goes wrong with API servers and on the way to them, each on a server
// with that fault. What the machine decides then is in testdata.

var (
	watches = apitest.Match{Verb: "watch", Resource: "configmaps"}
	lists   = apitest.Match{Verb: "list", Resource: "configmaps"}
)

func faulty(f apitest.Fault) func(*apitest.Server) {
	return func(s *apitest.Server) { s.Fault(f) }
}

func (b *bench) modify(name, value string) {
	apitest.Modify(b.t, b.server, named(name, ""), func(c *configMap) { c.Data["v"] = value })
}

func TestAStreamThatEndsBeforeItsMarkFallsBackToAList(t *testing.T) {
	onServer(t, Options[*configMap]{}, faulty(apitest.Fault{On: watches, Do: apitest.CutBeforeInitialEventsEnd()}), fallsBack)
}

func TestAStreamThatNeverSendsTheEndMarkFallsBackToAList(t *testing.T) {
	onServer(t, Options[*configMap]{}, faulty(apitest.Fault{On: watches, Do: apitest.DropInitialEventsEnd()}), func(b *bench) {
		time.Sleep(markPatience)
		fallsBack(b)
	})
}

func TestAServerThatDoesNotStreamIsListed(t *testing.T) {
	onServer(t, Options[*configMap]{}, faulty(apitest.Fault{On: watches, Nth: 1, Do: apitest.Fail(http.StatusUnprocessableEntity, 0)}), fallsBack)
}

// A selector that the server does not know is no reason for others to list.
func TestARefusalOfAllThatIsAskedIsNotRememberedOfTheStream(t *testing.T) {
	refuse := func(s *apitest.Server) {
		for _, all := range []apitest.Match{watches, lists} {
			s.Fault(apitest.Fault{On: all, Do: apitest.Fail(http.StatusBadRequest, 0)})
		}
	}
	onServer(t, Options[*configMap]{}, refuse, func(b *bench) {
		time.Sleep(time.Minute)
		require.Contains(b.t, b.reasons(), Refused)
		require.Empty(b.t, New(b.r.source, b.r.store, Options[*configMap]{}).trouble(), "others may try")
		b.server.LiftFaults()
		b.settles(time.Minute)
		require.Equal(b.t, WatchList, b.r.State().Mode)
	})
}

// fallsBack: the store has what the server has, by a list, the reason is told
// and kept for the next one.
func fallsBack(b *bench) {
	b.settles(time.Second)
	s := b.r.State()
	require.Equal(b.t, List, s.Mode)
	require.NotEmpty(b.t, s.ModeReason)
	require.Len(b.t, b.reasons(), 1)
	require.Zero(b.t, s.Relists)
	require.Equal(b.t, s.ModeReason, b.r.trouble(), "the source remembers")
	next := New(b.r.source, b.r.store, Options[*configMap]{})
	require.Equal(b.t, s.ModeReason, next.trouble(), "so that the next one lists at once")
	b.modify("a", "2")
	b.settles(time.Second)
}

func TestA500InTheStreamDoesNotForceARelist(t *testing.T) {
	onServer(t, Options[*configMap]{}, nil, func(b *bench) {
		b.settles(time.Second)
		b.server.ForgetRequests()
		b.server.Fault(apitest.Fault{On: watches, Nth: 1, Do: apitest.AfterEvents(1, apitest.Fail(http.StatusInternalServerError, 0))})
		b.server.Fault(apitest.Fault{On: watches, Nth: 2, Do: apitest.Fail(http.StatusInternalServerError, 0)})
		b.server.Fault(apitest.Fault{On: watches, Nth: 3, Do: apitest.Refuse(0)})
		b.modify("a", "2")
		b.server.Fault(apitest.Fault{Do: apitest.Cut(), On: watches, Nth: 1})
		b.settles(time.Minute)
		time.Sleep(time.Minute)
		require.Zero(b.t, b.r.State().Relists)
		require.Empty(b.t, b.relists())
	})
}

func TestA410RelistsConsistently(t *testing.T) {
	for _, o := range []Options[*configMap]{{}, {PreferList: true}} {
		onServer(t, o, nil, func(b *bench) {
			b.settles(time.Second)
			b.server.Stop()
			synctest.Wait()
			b.modify("a", "2")
			apitest.Delete(b.t, b.server, named("b", ""))
			apitest.Create(b.t, b.server, named("c", "1"))
			b.server.Compact()
			b.server.ForgetRequests()
			b.server.Start()
			b.settles(5 * time.Minute)
			s := b.r.State()
			require.Equal(b.t, 1, s.Relists)
			require.Contains(b.t, s.RelistReason, string(Expired))
			require.Contains(b.t, b.reasons(), Expired)
			for _, list := range b.relists() {
				require.Empty(b.t, list.Parameter("resourceVersion"), "nothing older than now")
			}
			for _, w := range b.server.Requests(watches) {
				if w.Parameter("sendInitialEvents") != "" {
					require.Empty(b.t, w.Parameter("resourceVersion"), "nothing older than now")
					require.Equal(b.t, "NotOlderThan", w.Parameter("resourceVersionMatch"))
				}
			}
		})
	}
}

func TestASilentWatchIsReplacedAtTheLastVersion(t *testing.T) {
	onServer(t, Options[*configMap]{PreferList: true, Silence: time.Minute}, nil, func(b *bench) {
		b.settles(time.Second)
		b.server.Fault(apitest.Fault{On: watches, Nth: 1, Do: apitest.AfterEvents(1, apitest.Silence())})
		time.Sleep(time.Minute)
		synctest.Wait()
		b.modify("a", "2") // heard, and then nothing more
		b.settles(time.Second)
		version := b.r.LastSyncResourceVersion()
		b.modify("a", "3")
		synctest.Wait()
		b.server.ForgetRequests()
		b.settles(2 * time.Minute)
		asked := b.server.Requests(watches)
		require.NotEmpty(b.t, asked)
		require.Equal(b.t, version, asked[0].Parameter("resourceVersion"))
		require.Zero(b.t, b.r.State().Relists)
		require.Empty(b.t, b.reasons(), "it is no failure: servers are silent where nothing changes")
	})
}

func TestAServerWhoseVersionsWentBackBeginsAnEpoch(t *testing.T) {
	for _, o := range []Options[*configMap]{{}, {PreferList: true}} {
		onServer(t, o, nil, func(b *bench) {
			for range 5 {
				b.modify("a", "2")
				apitest.Create(b.t, b.server, named("c", "1"))
				apitest.Delete(b.t, b.server, named("c", ""))
			}
			b.settles(time.Second)
			b.server.RestartBack(8)
			b.modify("b", "3")
			b.settles(10 * time.Minute)
			require.Equal(b.t, 1, b.r.State().Epoch)
			b.modify("b", "4")
			b.settles(time.Second)
			require.Equal(b.t, 1, b.r.State().Epoch)
		})
	}
}

func TestBackoffDoesNotResetWhileFailing(t *testing.T) {
	onServer(t, Options[*configMap]{}, faulty(apitest.Fault{On: apitest.Match{Resource: "configmaps"}, Do: apitest.Fail(http.StatusForbidden, 0)}), func(b *bench) {
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		s := b.r.State()
		require.Less(b.t, s.Failures, 24, "0.8 s, 1.6 s ... 30 s, each up to twice as long")
		require.Greater(b.t, s.Failures, 10)
		require.Equal(b.t, 10*time.Minute, time.Since(s.Since))
	})
}

func TestAnErrorEventOfAnyKindReachesTheErrorHandler(t *testing.T) {
	for code, reason := range map[int]Reason{
		http.StatusUnauthorized: Unauthorized, http.StatusForbidden: Forbidden, http.StatusNotFound: NotFound,
		http.StatusGone: Expired, http.StatusTooManyRequests: Throttled, http.StatusInternalServerError: ServerError,
		http.StatusServiceUnavailable: ServerError, http.StatusGatewayTimeout: Timeout, http.StatusTeapot: Other,
		http.StatusBadRequest: Refused,
	} {
		onServer(t, Options[*configMap]{PreferList: true}, faulty(apitest.Fault{
			On: watches, Nth: 1, Do: apitest.AfterEvents(1, apitest.Fail(code, 0)),
		}), func(b *bench) {
			synctest.Wait()
			b.modify("a", "2")
			b.settles(time.Minute)
			require.Equal(b.t, []Reason{reason}, b.reasons(), code)
		})
	}
}

func TestSyncFailureHasAReasonWithinOneAttempt(t *testing.T) {
	for _, c := range []struct {
		reason Reason
		do     apitest.Action
	}{
		{Unauthorized, apitest.Fail(http.StatusUnauthorized, 0)},
		{Forbidden, apitest.Fail(http.StatusForbidden, 0)},
		{NotFound, apitest.Fail(http.StatusNotFound, 0)},
		{Undecodable, apitest.HTML()},
		{Undecodable, apitest.Respond(200, "application/json", `{"kind":"ConfigMapList","metadata":{"resourceVersion":"5"},"items":[{]}`)},
		{Timeout, apitest.Silence()},
		{ServerError, apitest.Fail(http.StatusServiceUnavailable, 0)},
		{Interrupted, apitest.Reset()},
	} {
		for _, o := range []Options[*configMap]{{Silence: 20 * time.Second}, {PreferList: true, Silence: 20 * time.Second}} {
			onServer(t, o, faulty(apitest.Fault{On: apitest.Match{Resource: "configmaps"}, Do: c.do}), func(b *bench) {
				switch c.reason {
				case Timeout:
					time.Sleep(o.Silence)
				case Interrupted: // package rest tries a little longer
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

func TestAServerThatCannotBeReachedIsWaitedFor(t *testing.T) {
	onServer(t, Options[*configMap]{}, nil, func(b *bench) {
		b.settles(time.Second)
		b.server.Stop()
		b.modify("a", "2")
		time.Sleep(10 * time.Minute)
		known := &Error{}
		require.ErrorAs(b.t, b.r.State().Err, &known)
		require.Equal(b.t, Unreachable, known.Reason, "%v", known)
		for b.r.State().Phase != Waiting {
			time.Sleep(100 * time.Millisecond) // an attempt is under way, which tries for two seconds
		}
		require.WithinRange(b.t, b.r.State().RetryAt, time.Now(), time.Now().Add(time.Minute))
		b.server.Start()
		b.settles(2 * time.Minute)
		require.Zero(b.t, b.r.State().Relists)
	})
}

// relists are the lists that were read, not those that ask only whether a
// version is there.
func (b *bench) relists() (all []apitest.Request) {
	for _, list := range b.server.Requests(lists) {
		if list.Parameter("limit") != "1" {
			all = append(all, list)
		}
	}
	return all
}

func TestAnObjectOfTheWrongKindCostsOnlyItself(t *testing.T) {
	onServer(t, Options[*configMap]{}, faulty(apitest.Fault{On: watches, Do: apitest.WrongKind()}), func(b *bench) {
		synctest.Wait()
		require.Empty(b.t, b.has())
		b.modify("b", "2")
		synctest.Wait()
		require.EqualValues(b.t, 3, b.r.State().Undecodable)
		require.NoError(b.t, b.r.State().Err)
		require.Equal(b.t, []Reason{Undecodable, Undecodable, Undecodable}, b.reasons())
		require.ErrorContains(b.t, b.errs[0], "default/a")
		version := b.r.LastSyncResourceVersion()
		b.server.LiftFaults()
		b.server.Stop()
		b.server.Start()
		b.modify("a", "2")
		apitest.Create(b.t, b.server, named("c", "2"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(b.t, map[string]string{"a": "2", "c": "2"}, b.has(), "b has not changed since it cannot be read")
		require.Zero(b.t, b.r.State().Relists, "the watch went on after version %s", version)
	})
}
