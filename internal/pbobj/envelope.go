package pbobj

import (
	"bytes"
	"errors"
	"fmt"
)

// Magic is the prefix of every protobuf body of Kubernetes.
const Magic = "k8s\x00"

// The fields of the envelope, a runtime.Unknown.
const (
	EnvelopeTypeMeta = 1
	EnvelopeRaw      = 2

	lastEnvelopeField = 4 // the last field that an envelope has: its content type
)

// Envelope is an encoded object with its type.
type Envelope struct {
	APIVersion, Kind []byte
	Raw              []byte
}

// Open parses a whole envelope, including the magic number. The last occurrence of a
// field counts, as always in protobuf.
func Open(data []byte) (Envelope, error) {
	if !bytes.HasPrefix(data, []byte(Magic)) {
		return Envelope{}, errors.New("no Kubernetes protobuf: the magic number is missing")
	}
	if len(data) == len(Magic) {
		return Envelope{}, errors.New("protobuf ends after the magic number")
	}
	var e Envelope
	for rest := data[len(Magic):]; len(rest) > 0; {
		h, content, n, err := Next(rest)
		if err != nil {
			return Envelope{}, fmt.Errorf("protobuf envelope, byte %d: %w", len(data)-len(rest), err)
		}
		rest = rest[n:]
		if h.Wire != Bytes {
			if h.Number <= lastEnvelopeField {
				return Envelope{}, fmt.Errorf("protobuf envelope: field %d is not length-delimited", h.Number)
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

// TypeMeta parses the TypeMeta of an envelope.
func TypeMeta(data []byte) (apiVersion, kind []byte, err error) {
	for len(data) > 0 {
		h, content, n, err := Next(data)
		if err != nil {
			return nil, nil, fmt.Errorf("protobuf envelope, TypeMeta: %w", err)
		}
		data = data[n:]
		if h.Wire != Bytes {
			if h.Number <= 2 {
				return nil, nil, fmt.Errorf("protobuf envelope, TypeMeta: field %d is not length-delimited", h.Number)
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
