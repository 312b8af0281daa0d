package debug

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/informer"
)

// parseQuery is the inverse of String.
func TestQueryRoundTrip(t *testing.T) {
	for _, q := range []query{
		{limit: 100},
		{informer: "a", limit: 7, prefix: "x&=?#", after: "y\xff", objects: true},
		{informer: "pods#2", limit: 1000, key: "", hasKey: true, format: formatJSON},
		{informer: "<script>", limit: 100, key: "a/b", hasKey: true},
	} {
		got, err := parseQuery(q.String())
		require.NoError(t, err)
		require.Equal(t, q, got)
	}
	q, err := parseQuery("informer=a&limit=5000")
	require.NoError(t, err)
	require.Equal(t, maxLimit, q.limit)
}

// For any path, query and header there is an answer in a valid format. Input does not
// become markup or control characters, and no secret is shown.
func FuzzRequest(f *testing.F) {
	for _, query := range []string{"", "informer=pods&limit=1", "informer=secrets&objects=1&format=json", "informer=secrets&key=default/token", "informer=pods&key=default/gone&format=html", "informer=%zz;&limit=-1"} {
		f.Add("/debug/informers/", query, "text/html", "<script>\x1b")
	}
	f.Fuzz(func(t *testing.T, path, rawQuery, accept, name string) {
		informers := append(fleet(), &fakeInformer{
			state:   informer.State{Name: name, Resource: schema.GroupVersionResource{Resource: name}},
			objects: map[string]any{name: &Pod{}},
		})
		h := New(Options{Informers: func() []informer.AnyInformer { return informers }, Objects: true})
		named := query{informer: name, limit: defaultLimit}
		for _, q := range []string{rawQuery, named.String()} {
			r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: q}, Header: http.Header{"Accept": {accept}}}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			requireHarmless(t, w)
		}
	})
}

// harmlessTag matches the tags of the page. The attributes cannot run scripts, links
// lead to the same path, and the only script is page.js.
var harmlessTag = regexp.MustCompile(`^(!DOCTYPE html` +
	`|script src="\?file=page.js&amp;v=[0-9a-f]+" defer></script` +
	`|link rel="stylesheet" href="\?file=page.css&amp;v=[0-9a-f]+"` +
	`|meta (charset="utf-8"|name="viewport" content="[a-z0-9=, -]+")` +
	`|/?(html|head|title|body|header|nav|main|article|section|div|ol|ul|li|h1|h2|h3|p|b|strong|span|time|table|caption|thead|tbody|tr|th|td|pre|form|label|input|select|option|button|a|script)` +
	`( (lang|name|value|type|id|class|for|role|scope|colspan|datetime|autocomplete|spellcheck|aria-[a-z]+|data-[a-z]+)="[^"<>]*"| href="([?#][^"<>]*)?"| hidden| data-live)*)>`)

func requireHarmless(t *testing.T, w *httptest.ResponseRecorder) {
	body := w.Body.String()
	require.NotContains(t, body, "hunter2")
	switch w.Header().Get("Content-Type") {
	case formatJSON.contentType():
		require.True(t, json.Valid(w.Body.Bytes()))
		return
	case formatText.contentType():
	case formatHTML.contentType():
		for rest := body; ; {
			_, tag, found := strings.Cut(rest, "<")
			if !found {
				break
			}
			require.Regexp(t, harmlessTag, tag)
			rest = tag
		}
		return // the value of an input element may contain anything but markup
	default:
		t.Fatalf("content type %q", w.Header().Get("Content-Type"))
	}
	for _, r := range body {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
	}
}
