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

// form is how a value is written whose type does not say it.
type form string

// The forms that the table has.
const (
	formBytes           form = "bytes"
	formTime            form = "time"
	formMicroTime       form = "microtime"
	formJSON            form = "json"
	formQuantity        form = "quantity"
	formIntOrString     form = "intorstring"
	formSchemas         form = "schemas"
	formSchemaOrBool    form = "schemaorbool"
	formSchemaOrStrings form = "schemaorstrings"
)

var allForms = []form{
	"", formBytes, formTime, formMicroTime, formJSON, formQuantity, formIntOrString,
	formSchemas, formSchemaOrBool, formSchemaOrStrings,
}

// read decodes a value of a form of its own.
func (f form) read(content []byte, depth int) (any, error) {
	switch f {
	case formBytes:
		return base64.StdEncoding.EncodeToString(content), nil
	case formTime, formMicroTime:
		return f.time(content)
	}
	m, err := members(content)
	if err != nil {
		return nil, err
	}
	switch f {
	case formQuantity:
		if len(m.last(1)) == 0 {
			return "0", nil
		}
		return valid(m.last(1)), nil
	case formIntOrString:
		if m.number(1) != 0 {
			return valid(m.last(3)), nil
		}
		return int64(int32(m.number(2))), nil
	case formJSON:
		return fromJSON(m.last(1))
	case formSchemaOrBool:
		if schema := m.last(2); schema != nil {
			return jsonSchema(schema, depth)
		}
		return m.number(1) != 0, nil
	case formSchemas, formSchemaOrStrings:
		if schema := m.last(1); schema != nil {
			return jsonSchema(schema, depth)
		}
		return f.several(m.all(2), depth)
	}
	return nil, fmt.Errorf("no form %q", f)
}

func (f form) several(all [][]byte, depth int) (any, error) {
	values := make([]any, len(all))
	for i, content := range all {
		if f == formSchemaOrStrings {
			values[i] = valid(content)
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

// jsonSchema is the one type that is a part of itself.
func jsonSchema(content []byte, depth int) (any, error) {
	typ := builtinType("apiextensions.JSONSchemaProps")
	made := typ.empty()
	return made, messages()[typ].read(made, content, depth)
}

func (f form) time(content []byte) (any, error) {
	if len(content) == 0 {
		return nil, nil
	}
	m, err := members(content)
	if err != nil {
		return nil, err
	}
	seconds, nanos := int64(m.number(1)), int64(int32(m.number(2)))
	if f == formTime {
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
		return nil, errors.New("what should be JSON is not")
	}
	return value, utiljson.Unmarshal(text, &value)
}

// contents are the fields of a small message.
type contents []struct {
	pbobj.Header
	bytes []byte
}

func members(data []byte) (read contents, err error) {
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

func (c contents) all(number int) (found [][]byte) {
	for _, m := range c {
		if m.Number == number && m.Wire == pbobj.Bytes {
			found = append(found, m.bytes)
		}
	}
	return found
}

// last is nil if there is none.
func (c contents) last(number int) []byte {
	if found := c.all(number); len(found) > 0 {
		return found[len(found)-1]
	}
	return nil
}

func (c contents) number(number int) (value uint64) {
	for _, m := range c {
		if m.Number == number && m.Wire == pbobj.Varint {
			value = m.Value
		}
	}
	return value
}
