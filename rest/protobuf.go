package rest

import (
	"errors"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufPlan is how values of a Go type are decoded from protobuf: by their
// own Unmarshal, with a little done before and after it.
type protobufPlan struct {
	// typeMeta is the index of the embedded metav1.TypeMeta; nil without one.
	typeMeta []int
	// cuts is whether metadata is where Kubernetes has it, so that managedFields
	// can be cut out of the bytes.
	cuts bool
	// schema is which fields the type has; nil if it does not tell.
	schema *pbobj.Schema
	// sharer is nil unless strings are to be shared.
	sharer *pbobj.Sharer
}

func newProtobufPlan(t reflect.Type, o DecodeOptions) *protobufPlan {
	p := &protobufPlan{schema: pbobj.NewSchema(t)}
	if field, ok := t.FieldByName("TypeMeta"); ok && field.Type == reflect.TypeFor[metav1.TypeMeta]() && len(field.Index) == 1 {
		p.typeMeta = field.Index
	}
	if field, ok := t.FieldByName("ObjectMeta"); ok {
		isMeta := field.Type == reflect.TypeFor[metav1.ObjectMeta]() || field.Type == reflect.TypeFor[*metav1.ObjectMeta]()
		p.cuts = isMeta && strings.HasPrefix(field.Tag.Get("protobuf"), "bytes,1,")
	}
	if o.ShareStrings == ShareAlways {
		p.sharer = pbobj.NewSharer(t)
	}
	return p
}

// unmarshalError is what a type's own Unmarshal has said: it costs one object.
type unmarshalError struct{ err error }

func (e *unmarshalError) Error() string {
	return "unmarshal the protobuf: " + truncated(e.err.Error(), longestCause)
}
func (e *unmarshalError) Unwrap() error { return e.err }

// Undecodable tells a reflector why nothing came of the answer.
func (e *unmarshalError) Undecodable() bool { return true }

// unmarshal calls an Unmarshal that may be anybody's.
func unmarshal(into pbobj.Unmarshaler, raw []byte) (err error) {
	defer catch(&err)
	if err := into.Unmarshal(raw); err != nil {
		return &unmarshalError{err}
	}
	return nil
}

// decodeProtobuf decodes one object. Unless managedFields are kept, the bytes
// are changed. The error is an *ItemError that names the object.
func (c *codec) decodeProtobuf(s *scratch, raw []byte, keepManagedFields bool) (object any, err error) {
	object = c.new()
	if !keepManagedFields && c.protobuf.cuts {
		raw = s.cutter.CutManagedFields(raw)
	}
	unknown, err := c.unknownIn(raw)
	if err == nil {
		err = unmarshal(object.(pbobj.Unmarshaler), raw)
	}
	if err == nil && c.metadataMayLack && !hasMetadata(object) {
		err = &unmarshalError{errors.New("it is an object without metadata")}
	}
	if err != nil {
		return nil, lostProtobuf(raw, err)
	}
	if c.dropped != nil {
		c.dropped(object, unknown)
	}
	if !keepManagedFields {
		// What could not be cut, in a type or a message out of the ordinary.
		if managed, ok := object.(interface {
			SetManagedFields([]metav1.ManagedFieldsEntry)
		}); ok {
			managed.SetManagedFields(nil)
		}
	}
	if c.protobuf.sharer != nil {
		c.protobuf.sharer.Share(object, s.json.Strings)
	}
	return object, nil
}

// lostProtobuf is the error of an object, with as much of its identity as can be
// read.
func lostProtobuf(raw []byte, why error) *ItemError {
	id := pbobj.Identify(raw)
	return &ItemError{
		Namespace: id.Namespace, Name: id.Name,
		UID: types.UID(id.UID), ResourceVersion: id.ResourceVersion, Err: why,
	}
}

// unknownIn looks for what Unmarshal would pass over, if anybody wants to know,
// and that it is not made to do too much, if the type is one that could. Of a
// type without tags nothing is known, so it counts as one that loses fields.
func (c *codec) unknownIn(raw []byte) (path string, err error) {
	schema := c.protobuf.schema
	switch {
	case schema == nil:
		return "those that only its Unmarshal knows of, as it has no protobuf tags", nil
	case c.dropped == nil && !schema.Hostile():
		return "", nil
	}
	if path, err = schema.Unknown(raw, c.options.MaxDepth); err != nil {
		return "", &unmarshalError{err}
	}
	return path, nil
}

// setTypeMeta gives an object the type that its envelope names.
func (c *codec) setTypeMeta(object any, typeMeta metav1.TypeMeta) {
	if c.protobuf.typeMeta != nil {
		field := reflect.ValueOf(object).Elem().FieldByIndex(c.protobuf.typeMeta)
		*field.Addr().Interface().(*metav1.TypeMeta) = typeMeta
	}
}

func (c *codec) protobufObject(s *scratch, body []byte) (any, error) {
	envelope, err := pbobj.Open(body)
	if err != nil {
		if len(body) == 0 {
			err = errors.New("it is empty")
		}
		return nil, err
	}
	typeMeta := metav1.TypeMeta{APIVersion: string(envelope.APIVersion), Kind: string(envelope.Kind)}
	if !c.isStatus && isStatus(typeMeta.APIVersion, typeMeta.Kind) {
		return nil, statusFromProtobuf(envelope.Raw)
	}
	if err := c.checkKind(typeMeta.Kind); err != nil {
		return nil, err
	}
	object, err := c.decodeProtobuf(s, envelope.Raw, true)
	if err != nil {
		return nil, err
	}
	c.setTypeMeta(object, typeMeta)
	return object, nil
}
