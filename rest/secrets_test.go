package rest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// badHost is what no URL can have in a host's place.
var badHost = "%zz"

// Whatever goes wrong, neither the error nor the log says what is secret.
func TestNoErrorAndNoLogOfAFailingClientShowsASecret(t *testing.T) {
	ca := newAuthority(t, "ca")
	_, strangerKey := newAuthority(t, "stranger").issue("stranger")
	cert, key := ca.issue("client")
	token := filepath.Join(t.TempDir(), "token")
	write(t, token, []byte("SECRET-token"))
	refusing := ca.serve(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, quiet)
	cutting := ca.serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, quiet, http1)
	redirecting := ca.serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://u:SECRET@elsewhere/?token=SECRET#SECRET")
		w.WriteHeader(http.StatusFound)
	})
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()

	failing := map[string]Config{
		"refused":             {Host: refusing.URL, TLS: TLSConfig{CAData: ca.pem, CertData: cert, KeyData: key}},
		"cut":                 {Host: cutting.URL, TLS: TLSConfig{CAData: ca.pem}},
		"redirected":          {Host: redirecting.URL, TLS: TLSConfig{CAData: ca.pem}},
		"gone":                {Host: gone.URL},
		"unknown authority":   {Host: refusing.URL},
		"no such host":        {Host: "https://thinformer.invalid", Dial: noSuchHost},
		"proxy gone":          {Host: refusing.URL, Proxy: proxyAt("http://u:SECRET@" + gone.Listener.Addr().String())},
		"https proxy gone":    {Host: refusing.URL, Proxy: proxyAt("https://u:SECRET@" + gone.Listener.Addr().String())},
		"socks proxy gone":    {Host: refusing.URL, Proxy: proxyAt("socks5://u:SECRET@" + gone.Listener.Addr().String())},
		"proxy unknown":       {Host: refusing.URL, Proxy: proxyAt("SECRET://u:SECRET@proxy")},
		"proxy without host":  {Host: refusing.URL, Proxy: proxyAt("http://u:SECRET@")},
		"proxy cannot choose": {Host: refusing.URL, Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://u:SECRET@" + badHost) }},
	}
	ways := map[string]func(*Config){
		"nobody":     func(*Config) {},
		"token":      func(c *Config) { c.BearerToken = "SECRET" },
		"token file": func(c *Config) { c.BearerTokenFile = token },
		"basic":      func(c *Config) { c.Username, c.Password = "user", "SECRET" },
		"plugin": func(c *Config) {
			c.Exec = pluginConfig("file", ExecEnv{"ANSWER", token}, ExecEnv{"SECRET_NAME", "SECRET"})
			c.Exec.Args = append(c.Exec.Args, "SECRET")
		},
		"impersonation": func(c *Config) {
			c.Impersonate = ImpersonationConfig{UserName: "user", Extra: map[string][]string{"k": {"SECRET"}}}
		},
	}
	for what, config := range failing {
		for who, as := range ways {
			logger, log := logged()
			config.Logger, config.Timeout = logger, 20*time.Second
			as(&config)
			client, err := New(&config)
			require.NoError(t, err)
			request := client.Get().AbsPath("/api").Param("token", "SECRET").MaxRetries(0)
			_, err = request.DoRaw(t.Context())
			require.Error(t, err, "%s as %s", what, who)
			shown := fmt.Sprintf("%v %+v %#v %s %v %+v", err, err, err, log, client, client)
			require.NotContains(t, shown, "SECRET", "%s as %s", what, who)
			client.Close()
			config = failing[what]
		}
	}
	_, err := New(&Config{Host: "https://server", TLS: TLSConfig{CertData: cert, KeyData: strangerKey}})
	require.ErrorContains(t, err, "does not match")
	require.NotContains(t, err.Error(), "PRIVATE")
}

func noSuchHost(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "thinformer.invalid", IsNotFound: true}}
}

func proxyAt(where string) func(*http.Request) (*url.URL, error) {
	at, err := url.Parse(where)
	return func(*http.Request) (*url.URL, error) { return at, err }
}
