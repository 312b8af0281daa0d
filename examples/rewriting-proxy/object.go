package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// rewriteObject rewrites a response with one object.
func rewriteObject(out *bufio.Writer, in values, objects *rewriter) error {
	raw, err := in.nextValue()
	if err != nil {
		return err
	}
	object, err := objects.object(raw)
	if err != nil {
		return err
	}
	out.Write(object)
	return out.WriteByte('\n')
}

// rewriter applies a rule, and counts.
type rewriter struct {
	rule            rule
	seen, rewritten int
}

// object returns the object that the client receives instead of raw. An object that the
// rule does not change keeps the encoding of the API server.
func (r *rewriter) object(raw json.RawMessage) (json.RawMessage, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, unrewritablef("an object: %w", err)
	}
	obj := &unstructured.Unstructured{Object: content}
	switch {
	case content == nil:
		return nil, unrewritablef("it has %s instead of an object", raw)
	case obj.GetKind() == "Status" && obj.GetAPIVersion() == "v1":
		return raw, nil
	case obj.GetKind() == "Table":
		return nil, unrewritablef("it has a Table, whose cells the server has computed")
	}
	r.seen++
	changed, err := r.rule(obj)
	if err != nil {
		return nil, unrewritablef("the rule for %s/%s: %w", obj.GetNamespace(), obj.GetName(), err)
	}
	if !changed {
		return raw, nil
	}
	r.rewritten++
	return encoded(content)
}

// encoded returns JSON as an API server encodes it, without escapes for HTML.
func encoded(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode the rewritten object: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
