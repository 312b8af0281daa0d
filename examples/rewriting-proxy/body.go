package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// maxObject bounds what is held of an answer: one object of it. etcd takes
// objects of 1.5 MiB.
const maxObject = 16 << 20

// body is an answer that is made while it is read: the next piece is asked for
// when the one before has gone to the client, so that a slow client makes the
// API server wait, and nothing piles up here.
type body struct {
	// next appends a piece; io.EOF is the end of a whole answer.
	next func(*bytes.Buffer) error
	// source is what the pieces are made of.
	source  io.Closer
	pending bytes.Buffer
	err     error
}

// fill makes pieces until there are n bytes, or all.
func (b *body) fill(n int) error {
	for b.err == nil && b.pending.Len() < n {
		b.err = b.next(&b.pending)
	}
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// Read returns what there is, and makes a piece if there is nothing.
func (b *body) Read(p []byte) (int, error) {
	_ = b.fill(1) // its error is b.err
	if b.pending.Len() > 0 {
		return b.pending.Read(p)
	}
	if errors.Is(b.err, context.Canceled) {
		return 0, context.Canceled // the client has gone: nobody has to hear of it
	}
	return 0, b.err
}

// Close ends the answer of the API server.
func (b *body) Close() error { return b.source.Close() }

// unrewritable is an answer that has come, and that no rule can be applied to.
type unrewritable struct{ error }

func (e unrewritable) Unwrap() error { return e.error }

func unrewritablef(format string, args ...any) error {
	return unrewritable{fmt.Errorf(format, args...)}
}

// values reads JSON values one after the other, of a bounded size each.
type values struct {
	*json.Decoder
	bound *bounded
}

func valuesOf(r io.Reader) values {
	bound := &bounded{Reader: r, left: maxObject}
	return values{json.NewDecoder(bound), bound}
}

// decode reads a value. Its error is unrewritable if the value has come.
func (v values) decode(into any) error {
	err := v.Decode(into)
	v.bound.left = maxObject
	return explained(err)
}

// token reads a token; the end of the body is an error.
func (v values) token() (json.Token, error) {
	token, err := v.Token()
	v.bound.left = maxObject
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return token, explained(err)
}

func explained(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return unrewritablef("it is not the JSON that was asked for: %w", err)
	}
	return err
}

// bounded is a reader that fails when more is read than is left. A decoder reads
// ahead: of a value it may have had a part before it was asked for.
type bounded struct {
	io.Reader
	left int
}

// Read reads as much as is left.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, unrewritablef("an object has more than %d bytes", maxObject)
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
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
