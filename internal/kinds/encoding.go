package kinds

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// encoding is the encoding of a value whose type does not determine it.
type encoding string

// The encodings that the table uses.
const (
	encodingBytes           encoding = "bytes"
	encodingTime            encoding = "time"
	encodingMicroTime       encoding = "microtime"
	encodingJSON            encoding = "json"
	encodingQuantity        encoding = "quantity"
	encodingIntOrString     encoding = "intorstring"
	encodingSchemas         encoding = "schemas"
	encodingSchemaOrBool    encoding = "schemaorbool"
	encodingSchemaOrStrings encoding = "schemaorstrings"
)

var allEncodings = []encoding{
	"", encodingBytes, encodingTime, encodingMicroTime, encodingJSON, encodingQuantity, encodingIntOrString,
	encodingSchemas, encodingSchemaOrBool, encodingSchemaOrStrings,
}

// read decodes a value of a special encoding.
func (f encoding) read(content []byte, depth nesting) (any, error) {
	switch f {
	case encodingBytes:
		return base64.StdEncoding.EncodeToString(content), nil
	case encodingTime, encodingMicroTime:
		return f.time(content)
	}
	m, err := parseFields(content)
	if err != nil {
		return nil, err
	}
	switch f {
	case encodingQuantity:
		if len(m.last(1)) == 0 {
			return "0", nil
		}
		return validUTF8(m.last(1)), nil
	case encodingIntOrString:
		if m.number(1) != 0 {
			return validUTF8(m.last(3)), nil
		}
		return int64(int32(m.number(2))), nil
	case encodingJSON:
		return fromJSON(m.last(1))
	case encodingSchemaOrBool:
		if schema := m.last(2); schema != nil {
			return jsonSchema(schema, depth)
		}
		return m.number(1) != 0, nil
	case encodingSchemas, encodingSchemaOrStrings:
		if schema := m.last(1); schema != nil {
			return jsonSchema(schema, depth)
		}
		return f.readList(m.all(2), depth)
	}
	return nil, fmt.Errorf("unknown encoding %q", f)
}

func (f encoding) readList(all [][]byte, depth nesting) (any, error) {
	values := make([]any, len(all))
	for i, content := range all {
		if f == encodingSchemaOrStrings {
			values[i] = validUTF8(content)
			continue
		}
		schema, err := jsonSchema(content, depth)
		if err != nil {
			return nil, err
		}
		values[i] = schema
	}
	if len(values) == 0 {
		return nil, nil
	}
	return values, nil
}

// jsonSchema decodes a JSONSchemaProps, the only recursive type.
func jsonSchema(content []byte, depth nesting) (any, error) {
	typ := builtinType("apiextensions.JSONSchemaProps")
	result := typ.empty()
	return result, messages()[typ].read(result, content, depth)
}

func (f encoding) time(content []byte) (any, error) {
	if len(content) == 0 {
		return nil, nil
	}
	m, err := parseFields(content)
	if err != nil {
		return nil, err
	}
	seconds, nanos := int64(m.number(1)), int64(int32(m.number(2)))
	if f == encodingTime {
		return time.Unix(seconds, 0).UTC().Format(time.RFC3339), nil
	}
	nanos -= nanos % int64(time.Microsecond)
	return time.Unix(seconds, nanos).UTC().Format(metav1.RFC3339Micro), nil
}

func fromJSON(text []byte) (value any, err error) {
	if len(text) == 0 {
		return nil, nil
	}
	if !json.Valid(text) {
		return nil, errors.New("invalid JSON")
	}
	return value, utiljson.Unmarshal(text, &value)
}

// rawFields is the undecoded fields of a small message.
type rawFields []struct {
	pbobj.Header
	bytes []byte
}

func parseFields(data []byte) (read rawFields, err error) {
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return nil, err
		}
		data = data[n:]
		read = append(read, struct {
			pbobj.Header
			bytes []byte
		}{h, content})
	}
	return read, nil
}

func (c rawFields) all(number int) (found [][]byte) {
	for _, m := range c {
		if m.Number == number && m.Wire == pbobj.Bytes {
			found = append(found, m.bytes)
		}
	}
	return found
}

// last returns the last field with the number, or nil.
func (c rawFields) last(number int) []byte {
	if found := c.all(number); len(found) > 0 {
		return found[len(found)-1]
	}
	return nil
}

func (c rawFields) number(number int) (value uint64) {
	for _, m := range c {
		if m.Number == number && m.Wire == pbobj.Varint {
			value = m.Value
		}
	}
	return value
}
