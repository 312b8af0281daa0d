package listwatch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Promise: Check returns the errors of a source that a retry cannot fix, also if
// other sources wrap it.
func TestCheckReturnsErrorsThatARetryCannotFix(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://localhost:1"})
	require.NoError(t, err)
	defer client.Close()
	pods := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespaced: true}
	view := rest.NewView[*rest.SlimMeta](client, pods)
	set := func(label, field string) func(*metav1.ListOptions) {
		return func(o *metav1.ListOptions) { o.LabelSelector, o.FieldSelector = label, field }
	}
	pods.Version = ""
	unversioned := rest.NewView[*rest.SlimMeta](client, pods)
	nothing := func(context.Context, metav1.ListOptions) (*listwatch.List[int], error) { return nil, nil }
	for name, c := range map[string]struct {
		source any
		want   string // "" means no error
	}{
		"view":                                 {view, ""},
		"functions":                            {&listwatch.ListWatch[int]{ListFunc: nothing, WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[int], error) { return nil, nil }}, ""},
		"no source":                            {nil, ""},
		"nil view":                             {(*rest.View[*rest.SlimMeta])(nil), ""},
		"valid selectors":                      {listwatch.Modify(view, set("a in (b, c),!d", "metadata.name=x")), ""},
		"invalid label selector":               {listwatch.Modify(view, set("a in (", "")), `the selector does not parse: LabelSelector "a in (": `},
		"invalid field selector":               {listwatch.Modify(view, set("", "metadata.name")), `the selector does not parse: FieldSelector "metadata.name": `},
		"invalid selector of a wrapped source": {listwatch.Modify(listwatch.Modify(view, set("=", "")), set("a=b", "")), `LabelSelector "="`},
		"selector of nothing":                  {listwatch.Select(view, labels.Nothing(), nil), "the selector chooses nothing"},
		"invalid view in a wrapper":            {listwatch.Select(unversioned, labels.SelectorFromSet(labels.Set{"a": "b"}), fields.Everything()), "read pods: ResourceInfo.Version is empty"},
		"modifier that panics":                 {listwatch.Modify(view, func(*metav1.ListOptions) { panic("failed") }), ""},
	} {
		err := listwatch.Check(c.source)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}
