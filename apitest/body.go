package apitest

import (
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/yaml"
)

// encoding is how a body is written.
type encoding int

const (
	encodedJSON encoding = iota
	encodedYAML
	encodedProtobuf
)

// encoding of the body by its content type; none is JSON.
func (c *call) encoding() (encoding, error) {
	kind := c.r.Header.Get("Content-Type")
	if kind == "" {
		return encodedJSON, nil
	}
	kind, _, err := mime.ParseMediaType(kind)
	switch {
	case err == nil && kind == "application/json":
		return encodedJSON, nil
	case err == nil && kind == "application/yaml":
		return encodedYAML, nil
	case err == nil && kind == mimeProtobuf && !c.resource.custom:
		return encodedProtobuf, nil
	}
	accepted := "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	if c.resource.custom {
		accepted = "application/json, application/yaml"
	}
	return 0, unsupportedMediaType("the body of the request was in an unknown format - accepted media types include: " + accepted)
}

func unsupportedMediaType(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
		Reason: metav1.StatusReasonUnsupportedMediaType, Message: message,
	}}
}

// readBody reads all of the body, which is bounded.
func (c *call) readBody() ([]byte, error) {
	limit := c.server.options.maxRequestBytes()
	body, err := io.ReadAll(io.LimitReader(c.r.Body, limit+1))
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("read the body: %v", err))
	}
	if int64(len(body)) > limit {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", limit))
	}
	return body, nil
}

// readObject reads the object that is to be written. What fieldValidation finds
// in it becomes warnings, or the error.
func (c *call) readObject(o writeOptions) (*unstructured.Unstructured, error) {
	as, err := c.encoding()
	if err != nil {
		return nil, err
	}
	body, err := c.readBody()
	if err != nil {
		return nil, err
	}
	return c.decodeObject(body, as, o)
}

// decodeObject is readObject for a body that is at hand.
func (c *call) decodeObject(body []byte, as encoding, o writeOptions) (*unstructured.Unstructured, error) {
	if as == encodedProtobuf {
		return c.decodeProtobuf(body)
	}
	strict := o.validation != metav1.FieldValidationIgnore
	content, text, findings, err := decodeBody(body, as, strict)
	if err != nil {
		return nil, c.unrecognized(err, body)
	}
	if err := c.checkKind(content, body); err != nil {
		return nil, err
	}
	more, err := c.tidyRead(content, text, len(findings) > 0)
	if err != nil {
		return nil, c.unfit(err)
	}
	if c.resource.builtin != nil && as == encodedJSON {
		findings = more // in the order of the text
	} else {
		findings = append(findings, more...)
	}
	if o.validation == metav1.FieldValidationStrict && len(findings) > 0 {
		return nil, c.unfit(runtime.NewStrictDecodingError(findings))
	}
	if o.validation == metav1.FieldValidationWarn {
		c.warnOf(findings)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// unrecognized is the answer to a body that is no object at all.
func (c *call) unrecognized(err error, body []byte) error {
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", c.resource.Kind, err, summary(body)))
}

// unfit is the answer to an object that does not fit its kind.
func (c *call) unfit(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", c.resource.Kind, c.resource.Version, c.resource.Kind, err))
}

// summary is the beginning of a body, for messages.
func summary(body []byte) string {
	const most = 30
	shown, cut := body[:min(len(body), most)], ""
	if len(body) > most {
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

// document is a body while it is decoded. To apimachinery's serializer it is a
// Go type like any other, so that it is asked for fields that come twice.
type document map[string]any

func (*document) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (d *document) DeepCopyObject() runtime.Object { return &document{} }

// plain answers the serializer's questions about kinds: none is known, and none
// is looked for in the body, which saves a pass over it.
type plain struct{}

func (plain) Interpret([]byte) (*schema.GroupVersionKind, error) {
	return &schema.GroupVersionKind{}, nil
}
func (plain) Recognizes(schema.GroupVersionKind) bool { return false }
func (plain) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return nil, runtime.NewNotRegisteredErrForKind("apitest", kind)
}
func (plain) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return nil, false, runtime.NewNotRegisteredErrForKind("apitest", schema.GroupVersionKind{})
}

var (
	strictly = serializer.NewSerializerWithOptions(plain{}, plain{}, plain{}, serializer.SerializerOptions{Strict: true})
	loosely  = serializer.NewSerializerWithOptions(plain{}, plain{}, plain{}, serializer.SerializerOptions{})
)

// decodeBody reads an object as maps and slices, and with strict finds what
// stands in it twice; text is the body in JSON. Its depth is bounded by the
// decoder, to 10,000.
func decodeBody(body []byte, as encoding, strict bool) (content map[string]any, text []byte, findings []error, err error) {
	text = body
	if as == encodedYAML {
		if text, err = yaml.YAMLToJSON(body); err != nil {
			return nil, nil, nil, err
		}
		if strict {
			if _, err := yaml.YAMLToJSONStrict(body); err != nil {
				findings = append(findings, err)
			}
		}
	}
	decoder := loosely
	if strict {
		decoder = strictly
	}
	var read document
	_, _, err = decoder.Decode(text, nil, &read)
	if twice, ok := runtime.AsStrictDecodingError(err); ok {
		findings, err = append(findings, twice.Errors()...), nil
	}
	content = read
	if content == nil {
		content = map[string]any{}
	}
	if err != nil || !isTextOrAbsent(content["apiVersion"]) || !isTextOrAbsent(content["kind"]) {
		// The real server asks for the kind first, and that is where it fails.
		if _, err := serializer.DefaultMetaFactory.Interpret(text); err != nil {
			return nil, nil, nil, err
		}
	}
	return content, text, findings, err
}

func isTextOrAbsent(value any) bool {
	_, text := value.(string)
	return text || value == nil
}

// checkKind compares what the body says it is with what the path asks for, and
// fills in what a built-in kind may leave out.
func (c *call) checkKind(content map[string]any, body []byte) error {
	want := c.resource.GroupVersion()
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	got, err := schema.ParseGroupVersion(version)
	if err != nil {
		return c.unrecognized(err, body)
	}
	if c.resource.custom {
		switch {
		case kind == "":
			return c.unrecognized(runtime.NewMissingKindErr(string(body)), body)
		case got != want:
			return otherVersion(version, want)
		case kind != c.resource.Kind:
			return invalidKind(content, schema.GroupKind{Group: want.Group, Kind: kind}, c.resource.Kind)
		}
		return nil
	}
	if kind == "" {
		kind = c.resource.Kind
	}
	if got.Empty() || got.Version == "" && got.Group == want.Group {
		got = want
	}
	if got != want || kind != c.resource.Kind {
		return c.otherKind(got.WithKind(kind))
	}
	content["apiVersion"], content["kind"] = want.String(), c.resource.Kind
	return nil
}

func otherVersion(got string, want schema.GroupVersion) error {
	return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, want))
}

// realScheme is how the real server's messages call what it knows.
const realScheme = "pkg/runtime/scheme.go:111"

// otherKind is the answer to a body of another kind than a built-in one's.
func (c *call) otherKind(got schema.GroupVersionKind) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", got.Kind, got.Version, c.resource.Kind, c.otherKindError(got)))
}

// otherKindError is why one kind cannot be taken for another.
func (c *call) otherKindError(got schema.GroupVersionKind) error {
	if c.server.serves(got) {
		return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", got.Version, got.Kind, internalName(c.resource.Group), c.resource.Kind)
	}
	return runtime.NewNotRegisteredErrForKind(realScheme, got)
}

// internalName is the Go package of a built-in group in the real server.
func internalName(group string) string {
	if group == "" || group == "events.k8s.io" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// serves tells whether a built-in kind is known.
func (s *Server) serves(kind schema.GroupVersionKind) bool {
	for _, res := range s.registry.all() {
		if res.Kind == kind.Kind && res.GroupVersion() == kind.GroupVersion() && !res.custom {
			return true
		}
	}
	return false
}

// readDeleteOptions reads them from the body if there is one, else from the
// query.
func (c *call) readDeleteOptions() (metav1.DeleteOptions, error) {
	var options metav1.DeleteOptions
	body, err := c.readBody()
	if err != nil {
		return options, err
	}
	if len(body) == 0 {
		if err := metav1.Convert_url_Values_To_v1_DeleteOptions(&c.query, &options, nil); err != nil {
			return options, apierrors.NewBadRequest(err.Error())
		}
	} else if options, err = c.decodeDeleteOptions(body); err != nil {
		return options, err
	}
	options.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	return options, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&options))
}

func (c *call) decodeDeleteOptions(body []byte) (options metav1.DeleteOptions, err error) {
	as, err := c.encoding()
	if err != nil {
		return options, err
	}
	if as == encodedProtobuf {
		return protobufDeleteOptions(body)
	}
	content, _, _, err := decodeBody(body, as, false)
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	if kind, _ := content["kind"].(string); kind != "" && kind != "DeleteOptions" {
		version, _ := content["apiVersion"].(string)
		return options, apierrors.NewBadRequest(runtime.NewNotRegisteredErrForKind(realScheme, schema.FromAPIVersionAndKind(version, kind)).Error())
	}
	if err := into(content, &options); err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, nil
}
