package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxObject bounds the size of an object, which is held in memory. etcd accepts
// objects of 1.5 MiB.
const maxObject = 16 << 20

// values reads a sequence of JSON values, each of a bounded size.
type values struct {
	*json.Decoder
	bound *bounded
}

func valuesOf(r io.Reader) values {
	bound := &bounded{Reader: r, left: maxObject}
	return values{json.NewDecoder(bound), bound}
}

// decode reads a value; io.EOF is the end of the response.
func (v values) decode(target any) error {
	err := v.Decode(target)
	v.bound.left = maxObject
	return wrapJSONError(err)
}

// nextValue reads a value that must exist.
func (v values) nextValue() (raw json.RawMessage, err error) {
	return raw, noEOF(v.decode(&raw))
}

// token reads a bracket or a name that must exist.
func (v values) token() (json.Token, error) {
	token, err := v.Token()
	v.bound.left = maxObject
	return token, noEOF(wrapJSONError(err))
}

// bracket reads a bracket that must exist.
func (v values) bracket(want json.Delim) error {
	token, err := v.token()
	if err == nil && token != want {
		err = unrewritablef("it has %v instead of %v", token, want)
	}
	return err
}

// unrewritable is the error for a complete response that no rule can be applied to.
type unrewritable struct{ error }

func (e unrewritable) Unwrap() error { return e.error }

func unrewritablef(format string, args ...any) error {
	return unrewritable{fmt.Errorf(format, args...)}
}

func wrapJSONError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return unrewritablef("it is not the expected JSON: %w", err)
	}
	return err
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bounded is a reader that fails when more than the rest is read. A decoder reads ahead:
// it may have read a part of a value before.
type bounded struct {
	io.Reader
	left int
}

// Read reads at most the rest.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, unrewritablef("an object has more than %d bytes", maxObject)
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
