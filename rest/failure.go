package rest

import (
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// statusKind is what a server sends in the place of what was asked for.
const statusKind = "Status"

// isStatus says whether an object is a metav1.Status: somebody's own resource
// may be called Status as well, in another group.
func isStatus(apiVersion, kind string) bool {
	return kind == statusKind && apiVersion == "v1"
}

func isStatusJSON(object []byte, maxDepth int) bool {
	return isStatus(typeOfJSON(object, maxDepth))
}

// typeOfJSON is what an object says it is. It looks no further than apiVersion
// and kind, which servers write first, or than where it makes no sense.
func typeOfJSON(object []byte, maxDepth int) (apiVersion, kind string) {
	f := fields{data: object, maxDepth: maxDepth}
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

// statusFromJSON is the error that a Status is, or why it could not be read.
func statusFromJSON(s *scratch, data []byte) error { return statusError(decodeStatusJSON(s, data)) }

// statusFromProtobuf is statusFromJSON for what is in a protobuf envelope.
func statusFromProtobuf(raw []byte) error { return statusError(decodeStatusProtobuf(raw)) }

// errSuccess is a Status that says no more than that all is well.
var errSuccess = errors.New("a Status of success came instead")

func statusError(status *metav1.Status, err error) error {
	switch {
	case err != nil:
		return &aboutError{"decode the Status that came instead", err}
	case status.Status == metav1.StatusSuccess:
		return errSuccess
	case status.Message == "":
		status.Message = fmt.Sprintf("the server has failed with code %d and reason %q, and says no more", status.Code, status.Reason)
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

// decodeStatusJSON decodes data, which is one Status and nothing after it.
func decodeStatusJSON(s *scratch, data []byte) (*metav1.Status, error) {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[metav1.Status]())
	if err != nil {
		return nil, err
	}
	status := &metav1.Status{}
	n, err := guarded(&s.heads, plan, data, status)
	if err != nil {
		return nil, err
	}
	if n += jsonobj.Space(data[n:]); n < len(data) {
		return nil, fmt.Errorf("after it, at byte %d of %d, there is more", n, len(data))
	}
	return status, nil
}

// decodeStatusProtobuf decodes what is in a protobuf envelope.
func decodeStatusProtobuf(raw []byte) (*metav1.Status, error) {
	status := &metav1.Status{}
	return status, unmarshal(status, raw)
}
