package debug

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// indentation returns the number of bytes that indent adds.
func TestIndentMatchesStandardLibrary(t *testing.T) {
	for _, text := range []string{`{"a":[1,2,{"b":null}],"c":"x"}`, `["a,b:c{[","\\\"","\\"]`, `[[[1,2],[3]]]`, `"x"`, `7`} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value), text)
		compact, err := json.Marshal(value)
		require.NoError(t, err)
		require.Len(t, indent(compact, ""), len(compact)+indentation(compact), text)
		want, err := json.MarshalIndent(value, "", "  ")
		require.NoError(t, err)
		require.Equal(t, string(want), string(indent(compact, "")))
	}
	// Empty objects and arrays remain on one line, so indent adds less.
	require.Equal(t, "[\n  {},\n  []\n]", string(indent([]byte(`[{},[]]`), "")))
}

// Promise: the size of an answer is bounded by some megabytes and one object, however
// deeply the object is nested.
func TestDeepObjectIsNotIndented(t *testing.T) {
	const depth = 500
	text := `{"a":` + strings.Repeat("[", depth) + "1" + strings.Repeat(",1", 50_000) + strings.Repeat("]", depth) + "}"
	deep := &fakeInformer{state: informer.State{Name: "pods", Resource: podResource}, objects: map[string]any{"a": content(t, text)}}
	h := New(Options{Objects: true, Informers: func() []informer.AnyInformer { return []informer.AnyInformer{deep} }})
	for _, format := range []string{"json", "text", "html"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/?informer=pods&key=a&format="+format, nil))
		require.Contains(t, w.Body.String(), ",1,1,1,1,1")
		require.Less(t, w.Body.Len(), 2*len(text), format)
	}
}
