package rest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPath checks that any path segments are either rejected or encoded so that a
// server decodes exactly those segments below the base. No parameter becomes another
// one.
func FuzzPath(f *testing.F) {
	for _, seed := range [][5]string{
		{"default", "pods", "web", "log", "follow"},
		{"..", "pods", "../../secrets", "a/b", "a=b&c"},
		{"%2e%2e", "pods?x=y", "a#b", "a\\..\\b", "\x00"},
		{"..;a", "pods", ";", ".;", "/..;/x"},
		{"a;b", "pods", "https:web:443", "ü", "\r\n"},
		{"", "", "", "", ""},
		{"\xff", "//", "~", "*", "+ "},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	var clients []*Client
	for _, host := range []string{"https://server", "https://server:6443/base/c%2F1"} {
		client, _ := scripted(f, Config{Host: host})
		clients = append(clients, client)
	}
	f.Fuzz(func(t *testing.T, namespace, resource, name, sub, suffix string) {
		for _, client := range clients {
			r := client.GroupVersion(appsV1).Get().Namespace(namespace).Resource(resource).Name(name).SubResource(sub).Suffix(suffix).Param(suffix+"k", sub)
			if r.Error() != nil {
				continue
			}
			want := []string{"apis", "apps", "v1"}
			if namespace != "" {
				want = append(want, "namespaces", namespace)
			}
			want = append(want, resource, name, sub)
			if inner := strings.Trim(suffix, "/"); inner != "" {
				want = append(want, strings.Split(inner, "/")...)
			}
			requireGoesTo(t, r.URL().String(), client.conn.Base(), want)
			query, err := url.ParseQuery(r.URL().RawQuery)
			require.NoError(t, err)
			require.Equal(t, url.Values{suffix + "k": {sub}}, query)
		}
	})
}

// FuzzRequestURI checks the same for a URI that is already encoded.
func FuzzRequestURI(f *testing.F) {
	for _, seed := range []string{"/", "/api/v1?a=b", "/a/../b", "/%2e%2e/x", "//evil/x", "/a%2fb", "/a%20b/", "/a?%zz", "http://x/", "/?"} {
		f.Add(seed)
	}
	client, _ := scripted(f, Config{Host: "https://server/base"})
	f.Fuzz(func(t *testing.T, uri string) {
		r := client.Get().RequestURI(uri)
		if r.Error() != nil {
			return
		}
		path, _, _ := strings.Cut(uri, "?")
		var want []string
		if inner := strings.Trim(path, "/"); inner != "" {
			for _, escaped := range strings.Split(inner, "/") {
				segment, err := url.PathUnescape(escaped)
				require.NoError(t, err)
				want = append(want, segment)
			}
		}
		requireGoesTo(t, r.URL().String(), client.conn.Base(), want)
	})
}

// requireGoesTo parses a URL as a server does.
func requireGoesTo(t *testing.T, sent string, base *url.URL, want []string) {
	t.Helper()
	got, err := url.Parse(sent)
	require.NoError(t, err)
	require.Equal(t, base.Host, got.Host)
	require.Equal(t, base.Scheme, got.Scheme)
	require.Empty(t, got.Fragment)
	below, ok := strings.CutPrefix(got.EscapedPath(), base.EscapedPath()+"/")
	require.True(t, ok, "%s left %s", got, base)
	var segments []string
	if below = strings.TrimSuffix(below, "/"); below != "" {
		for _, escaped := range strings.Split(below, "/") {
			segment, err := url.PathUnescape(escaped)
			require.NoError(t, err)
			require.NotContains(t, []string{"", ".", ".."}, strings.Split(segment, ";")[0], "a server that removes path parameters uses another path")
			segments = append(segments, segment)
		}
	}
	require.Equal(t, want, segments)
	require.Equal(t, got.Path, got.JoinPath().Path, "path.Clean does not change the path")
}
