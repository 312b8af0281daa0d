package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// draft is an object as it will be stored, but for the version that it will
// get: that is known only under the store's lock, where nothing is encoded.
// Its text begins {"apiVersion":A,"kind":K,"metadata":{"resourceVersion":" and
// so does that of every record.
type draft struct{ before, after []byte }

// encode writes obj as a draft, as compact JSON.
func encode(obj *unstructured.Unstructured) (draft, error) {
	meta, _ := obj.Object["metadata"].(map[string]any)
	var text bytes.Buffer
	field := func(name string, value any) error {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("encode %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
		if last := text.Bytes()[text.Len()-1]; last != '{' {
			text.WriteByte(',')
		}
		text.WriteString(strconv.Quote(name))
		text.WriteByte(':')
		text.Write(encoded)
		return nil
	}
	text.WriteByte('{')
	if err := field("apiVersion", obj.GetAPIVersion()); err != nil {
		return draft{}, err
	}
	if err := field("kind", obj.GetKind()); err != nil {
		return draft{}, err
	}
	text.WriteString(`,"metadata":{"resourceVersion":"`)
	split := text.Len()
	text.WriteByte('"')
	if err := members(&text, meta, "resourceVersion"); err != nil {
		return draft{}, err
	}
	text.WriteByte('}')
	if err := members(&text, obj.Object, "apiVersion", "kind", "metadata"); err != nil {
		return draft{}, err
	}
	text.WriteByte('}')
	whole := text.Bytes()
	return draft{before: whole[:split:split], after: whole[split:]}, nil
}

// members writes all fields of an object but some, each after a comma.
func members(to *bytes.Buffer, of map[string]any, but ...string) error {
	rest := make(map[string]any, len(of))
	for name, value := range of {
		rest[name] = value
	}
	for _, name := range but {
		delete(rest, name)
	}
	if len(rest) == 0 {
		return nil
	}
	encoded, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	to.WriteByte(',')
	to.Write(encoded[1 : len(encoded)-1])
	return nil
}

// at is the text with its version.
func (d draft) at(version uint64) []byte {
	text := make([]byte, 0, len(d.before)+20+len(d.after))
	text = append(text, d.before...)
	text = strconv.AppendUint(text, version, 10)
	return append(text, d.after...)
}

// decode reads what is stored.
func decode(raw []byte) (*unstructured.Unstructured, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}
