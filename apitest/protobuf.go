package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// decodeProtobuf reads an object of a built-in kind. A message has no fields of
// which nothing is known: fieldValidation finds nothing in it.
func (c *call) decodeProtobuf(body []byte) (*unstructured.Unstructured, error) {
	envelope, err := openProtobuf(body)
	if err != nil {
		return nil, c.unrecognized(err, body)
	}
	said := map[string]any{"apiVersion": string(envelope.APIVersion), "kind": string(envelope.Kind)}
	if err := c.checkKind(said, body); err != nil {
		return nil, err
	}
	content, err := kinds.FromProtobuf(c.resource.GroupVersion().WithKind(c.resource.Kind), envelope.Raw)
	if err != nil {
		return nil, c.unfit(endOf(err))
	}
	if _, err := c.tidy(content); err != nil {
		return nil, c.unfit(err)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// openProtobuf takes a body apart, or says what is wrong with it as the real
// server does.
func openProtobuf(body []byte) (pbobj.Envelope, error) {
	switch {
	case len(body) == 0:
		return pbobj.Envelope{}, errors.New("empty data")
	case !bytes.HasPrefix(body, []byte(pbobj.Magic)):
		return pbobj.Envelope{}, fmt.Errorf("provided data does not appear to be a protobuf message, expected prefix %v", []byte(pbobj.Magic))
	case len(body) == len(pbobj.Magic):
		return pbobj.Envelope{}, errors.New("empty body")
	}
	envelope, err := pbobj.Open(body)
	return envelope, endOf(err)
}

// endOf calls the end of a message that comes too soon what it is elsewhere.
func endOf(err error) error {
	if errors.Is(err, pbobj.ErrShort) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// protobufDeleteOptions reads a body that is not empty.
func protobufDeleteOptions(body []byte) (options metav1.DeleteOptions, err error) {
	envelope, err := openProtobuf(body)
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	if kind := string(envelope.Kind); kind != "" && kind != "DeleteOptions" {
		got := schema.FromAPIVersionAndKind(string(envelope.APIVersion), kind)
		return options, apierrors.NewBadRequest(runtime.NewNotRegisteredErrForKind(realScheme, got).Error())
	}
	if err := options.Unmarshal(envelope.Raw); err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, nil
}
