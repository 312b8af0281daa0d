package debug

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// What indent adds is known before it is added.
func TestIndentationIsThatOfTheStandardLibrary(t *testing.T) {
	for _, text := range []string{`{"a":[1,2,{"b":null}],"c":"x"}`, `["a,b:c{[","\\\"","\\"]`, `[[[1,2],[3]]]`, `"x"`, `7`} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value), text)
		compact, err := json.Marshal(value)
		require.NoError(t, err)
		require.Len(t, indent(compact), len(compact)+indentation(compact), text)
		want, err := json.MarshalIndent(value, "", "  ")
		require.NoError(t, err)
		require.Equal(t, string(want), string(indent(compact)))
	}
	// Empty ones stay on their line: a little less.
	require.Equal(t, "[\n  {},\n  []\n]", string(indent([]byte(`[{},[]]`))))
}

// Promise: an answer is not larger than some megabytes and one object, how deep
// that may be.
func TestADeepObjectIsNotBlownUp(t *testing.T) {
	const depth = 500
	text := `{"a":` + strings.Repeat("[", depth) + "1" + strings.Repeat(",1", 50_000) + strings.Repeat("]", depth) + "}"
	deep := &still{state: informer.State{Name: "pods", Resource: podResource}, objects: map[string]any{"a": content(t, text)}}
	h := New(Options{Objects: true, Informers: func() []informer.AnyInformer { return []informer.AnyInformer{deep} }})
	for _, format := range []string{"json", "text", "html"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/?informer=pods&key=a&format="+format, nil))
		require.Contains(t, w.Body.String(), ",1,1,1,1,1")
		require.Less(t, w.Body.Len(), 2*len(text), format)
	}
}
