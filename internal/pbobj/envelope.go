package pbobj

import (
	"bytes"
	"errors"
	"fmt"
)

// Magic is how every protobuf body of Kubernetes begins.
const Magic = "k8s\x00"

// The fields of the envelope, a runtime.Unknown.
const (
	EnvelopeTypeMeta = 1
	EnvelopeRaw      = 2

	envelopeLast = 4 // the last field that an envelope has: its content type
)

// Envelope is an object with what it says to be.
type Envelope struct {
	APIVersion, Kind []byte
	Raw              []byte
}

// Open takes a whole envelope apart, magic included. A field that comes twice
// counts the last time, as everywhere in protobuf.
func Open(data []byte) (Envelope, error) {
	if !bytes.HasPrefix(data, []byte(Magic)) {
		return Envelope{}, errors.New("it does not begin as the protobuf of Kubernetes does")
	}
	if len(data) == len(Magic) {
		return Envelope{}, errors.New("it ends after the magic number")
	}
	var e Envelope
	for rest := data[len(Magic):]; len(rest) > 0; {
		h, content, n, err := Next(rest)
		if err != nil {
			return Envelope{}, fmt.Errorf("the envelope, at byte %d: %w", len(data)-len(rest), err)
		}
		rest = rest[n:]
		if h.Wire != Bytes {
			if h.Number <= envelopeLast {
				return Envelope{}, fmt.Errorf("the envelope: field %d is not of bytes", h.Number)
			}
			continue
		}
		switch h.Number {
		case EnvelopeTypeMeta:
			if e.APIVersion, e.Kind, err = TypeMeta(content); err != nil {
				return Envelope{}, err
			}
		case EnvelopeRaw:
			e.Raw = content
		}
	}
	return e, nil
}

// TypeMeta reads the part of an envelope that says what is in it.
func TypeMeta(data []byte) (apiVersion, kind []byte, err error) {
	for len(data) > 0 {
		h, content, n, err := Next(data)
		if err != nil {
			return nil, nil, fmt.Errorf("the type in the envelope: %w", err)
		}
		data = data[n:]
		if h.Wire != Bytes {
			if h.Number <= 2 {
				return nil, nil, fmt.Errorf("the type in the envelope: field %d is not of bytes", h.Number)
			}
			continue
		}
		switch h.Number {
		case 1:
			apiVersion = content
		case 2:
			kind = content
		}
	}
	return apiVersion, kind, nil
}
