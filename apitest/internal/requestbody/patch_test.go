package requestbody

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/evanphx/json-patch.v4"
)

// Copies that double a document are stopped before they exhaust the memory.
func TestJSONPatchCopiesAreStopped(t *testing.T) {
	var steps []string
	for i := range 64 {
		steps = append(steps, fmt.Sprintf(`{"op":"copy","from":"/data","path":"/data/x%d"}`, i))
	}
	_, _, err := JSONPatch([]byte(`{"data":{"k":"`+strings.Repeat("v", 1000)+`"}}`), []byte("["+strings.Join(steps, ",")+"]"), true)
	require.ErrorContains(t, err, "rejected")
}

// randomJSON generates documents and patches at random, with few names, so that
// they overlap.
type randomJSON struct{ *rand.Rand }

func (r randomJSON) value(depth int, nulls bool) any {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		return r.object(depth, nulls)
	case n == 3 && depth > 0:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, r.value(depth-1, false))
		}
		return list
	case n == 4 && nulls:
		return nil
	case n == 5:
		return int64(r.IntN(3))
	}
	return []string{"x", "y", ""}[r.IntN(3)]
}

func (r randomJSON) object(depth int, nulls bool) map[string]any {
	made := map[string]any{}
	for range r.IntN(4) {
		made[[]string{"a", "b", "c/d", "~"}[r.IntN(4)]] = r.value(depth-1, nulls)
	}
	return made
}

// referenceMerge implements the pseudocode of RFC 7386.
func referenceMerge(target, patch any) any {
	fields, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range fields {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = referenceMerge(object[name], value)
		}
	}
	return object
}

// RFC 7386: compared with its pseudocode.
func TestMergePatchFollowsRFC(t *testing.T) {
	for seed := range uint64(2000) {
		w := randomJSON{rand.New(rand.NewPCG(seed, 1))}
		document, patch := encode(t, w.object(4, false)), encode(t, w.object(4, true))
		got, _, err := MergePatch(document, patch, true)
		require.NoError(t, err, "seed %d", seed)
		var target, change any
		require.NoError(t, json.Unmarshal(document, &target))
		require.NoError(t, json.Unmarshal(patch, &change))
		require.JSONEq(t, string(encode(t, referenceMerge(target, change))), string(got), "seed %d: %s patched with %s", seed, document, patch)
	}
}

// RFC 6902: adding, replacing and removing members, compared with direct
// changes. Like the real server, and unlike the RFC, it accepts replacing a
// missing member.
func TestJSONPatchFollowsRFC(t *testing.T) {
	for seed := range uint64(2000) {
		w := randomJSON{rand.New(rand.NewPCG(seed, 2))}
		document := w.object(3, false)
		before := encode(t, document)
		var steps []map[string]any
		fails := false
		for range 1 + w.IntN(4) {
			name := []string{"a", "b", "c/d", "~"}[w.IntN(4)]
			_, exists := document[name]
			step := map[string]any{"op": []string{"add", "replace", "remove", "test"}[w.IntN(4)], "path": "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
			value := w.value(2, false)
			switch step["op"] {
			case "add", "replace":
				step["value"], document[name] = value, value
			case "remove":
				fails = fails || !exists
				delete(document, name)
			case "test":
				fails = fails || !exists || string(encode(t, value)) != string(encode(t, document[name]))
				step["value"] = value
			}
			steps = append(steps, step)
			if fails {
				break
			}
		}
		got, _, err := JSONPatch(before, encode(t, steps), true)
		if fails {
			require.Error(t, err, "seed %d: %s patched with %s", seed, before, encode(t, steps))
			continue
		}
		require.NoError(t, err, "seed %d: %s patched with %s", seed, before, encode(t, steps))
		require.JSONEq(t, string(encode(t, document)), string(got), "seed %d", seed)
	}
}

// RFC 6902, "copy": the growth of a document by copies, and the work to measure
// it, are bounded.
func TestCopiesAreBounded(t *testing.T) {
	copies := func(n int, from string) []byte {
		steps := make([]string, n)
		for i := range steps {
			steps[i] = fmt.Sprintf(`{"op":"copy","from":%q,"path":"/c%d"}`, from, i)
		}
		return []byte("[" + strings.Join(steps, ",") + "]")
	}
	large := []byte(`{"a":"b","l":"` + strings.Repeat("x", 1<<20) + `"}`)
	for _, c := range []struct {
		name            string
		document, patch []byte
		wrong           string
	}{
		{"thousands", []byte(`{"a":"b"}`), copies(2000, "/a"), ""},
		{"some in a large document", large, copies(20, "/a"), ""},
		{"of most of a large document", large, copies(4, "/l"), "more than 3145728"},
		{"thousands in a large document", large, copies(maxPatchOperations, "/a"), "more than 16777216"},
	} {
		steps, err := jsonpatch.DecodePatch(c.patch)
		require.NoError(t, err)
		after, err := applySteps(c.document, steps)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		var read map[string]any
		require.NoError(t, json.Unmarshal(after, &read), c.name)
		require.Equal(t, "b", read[fmt.Sprintf("c%d", len(steps)-1)], c.name)
	}
}

// encode returns a value in JSON.
func encode(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}
