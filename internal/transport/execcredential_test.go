package transport

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// fakePlugin is a plugin that runs in the test and returns the tokens 1, 2, 3, ...
type fakePlugin struct {
	duration  time.Duration // of a run
	lifetime  time.Duration // of its credentials; 0 if they do not expire
	sameToken bool          // it always returns the same token
	err       error

	mu            sync.Mutex
	runs          int
	running       int
	maxConcurrent int // the most concurrent runs
	killed        int
}

func (d *fakePlugin) fetch(ctx context.Context) (*execCredentials, error) {
	d.mu.Lock()
	d.runs++
	d.running++
	d.maxConcurrent = max(d.maxConcurrent, d.running)
	made, err := &execCredentials{token: strconv.Itoa(d.runs)}, d.err
	d.mu.Unlock()
	timer := time.NewTimer(d.duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	if ctx.Err() != nil {
		d.killed++
	}
	if err != nil {
		return nil, err
	}
	if d.sameToken {
		made.token = "same"
	}
	if d.lifetime > 0 {
		made.expires = time.Now().Add(d.lifetime)
	}
	return made, nil
}

// connectedWithPlugin returns a connection whose credentials are those of a fakePlugin.
func connectedWithPlugin(t *testing.T, d *fakePlugin, srv http.RoundTripper) (*Connection, *logText) {
	logger, log := logged()
	conn := connected(t, Config{Base: address("https://server"), Transport: srv, Logger: logger, Exec: &ExecConfig{Command: "plugin", APIVersion: ExecV1}})
	conn.authenticator.(*execAuthenticator).fetch = d.fetch
	return conn, log
}

// tryGet sends a GET. It returns its error, or errUnauthorized for a 401.
func tryGet(t *testing.T, ctx context.Context, c *Connection) error {
	response, err := c.Do(newRequestFor(t, c, http.MethodGet, "/", "").WithContext(ctx), false)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized {
		return errUnauthorized
	}
	return nil
}

var errUnauthorized = errors.New("401")

func TestCredentialsAreCachedUntilShortlyBeforeTheyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{lifetime: time.Hour}, &tokenServer{}
		conn, _ := connectedWithPlugin(t, d, srv)
		require.NoError(t, tryGet(t, t.Context(), conn))
		time.Sleep(time.Hour - execRenewBefore - 1)
		require.NoError(t, tryGet(t, t.Context(), conn))
		time.Sleep(time.Nanosecond)
		require.NoError(t, tryGet(t, t.Context(), conn))
		require.Equal(t, []string{"1", "1", "2"}, srv.tokens)
	})
}

func TestCredentialsWithoutAnExpirationAreCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{}, &tokenServer{}
		conn, _ := connectedWithPlugin(t, d, srv)
		for range 3 {
			require.NoError(t, tryGet(t, t.Context(), conn))
			time.Sleep(1000 * time.Hour)
		}
		require.Equal(t, 1, d.runs)
	})
}

func TestShortLivedCredentialsAreUsedForMostOfTheirLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{lifetime: 5 * time.Second}, &tokenServer{}
		conn, _ := connectedWithPlugin(t, d, srv)
		for range 10 {
			require.NoError(t, tryGet(t, t.Context(), conn))
			time.Sleep(time.Second)
		}
		require.Equal(t, []string{"1", "1", "1", "1", "2", "2", "2", "2", "3", "3"}, srv.tokens)
	})
}

func TestExpiredCredentialsOfAPluginAreUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{lifetime: 1}, &tokenServer{} // the clocks differ
		conn, _ := connectedWithPlugin(t, d, srv)
		d.duration = time.Second
		for range 2 {
			require.NoError(t, tryGet(t, t.Context(), conn))
		}
		require.Equal(t, 1, d.runs)
		time.Sleep(time.Nanosecond)
		require.NoError(t, tryGet(t, t.Context(), conn))
		require.Equal(t, 2, d.runs)
	})
}

func TestWaitingRequestsShareOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakePlugin{duration: time.Second}
		conn, _ := connectedWithPlugin(t, d, roundTripperFunc(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { require.NoError(t, tryGet(t, t.Context(), conn)) })
		}
		all.Wait()
		require.Equal(t, 1, d.runs)
	})
}

func TestARequestThatStopsWaitingDoesNotAffectTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakePlugin{duration: time.Minute}
		conn, _ := connectedWithPlugin(t, d, roundTripperFunc(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		first, leave := context.WithTimeout(t.Context(), time.Second) // the request that started the run
		defer leave()
		var all sync.WaitGroup
		all.Go(func() {
			begun := time.Now()
			require.ErrorIs(t, tryGet(t, first, conn), context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(begun))
		})
		synctest.Wait()
		all.Go(func() { require.NoError(t, tryGet(t, t.Context(), conn)) })
		all.Wait()
		require.Equal(t, 1, d.runs)
		require.Zero(t, d.killed)
	})
}

func TestTheRunEndsWithItsLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakePlugin{duration: time.Minute}
		conn, log := connectedWithPlugin(t, d, roundTripperFunc(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		short, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { require.ErrorIs(t, tryGet(t, short, conn), context.DeadlineExceeded) })
		}
		all.Wait()
		require.NoError(t, tryGet(t, t.Context(), conn))
		require.Equal(t, 1, d.killed)
		require.Equal(t, 2, d.runs)
		require.Equal(t, 1, d.maxConcurrent, "two runs at the same time")
		require.Zero(t, log.lines())
	})
}

func TestA401RenewsTheCredentialsOnceForAllRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakePlugin{duration: time.Second}
		var mu sync.Mutex
		sent := 0
		conn, _ := connectedWithPlugin(t, d, roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			sent++
			if r.Header.Get("Authorization") != "Bearer 2" {
				return answerOf(http.StatusUnauthorized, ""), nil
			}
			return answerOf(200, ""), nil
		}))
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { require.NoError(t, tryGet(t, t.Context(), conn)) })
		}
		all.Wait()
		require.Equal(t, 2, d.runs)
		require.Equal(t, 40, sent)
	})
}

func TestA401RenewsTheCredentialsAlsoIfTheBodyCannotBeReplayed(t *testing.T) {
	d, srv := &fakePlugin{}, &tokenServer{right: "2"}
	conn, _ := connectedWithPlugin(t, d, srv)
	for _, want := range []int{http.StatusUnauthorized, http.StatusOK} {
		request := newRequestFor(t, conn, http.MethodPost, "/", "body")
		request.GetBody = nil
		response, err := conn.Do(request, false)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode)
	}
	require.Equal(t, []string{"1", "2"}, srv.tokens)
}

// A client that has lost access permanently must not start a program each second.
func TestAPluginThatReturnsRejectedCredentialsIsNotRunAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{sameToken: true}, &tokenServer{right: "never"}
		conn, _ := connectedWithPlugin(t, d, srv)
		for range 5 {
			require.ErrorIs(t, tryGet(t, t.Context(), conn), errUnauthorized)
		}
		require.Equal(t, 2, d.runs)
		require.Len(t, srv.tokens, 5)
		time.Sleep(execRejectedCooldown)
		d.sameToken = false
		srv.right = "3"
		require.NoError(t, tryGet(t, t.Context(), conn))
	})
}

func TestAFailingPluginIsNotRunForEvery401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{}, &tokenServer{}
		conn, log := connectedWithPlugin(t, d, srv)
		require.NoError(t, tryGet(t, t.Context(), conn))
		d.err, srv.right = errors.New("login expired"), "never"
		for range 10 {
			require.ErrorIs(t, tryGet(t, t.Context(), conn), errUnauthorized)
			time.Sleep(execRejectedCooldown/10 - 1)
		}
		require.Equal(t, 2, d.runs)
		require.Equal(t, 1, log.lines())
		time.Sleep(execRejectedCooldown)
		d.err, srv.right = nil, "3"
		require.NoError(t, tryGet(t, t.Context(), conn))
		srv.right = "4"
		require.NoError(t, tryGet(t, t.Context(), conn), "new credentials end the pause")
	})
}

func TestCredentialsThatCannotBeRenewedAreUsedUntilTheyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{lifetime: time.Hour}, &tokenServer{}
		conn, log := connectedWithPlugin(t, d, srv)
		require.NoError(t, tryGet(t, t.Context(), conn))
		d.err = errors.New("the plugin failed")
		time.Sleep(time.Hour - execRenewBefore)
		for range 9 {
			require.NoError(t, tryGet(t, t.Context(), conn))
			time.Sleep(time.Second)
		}
		require.Equal(t, 1, log.lines(), log.String())
		require.LessOrEqual(t, d.runs, 6, "a run is tried every two seconds")
		time.Sleep(time.Second)
		require.ErrorContains(t, tryGet(t, t.Context(), conn), "the plugin failed")
		d.err = nil
		require.NoError(t, tryGet(t, t.Context(), conn))
		require.Equal(t, 2, log.lines(), log.String())
	})
}

func TestARequestReturnsTheErrorOfTheFirstRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, srv := &fakePlugin{err: errors.New("no access"), duration: time.Second}, &tokenServer{}
		conn, log := connectedWithPlugin(t, d, srv)
		require.ErrorContains(t, tryGet(t, t.Context(), conn), "no access")
		require.Empty(t, srv.tokens)
		require.Zero(t, log.lines())
	})
}

func TestALate401ForOldCredentialsStartsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakePlugin{}
		conn, _ := connectedWithPlugin(t, d, roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Authorization") != "Bearer 1" {
				return answerOf(200, ""), nil
			}
			if r.Header.Get("Late") != "" {
				time.Sleep(time.Minute)
			}
			return answerOf(http.StatusUnauthorized, ""), nil
		}))
		late := newRequestFor(t, conn, http.MethodGet, "/", "")
		late.Header.Set("Late", "yes")
		status := make(chan int, 1)
		go func() {
			response, err := conn.Do(late, false)
			if err != nil {
				status <- 0
				return
			}
			response.Body.Close()
			status <- response.StatusCode
		}()
		synctest.Wait()
		require.NoError(t, tryGet(t, t.Context(), conn))
		require.Equal(t, 200, <-status)
		require.Equal(t, 2, d.runs)
	})
}
