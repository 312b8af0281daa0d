package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/intern"
	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// codec turns bodies into values of one Go type: whole objects by decodeObject,
// lists by a [listReader], watches by a [watchReader]. It is for any number of
// goroutines; the readers are for one each.
//
// It stands where client-go has a chain. There a NegotiatedSerializer is asked
// for the SerializerInfo of the answer's content type, which has a Serializer
// for objects and a StreamSerializer for watches, a Serializer with a Framer;
// StreamDecoder puts these two together to a streaming.Decoder for the frames,
// and the object in each frame goes to an embedded decoder, which finds the Go
// type by its kind in a scheme. Here the Go type is known before the first
// byte, so there is neither a scheme nor a step from frame to object.
type codec struct {
	typ     reflect.Type
	info    ResourceInfo
	options DecodeOptions // with the defaults filled in
	dropped func(object any, path string)

	plan *jsonobj.Plan
	// protobuf is nil for types that cannot be decoded from it.
	protobuf *protobufPlan
	// expected is what an item of a list or a watch may say that it is; nil
	// where that is not known.
	expected *jsonobj.Expected
	// metadataOnly and isUnstructured are set for the two types of apimachinery
	// that are not the Go type of one kind.
	metadataOnly, isUnstructured bool
	// isStatus is set for metav1.Status, which is an object and no error then.
	isStatus bool
	// metadataMayLack is set for types that have their metadata behind a pointer.
	metadataMayLack bool

	mu sync.Mutex
	// idle is what readers have left for the next: mostly one, which the list
	// hands on to the watch that follows it, so that the two share strings.
	idle []*scratch
}

// The defaults of DecodeOptions.
const (
	defaultMaxObjectBytes = 32 << 20
	defaultMaxDepth       = 512
)

// newCodec makes the codec for a struct type. dropped, unless nil, is told of
// each decoded object, and of the path of the first field that it had and the
// type lacks, "" if there was none; managedFields do not count.
func newCodec(t reflect.Type, info ResourceInfo, o DecodeOptions, dropped func(object any, path string)) (*codec, error) {
	if o.MaxObjectBytes <= 0 {
		o.MaxObjectBytes = defaultMaxObjectBytes
	}
	o.MaxObjectBytes = min(o.MaxObjectBytes, math.MaxInt32) // a slice is as long as an int
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	if err := checkMetadata(t); err != nil {
		return nil, err
	}
	plan, err := jsonobj.PlanOf(t)
	if err != nil {
		return nil, fmt.Errorf("%v cannot be decoded into: %w", t, err)
	}
	c := &codec{
		typ: t, info: info, options: o, dropped: dropped, plan: plan,
		metadataOnly:   t == reflect.TypeFor[metav1.PartialObjectMetadata](),
		isUnstructured: t == reflect.TypeFor[unstructured.Unstructured](),
		isStatus:       t == reflect.TypeFor[metav1.Status](),
	}
	c.metadataMayLack = !hasMetadata(c.new())
	c.expected = c.expects()
	if pbobj.DeclaresUnmarshal(t) {
		c.protobuf = newProtobufPlan(t, o)
	}
	return c, nil
}

// hasMetadata says whether an object can be asked who it is. One that has its
// metadata behind a pointer panics where a server has sent none.
func hasMetadata(object any) (has bool) {
	defer func() { has = recover() == nil }()
	if object, ok := object.(Object); ok {
		_, _ = object.GetResourceVersion(), object.GetName()
	}
	return true
}

// checkMetadata finds the mistake of embedding metadata without its name, which
// would look for the object's name beside its spec.
func checkMetadata(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return &typeError{t}
	}
	return findMetadata(t, t, map[reflect.Type]bool{})
}

func findMetadata(root, t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		field := t.Field(i)
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if !field.Anonymous || inner.Kind() != reflect.Struct {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		isMeta := inner == reflect.TypeFor[SlimMeta]() || inner == reflect.TypeFor[metav1.ObjectMeta]()
		switch {
		case isMeta && name != "metadata":
			return fmt.Errorf("%v cannot be decoded into: it embeds %v, which must have the tag `json:\"metadata\"`", root, inner)
		case name == "":
			if err := findMetadata(root, inner, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// scratch is what decoding works with. It holds nothing of what it has decoded
// but strings, in a table of fixed size.
type scratch struct {
	json jsonobj.Decoder
	// heads decodes what is not of the codec's type: a list's metadata, a
	// bookmark, a Status. A Decoder has scratch space for one type at a time.
	heads   jsonobj.Decoder
	strings *intern.Table // nil until strings are shared
	cutter  pbobj.Cutter
}

// Where the windows begin: over a list, with room for several objects of usual
// size, which are read as fast as they come; over a watch, with less, as it
// waits most of the time, and there are many.
const (
	listBufferLen  = 64 << 10
	watchBufferLen = 16 << 10
)

// maxIdle is how many scratches wait for another use.
const maxIdle = 2

// borrow returns a scratch. keep says whether managedFields are wanted, share
// whether strings are shared.
func (c *codec) borrow(keep, share bool) *scratch {
	c.mu.Lock()
	var s *scratch
	if n := len(c.idle); n > 0 {
		s, c.idle = c.idle[n-1], c.idle[:n-1]
	}
	c.mu.Unlock()
	if s == nil {
		s = &scratch{}
		s.json.MaxDepth, s.heads.MaxDepth = c.options.MaxDepth, c.options.MaxDepth
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

// forStream is the scratch for a list or a watch.
func (c *codec) forStream(format encoding) *scratch {
	share := c.options.ShareStrings == ShareAlways || c.options.ShareStrings == ShareJSON && format == encodingJSON
	s := c.borrow(c.options.KeepManagedFields, share)
	s.json.Expected = c.expected
	return s
}

// giveBack takes a scratch that is no longer used.
func (c *codec) giveBack(s *scratch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) < maxIdle {
		c.idle = append(c.idle, s)
	}
}

// new is a pointer to a zero value of the type.
func (c *codec) new() any { return reflect.New(c.typ).Interface() }

// decodeJSON decodes the value at the start of data into a new object. The
// error is jsonobj's, or a *panicError out of the type's own UnmarshalJSON.
func (c *codec) decodeJSON(s *scratch, data []byte) (object any, n int, err error) {
	object = c.new()
	n, err = guarded(&s.json, c.plan, data, object)
	switch {
	case err != nil:
		return nil, 0, err
	case c.metadataMayLack && !hasMetadata(object):
		return nil, 0, &jsonobj.ValueError{Want: c.typ.String(), Got: "an object without metadata"}
	}
	if c.dropped != nil {
		c.dropped(object, s.json.Dropped())
	}
	return object, n, nil
}

func guarded(d *jsonobj.Decoder, plan *jsonobj.Plan, data []byte, into any) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			*d = jsonobj.Decoder{Strings: d.Strings, KeepManagedFields: d.KeepManagedFields, Expected: d.Expected, MaxDepth: d.MaxDepth}
			err = &panicError{p, debug.Stack()}
		}
	}()
	return d.Decode(plan, data, into)
}

// panicError is a panic of a type's own unmarshaling.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the type's own unmarshaling panicked: %s\n%s", truncated(fmt.Sprint(e.value), longestCause), e.stack)
}

// longestCause is how much is shown of what a type's own unmarshaling has said,
// which may quote the whole object.
const longestCause = 200

// catch makes an error of a panic of a type's own unmarshaling. It is deferred.
func catch(err *error) {
	if p := recover(); p != nil {
		*err = &panicError{p, debug.Stack()}
	}
}

// costsOneItem says whether an error is about one object, so that what follows
// it can still be read.
func costsOneItem(err error) bool {
	if err == nil {
		return false
	}
	var value *jsonobj.ValueError
	var panicked *panicError
	var unmarshaled *unmarshalError
	return errors.As(err, &value) || errors.As(err, &panicked) || errors.As(err, &unmarshaled)
}

// decodeObject decodes a body that is one object, with its managedFields. A
// Status that came in the object's place is an error: of a failure, an
// *errors.StatusError. How long the body may be is for its reader to say.
func (c *codec) decodeObject(contentType string, body []byte) (any, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withBeginning(err, bytes.NewReader(body))
	}
	s := c.borrow(true, false)
	defer c.giveBack(s)
	var object any
	if format == encodingProtobuf {
		object, err = c.protobufObject(s, body)
	} else {
		object, err = c.jsonObject(s, body)
	}
	if err == nil {
		return object, nil
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return nil, err
	}
	return nil, fmt.Errorf("decode the server's answer into %v: %w", c.typ, err)
}

func (c *codec) jsonObject(s *scratch, body []byte) (any, error) {
	if start := jsonobj.Space(body); start == len(body) {
		return nil, errors.New("it is empty")
	} else if body[start] != '{' {
		return nil, fmt.Errorf("it is no JSON object: it begins with %s", excerpt(body))
	}
	apiVersion, kind := typeOfJSON(body, c.options.MaxDepth)
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
		return nil, fmt.Errorf("after the object, at byte %d of %d, there is more", n, len(body))
	}
	if c.isUnstructured && c.info.Kind != "" {
		giveKind(object.(*unstructured.Unstructured), c.info.GroupVersion().String(), c.info.Kind)
	}
	return object, nil
}
