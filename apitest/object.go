package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

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
		return draft{}, fmt.Errorf("encode %s %s: %w", obj.GetKind(), obj.GetName(), w.err)
	}
	whole := slices.Clip(w.text)
	return draft{before: whole[:split:split], after: whole[split:]}, nil
}

// encoder writes values as encoding/json does. Most of what a server does is to
// write objects, and it knows what they are made of.
type encoder struct {
	text []byte
	err  error // the first
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

// other is for values that are rare.
func (w *encoder) other(value any) {
	text, err := json.Marshal(value)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.text = append(w.text, text...)
}

// members writes the fields of an object in order, but those to skip; after is
// whether others stand before them.
func (w *encoder) members(of map[string]any, after bool, skip func(string) bool) {
	var few [16]string
	names := few[:0]
	for name := range of {
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
		w.value(of[name])
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
