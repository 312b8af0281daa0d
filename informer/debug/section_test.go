package debug

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sections precede the informers in all formats, and are escaped. The page of one
// informer has no sections.
func TestSections(t *testing.T) {
	h := New(Options{
		Informers: informerSets["empty"],
		Sections: func() []Section {
			return []Section{{Title: "controller <b>", Lines: []string{"works", "\x1b[2J"}, State: map[string]int{"queued": 3}}}
		},
	})
	get := func(query string) string {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest("GET", "/debug/"+query, nil))
		return answer.Body.String()
	}
	require.Regexp(t, "^controller <b>\n  works\n  \\\\x1b\\[2J\n\n0 informers at ", get("?format=text"))
	require.Contains(t, get("?format=html"), "<h2>controller &lt;b&gt;</h2>")
	require.Regexp(t, `"sections": \[\s+{\s+"title": "controller \\u003cb\\u003e",\s+"state": {\s+"queued": 3\s`, get("?format=json"))
	require.Equal(t, "no informer x\n", get("?informer=x&format=text"))
}
