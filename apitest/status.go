package apitest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statusOf is the answer that an error becomes. One that is not of the API is
// the server's own failure, which has a message and no reason.
func statusOf(err error) *metav1.Status {
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

// statusText is an error as the object of an ERROR event.
func statusText(err error) []byte {
	// A Status is nothing but text and numbers: it cannot fail to be encoded.
	text, _ := json.Marshal(statusOf(err))
	return text
}

// fail answers with an error, in what the client takes; a client that takes
// nothing of ours gets it as JSON for people.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errNotServed) || errors.Is(err, errDropped) {
		http.Error(w, errNotServed.Error(), http.StatusNotFound)
		return
	}
	status := statusOf(err)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	as, found := formatFor(r, schema.GroupVersionKind.Empty)
	if !found {
		as = &format{pretty: true}
	}
	// Writing fails only when the client has gone: nobody is left to tell.
	_ = as.send(w, r, int(status.Code), statusText(err))
}
