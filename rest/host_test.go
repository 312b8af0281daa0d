package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAHostIsAServerWithAnOptionalPath(t *testing.T) {
	credentials := Config{BearerToken: "t"}
	for _, c := range []struct {
		config Config
		host   string
		want   string
	}{
		{Config{}, "https://server:6443", "https://server:6443"},
		{Config{}, "server:8080", "http://server:8080"},
		{Config{}, "server", "http://server"},
		{Config{}, "localhost:8080/base", "http://localhost:8080/base"},
		{credentials, "server:6443", "https://server:6443"},
		{Config{BearerTokenFile: "f"}, "server", "https://server"},
		{Config{Username: "u"}, "server", "https://server"},
		{Config{Exec: &ExecConfig{}}, "server", "https://server"},
		{Config{TLS: TLSConfig{Insecure: true}}, "server", "https://server"},
		{Config{TLS: TLSConfig{CAFile: "f"}}, "server", "https://server"},
		{Config{TLS: TLSConfig{ServerName: "s"}}, "server", "https://server"},
		{credentials, "http://server", "http://server"},
		{Config{}, "HTTPS://server", "https://server"},
		{Config{}, "https://server/", "https://server"},
		{Config{}, "https://server//", "https://server"},
		{Config{}, "https://rancher/k8s/clusters/c-1/", "https://rancher/k8s/clusters/c-1"},
		{Config{}, "https://server/a%2Fb/", "https://server/a%2Fb"},
		{Config{}, "https://server:", "https://server"},
		{Config{}, "https://[fd00::1]:6443", "https://[fd00::1]:6443"},
		{Config{}, "[fd00::1]:6443", "http://[fd00::1]:6443"},
		{Config{}, "fd00::1", "http://[fd00::1]"},
		{Config{}, "fe80::1%eth0", "http://[fe80::1%25eth0]"},
		{Config{}, "https://[fe80::1%25eth0]:6443", "https://[fe80::1%25eth0]:6443"},
		{Config{}, "10.0.0.1", "http://10.0.0.1"},
	} {
		c.config.Host = c.host
		server, err := c.config.serverURL()
		require.NoError(t, err, c.host)
		require.Equal(t, c.want, server.String(), c.host)
	}
}

func TestTheErrorOfAnInvalidHostShowsNoSecret(t *testing.T) {
	for host, why := range map[string]string{
		"":                            "is empty",
		"https://":                    "no host",
		"https://:6443":               "no host",
		"ftp://server":                "scheme",
		"unix:///run/sock":            "scheme",
		"https://server:0":            "port",
		"https://server:70000":        "port",
		"https://server:x":            "port",
		"https://server/a/../b":       ` ".."`,
		"https://server/a/%2E%2E/b":   ` ".."`,
		"https:/server":               "://",
		"server:/path":                "://",
		"https://admin:SECRET":        "port",
		"admin:SECRET":                "port",
		"https://ser ver":             "invalid character",
		"https://server/\x00":         "control character",
		"https://server?token=SECRET": "query",
		"https://server#SECRET":       "fragment",
		"https://SECRET@server":       "@",
		"https://u:SECRET@server":     "@",
		"u:SECRET@server":             "@",
		"https://u:SEC/RET@server":    "@",
		"https://u:SECRET%zz@server":  "@",
	} {
		_, err := New(&Config{Host: host})
		require.ErrorContains(t, err, "create a client: Config.Host", host)
		require.ErrorContains(t, err, why, host)
		require.NotContains(t, err.Error(), "SEC", host)
	}
}
