package rest

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal([]byte(text), &u.Object))
	return u
}

func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing changed", `{"metadata":{"name":"a","uid":"u"},"x":[1]}`, `{"x":[1],"metadata":{"uid":"u","name":"a"}}`, ``},
		{"a scalar", `{"x":1,"y":2}`, `{"x":3,"y":2}`, `{"x":3}`},
		{"gone", `{"x":1,"y":{"z":2,"w":1}}`, `{"y":{"w":1}}`, `{"x":null,"y":{"z":null}}`},
		{"new", `{}`, `{"x":{"y":"z"}}`, `{"x":{"y":"z"}}`},
		{"null removes a field", `{"x":1,"y":null}`, `{"x":null}`, `{"x":null}`},
		{"a map becomes a scalar", `{"x":{"y":1}}`, `{"x":1}`, `{"x":1}`},
		{"big numbers keep their digits", `{"x":9007199254740993}`, `{"x":9007199254740995}`, `{"x":9007199254740995}`},
		{"the uid protects another object with the name",
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"5"},"x":1}`, `{"metadata":{"name":"a","uid":"u","resourceVersion":"5"},"x":2}`,
			`{"metadata":{"uid":"u"},"x":2}`},
		{"a replaced list requires the read version",
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"5"},"x":[1]}`, `{"metadata":{"name":"a","uid":"u","resourceVersion":"5"},"x":[1,2]}`,
			`{"metadata":{"uid":"u","resourceVersion":"5"},"x":[1,2]}`},
		{"a list removed with its map requires it",
			`{"metadata":{"name":"a","resourceVersion":"5"},"x":{"y":[1]}}`, `{"metadata":{"name":"a","resourceVersion":"5"}}`,
			`{"metadata":{"resourceVersion":"5"},"x":null}`},
		{"a list replaced by another type requires it", `{"metadata":{"resourceVersion":"5"},"x":[1]}`, `{"metadata":{"resourceVersion":"5"},"x":1}`,
			`{"metadata":{"resourceVersion":"5"},"x":1}`},
		{"the version of the old object counts", `{"metadata":{"resourceVersion":"5"},"x":[1]}`, `{"metadata":{"resourceVersion":"6"},"x":[]}`,
			`{"metadata":{"resourceVersion":"5"},"x":[]}`},
		{"only the old object has a version", `{"metadata":{"resourceVersion":"5"},"x":[1]}`, `{"x":[]}`, `{"metadata":{"resourceVersion":"5"},"x":[]}`},
		{"only the new object has a version", `{"x":[1]}`, `{"metadata":{"resourceVersion":"5"},"x":[]}`, `{"metadata":{"resourceVersion":"5"},"x":[]}`},
		{"a removed map requires the read version", `{"metadata":{"resourceVersion":"5"},"x":{"y":"z"}}`, `{"metadata":{"resourceVersion":"5"}}`,
			`{"metadata":{"resourceVersion":"5"},"x":null}`},
		{"removing the last label keeps labels of others",
			`{"metadata":{"resourceVersion":"5","labels":{"a":"b"},"annotations":{"c":"d"}}}`, `{"metadata":{"resourceVersion":"5"}}`,
			`{"metadata":{"labels":{"a":null},"annotations":{"c":null}}}`},
		{"neither object has a version", `{"metadata":{"name":"a"},"x":[1]}`, `{"metadata":{"name":"a"},"x":[]}`, `{"x":[]}`},
		{"old from Get, new from a cache",
			`{"apiVersion":"v1","kind":"K","metadata":{"uid":"u","resourceVersion":"5","generation":2,"creationTimestamp":"2020-01-01T00:00:00Z","managedFields":[{"manager":"m"}]},"x":1}`,
			`{"metadata":{"uid":"u","resourceVersion":"5"},"x":2}`, `{"metadata":{"uid":"u"},"x":2}`},
		{"old from a cache, new from Get",
			`{"metadata":{"uid":"u","resourceVersion":"4"},"x":1}`,
			`{"apiVersion":"v1","kind":"K","metadata":{"uid":"u","resourceVersion":"5","managedFields":[{"manager":"m"}]},"x":1}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			patch, err := mergePatch(object(t, c.old), object(t, c.new))
			require.NoError(t, err)
			if c.want == "" {
				require.Nil(t, patch)
				return
			}
			require.JSONEq(t, c.want, string(patch))
			require.NotContains(t, string(patch), "e+", "numbers are not rewritten")
		})
	}
}

func TestMergePatchRejectsAnotherObject(t *testing.T) {
	for what, other := range map[string]string{
		"name":      `{"metadata":{"name":"b","namespace":"ns","uid":"u"}}`,
		"namespace": `{"metadata":{"name":"a","namespace":"no","uid":"u"}}`,
		"uid":       `{"metadata":{"name":"a","namespace":"ns","uid":"v"}}`,
	} {
		_, err := mergePatch(object(t, `{"metadata":{"name":"a","namespace":"ns","uid":"u"}}`), object(t, other))
		require.ErrorContains(t, err, "different objects", what)
	}
}

// applyMergePatch applies a patch as RFC 7386 defines.
func applyMergePatch(target, patch any) any {
	fields, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result := map[string]any{}
	if was, ok := target.(map[string]any); ok {
		for k, v := range was {
			result[k] = v
		}
	}
	for k, v := range fields {
		if v == nil {
			delete(result, k)
		} else {
			result[k] = applyMergePatch(result[k], v)
		}
	}
	return result
}

// For any two trees, applying the patch to the old one returns the new one.
func TestApplyingAMergePatchReturnsTheNewObject(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		old := map[string]any{"f": randomTree(random, 4)}
		new := map[string]any{"f": randomTree(random, 4)}
		patch, _ := diffMaps(old, new)
		require.Equal(t, new, applyMergePatch(old, patch), "seed %d", seed)
		same, lists := diffMaps(old, old)
		require.Empty(t, same)
		require.False(t, lists)
	}
}

// randomTree returns a tree without nulls, which a merge patch cannot set.
func randomTree(random *rand.Rand, depth int) any {
	switch n := random.IntN(6); {
	case n < 3 && depth > 0:
		fields := map[string]any{}
		for range random.IntN(4) {
			fields["k"+strconv.Itoa(random.IntN(4))] = randomTree(random, depth-1)
		}
		return fields
	case n == 3:
		return []any{random.IntN(2) == 0}
	case n == 4:
		return json.Number(strconv.Itoa(random.IntN(3)))
	default:
		return "s" + strconv.Itoa(random.IntN(3))
	}
}
