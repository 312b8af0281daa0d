package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// rewriteObject rewrites an answer that is one object.
func rewriteObject(out *bufio.Writer, in values, objects *rewriter) error {
	raw, err := in.within()
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

// object is what a client is sent in the place of raw. What the rule does not
// change stays as the API server has written it.
func (r *rewriter) object(raw json.RawMessage) (json.RawMessage, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, unrewritablef("an object of it: %w", err)
	}
	obj := &unstructured.Unstructured{Object: content}
	switch {
	case content == nil:
		return nil, unrewritablef("there is %s in the place of an object", raw)
	case obj.GetKind() == "Status" && obj.GetAPIVersion() == "v1":
		return raw, nil
	case obj.GetKind() == "Table":
		return nil, unrewritablef("it has a Table, the cells of which are filled in already")
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

// encoded is JSON as an API server writes it, without escapes for HTML.
func encoded(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode what has been rewritten: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
