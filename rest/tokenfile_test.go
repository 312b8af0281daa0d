package rest

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// logged is a logger and what it has written.
func logged() (*slog.Logger, *logText) {
	var text logText
	return slog.New(slog.NewTextHandler(&text, nil)), &text
}

type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines are how often something was logged.
func (l *logText) lines() int { return strings.Count(l.String(), "\n") }

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// doorman answers 401 to all but those who show the right token, and keeps what
// he was shown.
type doorman struct {
	right  string
	shown  []string
	bodies []string
}

func (d *doorman) RoundTrip(r *http.Request) (*http.Response, error) {
	d.shown = append(d.shown, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if r.Body != nil {
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body.Close()
		d.bodies = append(d.bodies, body.String())
	}
	if d.right != "" && d.shown[len(d.shown)-1] != d.right {
		return answerOf(http.StatusUnauthorized, "no"), nil
	}
	return answerOf(http.StatusOK, ""), nil
}

func TestATokenFileIsReadAtMostOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, door := filepath.Join(t.TempDir(), "token"), &doorman{}
		write(t, path, []byte("first\n"))
		conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
		get(t, conn, "/")
		write(t, path, []byte("second"))
		time.Sleep(time.Minute - 1)
		get(t, conn, "/")
		time.Sleep(time.Nanosecond)
		get(t, conn, "/")
		require.Equal(t, []string{"first", "first", "second"}, door.shown)
	})
}

func TestATokenFileIsReadAtOnceAfterA401AndTheRequestRepeatedOnce(t *testing.T) {
	path, door := filepath.Join(t.TempDir(), "token"), &doorman{right: "second"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
	status, _ := get(t, conn, "/")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, []string{"first"}, door.shown, "what was refused is not shown again")

	write(t, path, []byte("second"))
	response, err := conn.do(newRequestFor(t, conn, http.MethodPost, "/", "body"), false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, []string{"first", "first", "second"}, door.shown)
	require.Equal(t, []string{"body", "body"}, door.bodies)

	door.right, door.shown = "never", nil
	write(t, path, []byte("third"))
	status, body := get(t, conn, "/")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, "no", body)
	require.Equal(t, []string{"second", "third"}, door.shown, "once, and not more often")
}

func TestABodyThatCannotBeSentAgainIsSentOnce(t *testing.T) {
	path, door := filepath.Join(t.TempDir(), "token"), &doorman{right: "second"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
	get(t, conn, "/")
	write(t, path, []byte("second"))
	request := newRequestFor(t, conn, http.MethodPost, "/", "body")
	request.GetBody = nil
	response, err := conn.do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, []string{"body"}, door.bodies)

	request = newRequestFor(t, conn, http.MethodPost, "/", "body")
	request.GetBody = nil
	response, err = conn.do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "the refusal made the next request show what is valid")
	require.Equal(t, []string{"first", "first", "second"}, door.shown)
}

func TestA401ToTheRequestsOwnCredentialsIsTheCallersBusiness(t *testing.T) {
	path, door := filepath.Join(t.TempDir(), "token"), &doorman{right: "first"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
	request := newRequestFor(t, conn, http.MethodGet, "/", "")
	request.Header.Set("Authorization", "Bearer own")
	response, err := conn.do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, []string{"own"}, door.shown)
}

func TestATokenThatCannotBeReadAgainStaysInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, door := filepath.Join(t.TempDir(), "token"), &doorman{}
		logger, log := logged()
		write(t, path, []byte("SECRET1"))
		conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door, Logger: logger})
		minutes := func(n int) {
			for range n {
				get(t, conn, "/")
				time.Sleep(time.Minute)
			}
		}
		minutes(3)
		require.Zero(t, log.lines())
		require.NoError(t, os.Remove(path))
		minutes(3)
		require.Equal(t, 1, log.lines(), "once while it lasts")
		require.Contains(t, log.String(), path)
		write(t, path, nil)
		minutes(3)
		require.Equal(t, 2, log.lines(), "an empty file is another trouble")
		require.Contains(t, log.String(), "empty")
		write(t, path, []byte("SECRET2\nSECRET3"))
		minutes(3)
		require.Equal(t, 3, log.lines())
		write(t, path, []byte("SECRET4"))
		minutes(3)
		require.Equal(t, 4, log.lines(), "and once when it is over")
		require.NotContains(t, log.String(), "SECRET")
		require.Equal(t, "SECRET1", door.shown[11])
		require.Equal(t, "SECRET4", door.shown[12])
	})
}

func TestWithoutAnyTokenTheFirstRequestFails(t *testing.T) {
	path, door := filepath.Join(t.TempDir(), "token"), &doorman{}
	conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: door})
	for content, why := range map[string]string{
		"absent": "no such file", "": "empty", " \n": "empty", "SECRET\nX": "header", strings.Repeat("SECRET", 1<<18): "larger",
	} {
		if content != "absent" {
			write(t, path, []byte(content))
		} else {
			_ = os.Remove(path)
		}
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorContains(t, err, "read the bearer token: "+path+": ")
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "SECRET")
	}
	require.Empty(t, door.shown, "something was sent")
	write(t, path, []byte("token")) // and at once
	get(t, conn, "/")
	require.Equal(t, []string{"token"}, door.shown)
}

func TestBearerTokenStandsInUntilTheFileCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, door := filepath.Join(t.TempDir(), "token"), &doorman{}
		logger, _ := logged()
		conn := connected(t, Config{Host: "https://server", BearerToken: "given", BearerTokenFile: path, Transport: door, Logger: logger})
		get(t, conn, "/")
		write(t, path, []byte("read"))
		time.Sleep(time.Minute)
		get(t, conn, "/")
		require.Equal(t, []string{"given", "read"}, door.shown)
	})
}
