package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Credentials are meant for one server. Wherever that one points, they are not
// sent elsewhere, and neither is the client certificate shown.
func TestARedirectToAnotherServerIsAnErrorAndCarriesNoCredentials(t *testing.T) {
	ca := newAuthority(t, "ca")
	var strayed atomic.Int32
	elsewhere := func(http.ResponseWriter, *http.Request) { strayed.Add(1) }
	other := ca.serve(elsewhere)
	plain := httptest.NewServer(http.HandlerFunc(elsewhere))
	t.Cleanup(plain.Close)
	cert, key := ca.issue("client")
	var location string
	var status int
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "client", commonName(r))
		require.Equal(t, "Bearer SECRET", r.Header.Get("Authorization"))
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	})
	config := Config{
		Host: server.URL, BearerToken: "SECRET", TLS: TLSConfig{CAData: ca.pem, CertData: cert, KeyData: key},
		Impersonate: ImpersonationConfig{UserName: "SECRET"},
	}
	conn := connected(t, config)
	for _, to := range []string{
		other.URL + "/x?token=SECRET",
		plain.URL + "/x",
		"http" + strings.TrimPrefix(server.URL, "https"),
		"//" + other.Listener.Addr().String() + "/x",
		"https://127.0.0.1:1/x",
		"https://user:SECRET@" + server.Listener.Addr().String() + "/x",
		"https://localhost:" + conn.base.Port() + "/x",
		"ftp://x/",
	} {
		for _, status = range []int{301, 302, 303, 307, 308} {
			location = to
			_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/here?token=SECRET", ""), false)
			require.ErrorContains(t, err, fmt.Sprintf("redirects (%d) from %s/here to ", status, server.URL), to)
			require.ErrorContains(t, err, "not followed")
			require.NotContains(t, err.Error(), "SECRET")
		}
	}
	location = "https://%zz/SECRET"
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "no URL")
	require.NotContains(t, err.Error(), "SECRET")
	require.Zero(t, strayed.Load())
}

func TestARedirectOnTheSameServerIsFollowedWithCredentials(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/from" {
				http.Redirect(w, r, "/to?a=b", http.StatusMovedPermanently)
				return
			}
			fmt.Fprint(w, r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.Header.Get("Referer"))
		}, change)
		conn := connected(t, Config{Host: server.URL, BearerToken: "t", TLS: TLSConfig{CAData: ca.pem}})
		_, body := get(t, conn, "/from")
		require.Equal(t, "GET /to?a=b Bearer t ", body, name)
		conn.close()
	}
}

func TestOnlyReadsFollowRedirects(t *testing.T) {
	var sent int
	conn := connected(t, Config{Host: "https://server", Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent++
		response := answerOf(http.StatusTemporaryRedirect, "")
		response.Header.Set("Location", "/there")
		return response, nil
	})})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		sent = 0
		_, err := conn.do(newRequestFor(t, conn, method, "/here", "body"), false)
		require.ErrorContains(t, err, "from https://server/here to https://server/there, which is not followed: only a GET")
		require.Equal(t, 1, sent)
	}
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/here", "body"), false)
	require.ErrorContains(t, err, "only a GET without a body")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		sent = 0
		_, err := conn.do(newRequestFor(t, conn, method, "/here", ""), true)
		require.ErrorContains(t, err, "more than 10 times, the last time to https://server/there")
		require.Equal(t, 11, sent)
	}
}

func TestWhatIsNoRedirectIsHandedOn(t *testing.T) {
	for _, status := range []int{http.StatusMultipleChoices, http.StatusNotModified, http.StatusFound} {
		conn := connected(t, Config{Host: "https://server", Transport: transport(func(*http.Request) (*http.Response, error) {
			return answerOf(status, "body"), nil // without a Location
		})})
		got, body := get(t, conn, "/")
		require.Equal(t, status, got)
		require.Equal(t, "body", body)
	}
}

func TestTheUsualPortIsTheSamePort(t *testing.T) {
	var hops int
	conn := connected(t, Config{Host: "https://server:443", Transport: transport(func(r *http.Request) (*http.Response, error) {
		if hops++; hops > 1 {
			return answerOf(200, ""), nil
		}
		response := answerOf(http.StatusFound, "")
		response.Header.Set("Location", "https://SERVER/there")
		return response, nil
	})})
	status, _ := get(t, conn, "/")
	require.Equal(t, 200, status)
}
