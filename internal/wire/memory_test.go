package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// largeFields has fields whose Go types are large although they are empty on the wire.
type largeFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Own      oneOrMore         `json:"own"`
		Boxes    []box             `json:"boxes"`
		Pointers []*box            `json:"pointers"`
		Maps     []map[string]box  `json:"maps"`
		Texts    []string          `json:"texts"`
		Labels   map[string]string `json:"labels"`
	} `json:"spec"`
}

type box struct {
	Sides [64]int64 `json:"sides"`
}

// oneOrMore has its own UnmarshalJSON, like JSONSchemaPropsOrArray of Kubernetes.
type oneOrMore struct{ boxes []box }

func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, &o.boxes)
	}
	o.boxes = make([]box, 1)
	return json.Unmarshal(data, &o.boxes[0])
}

// repeatedArray returns an array of 300,001 elements.
func repeatedArray(element string) string {
	return "[" + strings.Repeat(element+",", 300_000) + element + "]"
}

// A response of about a megabyte cannot take hundreds of megabytes of memory: an
// object of any type takes at most MaxObjectMemory, and the error names the field.
func TestTheMemoryOfAnObjectIsBounded(t *testing.T) {
	const most = 8 << 20
	o := Options{MaxObjectMemory: most}
	many := repeatedArray("{}")
	for name, c := range map[string]struct {
		into        any
		body, field string
	}{
		"structs":            {largeFields{}, `{"spec":{"boxes":` + many + `}}`, "spec.boxes["},
		"pointers":           {largeFields{}, `{"spec":{"pointers":` + many + `}}`, "spec.pointers["},
		"maps":               {largeFields{}, `{"spec":{"maps":` + many + `}}`, "spec.maps["},
		"strings":            {largeFields{}, `{"spec":{"texts":` + repeatedArray(`"",""`) + `}}`, "spec.texts["},
		"pairs":              {largeFields{}, `{"spec":{"labels":{` + strings.Repeat(`"":"",`, 300_000) + `"":""}}}`, "spec.labels"},
		"UnmarshalJSON":      {largeFields{}, `{"spec":{"own":` + many + `}}`, "spec.own"},
		"unstructured":       {unstructured.Unstructured{}, `{"spec":{"x":` + many + `}}`, "spec.x["},
		"unstructured, maps": {unstructured.Unstructured{}, `{"spec":{"x":` + repeatedArray(`{"":0}`) + `}}`, "spec.x["},
		"metadata only":      {metav1.PartialObjectMetadata{}, `{"metadata":{"ownerReferences":` + many + `}}`, "metadata.ownerReferences["},
		"managedFields":      {metav1.PartialObjectMetadata{}, `{"metadata":{"managedFields":` + many + `}}`, "metadata.managedFields["},
	} {
		t.Run(name, func(t *testing.T) {
			codec, err := NewCodec(reflect.TypeOf(c.into), schema.GroupVersionKind{}, o, nil)
			require.NoError(t, err)
			took := allocated(func() { _, err = codec.DecodeObject(JSONType, []byte(c.body)) })
			require.ErrorContains(t, err, "MaxObjectMemory")
			require.ErrorContains(t, err, "in "+c.field)
			// A slice that grows is copied, which allocates several times its size.
			require.Less(t, took, int64(8*most), "bytes allocated")
			small, err := NewCodec(reflect.TypeOf(c.into), schema.GroupVersionKind{}, Options{}, nil)
			require.NoError(t, err)
			_, err = small.DecodeObject(JSONType, []byte(`{"metadata":{"name":"a"},"spec":{"boxes":[{}],"maps":[{}]}}`))
			require.NoError(t, err)
		})
	}
}

// The limit applies to each object: an item that is too large loses only itself, and
// a list of many small items has no limit.
func TestTheMemoryOfAListIsNotBounded(t *testing.T) {
	c, err := NewCodec(reflect.TypeFor[largeFields](), schema.GroupVersionKind{}, Options{MaxObjectMemory: 64 << 10}, nil)
	require.NoError(t, err)
	small := `{"metadata":{"name":"a"},"spec":{"boxes":[{},{},{}]}}`
	large := `{"metadata":{"name":"b"},"spec":{"boxes":` + repeatedArray("{}") + `}}`
	body := listWithItems("[" + strings.Repeat(small+",", 500) + large + "," + small + "]")
	items, lost, _, err := listOfJSON(t, c, body)
	require.NoError(t, err)
	require.Len(t, items, 501)
	require.Len(t, lost, 1)
	require.Equal(t, "b", lost[0].Name)
	require.ErrorContains(t, lost[0], "MaxObjectMemory")

	_, lostEvents, err := readWatch(t, c, JSONType, strings.NewReader(`{"type":"ADDED","object":`+large+`}{"type":"ADDED","object":`+small+`}`))
	require.NoError(t, err)
	require.Len(t, lostEvents, 1)
}

// Two bytes of protobuf can represent a large struct. The limit also applies to types
// that are decoded together with their managedFields.
func TestTheMemoryOfAnObjectInProtobufIsBounded(t *testing.T) {
	const most = 8 << 20
	c, err := NewCodec(reflect.TypeFor[metav1.PartialObjectMetadata](), schema.GroupVersionKind{}, Options{MaxObjectMemory: most}, nil)
	require.NoError(t, err)
	object := &metav1.PartialObjectMetadata{}
	for field, fill := range map[string]func(){
		"metadata.ownerReferences": func() { object.OwnerReferences = make([]metav1.OwnerReference, 300_000) },
		"metadata.managedFields":   func() { object.ManagedFields = make([]metav1.ManagedFieldsEntry, 300_000) },
		"metadata.finalizers":      func() { object.Finalizers = make([]string, 600_000) },
	} {
		object.ObjectMeta = metav1.ObjectMeta{}
		fill()
		body := wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", object)
		took := allocated(func() { _, err = c.DecodeObject(ProtobufType, body) })
		require.ErrorContains(t, err, "MaxObjectMemory")
		require.ErrorContains(t, err, field)
		require.Less(t, took, int64(most), "the error is returned before unmarshaling")
	}
}
