package wire

import (
	"errors"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/brief"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufPlan decodes values of a Go type from protobuf with their own Unmarshal,
// and with some work before and after it.
type protobufPlan struct {
	// typeMeta is the index of the embedded metav1.TypeMeta; nil without one.
	typeMeta []int
	// cutManagedFields reports whether metadata is the field that Kubernetes has it
	// in, so that managedFields can be removed from the encoded bytes.
	cutManagedFields bool
	// schema has the fields of the type; nil if the type has no protobuf tags.
	schema *pbobj.Schema
	// sharer is nil unless strings are shared.
	sharer *pbobj.Sharer
}

func newProtobufPlan(t reflect.Type, o Options) *protobufPlan {
	p := &protobufPlan{schema: pbobj.NewSchema(t)}
	if field, ok := t.FieldByName("TypeMeta"); ok && field.Type == reflect.TypeFor[metav1.TypeMeta]() && len(field.Index) == 1 {
		p.typeMeta = field.Index
	}
	if field, ok := t.FieldByName("ObjectMeta"); ok {
		isMeta := field.Type == reflect.TypeFor[metav1.ObjectMeta]() || field.Type == reflect.TypeFor[*metav1.ObjectMeta]()
		p.cutManagedFields = isMeta && strings.HasPrefix(field.Tag.Get("protobuf"), "bytes,1,")
	}
	if o.ShareStrings == ShareAlways {
		p.sharer = pbobj.NewSharer(t)
	}
	return p
}

// unmarshalError is an error of a type's own Unmarshal. It affects one object.
type unmarshalError struct{ err error }

func (e *unmarshalError) Error() string {
	return "unmarshal the protobuf: " + brief.Text(e.err.Error(), maxCauseLen)
}
func (e *unmarshalError) Unwrap() error { return e.err }

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *unmarshalError) Undecodable() bool { return true }

// unmarshal calls the type's own Unmarshal, which may panic.
func unmarshal(into pbobj.Unmarshaler, raw []byte) (err error) {
	defer recoverUnmarshal(&err)
	if err := into.Unmarshal(raw); err != nil {
		return &unmarshalError{err}
	}
	return nil
}

// decodeProtobuf decodes one object. Unless managedFields are kept, it modifies
// raw. The error is an *ItemError that identifies the object.
func (c *Codec) decodeProtobuf(s *scratch, raw []byte, keepManagedFields bool) (object any, err error) {
	object = c.new()
	if !keepManagedFields && c.protobuf.cutManagedFields {
		raw = s.cutter.CutManagedFields(raw)
	}
	unknown, err := c.unknownFields(raw)
	if err == nil {
		err = unmarshal(object.(pbobj.Unmarshaler), raw)
	}
	if err == nil && c.metadataMayBeNil && !hasMetadata(object) {
		err = &unmarshalError{errors.New("it is an object without metadata")}
	}
	if err == nil {
		err = checkIdentity(object)
	}
	if err != nil {
		return nil, protobufItemError(raw, err)
	}
	if c.onDecoded != nil {
		c.onDecoded(object, unknown)
	}
	if !keepManagedFields {
		// For types and messages from which they could not be removed in encoded
		// form.
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

// protobufItemError returns the error for an object, identified as far as possible.
func protobufItemError(raw []byte, cause error) *ItemError {
	id := pbobj.Identify(raw)
	return &ItemError{
		Namespace: orEmpty(id.Namespace), Name: orEmpty(id.Name),
		UID: types.UID(orEmpty(id.UID)), ResourceVersion: orEmpty(id.ResourceVersion), Err: cause,
	}
}

// unknownFields finds the fields that Unmarshal would skip, and bounds the work of
// Unmarshal. A type without protobuf tags counts as one that drops fields.
func (c *Codec) unknownFields(raw []byte) (unknown Dropped, err error) {
	schema := c.protobuf.schema
	if schema == nil {
		const noTags = "unknown fields, because the type has no protobuf tags"
		return Dropped{noTags, noTags}, nil
	}
	if unknown.First, unknown.Status, err = schema.Unknown(raw, c.options.MaxDepth, c.options.MaxObjectMemory); err != nil {
		return Dropped{}, &unmarshalError{err}
	}
	return unknown, nil
}

// setTypeMeta sets the type that the envelope names.
func (c *Codec) setTypeMeta(object any, typeMeta metav1.TypeMeta) {
	if c.protobuf.typeMeta != nil {
		field := reflect.ValueOf(object).Elem().FieldByIndex(c.protobuf.typeMeta)
		*field.Addr().Interface().(*metav1.TypeMeta) = typeMeta
	}
}

func (c *Codec) protobufObject(s *scratch, body []byte) (any, error) {
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
