package registry

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/kinds"
)

// recordOf returns a record of an object, for selectors.
func recordOf(t testing.TB, namespace, name string, object map[string]any) *storage.Record {
	obj := &unstructured.Unstructured{Object: object}
	obj.SetNamespace(namespace)
	obj.SetName(name)
	text, err := objects.Encode(obj)
	require.NoError(t, err)
	return storage.NewRecord(storage.Key{Namespace: namespace, Name: name}, text, 7)
}

// builtinResource returns the resource of a kind of the core group.
func builtinResource(kind string) *Resource {
	return NewBuiltin(kinds.Find(schema.GroupVersionKind{Version: "v1", Kind: kind}))
}

// Label and field selectors match according to the API conventions.
func TestSelectors(t *testing.T) {
	pod := recordOf(t, "a", "x", map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"labels": map[string]any{"app": "web", "tier": "front"}},
		"spec": map[string]any{"nodeName": "n1"},
	})
	for _, c := range []struct {
		labels, fields string
		want           bool
	}{
		{"", "", true},
		{"app=web", "", true}, {"app==web,tier!=back", "", true}, {"app=db", "", false}, {"app", "", true}, {"!app", "", false},
		{"app in (web,db)", "", true}, {"app notin (web)", "", false}, {"other notin (web)", "", true},
		{"", "metadata.name=x", true}, {"", "metadata.name!=x", false}, {"", "metadata.name=y", false}, {"", "metadata.name=", false},
		{"", "metadata.name=x,metadata.name=y", false}, {"", "metadata.namespace=a", true}, {"", "metadata.namespace!=a", false},
		{"", "spec.nodeName=n1", true}, {"", "spec.nodeName!=n1", false}, {"", "spec.nodeName=", false},
		{"", "status.phase=Pending", true}, {"app=web", "spec.nodeName=n1,metadata.name=x", true}, {"app=db", "metadata.name=x", false},
	} {
		selection, err := ParseSelection(url.Values{"labelSelector": {c.labels}, "fieldSelector": {c.fields}}, builtinResource("Pod"))
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.want, selection.Matches(pod), "%+v", c)
	}
}

// An invalid selector, or one of an unsupported field, is a bad request with
// the message of kube-apiserver.
func TestBadSelectors(t *testing.T) {
	custom := &Resource{Custom: true, Info: Info{SelectableFields: []string{"spec.color"}}}
	for _, c := range []struct {
		res                   *Resource
		labels, fields, words string
	}{
		{builtinResource("Pod"), "a,,==", "", "found ',', expected: identifier after ','"},
		{builtinResource("Pod"), "", "a", "invalid selector: 'a'; can't understand 'a'"},
		{builtinResource("Pod"), "", "spec.foo=1", "field label not supported: spec.foo"},
		{builtinResource("ConfigMap"), "", "data.a=1", `"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{custom, "", "spec.size=1", "field label not supported: spec.size"},
		{custom, "", "metadata.namespace=a", "field label not supported: metadata.namespace"},
		{new(Resource), "", "spec.size=1", `"spec.size" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		_, err := ParseSelection(url.Values{"labelSelector": {c.labels}, "fieldSelector": {c.fields}}, c.res)
		require.EqualError(t, err, c.words)
		require.True(t, apierrors.IsBadRequest(err))
	}
}

// Custom resources are selected by the fields that their definition lists.
func TestSelectableFieldsOfCustomResources(t *testing.T) {
	custom := &Resource{Custom: true, Info: Info{SelectableFields: []string{"spec.color", "spec.size", "spec.on"}}}
	widget := recordOf(t, "", "x", map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"spec": map[string]any{"color": "red", "size": int64(3), "on": true},
	})
	for fields, want := range map[string]bool{
		"spec.color=red": true, "spec.size=3": true, "spec.on=true": true, "spec.color=blue": false, "spec.color!=red": false,
	} {
		selection, err := ParseSelection(url.Values{"fieldSelector": {fields}}, custom)
		require.NoError(t, err)
		require.Equal(t, want, selection.Matches(widget), fields)
	}
}

// A watch of one object may have a field selector of the same name.
func TestNameInPathAndInSelector(t *testing.T) {
	for fields, ok := range map[string]bool{
		"": true, "metadata.name=x": true, "metadata.name=x,metadata.namespace=a": true, "metadata.name=y": false, "metadata.namespace=a": false,
	} {
		selection, err := ParseSelection(url.Values{"fieldSelector": {fields}}, builtinResource("Pod"))
		require.NoError(t, err)
		if err := selection.RequirePathName("x"); ok {
			require.NoError(t, err, fields)
			require.False(t, selection.Matches(&storage.Record{Key: storage.Key{Namespace: "a", Name: "y"}}))
		} else {
			require.EqualError(t, err, "fieldSelector metadata.name doesn't match requested name")
		}
	}
}

func FuzzSelectors(f *testing.F) {
	f.Add("a in (b,c),!d", "metadata.name=x,spec.nodeName!=y")
	f.Fuzz(func(t *testing.T, labels, fields string) {
		selection, err := ParseSelection(url.Values{"labelSelector": {labels}, "fieldSelector": {fields}}, builtinResource("Pod"))
		if err != nil {
			require.True(t, apierrors.IsBadRequest(err))
			return
		}
		selection.Matches(recordOf(t, "a", "x", map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"labels": map[string]any{"a": "b"}}}))
	})
}
