package objects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Draft is an object in the form in which it is stored, without its version:
// the version is only known under the store's lock, under which nothing is
// encoded. The text begins with
// {"apiVersion":A,"kind":K,"metadata":{"resourceVersion":" and so does the text
// of every record.
type Draft struct{ Before, After []byte }

// Encode encodes obj as a draft, as compact JSON.
func Encode(obj *unstructured.Unstructured) (Draft, error) {
	w := encoder{text: make([]byte, 0, 1024)}
	w.text = append(w.text, `{"apiVersion":`...)
	w.string(obj.GetAPIVersion())
	w.text = append(w.text, `,"kind":`...)
	w.string(obj.GetKind())
	w.text = append(w.text, `,"metadata":{"resourceVersion":"`...)
	split := len(w.text)
	w.text = append(w.text, '"')
	meta, _ := obj.Object["metadata"].(map[string]any)
	w.members(meta, true, func(name string) bool { return name == "resourceVersion" })
	w.text = append(w.text, '}')
	w.members(obj.Object, true, func(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" })
	w.text = append(w.text, '}')
	if w.err != nil {
		return Draft{}, fmt.Errorf("encode %s %s: %w", obj.GetKind(), obj.GetName(), w.err)
	}
	whole := slices.Clip(w.text)
	return Draft{Before: whole[:split:split], After: whole[split:]}, nil
}

// encoder writes values as encoding/json does, but faster for the types in
// objects. Encoding objects is most of the work of the server.
type encoder struct {
	text []byte
	err  error // the first error
}

func (w *encoder) value(value any) {
	switch value := value.(type) {
	case nil:
		w.text = append(w.text, "null"...)
	case string:
		w.string(value)
	case bool:
		w.text = strconv.AppendBool(w.text, value)
	case int64:
		w.text = strconv.AppendInt(w.text, value, 10)
	case map[string]any:
		w.text = append(w.text, '{')
		w.members(value, false, nil)
		w.text = append(w.text, '}')
	case []any:
		w.text = append(w.text, '[')
		for i, item := range value {
			if i > 0 {
				w.text = append(w.text, ',')
			}
			w.value(item)
		}
		w.text = append(w.text, ']')
	default:
		w.other(value)
	}
}

// other writes values of rare types.
func (w *encoder) other(value any) {
	text, err := json.Marshal(value)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.text = append(w.text, text...)
}

// members writes the fields of an object in order, except those to skip. after
// reports whether other fields precede them.
func (w *encoder) members(object map[string]any, after bool, skip func(string) bool) {
	var buffer [16]string
	names := buffer[:0]
	for name := range object {
		if skip == nil || !skip(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if i > 0 || after {
			w.text = append(w.text, ',')
		}
		w.string(name)
		w.text = append(w.text, ':')
		w.value(object[name])
	}
}

func (w *encoder) string(value string) {
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&', c >= utf8.RuneSelf:
			w.other(value)
			return
		}
	}
	w.text = append(w.text, '"')
	w.text = append(w.text, value...)
	w.text = append(w.text, '"')
}

// Quote returns a string in JSON.
func Quote(text string) []byte {
	var w encoder
	w.string(text)
	return w.text
}

// At returns the text of the draft with a version.
func (d Draft) At(version uint64) []byte {
	text := make([]byte, 0, len(d.Before)+20+len(d.After))
	text = append(text, d.Before...)
	text = strconv.AppendUint(text, version, 10)
	return append(text, d.After...)
}

// Decode decodes a stored object.
func Decode(raw []byte) (*unstructured.Unstructured, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}
