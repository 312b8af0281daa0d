package rest

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzHost checks that a Host is either rejected or a server to which a path can be
// appended. Text before an @ or after a ? is never shown.
func FuzzHost(f *testing.F) {
	for _, host := range []string{
		"https://server:6443/base", "server", "[::1]:80", "fd00::1", "https://u:p@h", "http://h?token=t", "h#f", "https://h/%2e%2e/", "://", "a://b://c",
	} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		server, err := (&Config{Host: host}).serverURL()
		if strings.ContainsAny(host, "@?#") {
			if err == nil {
				t.Fatalf("%q was accepted", host)
			}
			const marker = "SECRET"
			shown := Config{Host: marker + "@" + host}.String() + Config{Host: host + "?" + marker}.String()
			if strings.Contains(shown, marker) && !strings.Contains(host, marker) {
				t.Fatalf("shown: %s", shown)
			}
			return
		}
		if err != nil {
			return
		}
		again, err := url.Parse(server.String() + "/api/v1")
		if err != nil || again.Host != server.Host || again.Path != server.Path+"/api/v1" || again.User != nil || again.RawQuery != "" || again.Fragment != "" {
			t.Fatalf("%q became %q, and with a path %v (%v)", host, server, again, err)
		}
		if strings.HasSuffix(server.Path, "/") || server.Hostname() == "" {
			t.Fatalf("%q became %q", host, server)
		}
	})
}
