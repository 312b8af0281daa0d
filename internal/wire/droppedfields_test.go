package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wiretest"
)

func TestDroppedFieldsAreReported(t *testing.T) {
	type drop struct{ name, path string }
	var dropped []drop
	c, err := NewCodec(codecFor[wiretest.Widget](t, Options{}).typ, widgetKind, Options{}, func(object any, d Dropped) {
		dropped = append(dropped, drop{object.(*wiretest.Widget).Name, d.First})
	})
	require.NoError(t, err)
	more := `{"metadata":{"name":"b","managedFields":[{}]},"spec":{"colour":"red","size":1,"shape":"round"}}`
	_, _, _, err = listOfJSON(t, c, listWithItems(`[{"metadata":{"name":"a","managedFields":[{}]}},`+more+`]`))
	require.NoError(t, err)
	_, _, err = readWatch(t, c, JSONType, strings.NewReader(`{"type":"ADDED","object":`+more+`}`))
	require.NoError(t, err)
	_, err = c.DecodeObject(JSONType, []byte(more))
	require.NoError(t, err)
	require.Equal(t, []drop{{"a", ""}, {"b", "spec.colour"}, {"b", "spec.colour"}, {"b", "spec.colour"}}, dropped)
}

// untagged has an Unmarshal and no protobuf tags.
type untagged struct {
	metav1.ObjectMeta `json:"metadata"`
}

func (u *untagged) Unmarshal(data []byte) error {
	p := metav1.PartialObjectMetadata{}
	err := p.Unmarshal(data)
	u.ObjectMeta = p.ObjectMeta
	return err
}

// Promise: if the known fields cannot be determined, the object counts as incomplete.
func TestProtobufWithoutTagsCountsAsDropped(t *testing.T) {
	ofAnyKind := widgetKind
	ofAnyKind.Kind = ""
	for _, keep := range []bool{false, true} {
		var dropped []string
		c, err := NewCodec(reflect.TypeFor[untagged](), ofAnyKind, Options{KeepManagedFields: keep}, func(_ any, d Dropped) { dropped = append(dropped, d.First) })
		require.NoError(t, err)
		body, _ := protobufListBody(t)
		items, lost, _, err := readList(t, c, ProtobufType, bytes.NewReader(body))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, items, 3)
		require.Len(t, dropped, 3)
		require.Contains(t, dropped[0], "no protobuf tags")
		_, _, _, err = listOfJSON(t, c, listWithItems(`[{"metadata":{"name":"a"}}]`))
		require.NoError(t, err)
		require.Equal(t, "", dropped[3], "in JSON the dropped field is known")
	}
}
