package response

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// StatusOf converts an error to a Status. An error that is not an API error
// becomes an internal error with a message and no reason.
func StatusOf(err error) *metav1.Status {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = &apierrors.StatusError{ErrStatus: metav1.Status{Message: err.Error()}}
	}
	status := known.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	status.Status = metav1.StatusFailure
	if status.Code == 0 {
		status.Code = http.StatusInternalServerError
	}
	return &status
}

// StatusText returns an error as the object of an ERROR event.
func StatusText(err error) []byte {
	// A Status contains only strings and numbers, which can be encoded.
	text, _ := json.Marshal(StatusOf(err))
	return text
}

// WriteError responds with an error, in a format that the client accepts, or else in
// indented JSON.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, registry.ErrNotServed) || errors.Is(err, storage.ErrDropped) {
		http.Error(w, registry.ErrNotServed.Error(), http.StatusNotFound)
		return
	}
	status := StatusOf(err)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	format, found := FormatFor(r, schema.GroupVersionKind.Empty)
	if !found {
		format = &Format{Pretty: true}
	}
	// An error means that the client has disconnected.
	_ = format.Send(w, r, int(status.Code), StatusText(err))
}

// PlainError returns an error without a reason, as the real server sends it.
func PlainError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}
