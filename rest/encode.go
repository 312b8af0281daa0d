package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// encode writes an object as it is sent: JSON, or protobuf where the client is
// set to send it and T can be marshalled to it. apiVersion and kind are always
// sent, whatever the value carries: a typed value from a list has none.
func encode(object Object, info ResourceInfo, configured string) (contentType string, body []byte, err error) {
	if mediaType(configured) == protobufType && pbobj.DeclaresUnmarshal(reflect.TypeOf(object).Elem()) {
		if m, ok := object.(interface{ Marshal() ([]byte, error) }); ok {
			body, err = encodeProtobuf(m.Marshal, info)
			return protobufType, body, err
		}
	}
	switch object := object.(type) {
	case *unstructured.Unstructured:
		body, err = json.Marshal(object.Object)
	case *metav1.PartialObjectMetadata:
		// It calls itself PartialObjectMetadata, and is sent as what it is of.
		body, err = json.Marshal(metav1.PartialObjectMetadata{ObjectMeta: object.ObjectMeta})
	default:
		body, err = json.Marshal(object)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encode %T: %w", object, err)
	}
	body, err = withKind(body, info)
	return jsonType, body, err
}

// encodeProtobuf puts an object's protobuf into the envelope that says what it
// is.
func encodeProtobuf(marshal func() ([]byte, error), info ResourceInfo) ([]byte, error) {
	raw, err := marshal()
	if err != nil {
		return nil, fmt.Errorf("encode as protobuf: %w", err)
	}
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: info.GroupVersion().String(), Kind: info.Kind}, Raw: raw}
	body, err := envelope.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode as protobuf: %w", err)
	}
	return append([]byte(pbobj.Magic), body...), nil
}

// withKind puts apiVersion and kind into an object's JSON. Values that say what
// they are must say the same.
func withKind(body []byte, info ResourceInfo) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("the object does not encode to a JSON object")
	}
	apiVersion, kind := info.GroupVersion().String(), info.Kind
	for name, want := range map[string]string{"apiVersion": apiVersion, "kind": kind} {
		var has string
		if raw, ok := fields[name]; ok {
			if err := json.Unmarshal(raw, &has); err != nil {
				return nil, fmt.Errorf("the object's %s is not a string", name)
			}
		}
		if has != "" && has != want {
			return nil, fmt.Errorf("the object's %s is %q, and this resource's %q", name, has, want)
		}
		delete(fields, name)
	}
	return joined(apiVersion, kind, fields)
}

// joined writes fields after apiVersion and kind, in the order of their names.
func joined(apiVersion, kind string, fields map[string]json.RawMessage) ([]byte, error) {
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

// encodeApply writes an object for server-side apply, without what the server
// alone sets: managedFields, which apply refuses, and the creation time, which
// encodes to null where there is none.
func encodeApply(object Object, info ResourceInfo) ([]byte, error) {
	_, body, err := encode(object, info, jsonType)
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
