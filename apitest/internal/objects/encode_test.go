package objects

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Stored text is the output of encoding/json, except for the position of four
// fields.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"b":"c"}},"spec":{"n":1,"f":1.5,"big":1e30,"t":true,"x":null,"l":[1,"a",{}],"s":"<&>\u2028é\n\"\\"}}`,
		`{"metadata":{"resourceVersion":"7"}}`, `{"":{"":[]}}`, `{"a":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var content map[string]any
		if utiljson.Unmarshal(text, &content) != nil || content == nil {
			return
		}
		if meta, given := content["metadata"]; given {
			if _, ok := meta.(map[string]any); !ok {
				return
			}
		}
		w := encoder{}
		w.value(content)
		require.NoError(t, w.err)
		want, err := json.Marshal(content)
		require.NoError(t, err)
		require.Equal(t, string(want), string(w.text))

		d, err := Encode(&unstructured.Unstructured{Object: content})
		require.NoError(t, err)
		obj, err := Decode(d.At(7))
		require.NoError(t, err)
		whole := &unstructured.Unstructured{Object: content}
		whole.SetAPIVersion(whole.GetAPIVersion())
		whole.SetKind(whole.GetKind())
		whole.SetResourceVersion("7")
		want, err = json.Marshal(whole.Object)
		require.NoError(t, err)
		got, err := json.Marshal(obj.Object)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}
