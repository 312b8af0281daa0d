package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxObject bounds what is held of an answer: one object of it. etcd takes
// objects of 1.5 MiB.
const maxObject = 16 << 20

// values reads JSON values one after the other, of a bounded size each.
type values struct {
	*json.Decoder
	bound *bounded
}

func valuesOf(r io.Reader) values {
	bound := &bounded{Reader: r, left: maxObject}
	return values{json.NewDecoder(bound), bound}
}

// decode reads a value; io.EOF is the end of the answer.
func (v values) decode(into any) error {
	err := v.Decode(into)
	v.bound.left = maxObject
	return explained(err)
}

// within reads a value of which there must be more.
func (v values) within() (raw json.RawMessage, err error) {
	return raw, unexpected(v.decode(&raw))
}

// token reads a bracket or a name, of which there must be more.
func (v values) token() (json.Token, error) {
	token, err := v.Token()
	v.bound.left = maxObject
	return token, unexpected(explained(err))
}

// bracket reads the one that there must be.
func (v values) bracket(want json.Delim) error {
	token, err := v.token()
	if err == nil && token != want {
		err = unrewritablef("there is %v in it, where %v should be", token, want)
	}
	return err
}

// unrewritable is an answer that has come, and that no rule can be applied to.
type unrewritable struct{ error }

func (e unrewritable) Unwrap() error { return e.error }

func unrewritablef(format string, args ...any) error {
	return unrewritable{fmt.Errorf(format, args...)}
}

func explained(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return unrewritablef("it is not the JSON that was asked for: %w", err)
	}
	return err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
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
