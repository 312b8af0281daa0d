package apitest

import (
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

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/requestbody"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/internal/kinds"
)

// encoding returns the encoding of the body by its content type; the default is
// JSON.
func (c *call) encoding() (requestbody.Encoding, error) {
	kind := c.r.Header.Get("Content-Type")
	if kind == "" {
		return requestbody.JSON, nil
	}
	kind, _, err := mime.ParseMediaType(kind)
	switch {
	case err == nil && kind == "application/json":
		return requestbody.JSON, nil
	case err == nil && kind == "application/yaml":
		return requestbody.YAML, nil
	case err == nil && kind == response.MediaTypeProtobuf && !c.resource.Custom:
		return requestbody.Protobuf, nil
	}
	accepted := "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	if c.resource.Custom {
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

// readBody reads the whole body, up to the limit.
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

// readObject reads the object to write. Findings of fieldValidation become
// warnings or an error.
func (c *call) readObject(o params.WriteOptions) (*unstructured.Unstructured, error) {
	encoding, err := c.encoding()
	if err != nil {
		return nil, err
	}
	body, err := c.readBody()
	if err != nil {
		return nil, err
	}
	return c.decodeObject(body, encoding, o)
}

// decodeObject is readObject for a body that has been read.
func (c *call) decodeObject(body []byte, encoding requestbody.Encoding, o params.WriteOptions) (*unstructured.Unstructured, error) {
	if encoding == requestbody.Protobuf {
		return c.decodeProtobuf(body)
	}
	strict := o.Validation != metav1.FieldValidationIgnore
	content, text, findings, err := requestbody.Decode(body, encoding, strict)
	if err != nil {
		return nil, c.unrecognized(err, body)
	}
	c.AbortIfDone()
	if err := c.checkKind(content, body); err != nil {
		return nil, err
	}
	more, err := c.normalizeRead(content, text, len(findings) > 0)
	if err != nil {
		return nil, c.invalidObject(err)
	}
	if c.resource.Builtin != nil && encoding == requestbody.JSON {
		findings = more // in the order of the text
	} else {
		findings = append(findings, more...)
	}
	if o.Validation == metav1.FieldValidationStrict && len(findings) > 0 {
		return nil, c.invalidObject(runtime.NewStrictDecodingError(findings))
	}
	if o.Validation == metav1.FieldValidationWarn {
		c.warnOf(findings)
	}
	c.AbortIfDone()
	return &unstructured.Unstructured{Object: content}, nil
}

// unrecognized returns the error for a body that is not an object.
func (c *call) unrecognized(err error, body []byte) error {
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", c.resource.Kind, err, requestbody.Summary(body)))
}

// invalidObject returns the error for an object that does not fit its kind.
func (c *call) invalidObject(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", c.resource.Kind, c.resource.Version, c.resource.Kind, err))
}

// checkKind compares the kind of the body with the kind of the path, and sets
// the fields that a built-in kind may omit.
func (c *call) checkKind(content map[string]any, body []byte) error {
	want := c.resource.GroupVersion()
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	got, err := schema.ParseGroupVersion(version)
	if err != nil {
		return c.unrecognized(err, body)
	}
	if c.resource.Custom {
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

// realScheme is the name of the scheme in messages of the real server.
const realScheme = "pkg/runtime/scheme.go:111"

// fault.OtherKind returns the error for a body of another kind than the built-in one.
func (c *call) otherKind(got schema.GroupVersionKind) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", got.Kind, got.Version, c.resource.Kind, c.otherKindError(got)))
}

// otherKindError returns why one kind cannot be read as another.
func (c *call) otherKindError(got schema.GroupVersionKind) error {
	if c.server.serves(got) {
		return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", got.Version, got.Kind, internalName(c.resource.Group), c.resource.Kind)
	}
	return runtime.NewNotRegisteredErrForKind(realScheme, got)
}

// internalName returns the Go package of a built-in group in the real server.
func internalName(group string) string {
	if group == "" || group == "events.k8s.io" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// serves reports whether a built-in kind is served.
func (s *Server) serves(kind schema.GroupVersionKind) bool {
	for _, res := range s.registry.All() {
		if res.Kind == kind.Kind && res.GroupVersion() == kind.GroupVersion() && !res.Custom {
			return true
		}
	}
	return false
}

// readDeleteOptions reads the options from the body if there is one, else from
// the query.
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
	return options, params.InvalidError("DeleteOptions", validation.ValidateDeleteOptions(&options))
}

func (c *call) decodeDeleteOptions(body []byte) (options metav1.DeleteOptions, err error) {
	encoding, err := c.encoding()
	if err != nil {
		return options, err
	}
	if encoding == requestbody.Protobuf {
		return protobufDeleteOptions(body)
	}
	content, _, _, err := requestbody.Decode(body, encoding, false)
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	if kind, _ := content["kind"].(string); kind != "" && kind != "DeleteOptions" {
		version, _ := content["apiVersion"].(string)
		return options, apierrors.NewBadRequest(runtime.NewNotRegisteredErrForKind(realScheme, schema.FromAPIVersionAndKind(version, kind)).Error())
	}
	if err := objects.DecodeInto(content, &options); err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, nil
}

// decodeProtobuf decodes an object of a built-in kind. fieldValidation has no
// findings in protobuf.
func (c *call) decodeProtobuf(body []byte) (*unstructured.Unstructured, error) {
	envelope, err := requestbody.OpenProtobuf(body)
	if err != nil {
		return nil, c.unrecognized(err, body)
	}
	said := map[string]any{"apiVersion": string(envelope.APIVersion), "kind": string(envelope.Kind)}
	if err := c.checkKind(said, body); err != nil {
		return nil, err
	}
	content, err := kinds.FromProtobuf(c.resource.GroupVersion().WithKind(c.resource.Kind), envelope.Raw, c.Tick)
	if err != nil {
		return nil, c.invalidObject(requestbody.AsUnexpectedEOF(err))
	}
	if _, err := c.normalize(content); err != nil {
		return nil, c.invalidObject(err)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// protobufDeleteOptions decodes a body that is not empty.
func protobufDeleteOptions(body []byte) (options metav1.DeleteOptions, err error) {
	envelope, err := requestbody.OpenProtobuf(body)
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
