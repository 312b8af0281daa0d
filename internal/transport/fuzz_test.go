package transport

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzRedirect checks that a request that follows a redirect stays on the same server.
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

// FuzzExtraKey checks that a key of any bytes becomes a header name that the server
// decodes to the same key, apart from case.
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

// asciiLower lowers A to Z and keeps all other bytes.
func asciiLower(s string) string {
	lowered := []byte(s)
	for i, b := range lowered {
		if 'A' <= b && b <= 'Z' {
			lowered[i] = b + 'a' - 'A'
		}
	}
	return string(lowered)
}
