package transcript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// normalised returns the normalized text of a JSON object.
func normalised(t *testing.T, n *normalizer, text string) string {
	t.Helper()
	value, err := decode([]byte(text))
	require.NoError(t, err)
	n.observe(value)
	collection := false
	if top, ok := value.(map[string]any); ok {
		collection = isCollection(top)
	}
	return flatten(n.value(value, collection))
}

func TestVariableValuesAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"namespace": {`{"metadata": {"namespace": "t-abc"}}`, `{"metadata": {"namespace": "<ns>"}}`},
		"address":   {`{"message": "dial 127.0.0.1:6443"}`, `{"message": "dial <server>"}`},
		"time":      {`{"metadata": {"creationTimestamp": "2026-01-02T03:04:05Z"}}`, `{"metadata": {"creationTimestamp": "<time>"}}`},
		"microtime": {`{"renewTime": "2026-01-02T03:04:05.000001Z"}`, `{"renewTime": "<time>"}`},
		"equal versions have one name": {
			`[{"metadata": {"resourceVersion": "5"}}, {"metadata": {"resourceVersion": "7"}}, {"metadata": {"resourceVersion": "5"}}]`,
			`[{"metadata": {"resourceVersion": "<rv1>"}}, {"metadata": {"resourceVersion": "<rv2>"}}, {"metadata": {"resourceVersion": "<rv1>"}}]`},
		"equal uids have one name": {
			`{"message": "have 00000000-0000-0000-0000-000000000001, want 00000000-0000-0000-0000-000000000002", "uid": "00000000-0000-0000-0000-000000000001"}`,
			`{"message": "have <uid1>, want <uid2>", "uid": "<uid1>"}`},
		"a list is as of now": {
			`{"items": [{"metadata": {"resourceVersion": "5"}}], "metadata": {"resourceVersion": "9", "continue": "xyz"}}`,
			`{"items": [{"metadata": {"resourceVersion": "<rv1>"}}], "metadata": {"continue": "<continue>", "resourceVersion": "<now>"}}`},
		"a list with the newest object is as of now": {
			`{"items": [{"metadata": {"resourceVersion": "5"}}], "metadata": {"resourceVersion": "5"}}`,
			`{"items": [{"metadata": {"resourceVersion": "<rv1>"}}], "metadata": {"resourceVersion": "<now>"}}`},
		"a name that was given":     {`{"metadata": {"generateName": "a-", "name": "a-longer-one"}}`, `{"metadata": {"generateName": "a-", "name": "a-longer-one"}}`},
		"an empty version is none":  {`{"metadata": {"resourceVersion": ""}}`, `{"metadata": {"resourceVersion": ""}}`},
		"generated name":            {`{"metadata": {"generateName": "a-", "name": "a-x7k2p"}}`, `{"metadata": {"generateName": "a-", "name": "a-<gen1>"}}`},
		"a name that was not made":  {`{"metadata": {"generateName": "a-", "name": "b"}}`, `{"metadata": {"generateName": "a-", "name": "b"}}`},
		"versions in a message":     {`{"message": "too old resource version: 3 (17)"}`, `{"message": "too old resource version: <version>"}`},
		"versions of preconditions": {`{"message": "the ResourceVersion in the precondition (3) does not match the ResourceVersion in record (17). The"}`, `{"message": "the ResourceVersion in the precondition (<version>) does not match the ResourceVersion in record (<version>). The"}`},
		"age in a table":            {`{"rows": [{"cells": ["a", "3s", 3]}]}`, `{"rows": [{"cells": ["a", "<age>", 3]}]}`},
		"numbers stay as they were": {`{"a": 1.0, "b": 12345678901234567890}`, `{"a": 1.0, "b": 12345678901234567890}`},
		"keys are normalised":       {`{"f:t-abc": {}}`, `{"f:<ns>": {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, normalised(t, newNormalizer("t-abc", "https://127.0.0.1:6443"), c.in))
		})
	}
}

func TestVersionOfOlderList(t *testing.T) {
	n := newNormalizer("t-abc", "")
	require.Contains(t, normalised(t, n, `{"metadata": {"resourceVersion": "5"}}`), "<rv1>")
	require.Contains(t, normalised(t, n, `{"metadata": {"resourceVersion": "9"}}`), "<rv2>")
	require.Contains(t, normalised(t, n, `{"items": [], "metadata": {"resourceVersion": "5"}}`), "<rv1>")
	require.Contains(t, normalised(t, n, `{"items": [], "metadata": {"resourceVersion": "6"}}`), "<earlier>")
	require.Contains(t, normalised(t, n, `{"items": [], "metadata": {"resourceVersion": "10"}}`), "<now>")
}
