package apitest

import (
	"io"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// AfterTime applies the action to each watch at a random time between the two,
// after all earlier events.
func TestAfterTime(t *testing.T) {
	const minDelay, maxDelay = time.Second, 3 * time.Second
	for name, test := range map[string]struct {
		do  Action
		end func(t *testing.T, w *watchClient)
	}{
		"end": {Cut(), func(t *testing.T, w *watchClient) {
			_, err := w.next()
			require.ErrorIs(t, err, io.EOF)
		}},
		"break": {Break(), func(t *testing.T, w *watchClient) {
			rest, err := io.ReadAll(w.lines)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NotEmpty(t, rest)
		}},
		"reset": {Reset(), func(t *testing.T, w *watchClient) {
			_, err := w.next()
			require.Error(t, err)
			require.NotErrorIs(t, err, io.EOF)
		}},
		"error": {Fail(500, 0), func(t *testing.T, w *watchClient) {
			e, err := w.next()
			require.NoError(t, err)
			require.Equal(t, 500, e.Object.Code)
			_, err = w.next()
			require.ErrorIs(t, err, io.EOF)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Seed: 1, Resources: []Resource{{ResourceInfo: configMaps}}})
				defer srv.Close()
				fault := srv.Fault(Fault{Action: AfterTime(minDelay, maxDelay, test.do)})
				lasted := map[time.Duration]bool{}
				for range 10 {
					began := time.Now()
					now := strconv.FormatUint(srv.store.Current(), 10)
					w := openWatch(t, t.Context(), srv, srv.testClient(t), allConfigMaps+"?watch=true&resourceVersion="+now)
					time.Sleep(minDelay - 1)
					synctest.Wait()
					require.Equal(t, 1, srv.OpenWatches())
					Create(t, srv, &ConfigMap{ObjectMeta: named("", "c"+now)})
					e, err := w.next()
					require.NoError(t, err)
					require.Equal(t, "c"+now, e.Object.Metadata.Name)
					test.end(t, w)
					lasts := time.Since(began)
					require.GreaterOrEqual(t, lasts, minDelay)
					require.LessOrEqual(t, lasts, maxDelay)
					lasted[lasts] = true
				}
				require.Greater(t, len(lasted), 5, "the times should differ")
				require.Equal(t, 10, fault.Fired())
				fault.Remove()
				openWatch(t, t.Context(), srv, srv.testClient(t), allConfigMaps+"?watch=true")
				time.Sleep(time.Minute)
				require.Equal(t, 1, srv.OpenWatches())
			})
		})
	}
}

// A fault that is removed during a watch does not end the watch.
func TestAfterTimeIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true, Resources: []Resource{{ResourceInfo: configMaps}}})
		defer srv.Close()
		fault := srv.Fault(Fault{Action: AfterTime(time.Second, time.Second, Reset())})
		require.Equal(t, "any request: after 1s, reset the connection (never fired)", fault.String())
		openWatch(t, t.Context(), srv, srv.testClient(t), allConfigMaps+"?watch=true")
		fault.Remove()
		time.Sleep(time.Minute)
		require.Equal(t, 1, srv.OpenWatches())
	})
}

func TestAfterTimeRejectsOtherActions(t *testing.T) {
	for _, wrong := range []func() Action{
		func() Action { return AfterTime(0, 1, Action{}) },
		func() Action { return AfterTime(0, 1, Silence()) },
		func() Action { return AfterTime(0, 1, DropBookmarks()) },
		func() Action { return AfterTime(2, 1, Cut()) },
		func() Action { return AfterTime(-1, 1, Cut()) },
	} {
		require.Panics(t, func() { wrong() })
	}
}
