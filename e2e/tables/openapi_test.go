package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/kinds"
)

// publishedPrefix returns the prefix of published type names for a short name of the table.
func publishedPrefix(short string) string {
	for path, name := range packages {
		if name == short {
			path = strings.Replace(path, "k8s.io/", "io.k8s.", 1)
			return strings.ReplaceAll(path, "/", ".") + "."
		}
	}
	return ""
}

// changed has unstable fields whose declarations differ between the sources and the older
// server.
var changed = []string{
	"core.PodStatus.nodeAllocatableResourceClaimStatuses",
	"core.NodeAllocatableResourceClaimStatus.resources",
}

// The table equals the schemas of the real server for every type and field that both have.
// The table is for the next version of the types.
func TestMergeTableEqualsPublishedSchemas(t *testing.T) {
	ask := real(t)
	published := map[string]any{}
	for _, r := range kinds.Builtin() {
		schemas := publishedSchemas(t, ask, root(r.GroupVersion))
		for name, schema := range schemas {
			published[name] = schema
		}
	}
	src, err := readSource()
	require.NoError(t, err)
	g, _, err := newGenerator(src)
	require.NoError(t, err)

	types, fields := 0, 0
	for name, lines := range g.done {
		short, kind, _ := strings.Cut(name, ".")
		theirs, ok := published[publishedPrefix(short)+kind].(map[string]any)
		if !ok {
			t.Logf("%s is new", name)
			continue
		}
		types++
		properties, _ := theirs["properties"].(map[string]any)
		relation, _ := theirs["x-kubernetes-map-type"].(string)
		require.Equal(t, strings.TrimSpace(lines[0].text), strings.TrimSpace("type "+name+" "+relation))
		known := map[string]bool{}
		for _, line := range lines[1:] {
			known[line.field] = true
			if slices.Contains(changed, name+"."+line.field) {
				continue
			}
			property, ok := properties[line.field].(map[string]any)
			if !ok {
				t.Logf("%s.%s is new", name, line.field)
				continue
			}
			fields++
			ours := line.text
			if g.keys[name+"."+line.field] && line.fallback != "" {
				ours += " default=" + line.fallback
			}
			assert.Equal(t, inTable(line.field, property, g.keys[name+"."+line.field]), withoutAlways(ours), "of %s", name)
		}
		for field := range properties {
			assert.True(t, known[field] || slices.Contains(changed, name+"."+field), "%s.%s is not in the table", name, field)
		}
	}
	t.Logf("%d types and %d fields are in both", types, fields)
	require.Greater(t, types, 250)
	require.Greater(t, fields, 1400)
}

// publishedSchemas returns the schemas of a group version. The server publishes them
// some time after it is ready; until then the answer is a 404 that is not JSON, or an
// empty document.
func publishedSchemas(t *testing.T, ask *server, root string) (schemas map[string]any) {
	t.Helper()
	for late := time.After(2 * time.Minute); ; {
		code, text := ask.raw("GET", "/openapi/v3"+root, nil)
		document := map[string]any{}
		if code == http.StatusOK && decode(text, &document) == nil {
			schemas, _, err := unstructured.NestedMap(document, "components", "schemas")
			require.NoError(t, err)
			if len(schemas) > 0 {
				return schemas
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-late:
			t.Fatalf("the server publishes no schemas of %s: %d %s", root, code, text)
		}
	}
}

// withoutAlways removes the words about empty objects, which are not published.
func withoutAlways(line string) string {
	words := strings.Fields(line)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "always") }), " ")
}

// inTable formats a published field as in the table.
func inTable(name string, property map[string]any, isKey bool) string {
	words := []string{name, typeInTable(property)}
	relation, _ := property["x-kubernetes-map-type"].(string)
	strategies := strings.Split(textOf(property, "x-kubernetes-patch-strategy"), ",")
	mergeKey := textOf(property, "x-kubernetes-patch-merge-key")
	switch property["x-kubernetes-list-type"] {
	case "set":
		relation = "set"
	case "map":
		relation = "key=" + strings.Join(textsOf(property["x-kubernetes-list-map-keys"]), ",")
	case nil:
		if property["type"] == "array" && slices.Contains(strategies, "merge") {
			relation = "set"
			if mergeKey != "" {
				relation = "key=" + mergeKey
			}
		}
	}
	words = append(words, relation)
	if slices.Contains(strategies, "merge") {
		words = append(words, strings.TrimSuffix("merge="+mergeKey, "="))
	}
	if slices.Contains(strategies, "replace") {
		words = append(words, "replace")
	}
	if slices.Contains(strategies, "retainKeys") {
		words = append(words, "retain")
	}
	if value, ok := property["default"]; ok && isKey {
		if text, isText := value.(string); isText {
			value = fmt.Sprintf("%q", text)
		}
		words = append(words, fmt.Sprintf("default=%v", value))
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

func typeInTable(schema map[string]any) string {
	if all, ok := schema["allOf"].([]any); ok && len(all) == 1 {
		return typeInTable(all[0].(map[string]any))
	}
	if reference := textOf(schema, "$ref"); reference != "" {
		return named(reference[strings.LastIndex(reference, "/")+1:])
	}
	switch textOf(schema, "type") {
	case "array":
		return "[]" + typeInTable(schema["items"].(map[string]any))
	case "object":
		if additional, ok := schema["additionalProperties"].(map[string]any); ok {
			return "{}" + typeInTable(additional)
		}
		return "object"
	case "integer":
		return textOf(schema, "format")
	case "number":
		return "float64"
	case "boolean":
		return "bool"
	case "string":
		return "string"
	}
	return "any"
}

// named returns the table's name of a published type.
func named(published string) string {
	for path, short := range packages {
		path = strings.ReplaceAll(strings.Replace(path, "k8s.io/", "io.k8s.", 1), "/", ".") + "."
		if kind, ok := strings.CutPrefix(published, path); ok && !strings.Contains(kind, ".") {
			if word := wellKnown[short+"."+kind]; word != "" {
				return word
			}
			return short + "." + kind
		}
	}
	return published
}

func textOf(schema map[string]any, name string) string {
	text, _ := schema[name].(string)
	return text
}

func textsOf(list any) (texts []string) {
	items, _ := list.([]any)
	for _, item := range items {
		texts = append(texts, item.(string))
	}
	return texts
}
