package requestbody

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// Encoding is the encoding of a body.
type Encoding int

// The encodings that a kube-apiserver accepts.
const (
	JSON Encoding = iota
	YAML
	Protobuf
)

// Document is a body being decoded. It is a runtime.Object so that
// apimachinery's serializer decodes it and reports duplicate fields.
type Document map[string]any

// GetObjectKind implements runtime.Object.
func (*Document) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object.
func (d *Document) DeepCopyObject() runtime.Object { return &Document{} }

// noKinds tells the serializer that no kind is known. It does not look for the
// kind in the body, which saves a pass.
type noKinds struct{}

func (noKinds) Interpret([]byte) (*schema.GroupVersionKind, error) {
	return &schema.GroupVersionKind{}, nil
}

func (noKinds) Recognizes(schema.GroupVersionKind) bool { return false }

func (noKinds) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return nil, runtime.NewNotRegisteredErrForKind("apitest", kind)
}

func (noKinds) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return nil, false, runtime.NewNotRegisteredErrForKind("apitest", schema.GroupVersionKind{})
}

var (
	strictSerializer  = serializer.NewSerializerWithOptions(noKinds{}, noKinds{}, noKinds{}, serializer.SerializerOptions{Strict: true})
	lenientSerializer = serializer.NewSerializerWithOptions(noKinds{}, noKinds{}, noKinds{}, serializer.SerializerOptions{})
)

// Decode decodes an object to maps and slices. With strict, findings has its
// duplicate fields. text is the body in JSON. The decoder limits the nesting to
// 10,000 levels.
func Decode(body []byte, encoding Encoding, strict bool) (content map[string]any, text []byte, findings []error, err error) {
	text = body
	if encoding == YAML {
		if err := RejectAliases(body); err != nil {
			return nil, nil, nil, err
		}
		if text, err = yaml.YAMLToJSON(body); err != nil {
			return nil, nil, nil, err
		}
		if strict {
			if _, err := yaml.YAMLToJSONStrict(body); err != nil {
				findings = append(findings, err)
			}
		}
	}
	decoder := lenientSerializer
	if strict {
		decoder = strictSerializer
	}
	var read Document
	_, _, err = decoder.Decode(text, nil, &read)
	if strictErr, ok := runtime.AsStrictDecodingError(err); ok {
		findings, err = append(findings, strictErr.Errors()...), nil
	}
	content = read
	if content == nil {
		content = map[string]any{}
	}
	if err != nil || !isStringOrAbsent(content["apiVersion"]) || !isStringOrAbsent(content["kind"]) {
		// The real server reads the kind first, and fails there.
		if _, err := serializer.DefaultMetaFactory.Interpret(text); err != nil {
			return nil, nil, nil, err
		}
	}
	return content, text, findings, err
}

func isStringOrAbsent(value any) bool {
	_, text := value.(string)
	return text || value == nil
}

// Summary returns the beginning of a body, for messages.
func Summary(body []byte) string {
	const maxLength = 30
	shown, cut := body[:min(len(body), maxLength)], ""
	if len(body) > maxLength {
		cut = " ..."
	}
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{':
		return string(shown) + cut
	}
	return hex.EncodeToString(shown) + cut
}

// OpenProtobuf splits a body, or fails with the message of the real server.
func OpenProtobuf(body []byte) (pbobj.Envelope, error) {
	switch {
	case len(body) == 0:
		return pbobj.Envelope{}, errors.New("empty data")
	case !bytes.HasPrefix(body, []byte(pbobj.Magic)):
		return pbobj.Envelope{}, fmt.Errorf("provided data does not appear to be a protobuf message, expected prefix %v", []byte(pbobj.Magic))
	case len(body) == len(pbobj.Magic):
		return pbobj.Envelope{}, errors.New("empty body")
	}
	envelope, err := pbobj.Open(body)
	return envelope, AsUnexpectedEOF(err)
}

// AsUnexpectedEOF converts the error of a truncated message to
// io.ErrUnexpectedEOF.
func AsUnexpectedEOF(err error) error {
	if errors.Is(err, pbobj.ErrShort) {
		return io.ErrUnexpectedEOF
	}
	return err
}
