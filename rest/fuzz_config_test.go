package rest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzHost: whatever Host is, it is refused, or it is a server that a path can
// be put behind; what stands before an @ or behind a ? is never shown.
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
				t.Fatalf("%q was taken", host)
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

// FuzzRedirect: wherever a Location points, a request that follows it goes to
// the same server.
func FuzzRedirect(f *testing.F) {
	for _, to := range []string{"/there", "https://server:6443/x", "//other/", "https://server/", "https:\\\\other", "https://server:6443@other/", "?x", "http://server:6443"} {
		f.Add(to)
	}
	f.Fuzz(func(t *testing.T, location string) {
		from := &url.URL{Scheme: "https", Host: "server:6443", Path: "/api"}
		response := answerOf(http.StatusFound, "")
		response.Header["Location"] = []string{location}
		to, err := redirection(&http.Request{Method: http.MethodGet, URL: from}, response)
		if err == nil && to != nil && (to.Scheme != "https" || !strings.EqualFold(to.Host, "server:6443") || to.User != nil) {
			t.Fatalf("%q leads to %s", location, to)
		}
	})
}

// FuzzExtraKey: a key of any bytes makes a header's name that the server reads
// back as the key, but for the case of letters.
func FuzzExtraKey(f *testing.F) {
	for _, key := range []string{"scopes", "example.org/x", "a%b", "ü", "\x00 :\r\n"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name := http.CanonicalHeaderKey(impersonateExtra + escapeExtraKey(key))
		for i := range len(name) {
			if !isTokenByte(name[i]) {
				t.Fatalf("%q has %q", name, name[i])
			}
		}
		lowered := strings.ToLower(name)[len(impersonateExtra):] // as the server does
		back, err := url.PathUnescape(lowered)
		if err != nil || asciiLower(back) != asciiLower(key) {
			t.Fatalf("%q came back as %q (%v)", key, back, err)
		}
	})
}

// asciiLower lowers A to Z and leaves all other bytes alone.
func asciiLower(s string) string {
	lowered := []byte(s)
	for i, b := range lowered {
		if 'A' <= b && b <= 'Z' {
			lowered[i] = b + 'a' - 'A'
		}
	}
	return string(lowered)
}
