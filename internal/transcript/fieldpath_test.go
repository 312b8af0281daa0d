package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelectedFields(t *testing.T) {
	const object = `{"kind": "List", "items": [{"name": "a", "of": {"x": 1, "y": 2}}, {"name": "b"}]}`
	for paths, want := range map[string]string{
		"kind":                        `{"kind": "List"}`,
		"kind missing":                `{"kind": "List"}`,
		"items.name":                  `{"items": [{"name": "a"}, {"name": "b"}]}`,
		"items.name items.of.x":       `{"items": [{"name": "a", "of": {"x": 1}}, {"name": "b"}]}`,
		"items[name=b]":               `{"items": [{"name": "b"}]}`,
		"items[name=b] items[name=a]": `{"items": [{"name": "a", "of": {"x": 1, "y": 2}}, {"name": "b"}]}`,
		"items[of.y=2].of.x":          `{"items": [{"of": {"x": 1}}]}`,
		"items.of items.of.x":         `{"items": [{"of": {"x": 1, "y": 2}}, {}]}`,
		"kind.deeper":                 `{"kind": "List"}`,
		"items[name=c].name other":    `{"items": []}`,
	} {
		value, err := decode([]byte(object))
		require.NoError(t, err)
		var parsed [][]step
		for _, path := range strings.Fields(paths) {
			steps, err := parsePath(path)
			require.NoError(t, err)
			parsed = append(parsed, steps)
		}
		require.Equal(t, want, flatten(selectFields(value, parsed)), paths)
	}
}

func TestInvalidPathsAreRejected(t *testing.T) {
	for _, path := range []string{".", "a..b", "a[b]", "a[b=c", "[a=b]", "a]b"} {
		_, err := parsePath(path)
		require.ErrorContains(t, err, "invalid path", path)
	}
}

func TestExpandValues(t *testing.T) {
	v := &values{namespace: "t-abc", saved: map[string]any{"a": map[string]any{
		"metadata": map[string]any{"resourceVersion": "41", "uid": "u", "name": "n"},
		"list":     []any{map[string]any{"x": true}},
	}}}
	for text, want := range map[string]string{
		"/<ns>/<a.name>":          "/t-abc/n",
		"<a.rv+1> <a.rv-1>":       "42 40",
		"<a.list.0.x>":            "true",
		"<a.list>":                `[{"x": true}]`,
		"<repeat:ab:3>":           "ababab",
		"1 < 2 > 1 <Html> <a b/>": "1 < 2 > 1 <Html> <a b/>",
	} {
		got, err := v.expand(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for text, complaint := range map[string]string{
		"<b.rv>":             "no value is saved as b",
		"<a.spec>":           "a has no field .spec",
		"<a.list.7>":         "a has no field",
		"<a.uid+1>":          `"u" is not a number`,
		"<repeat:a:9000000>": "more than",
	} {
		_, err := v.expand(text)
		require.ErrorContains(t, err, complaint, text)
	}
}

func TestLongLinesAreBroken(t *testing.T) {
	value, err := decode([]byte(`{"b": ["` + strings.Repeat("x", 60) + `", "` + strings.Repeat("y", 60) + `"], "a": {"c": 1}, "d": "<&>"}`))
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		`{`, `  "a": {"c": 1},`, `  "b": [`,
		`    "` + strings.Repeat("x", 60) + `",`, `    "` + strings.Repeat("y", 60) + `"`,
		`  ],`, `  "d": "<&>"`, `}`}, "\n"), render(value, 0))
}
