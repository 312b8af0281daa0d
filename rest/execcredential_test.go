package rest

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

// dispenser is a plugin in the test's own hands: it hands out 1, 2, 3 ...
type dispenser struct {
	takes time.Duration // to run
	life  time.Duration // of what it hands out; 0 is for ever
	same  bool          // hands out the same each time
	err   error

	mu      sync.Mutex
	runs    int
	running int
	most    int // that ran at the same time
	killed  int
}

func (d *dispenser) fetch(ctx context.Context) (*issued, error) {
	d.mu.Lock()
	d.runs++
	d.running++
	d.most = max(d.most, d.running)
	made, err := &issued{token: strconv.Itoa(d.runs)}, d.err
	d.mu.Unlock()
	timer := time.NewTimer(d.takes)
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
	if d.same {
		made.token = "same"
	}
	if d.life > 0 {
		made.expires = time.Now().Add(d.life)
	}
	return made, nil
}

// dispensed is a connection whose credentials come from a dispenser.
func dispensed(t *testing.T, d *dispenser, door http.RoundTripper) (*connection, *logText) {
	logger, log := logged()
	conn := connected(t, Config{Host: "https://server", Transport: door, Logger: logger, Exec: &ExecConfig{Command: "plugin", APIVersion: execV1}})
	conn.credential.(*execCredential).fetch = d.fetch
	return conn, log
}

// ask sends a GET, and returns its error or what the 401 says.
func ask(t *testing.T, ctx context.Context, c *connection) error {
	response, err := c.do(newRequestFor(t, c, http.MethodGet, "/", "").WithContext(ctx), false)
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

func TestCredentialsAreKeptUntilShortlyBeforeTheyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{life: time.Hour}, &doorman{}
		conn, _ := dispensed(t, d, door)
		require.NoError(t, ask(t, t.Context(), conn))
		time.Sleep(time.Hour - execLeeway - 1)
		require.NoError(t, ask(t, t.Context(), conn))
		time.Sleep(time.Nanosecond)
		require.NoError(t, ask(t, t.Context(), conn))
		require.Equal(t, []string{"1", "1", "2"}, door.shown)
	})
}

func TestCredentialsWithoutAnEndAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{}, &doorman{}
		conn, _ := dispensed(t, d, door)
		for range 3 {
			require.NoError(t, ask(t, t.Context(), conn))
			time.Sleep(1000 * time.Hour)
		}
		require.Equal(t, 1, d.runs)
	})
}

func TestShortLivedCredentialsAreUsedForMostOfTheirLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{life: 5 * time.Second}, &doorman{}
		conn, _ := dispensed(t, d, door)
		for range 10 {
			require.NoError(t, ask(t, t.Context(), conn))
			time.Sleep(time.Second)
		}
		require.Equal(t, []string{"1", "1", "1", "1", "2", "2", "2", "2", "3", "3"}, door.shown)
	})
}

func TestCredentialsThatComeExpiredAreShownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{life: 1}, &doorman{} // the clocks differ
		conn, _ := dispensed(t, d, door)
		d.takes = time.Second
		for range 2 {
			require.NoError(t, ask(t, t.Context(), conn))
		}
		require.Equal(t, 1, d.runs)
		time.Sleep(time.Nanosecond)
		require.NoError(t, ask(t, t.Context(), conn))
		require.Equal(t, 2, d.runs)
	})
}

func TestOneRunServesAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispenser{takes: time.Second}
		conn, _ := dispensed(t, d, transport(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { require.NoError(t, ask(t, t.Context(), conn)) })
		}
		all.Wait()
		require.Equal(t, 1, d.runs)
	})
}

func TestWhoNoLongerWantsToWaitLeavesTheOthersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispenser{takes: time.Minute}
		conn, _ := dispensed(t, d, transport(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		first, leave := context.WithTimeout(t.Context(), time.Second) // who began the run
		defer leave()
		var all sync.WaitGroup
		all.Go(func() {
			begun := time.Now()
			require.ErrorIs(t, ask(t, first, conn), context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(begun))
		})
		synctest.Wait()
		all.Go(func() { require.NoError(t, ask(t, t.Context(), conn)) })
		all.Wait()
		require.Equal(t, 1, d.runs)
		require.Zero(t, d.killed)
	})
}

func TestTheLastToLeaveEndsTheRunAndTheNextBeginsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispenser{takes: time.Minute}
		conn, log := dispensed(t, d, transport(func(*http.Request) (*http.Response, error) { return answerOf(200, ""), nil }))
		short, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { require.ErrorIs(t, ask(t, short, conn), context.DeadlineExceeded) })
		}
		all.Wait()
		require.NoError(t, ask(t, t.Context(), conn))
		require.Equal(t, 1, d.killed)
		require.Equal(t, 2, d.runs)
		require.Equal(t, 1, d.most, "two ran at the same time")
		require.Zero(t, log.lines())
	})
}

func TestA401FetchesOtherCredentialsOnceForAllWhoWereRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispenser{takes: time.Second}
		var mu sync.Mutex
		sent := 0
		conn, _ := dispensed(t, d, transport(func(r *http.Request) (*http.Response, error) {
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
			all.Go(func() { require.NoError(t, ask(t, t.Context(), conn)) })
		}
		all.Wait()
		require.Equal(t, 2, d.runs)
		require.Equal(t, 40, sent)
	})
}

func TestA401ToABodyThatCannotBeSentAgainFetchesOtherCredentials(t *testing.T) {
	d, door := &dispenser{}, &doorman{right: "2"}
	conn, _ := dispensed(t, d, door)
	for _, want := range []int{http.StatusUnauthorized, http.StatusOK} {
		request := newRequestFor(t, conn, http.MethodPost, "/", "body")
		request.GetBody = nil
		response, err := conn.do(request, false)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode)
	}
	require.Equal(t, []string{"1", "2"}, door.shown)
}

// Somebody who has lost access for good should not start a program a second.
func TestAPluginThatHandsOutWhatWasRefusedIsNotAskedAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{same: true}, &doorman{right: "never"}
		conn, _ := dispensed(t, d, door)
		for range 5 {
			require.ErrorIs(t, ask(t, t.Context(), conn), errUnauthorized)
		}
		require.Equal(t, 2, d.runs)
		require.Len(t, door.shown, 5)
		time.Sleep(execPause)
		d.same = false
		door.right = "3"
		require.NoError(t, ask(t, t.Context(), conn))
	})
}

func TestAPluginThatFailsIsNotAskedAgainForEveryRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{}, &doorman{}
		conn, log := dispensed(t, d, door)
		require.NoError(t, ask(t, t.Context(), conn))
		d.err, door.right = errors.New("login expired"), "never"
		for range 10 {
			require.ErrorIs(t, ask(t, t.Context(), conn), errUnauthorized)
			time.Sleep(execPause/10 - 1)
		}
		require.Equal(t, 2, d.runs)
		require.Equal(t, 1, log.lines())
		time.Sleep(execPause)
		d.err, door.right = nil, "3"
		require.NoError(t, ask(t, t.Context(), conn))
		door.right = "4"
		require.NoError(t, ask(t, t.Context(), conn), "what has arrived ended the pause")
	})
}

func TestCredentialsThatCannotBeRenewedAreUsedToTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{life: time.Hour}, &doorman{}
		conn, log := dispensed(t, d, door)
		require.NoError(t, ask(t, t.Context(), conn))
		d.err = errors.New("the plugin is ill")
		time.Sleep(time.Hour - execLeeway)
		for range 9 {
			require.NoError(t, ask(t, t.Context(), conn))
			time.Sleep(time.Second)
		}
		require.Equal(t, 1, log.lines(), log.String())
		require.LessOrEqual(t, d.runs, 6, "it is tried every two seconds")
		time.Sleep(time.Second)
		require.ErrorContains(t, ask(t, t.Context(), conn), "the plugin is ill")
		d.err = nil
		require.NoError(t, ask(t, t.Context(), conn))
		require.Equal(t, 2, log.lines(), log.String())
	})
}

func TestTheErrorOfTheFirstRunIsThatOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, door := &dispenser{err: errors.New("no access"), takes: time.Second}, &doorman{}
		conn, log := dispensed(t, d, door)
		require.ErrorContains(t, ask(t, t.Context(), conn), "no access")
		require.Empty(t, door.shown)
		require.Zero(t, log.lines())
	})
}

func TestALateRefusalOfOldCredentialsBeginsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispenser{}
		conn, _ := dispensed(t, d, transport(func(r *http.Request) (*http.Response, error) {
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
			response, err := conn.do(late, false)
			if err != nil {
				status <- 0
				return
			}
			response.Body.Close()
			status <- response.StatusCode
		}()
		synctest.Wait()
		require.NoError(t, ask(t, t.Context(), conn))
		require.Equal(t, 200, <-status)
		require.Equal(t, 2, d.runs)
	})
}
