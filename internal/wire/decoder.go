package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/debug"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/brief"
	"github.com/thinformer/thinformer/internal/intern"
	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// Codec decodes response bodies into values of one Go type: single objects with
// DecodeObject, lists with a [ListReader], watches with a [WatchReader]. A Codec is
// safe for concurrent use; a reader is used by one goroutine.
//
// It replaces a chain of types in client-go. There, a NegotiatedSerializer provides
// a SerializerInfo for the content type, with a Serializer for objects and a
// StreamSerializer for watches, which is a Serializer with a Framer. StreamDecoder
// combines these two into a streaming.Decoder for the frames, and an embedded
// decoder decodes the object in each frame: it finds the Go type in a scheme by its
// kind. Here the Go type is known in advance, so neither a scheme nor a step from
// frame to object is needed.
type Codec struct {
	typ       reflect.Type
	kind      schema.GroupVersionKind // Kind is "" if not known
	options   Options                 // with the defaults filled in
	onDecoded func(object any, d Dropped)

	plan *jsonobj.Plan
	// protobuf is nil if the type cannot be decoded from protobuf.
	protobuf *protobufPlan
	// expected are the valid kinds of the items of a list or watch; nil if not
	// known.
	expected *jsonobj.Expected
	// metadataOnly is set for metav1.PartialObjectMetadata and by Options. isUnstructured
	// is set for the other type of apimachinery that is used for more than one kind.
	metadataOnly, isUnstructured bool
	// isStatus is set for metav1.Status, which is then an object and not an error.
	isStatus bool
	// metadataMayBeNil is set for types that have their metadata behind a pointer.
	metadataMayBeNil bool

	mu sync.Mutex
	// idle has the scratch of closed readers: usually one, which a list leaves to
	// the watch that follows it, so that the two share strings.
	idle []*scratch
}

// Dropped are the paths of fields that were skipped because the Go type does
// not have them; "" is none.
type Dropped struct {
	// First is the path of the first such field, Status that of the first one in
	// "status" or "metadata": an update of the status would drop no others.
	First, Status string
}

// The defaults of Options.
const (
	defaultMaxObjectBytes = 32 << 20
	DefaultMaxDepth       = 512
)

// NewCodec returns the codec for a struct type. onDecoded, unless nil, is called with
// each decoded object and with the fields that the type lacks; managedFields do not
// count.
func NewCodec(t reflect.Type, kind schema.GroupVersionKind, o Options, onDecoded func(object any, d Dropped)) (*Codec, error) {
	if o.MaxObjectBytes <= 0 {
		o.MaxObjectBytes = defaultMaxObjectBytes
	}
	o.MaxObjectBytes = min(o.MaxObjectBytes, math.MaxInt32) // the length of a slice is an int
	o.MaxObjectMemory = jsonobj.MemoryOf(o.MaxObjectMemory)
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	plan, err := jsonobj.PlanOf(t)
	if err != nil {
		return nil, fmt.Errorf("%v cannot be decoded into: %w", t, err)
	}
	c := &Codec{
		typ: t, kind: kind, options: o, onDecoded: onDecoded, plan: plan,
		metadataOnly:   o.MetadataOnly || t == reflect.TypeFor[metav1.PartialObjectMetadata](),
		isUnstructured: t == reflect.TypeFor[unstructured.Unstructured](),
		isStatus:       t == reflect.TypeFor[metav1.Status](),
	}
	c.metadataMayBeNil = !hasMetadata(c.new())
	c.expected = c.expectedKinds()
	if pbobj.DeclaresUnmarshal(t) {
		c.protobuf = newProtobufPlan(t, o)
	}
	return c, nil
}

// Type returns the struct type that the codec decodes into.
func (c *Codec) Type() reflect.Type { return c.typ }

// Options returns the options with the defaults filled in.
func (c *Codec) Options() Options { return c.options }

// MetadataOnly reports whether the codec requests only the metadata of objects.
func (c *Codec) MetadataOnly() bool { return c.metadataOnly }

// hasMetadata reports whether the metadata of an object can be read. The methods of
// an object that has its metadata behind a nil pointer panic.
func hasMetadata(object any) (has bool) {
	defer func() { has = recover() == nil }()
	if object, ok := object.(Object); ok {
		_, _ = object.GetResourceVersion(), object.GetName()
	}
	return true
}

// scratch is the reusable state of a reader. It keeps no decoded data except
// strings, in a table of fixed size.
type scratch struct {
	json jsonobj.Decoder
	// metaDecoder decodes values of other types: a list's metadata, a bookmark, a
	// Status. A Decoder has scratch space for one type at a time.
	metaDecoder jsonobj.Decoder
	strings     *intern.Table // nil until strings are shared
	cutter      pbobj.Cutter
}

// The initial buffer sizes. A list has room for several objects of usual size,
// which are read as they arrive. A watch has less: it is mostly idle, and there are
// many, such as one for each namespace.
const (
	listBufferLen  = 64 << 10
	watchBufferLen = 4 << 10
)

// maxIdle bounds the number of idle scratches.
const maxIdle = 2

// getScratch returns a scratch. keep is set to decode managedFields, share to share
// strings.
func (c *Codec) getScratch(keep, share bool) *scratch {
	c.mu.Lock()
	var s *scratch
	if n := len(c.idle); n > 0 {
		s, c.idle = c.idle[n-1], c.idle[:n-1]
	}
	c.mu.Unlock()
	if s == nil {
		s = &scratch{}
		s.json.MaxDepth, s.metaDecoder.MaxDepth = c.options.MaxDepth, c.options.MaxDepth
		s.json.MaxMemory, s.metaDecoder.MaxMemory = c.options.MaxObjectMemory, c.options.MaxObjectMemory
	}
	if share && s.strings == nil {
		s.strings = intern.New()
	}
	s.json.Strings = nil
	if share {
		s.json.Strings = s.strings
	}
	s.json.KeepManagedFields = keep
	s.json.Expected = nil
	return s
}

// streamScratch returns the scratch for a list or a watch.
func (c *Codec) streamScratch(format encoding) *scratch {
	share := c.options.ShareStrings == ShareAlways || c.options.ShareStrings == ShareJSON && format == encodingJSON
	s := c.getScratch(c.options.KeepManagedFields, share)
	s.json.Expected = c.expected
	return s
}

// putScratch returns a scratch for reuse.
func (c *Codec) putScratch(s *scratch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) < maxIdle {
		c.idle = append(c.idle, s)
	}
}

// new returns a pointer to a zero value of the type.
func (c *Codec) new() any { return reflect.New(c.typ).Interface() }

// decodeJSON decodes the value at the start of data into a new object. The error is
// one of jsonobj, or a *panicError of the type's own UnmarshalJSON.
func (c *Codec) decodeJSON(s *scratch, data []byte) (object any, n int, err error) {
	object = c.new()
	n, err = decodeRecovering(&s.json, c.plan, data, object)
	switch {
	case err != nil:
		return nil, 0, err
	case c.metadataMayBeNil && !hasMetadata(object):
		return nil, 0, &jsonobj.ValueError{Want: c.typ.String(), Got: "an object without metadata"}
	}
	if err := checkIdentity(object); err != nil {
		return nil, 0, err
	}
	if c.onDecoded != nil {
		c.onDecoded(object, Dropped{s.json.Dropped(), s.json.DroppedFromStatus()})
	}
	return object, n, nil
}

func decodeRecovering(d *jsonobj.Decoder, plan *jsonobj.Plan, data []byte, into any) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			*d = jsonobj.Decoder{
				Strings: d.Strings, KeepManagedFields: d.KeepManagedFields, Expected: d.Expected,
				MaxDepth: d.MaxDepth, MaxMemory: d.MaxMemory,
			}
			err = &panicError{p, debug.Stack()}
		}
	}()
	return d.Decode(plan, data, into)
}

// panicError is a panic in a type's own unmarshaling.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the type's own unmarshaling panicked: %s\n%s", brief.Text(fmt.Sprint(e.value), maxCauseLen), e.stack)
}

// maxCauseLen bounds the error of a type's own unmarshaling, which may quote the
// whole object.
const maxCauseLen = 200

// recoverUnmarshal converts a panic in a type's own unmarshaling into an error. It
// is deferred.
func recoverUnmarshal(err *error) {
	if p := recover(); p != nil {
		*err = &panicError{p, debug.Stack()}
	}
}

// isObjectError reports whether an error affects one object only, so that the
// stream can be read on.
func isObjectError(err error) bool {
	if err == nil {
		return false
	}
	var value *jsonobj.ValueError
	var panicked *panicError
	var unmarshaled *unmarshalError
	return errors.As(err, &value) || errors.As(err, &panicked) || errors.As(err, &unmarshaled)
}

// DecodeObject decodes a body that is one object, with its managedFields. A Status
// in its place is an error: for a failure, an *errors.StatusError. An *ItemError is
// returned without a description of the operation. The caller bounds the length of
// the body.
func (c *Codec) DecodeObject(contentType string, body []byte) (any, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withExcerpt(err, bytes.NewReader(body))
	}
	s := c.getScratch(true, false)
	defer c.putScratch(s)
	var object any
	if format == encodingProtobuf {
		object, err = c.protobufObject(s, body)
	} else {
		object, err = c.jsonObject(s, body)
	}
	if err == nil {
		return object, nil
	}
	if _, ok := err.(*ItemError); ok {
		return nil, err
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return nil, err
	}
	return nil, fmt.Errorf("decode the response into %v: %w", c.typ, err)
}

func (c *Codec) jsonObject(s *scratch, body []byte) (any, error) {
	if start := jsonobj.Space(body); start == len(body) {
		return nil, errors.New("it is empty")
	} else if body[start] != '{' {
		return nil, fmt.Errorf("it is not a JSON object: it begins with %s", excerpt(body))
	}
	apiVersion, kind := TypeOfJSON(body, c.options.MaxDepth)
	if !c.isStatus && isStatus(apiVersion, kind) {
		return nil, statusFromJSON(s, body)
	}
	if err := c.checkKind(kind); err != nil {
		return nil, err
	}
	object, n, err := c.decodeJSON(s, body)
	switch {
	case errors.Is(err, jsonobj.ErrShort):
		return nil, fmt.Errorf("it ends too early, at byte %d: %w", len(body), io.ErrUnexpectedEOF)
	case err != nil:
		return nil, err
	}
	if n += jsonobj.Space(body[n:]); n < len(body) {
		return nil, fmt.Errorf("unexpected data after the object, at byte %d of %d", n, len(body))
	}
	if c.isUnstructured && c.kind.Kind != "" {
		setMissingKind(object.(*unstructured.Unstructured), c.kind.GroupVersion().String(), c.kind.Kind)
	}
	return object, nil
}
