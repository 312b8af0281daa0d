package column

import (
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// The paths of printer columns (custom resources: additional printer columns).
func TestJSONPath(t *testing.T) {
	var object map[string]any
	require.NoError(t, utiljson.Unmarshal([]byte(`{"spec":{"n":3,"tags":["x","y"],"ports":[{"name":"a","port":1},{"name":"b","port":2}],"off":false},
		"metadata":{"labels":{"a.b/c":"v","it's":"w"}},
		"status":{"conditions":[{"type":"Seen","status":"False"},{"type":"Ready","status":"True"}]}}`), &object))
	for path, want := range map[string]any{
		".spec.n": int64(3), "$.spec.n": int64(3), ".spec.absent": nil, ".spec.n.deeper": nil, ".spec.off": false,
		`.metadata.labels['a.b/c']`: "v", `.metadata.labels["a.b/c"]`: "v", `.metadata.labels['it\'s']`: "w",
		".spec.tags[0]": "x", ".spec.tags[1]": "y", ".spec.tags[2]": nil, ".spec.tags[-1]": "y", ".spec.tags[*]": "x", ".spec.ports[*].port": int64(1),
		".spec.ports.*.port": int64(1), ".metadata.labels.*": "v",
		`.status.conditions[?(@.type=="Ready")].status`: "True", `.status.conditions[?(@.type == 'Ready')].status`: "True",
		`.status.conditions[?(@.type!="Seen")].status`: "True", `.status.conditions[?(@.type=="None")].status`: nil,
		".spec.ports[?(@.port==2)].name": "b", ".spec.tags[?(@=='y')]": "y", ".": object,
	} {
		parsed, err := parseJSONPath(path)
		require.NoError(t, err, path)
		got, found := parsed.firstValue(object)
		require.Equal(t, want != nil, found, path)
		if found {
			require.Equal(t, want, got, path)
		}
	}
	for path, words := range map[string]string{
		"spec": `unexpected "spec"`, ".spec[": "unclosed bracket", ".spec[a]": `"a" is not an index`, ".spec['a": "unclosed quote", ".spec['a'": "unclosed bracket",
		".a..b": "missing name", ".a[?(b==1)]": "filter must begin with @", ".a[?(@.b<1)]": "filter operator must be == or !=", ".a[?(@.b==1]": "unclosed filter", ".a[?(@.b=='x')": "unclosed filter",
	} {
		_, err := parseJSONPath(path)
		require.ErrorContains(t, err, words, path)
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, path := range []string{".a.b", "['x'][0][*]", `.c[?(@.type=="Ready")].status`, ".a[?(@.b[?(@.c==1)]==2)]"} {
		f.Add(path, `{"a":[{"b":{"c":1}}],"c":[{"type":"Ready","status":1}]}`)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		var object map[string]any
		parsed, err := parseJSONPath(path)
		if err == nil && utiljson.Unmarshal([]byte(text), &object) == nil {
			value, _ := parsed.firstValue(object)
			cellValue("string", value)
		}
	})
}
