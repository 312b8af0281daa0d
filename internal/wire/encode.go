package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// Encode encodes an object for a write: as JSON, or as protobuf if that is
// configured and T can marshal it. apiVersion and kind are always sent, also for
// typed values from a list, which have none.
func Encode(object Object, kind schema.GroupVersionKind, configured string) (contentType string, body []byte, err error) {
	if MediaType(configured) == ProtobufType && pbobj.DeclaresUnmarshal(reflect.TypeOf(object).Elem()) {
		if m, ok := object.(interface{ Marshal() ([]byte, error) }); ok {
			body, err = wrapProtobuf(m.Marshal, kind)
			return ProtobufType, body, err
		}
	}
	switch object := object.(type) {
	case *unstructured.Unstructured:
		body, err = json.Marshal(object.Object)
	case *metav1.PartialObjectMetadata:
		// Its own kind is PartialObjectMetadata; the server needs the kind of the
		// object.
		body, err = json.Marshal(metav1.PartialObjectMetadata{ObjectMeta: object.ObjectMeta})
	default:
		body, err = json.Marshal(object)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encode %T: %w", object, err)
	}
	body, err = withKind(body, kind)
	return JSONType, body, err
}

// wrapProtobuf puts an object's protobuf into the envelope with its apiVersion and
// kind.
func wrapProtobuf(marshal func() ([]byte, error), kind schema.GroupVersionKind) ([]byte, error) {
	raw, err := marshal()
	if err != nil {
		return nil, fmt.Errorf("encode as protobuf: %w", err)
	}
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}, Raw: raw}
	body, err := envelope.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode as protobuf: %w", err)
	}
	return append([]byte(pbobj.Magic), body...), nil
}

// withKind adds apiVersion and kind to an object's JSON. Existing values must be
// equal.
func withKind(body []byte, kind schema.GroupVersionKind) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("the object does not encode to a JSON object")
	}
	apiVersion := kind.GroupVersion().String()
	for name, want := range map[string]string{"apiVersion": apiVersion, "kind": kind.Kind} {
		var existing string
		if raw, ok := fields[name]; ok {
			if err := json.Unmarshal(raw, &existing); err != nil {
				return nil, fmt.Errorf("the object's %s is not a string", name)
			}
		}
		if existing != "" && existing != want {
			return nil, fmt.Errorf("the object's %s is %q, but that of the resource is %q", name, existing, want)
		}
		delete(fields, name)
	}
	return marshalWithType(apiVersion, kind.Kind, fields)
}

// marshalWithType encodes apiVersion and kind, followed by fields in the order of
// their names.
func marshalWithType(apiVersion, kind string, fields map[string]json.RawMessage) ([]byte, error) {
	head, err := json.Marshal(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}{apiVersion, kind})
	if err != nil || len(fields) == 0 {
		return head, err
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(len(head) + len(rest))
	out.Write(head[:len(head)-1])
	out.WriteByte(',')
	out.Write(rest[1:])
	return out.Bytes(), nil
}

// EncodeApply encodes an object for server-side apply. It omits fields that only
// the server sets: managedFields, which apply rejects, and a creationTimestamp of
// null.
func EncodeApply(object Object, kind schema.GroupVersionKind) ([]byte, error) {
	_, body, err := Encode(object, kind, JSONType)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	var metadata map[string]json.RawMessage
	if err := json.Unmarshal(fields["metadata"], &metadata); err != nil {
		return nil, fmt.Errorf("the object has no metadata: %w", err)
	}
	delete(metadata, "managedFields")
	if string(metadata["creationTimestamp"]) == "null" {
		delete(metadata, "creationTimestamp")
	}
	if fields["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
