package rest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Promise: New copies the Config, so that later changes have no effect.
func TestNewCopiesTheConfig(t *testing.T) {
	sent := &scriptedTransport{t: t, answers: okAnswers(1)}
	config := &Config{
		Host: "https://server", Transport: sent, BearerToken: "before", UserAgent: "before", Timeout: time.Minute,
		AcceptContentTypes: "application/json;q=0.1", Impersonate: ImpersonationConfig{UserName: "u", Groups: []string{"before"}},
	}
	client, err := New(config)
	require.NoError(t, err)
	defer client.Close()
	config.Host, config.BearerToken, config.UserAgent = "https://elsewhere", "after", "after"
	config.AcceptContentTypes, config.Timeout = "text/html", time.Hour
	config.Impersonate.Groups[0] = "after"
	config.Transport = roundTripperFunc(func(*http.Request) (*http.Response, error) { panic("the other transport") })

	_, err = client.Get().AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, "https://server/x?timeout=1m0s", sent.requests[0].URL.String())
	require.Equal(t, http.Header{
		"Accept": {"application/json;q=0.1"}, "Authorization": {"Bearer before"}, "User-Agent": {"before"},
		"Impersonate-User": {"u"}, "Impersonate-Group": {"before"},
	}, sent.requests[0].Header)
}
