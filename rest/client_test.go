package rest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The comment on Config: New copies it, and later changes do nothing.
func TestAClientKeepsTheConfigThatItWasMadeOf(t *testing.T) {
	sent := &script{t: t, answers: fine(1)}
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
	config.Transport = transport(func(*http.Request) (*http.Response, error) { panic("the other transport") })

	_, err = client.Get().AbsPath("/x").DoRaw(t.Context())
	require.NoError(t, err)
	require.Equal(t, "https://server/x?timeout=1m0s", sent.asked[0].URL.String())
	require.Equal(t, http.Header{
		"Accept": {"application/json;q=0.1"}, "Authorization": {"Bearer before"}, "User-Agent": {"before"},
		"Impersonate-User": {"u"}, "Impersonate-Group": {"before"},
	}, sent.asked[0].Header)
}
