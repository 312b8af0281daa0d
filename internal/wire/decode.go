package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// Decode decodes a whole body into the value that target points to.
func Decode(contentType string, body []byte, target any, memory int64) (err error) {
	if len(body) == 0 {
		return errors.New("it is empty")
	}
	into := reflect.TypeOf(target).Elem()
	format, err := encodingOf(contentType, into, pbobj.DeclaresUnmarshal(into))
	if err != nil {
		return withExcerpt(err, bytes.NewReader(body))
	}
	defer recoverUnmarshal(&err)
	if into.Kind() != reflect.Struct && !isContainer(body, into) {
		return json.Unmarshal(body, target)
	}
	// target is not modified by a failed decoding.
	fresh := reflect.New(into)
	if format == encodingJSON {
		err = decodeJSON(body, fresh.Interface(), memory)
	} else {
		err = decodeProtobuf(body, fresh.Interface(), memory)
	}
	if err == nil {
		reflect.ValueOf(target).Elem().Set(fresh.Elem())
	}
	return err
}

// isContainer reports whether a body is an object or an array, and the type has
// elements. Any other value takes no more memory than the body.
func isContainer(body []byte, into reflect.Type) bool {
	start := jsonobj.Space(body)
	if start == len(body) || body[start] != '{' && body[start] != '[' {
		return false
	}
	switch into.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Interface, reflect.Pointer:
		return true
	}
	return false
}

// decodeJSON decodes a body that is one object into a new value.
func decodeJSON(body []byte, fresh any, memory int64) error {
	plan, err := jsonobj.PlanOf(reflect.TypeOf(fresh).Elem())
	if err != nil {
		return err
	}
	decoder := jsonobj.Decoder{KeepManagedFields: true, MaxMemory: memory}
	n, err := decoder.Decode(plan, body, fresh)
	switch {
	case errors.Is(err, jsonobj.ErrShort):
		return fmt.Errorf("it ends too early, at byte %d: %w", len(body), io.ErrUnexpectedEOF)
	case err != nil:
		return err
	case n+jsonobj.Space(body[n:]) < len(body):
		return fmt.Errorf("unexpected data after the object, at byte %d of %d", n, len(body))
	}
	return nil
}

// decodeProtobuf decodes a body that is one object into a new value, which
// declares Unmarshal.
func decodeProtobuf(body []byte, fresh any, memory int64) error {
	object, err := pbobj.Open(body)
	if err != nil {
		return err
	}
	if schema := pbobj.NewSchema(reflect.TypeOf(fresh).Elem()); schema != nil {
		if _, _, err := schema.Unknown(object.Raw, DefaultMaxDepth, memory); err != nil {
			return err
		}
	}
	return unmarshal(fresh.(pbobj.Unmarshaler), object.Raw)
}
