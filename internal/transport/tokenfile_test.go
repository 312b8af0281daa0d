package transport

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

// logged is a logger that records its output.
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

// lines returns how often a message was logged.
func (l *logText) lines() int { return strings.Count(l.String(), "\n") }

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// tokenServer responds with 401 unless a request has the right token. It records the
// tokens.
type tokenServer struct {
	right  string
	tokens []string
	bodies []string
}

func (d *tokenServer) RoundTrip(r *http.Request) (*http.Response, error) {
	d.tokens = append(d.tokens, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if r.Body != nil {
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body.Close()
		d.bodies = append(d.bodies, body.String())
	}
	if d.right != "" && d.tokens[len(d.tokens)-1] != d.right {
		return answerOf(http.StatusUnauthorized, "no"), nil
	}
	return answerOf(http.StatusOK, ""), nil
}

func TestATokenFileIsReadAtMostOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{}
		write(t, path, []byte("first\n"))
		conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
		get(t, conn, "/")
		write(t, path, []byte("second"))
		time.Sleep(time.Minute - 1)
		get(t, conn, "/")
		time.Sleep(time.Nanosecond)
		get(t, conn, "/")
		require.Equal(t, []string{"first", "first", "second"}, srv.tokens)
	})
}

func TestATokenFileIsReadAfterA401AndTheRequestIsRepeatedOnce(t *testing.T) {
	path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{right: "second"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
	status, _ := get(t, conn, "/")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, []string{"first"}, srv.tokens, "a rejected token is not sent again")

	write(t, path, []byte("second"))
	response, err := conn.Do(newRequestFor(t, conn, http.MethodPost, "/", "body"), false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, []string{"first", "first", "second"}, srv.tokens)
	require.Equal(t, []string{"body", "body"}, srv.bodies)

	srv.right, srv.tokens = "never", nil
	write(t, path, []byte("third"))
	status, body := get(t, conn, "/")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, "no", body)
	require.Equal(t, []string{"second", "third"}, srv.tokens, "the request is repeated once")
}

func TestABodyThatCannotBeReplayedIsSentOnce(t *testing.T) {
	path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{right: "second"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
	get(t, conn, "/")
	write(t, path, []byte("second"))
	request := newRequestFor(t, conn, http.MethodPost, "/", "body")
	request.GetBody = nil
	response, err := conn.Do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, []string{"body"}, srv.bodies)

	request = newRequestFor(t, conn, http.MethodPost, "/", "body")
	request.GetBody = nil
	response, err = conn.Do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "the next request sends the valid token")
	require.Equal(t, []string{"first", "first", "second"}, srv.tokens)
}

func TestA401ToOwnCredentialsOfARequestIsReturned(t *testing.T) {
	path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{right: "first"}
	write(t, path, []byte("first"))
	conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
	request := newRequestFor(t, conn, http.MethodGet, "/", "")
	request.Header.Set("Authorization", "Bearer own")
	response, err := conn.Do(request, false)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, []string{"own"}, srv.tokens)
}

func TestTheOldTokenIsUsedIfTheFileCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{}
		logger, log := logged()
		write(t, path, []byte("SECRET1"))
		conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv, Logger: logger})
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
		require.Equal(t, 1, log.lines(), "logged once while the failure lasts")
		require.Contains(t, log.String(), path)
		write(t, path, nil)
		minutes(3)
		require.Equal(t, 2, log.lines(), "an empty file is another failure")
		require.Contains(t, log.String(), "empty")
		write(t, path, []byte("SECRET2\nSECRET3"))
		minutes(3)
		require.Equal(t, 3, log.lines())
		write(t, path, []byte("SECRET4"))
		minutes(3)
		require.Equal(t, 4, log.lines(), "logged once when the failure is over")
		require.NotContains(t, log.String(), "SECRET")
		require.Equal(t, "SECRET1", srv.tokens[11])
		require.Equal(t, "SECRET4", srv.tokens[12])
	})
}

func TestWithoutAnyTokenTheFirstRequestFails(t *testing.T) {
	path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{}
	conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: srv})
	for content, why := range map[string]string{
		"absent": "no such file", "": "empty", " \n": "empty", "SECRET\nX": "header", strings.Repeat("SECRET", 1<<18): "larger",
	} {
		if content != "absent" {
			write(t, path, []byte(content))
		} else {
			_ = os.Remove(path)
		}
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorContains(t, err, "read the bearer token: "+path+": ")
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "SECRET")
	}
	require.Empty(t, srv.tokens, "a request was sent")
	write(t, path, []byte("token")) // the next request reads the file
	get(t, conn, "/")
	require.Equal(t, []string{"token"}, srv.tokens)
}

func TestBearerTokenIsUsedUntilTheFileCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, srv := filepath.Join(t.TempDir(), "token"), &tokenServer{}
		logger, _ := logged()
		conn := connected(t, Config{Base: address("https://server"), BearerToken: "given", BearerTokenFile: path, Transport: srv, Logger: logger})
		get(t, conn, "/")
		write(t, path, []byte("read"))
		time.Sleep(time.Minute)
		get(t, conn, "/")
		require.Equal(t, []string{"given", "read"}, srv.tokens)
	})
}
