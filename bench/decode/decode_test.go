package decode

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/bench/wire"
)

// Both sides of a case decode equal objects, except for the managed fields, which the noManaged
// cases skip.
func TestBothSidesDecodeEqualObjects(t *testing.T) {
	for name, pair := range map[string]struct {
		form         wire.Encoding
		ours, theirs dial
		noManaged    bool
		watches      bool
	}{
		"json":                   {asJSON, oursTyped(asJSON, whole), theirsTyped(asJSON), false, true},
		"json, noManaged":        {asJSON, oursTyped(asJSON, noManaged), theirsTyped(asJSON), true, true},
		"protobuf":               {asProtobuf, oursTyped(asProtobuf, whole), theirsTyped(asProtobuf), false, true},
		"protobuf, noManaged":    {asProtobuf, oursTyped(asProtobuf, noManaged), theirsTyped(asProtobuf), true, true},
		"unstructured":           {asJSON, oursUnstructured(whole), theirsUnstructured(), false, true},
		"unstructured,noManaged": {asJSON, oursUnstructured(noManaged), theirsUnstructured(), true, true},
		"metadata":               {asJSON, oursMetadata(), theirsSkim(), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := read(pair.ours, listOf(pair.form, page), client.List), read(pair.theirs, listOf(pair.form, page), client.List)
			same(t, ours, theirs, pair.noManaged)
			if pair.watches {
				ours, theirs := read(pair.ours, watchOf(pair.form, page), client.Watch), read(pair.theirs, watchOf(pair.form, page), client.Watch)
				same(t, ours, theirs, pair.noManaged)
			}
		})
	}
}

func read(open dial, body []byte, how func(client) []any) []any {
	transport := &answer{}
	c := open(transport)
	transport.use(body)
	return how(c)
}

func same(t *testing.T, ours, theirs []any, noManaged bool) {
	t.Helper()
	if len(ours) != page || len(theirs) != page {
		t.Fatalf("%d and %d objects", len(ours), len(theirs))
	}
	for i := range ours {
		if managed := theirs[i].(metav1.Object).GetManagedFields(); len(managed) == 0 {
			t.Fatal("the bodies have no managed fields")
		}
		if noManaged {
			theirs[i].(metav1.Object).SetManagedFields(nil)
		}
		if pod, typed := ours[i].(*corev1.Pod); typed {
			pod.TypeMeta = metav1.TypeMeta{} // the clientset removes it from objects of a watch
		}
		if !equality.Semantic.DeepEqual(ours[i], theirs[i]) {
			t.Fatalf("object %d differs:\n%s\n%s", i, must(json.Marshal(ours[i])), must(json.Marshal(theirs[i])))
		}
	}
}

// The fields of the slim type equal those of the pods.
func TestSlimTypeEqualsPods(t *testing.T) {
	slim, typed := read(oursSlim(), listOf(asJSON, page), client.List), read(theirsTyped(asJSON), listOf(asJSON, page), client.List)
	for i := range slim {
		got, want := slim[i].(*SlimPod), typed[i].(*corev1.Pod)
		if got.Name != want.Name || got.Namespace != want.Namespace || got.UID != want.UID || got.ResourceVersion != want.ResourceVersion || got.Spec.NodeName != want.Spec.NodeName || got.Status.Phase != want.Status.Phase ||
			!equality.Semantic.DeepEqual(got.Labels, want.Labels) || !equality.Semantic.DeepEqual(got.OwnerReferences, want.OwnerReferences) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

// The bodies can be decoded by apimachinery.
func TestBodiesAreValidLists(t *testing.T) {
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON(listOf(asJSON, 3)); err != nil || len(list.Items) != 3 || list.GetResourceVersion() == "" {
		t.Errorf("%d items, %v", len(list.Items), err)
	}
}
