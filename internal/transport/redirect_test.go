package transport

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// Credentials are for one server. They are not sent to the target of a redirect to
// another one, which does not receive the client certificate either.
func TestARedirectToAnotherServerIsAnErrorAndCarriesNoCredentials(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	var strayed atomic.Int32
	elsewhere := func(http.ResponseWriter, *http.Request) { strayed.Add(1) }
	other := ca.Serve(elsewhere)
	plain := httptest.NewServer(http.HandlerFunc(elsewhere))
	t.Cleanup(plain.Close)
	cert, key := ca.Issue("client")
	var location string
	var status int
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "client", tlstest.CommonName(r))
		require.Equal(t, "Bearer SECRET", r.Header.Get("Authorization"))
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	})
	config := Config{
		Base: address(server.URL), BearerToken: "SECRET", TLS: TLSConfig{CAData: ca.PEM, CertData: cert, KeyData: key},
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
			_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/here?token=SECRET", ""), false)
			require.ErrorContains(t, err, fmt.Sprintf("redirects (%d) from %s/here to ", status, server.URL), to)
			require.ErrorContains(t, err, "not followed")
			require.NotContains(t, err.Error(), "SECRET")
		}
	}
	location = "https://%zz/SECRET"
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "an invalid URL")
	require.NotContains(t, err.Error(), "SECRET")
	require.Zero(t, strayed.Load())
}

func TestARedirectOnTheSameServerIsFollowedWithCredentials(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": tlstest.HTTP1, "HTTP/2": func(*httptest.Server) {}} {
		server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/from" {
				http.Redirect(w, r, "/to?a=b", http.StatusMovedPermanently)
				return
			}
			fmt.Fprint(w, r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.Header.Get("Referer"))
		}, change)
		conn := connected(t, Config{Base: address(server.URL), BearerToken: "t", TLS: TLSConfig{CAData: ca.PEM}})
		_, body := get(t, conn, "/from")
		require.Equal(t, "GET /to?a=b Bearer t ", body, name)
		conn.Close()
	}
}

func TestOnlyReadsFollowRedirects(t *testing.T) {
	var sent int
	conn := connected(t, Config{Base: address("https://server"), Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		sent++
		response := answerOf(http.StatusTemporaryRedirect, "")
		response.Header.Set("Location", "/there")
		return response, nil
	})})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		sent = 0
		_, err := conn.Do(newRequestFor(t, conn, method, "/here", "body"), false)
		require.ErrorContains(t, err, "from https://server/here to https://server/there, which is not followed: only a GET")
		require.Equal(t, 1, sent)
	}
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/here", "body"), false)
	require.ErrorContains(t, err, "only a GET or HEAD without a body")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		sent = 0
		_, err := conn.Do(newRequestFor(t, conn, method, "/here", ""), true)
		require.ErrorContains(t, err, "more than 10 times, the last time to https://server/there")
		require.Equal(t, 11, sent)
	}
}

func TestOtherStatusesAreReturnedUnchanged(t *testing.T) {
	for _, status := range []int{http.StatusMultipleChoices, http.StatusNotModified, http.StatusFound} {
		conn := connected(t, Config{Base: address("https://server"), Transport: roundTripperFunc(func(*http.Request) (*http.Response, error) {
			return answerOf(status, "body"), nil // without a Location
		})})
		got, body := get(t, conn, "/")
		require.Equal(t, status, got)
		require.Equal(t, "body", body)
	}
}

func TestTheDefaultPortIsTheSamePort(t *testing.T) {
	var hops int
	conn := connected(t, Config{Base: address("https://server:443"), Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
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
