package rest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
	"github.com/thinformer/thinformer/internal/transport"
)

// badHost is not a valid host in a URL.
var badHost = "%zz"

// Whatever fails, neither the error nor the log contains a secret.
func TestNoErrorAndNoLogOfAFailingClientShowsASecret(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	_, otherKey := tlstest.NewAuthority(t, "other").Issue("other")
	cert, key := ca.Issue("client")
	token := filepath.Join(t.TempDir(), "token")
	write(t, token, []byte("SECRET-token"))
	refusing := ca.Serve(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, tlstest.DiscardLog)
	cutting := ca.Serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, tlstest.DiscardLog, tlstest.HTTP1)
	redirecting := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://u:SECRET@elsewhere/?token=SECRET#SECRET")
		w.WriteHeader(http.StatusFound)
	})
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()

	failing := map[string]Config{
		"refused":              {Host: refusing.URL, TLS: TLSConfig{CAData: ca.PEM, CertData: cert, KeyData: key}},
		"cut":                  {Host: cutting.URL, TLS: TLSConfig{CAData: ca.PEM}},
		"redirected":           {Host: redirecting.URL, TLS: TLSConfig{CAData: ca.PEM}},
		"gone":                 {Host: gone.URL},
		"unknown authority":    {Host: refusing.URL},
		"no such host":         {Host: "https://thinformer.invalid", Dial: noSuchHost},
		"proxy gone":           {Host: refusing.URL, Proxy: proxyAt("http://u:SECRET@" + gone.Listener.Addr().String())},
		"https proxy gone":     {Host: refusing.URL, Proxy: proxyAt("https://u:SECRET@" + gone.Listener.Addr().String())},
		"socks proxy gone":     {Host: refusing.URL, Proxy: proxyAt("socks5://u:SECRET@" + gone.Listener.Addr().String())},
		"proxy unknown":        {Host: refusing.URL, Proxy: proxyAt("SECRET://u:SECRET@proxy")},
		"proxy without host":   {Host: refusing.URL, Proxy: proxyAt("http://u:SECRET@")},
		"proxy function fails": {Host: refusing.URL, Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://u:SECRET@" + badHost) }},
	}
	ways := map[string]func(*Config){
		"anonymous":  func(*Config) {},
		"token":      func(c *Config) { c.BearerToken = "SECRET" },
		"token file": func(c *Config) { c.BearerTokenFile = token },
		"basic":      func(c *Config) { c.Username, c.Password = "user", "SECRET" },
		"plugin": func(c *Config) {
			c.Exec = &ExecConfig{
				Command: os.Args[0], Args: []string{"-test.run=^TestPlugin$", "SECRET"}, APIVersion: transport.ExecV1,
				// With the race detector, a program waits for a second before it exits.
				Env: []ExecEnv{{pluginOutputEnv, token}, {"SECRET_NAME", "SECRET"}, {"GORACE", "atexit_sleep_ms=0"}},
			}
		},
		"impersonation": func(c *Config) {
			c.Impersonate = ImpersonationConfig{UserName: "user", Extra: map[string][]string{"k": {"SECRET"}}}
		},
	}
	for what, config := range failing {
		for user, as := range ways {
			logger, log := logged()
			config.Logger, config.Timeout = logger, 20*time.Second
			as(&config)
			client, err := New(&config)
			require.NoError(t, err)
			request := client.Get().AbsPath("/api").Param("token", "SECRET").MaxRetries(0)
			_, err = request.DoRaw(t.Context())
			require.Error(t, err, "%s as %s", what, user)
			shown := fmt.Sprintf("%v %+v %#v %s %v %+v", err, err, err, log, client, client)
			require.NotContains(t, shown, "SECRET", "%s as %s", what, user)
			client.Close()
			config = failing[what]
		}
	}
	_, err := New(&Config{Host: "https://server", TLS: TLSConfig{CertData: cert, KeyData: otherKey}})
	require.ErrorContains(t, err, "does not match")
	require.NotContains(t, err.Error(), "PRIVATE")
}

// pluginOutputEnv names a file whose contents TestPlugin prints.
const pluginOutputEnv = "THINFORMER_TEST_PLUGIN_OUTPUT"

// TestPlugin is a credential plugin whose output is not an ExecCredential. Run as a
// test, it does nothing.
func TestPlugin(t *testing.T) {
	path := os.Getenv(pluginOutputEnv)
	if path == "" {
		return
	}
	output, err := os.ReadFile(path)
	if err != nil {
		os.Exit(1)
	}
	os.Stdout.Write(output)
	os.Exit(0)
}

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

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func noSuchHost(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "thinformer.invalid", IsNotFound: true}}
}

func proxyAt(where string) func(*http.Request) (*url.URL, error) {
	at, err := url.Parse(where)
	return func(*http.Request) (*url.URL, error) { return at, err }
}
