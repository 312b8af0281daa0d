package wire

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// statusKind is the kind of the object that a server sends instead of the requested
// one.
const statusKind = "Status"

// isStatus reports whether an object is a metav1.Status. Custom resources of other
// groups may also have the kind Status.
func isStatus(apiVersion, kind string) bool {
	return kind == statusKind && apiVersion == "v1"
}

func isStatusJSON(object []byte, maxDepth int) bool {
	return isStatus(TypeOfJSON(object, maxDepth))
}

// TypeOfJSON returns the apiVersion and kind of an object. It reads no further than
// these two fields, which servers write first, or than to a syntax error.
func TypeOfJSON(object []byte, maxDepth int) (apiVersion, kind string) {
	f := fieldReader{data: object, maxDepth: maxDepth}
	for apiVersion == "" || kind == "" {
		key, ok, err := f.next()
		if err != nil || !ok {
			return apiVersion, kind
		}
		name := string(key)
		value, err := f.value()
		if err != nil {
			return apiVersion, kind
		}
		switch text, _, err := jsonobj.String(value, nil); {
		case err != nil:
		case name == "kind":
			kind = string(text)
		case name == "apiVersion":
			apiVersion = string(text)
		}
	}
	return apiVersion, kind
}

// statusFromJSON returns the error that a Status stands for, or its decoding error.
func statusFromJSON(s *scratch, data []byte) error { return statusError(decodeStatusJSON(s, data)) }

// statusFromProtobuf is like statusFromJSON, for the content of a protobuf
// envelope.
func statusFromProtobuf(raw []byte) error { return statusError(decodeStatusProtobuf(raw)) }

// ErrStatusSuccess is returned for a Status of success without further content.
var ErrStatusSuccess = errors.New("got a Status of success instead")

func statusError(status *metav1.Status, err error) error {
	switch {
	case err != nil:
		return &prefixError{"decode the Status in its place", err}
	case status.Status == metav1.StatusSuccess:
		return ErrStatusSuccess
	case status.Message == "":
		status.Message = fmt.Sprintf("the server failed with code %d and reason %q, without a message", status.Code, status.Reason)
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

// decodeStatusJSON decodes data, which must be one Status and nothing else.
func decodeStatusJSON(s *scratch, data []byte) (*metav1.Status, error) {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[metav1.Status]())
	if err != nil {
		return nil, err
	}
	status := &metav1.Status{}
	n, err := decodeRecovering(&s.metaDecoder, plan, data, status)
	if err != nil {
		return nil, err
	}
	if n += jsonobj.Space(data[n:]); n < len(data) {
		return nil, fmt.Errorf("unexpected data after the Status, at byte %d of %d", n, len(data))
	}
	return truncateStatus(status), nil
}

var statusSchema = sync.OnceValue(func() *pbobj.Schema { return pbobj.NewSchema(reflect.TypeFor[metav1.Status]()) })

// decodeStatusProtobuf decodes the content of a protobuf envelope.
func decodeStatusProtobuf(raw []byte) (*metav1.Status, error) {
	status := &metav1.Status{}
	if _, _, err := statusSchema().Unknown(raw, DefaultMaxDepth, jsonobj.MemoryOf(0)); err != nil {
		return nil, &unmarshalError{err}
	}
	if err := unmarshal(status, raw); err != nil {
		return nil, err
	}
	return truncateStatus(status), nil
}

// ParseStatus returns the Status in a body, nil if the body is anything else.
func ParseStatus(contentType string, body []byte) (status *metav1.Status) {
	object, notProtobuf := pbobj.Open(body)
	var err error
	switch {
	case notProtobuf == nil && isStatus(string(object.APIVersion), string(object.Kind)):
		status, err = decodeStatusProtobuf(object.Raw)
	case isStatusJSON(body, DefaultMaxDepth) && mayBeStatus(MediaType(contentType)):
		status, err = decodeStatusJSON(&scratch{}, body)
	}
	if err != nil {
		return nil
	}
	return status
}

// mayBeStatus reports whether a Status in JSON may have this media type: proxies
// before the API server send theirs as text.
func mayBeStatus(media string) bool { return media == "" || IsJSON(media) || media == "text/plain" }
