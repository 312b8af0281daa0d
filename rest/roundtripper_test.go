package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// A request built elsewhere is sent to Config.Host, with the credentials of the client
// or with its own.
func TestRoundTripperSendsToTheServerWithCredentials(t *testing.T) {
	asked := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r }))
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL + "/below%2Fthis", BearerToken: "secret"})
	require.NoError(t, err)
	defer client.Close()

	for _, c := range []struct{ url, own, want, authorization string }{
		{"/api/v1/pods?limit=1", "", "/below%2Fthis/api/v1/pods?limit=1", "Bearer secret"},
		{"/a%2Fb", "Bearer own", "/below%2Fthis/a%2Fb", "Bearer own"},
		{server.URL + "/version", "", "/below%2Fthis/version", "Bearer secret"},
	} {
		request, err := http.NewRequest(http.MethodGet, c.url, nil)
		require.NoError(t, err)
		request.Host = "elsewhere"
		if c.own != "" {
			request.Header.Set("Authorization", c.own)
		}
		response, err := client.RoundTripper().RoundTrip(request)
		require.NoError(t, err)
		response.Body.Close()
		got := <-asked
		require.Equal(t, c.want, got.RequestURI)
		require.Equal(t, c.authorization, got.Header.Get("Authorization"))
		require.Equal(t, strings.TrimPrefix(server.URL, "http://"), got.Host)
		require.Equal(t, c.own, request.Header.Get("Authorization"), "the request was changed")
	}
}

// Credentials are sent to no other server, whatever the URL is.
func TestRoundTripperRejectsOtherServers(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "https://here:6443", BearerToken: "secret"})
	require.NoError(t, err)
	defer client.Close()
	for _, url := range []string{"https://there:6443/api", "http://here:6443/api", "https://here/api"} {
		body := &closable{Reader: strings.NewReader("x")}
		request, err := http.NewRequest(http.MethodPost, url, body)
		require.NoError(t, err)
		_, err = client.RoundTripper().RoundTrip(request)
		require.ErrorContains(t, err, "the credentials are for https://here:6443")
		require.True(t, body.closed)
	}
}

// Redirects are left to the caller, which may not allow the target.
func TestRoundTripperFollowsNoRedirect(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/to", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL, BearerToken: "secret"})
	require.NoError(t, err)
	defer client.Close()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		request, err := http.NewRequest(method, "/from", nil)
		require.NoError(t, err)
		response, err := client.RoundTripper().RoundTrip(request)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusTemporaryRedirect, response.StatusCode)
		require.Equal(t, "/to", response.Header.Get("Location"))
	}
}

type closable struct {
	io.Reader
	closed bool
}

func (c *closable) Close() error { c.closed = true; return nil }

// A watch uses the connection pool for long requests.
func TestRoundTripperSendsWatchesOnTheirOwnConnections(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	pools := 0
	config := srv.Config()
	long := map[string]bool{}
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		pools++ // New creates the pool for short requests first
		second := pools == 2
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			long[r.URL.RequestURI()] = second
			return next.RoundTrip(r)
		})
	}
	client, err := rest.New(config)
	require.NoError(t, err)
	defer client.Close()
	for url, want := range map[string]bool{
		"/api/v1/pods": false, "/api/v1/pods?watch=0": false, "/api/v1/pods?watch=false": false,
		"/api/v1/pods?watch=1": true, "/api/v1/pods?watch=true": true, "/api/v1/watch/pods": true,
	} {
		request, err := http.NewRequest(http.MethodGet, url, nil)
		require.NoError(t, err)
		response, err := client.RoundTripper().RoundTrip(request)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
		response.Body.Close()
		require.Equal(t, want, long[url], url)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Close of the client also ends the requests of its RoundTripper.
func TestRoundTripperEndsWithTheClient(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	request, err := http.NewRequest(http.MethodGet, "/api/v1/pods?watch=1", nil)
	require.NoError(t, err)
	response, err := client.RoundTripper().RoundTrip(request)
	require.NoError(t, err)
	client.Close()
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, rest.ErrClosed)
	_, err = client.RoundTripper().RoundTrip(request)
	require.ErrorIs(t, err, rest.ErrClosed)
}
