package rest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/brief"
	"github.com/thinformer/thinformer/internal/wire"
)

const (
	// maxStatusBytes bounds how much of an error response is read.
	maxStatusBytes = 1 << 20
	// maxTextBytes bounds how much of a response that is not a Status is examined.
	maxTextBytes = 2048
	// maxQuotedText bounds how much of it is quoted in the message.
	maxQuotedText = 200
	// unknownText is treated as no text by apimachinery.
	unknownText = "unknown"
)

// statusError converts an error response. It reads the body, up to maxStatusBytes,
// and replaces it by the bytes read.
func (r *Request) statusError(response *http.Response) *apierrors.StatusError {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxStatusBytes))
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	contentType := response.Header.Get("Content-Type")
	wait := 0
	if requested := retryAfter(response.Header, time.Now()); requested > 0 {
		wait = int((requested + time.Second - 1) / time.Second)
	}
	if status := wire.ParseStatus(contentType, body); status != nil {
		return r.addCause(r.completeStatus(status, response.StatusCode, wait))
	}
	generic := r.genericStatus(response.StatusCode, displayText(contentType, body), wait)
	return r.addCause(&apierrors.StatusError{ErrStatus: generic})
}

// addCause adds likely causes that the server does not name: an expired client
// certificate for a 401, and a body without kind or apiVersion for a 400.
func (r *Request) addCause(err *apierrors.StatusError) *apierrors.StatusError {
	if missingType := r.body.missingType; missingType != "" && err.ErrStatus.Code == http.StatusBadRequest {
		err.ErrStatus.Message += " (" + missingType + ")"
	}
	if err.ErrStatus.Code != http.StatusUnauthorized {
		return err
	}
	if expired := r.client.conn.ExpiredCertificate(time.Now()); expired != "" {
		err.ErrStatus.Message += " (" + expired + ")"
	}
	return err
}

// completeStatus sets the missing fields of a server's Status.
func (r *Request) completeStatus(status *metav1.Status, code, wait int) *apierrors.StatusError {
	generic := r.genericStatus(code, unknownText, wait)
	if status.Code == 0 {
		status.Code = generic.Code
	}
	if status.Reason == "" {
		status.Reason = generic.Reason
	}
	if status.Message == "" {
		status.Message = generic.Message
	}
	addRequestDescription(status, r.describe())
	if wait > 0 {
		if status.Details == nil {
			status.Details = &metav1.StatusDetails{}
		}
		if status.Details.RetryAfterSeconds == 0 {
			status.Details.RetryAfterSeconds = int32(wait)
		}
	}
	status.Status = metav1.StatusFailure
	return &apierrors.StatusError{ErrStatus: *status}
}

// genericStatus returns the Status for a response without one.
func (r *Request) genericStatus(code int, text string, wait int) metav1.Status {
	resource := r.version.WithResource(r.target.resource).GroupResource()
	// Without a resource, as it would also add that to the message, without the
	// namespace.
	status := apierrors.NewGenericServerResponse(code, r.method, schema.GroupResource{}, "", text, wait, true).Status()
	status.Details.Group, status.Details.Kind, status.Details.Name = resource.Group, resource.Resource, r.target.name
	status.Message = appendDescription(status.Message, r.describe())
	if text != unknownText && !strings.Contains(status.Message, text) {
		status.Message += ": " + brief.Text(strings.Join(strings.Fields(text), " "), maxQuotedText)
	}
	return status
}

// addRequestDescription adds the request to the message of a 5xx or 429, which
// describes the server. Messages of other errors name their object.
func addRequestDescription(status *metav1.Status, description string) {
	if status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests {
		status.Message = appendDescription(status.Message, description)
	}
}

func appendDescription(message, description string) string {
	if strings.Contains(message, description) {
		return message
	}
	return message + " (" + description + ")"
}

// withRequestDescription adds the request to err if that is a failure of the
// server.
func withRequestDescription(err error, description string) error {
	if failure, ok := err.(*apierrors.StatusError); ok {
		addRequestDescription(&failure.ErrStatus, description)
	}
	return err
}

// failureStatus returns the failure Status in the body of a successful response, if
// any.
func (r *Request) failureStatus(contentType string, body []byte, code int) error {
	status := wire.ParseStatus(contentType, body)
	if status == nil || status.Status != metav1.StatusFailure {
		return nil
	}
	return r.completeStatus(status, code, 0)
}

// displayText returns the beginning of a body if it is readable text.
func displayText(contentType string, body []byte) string {
	body = body[:min(len(body), maxTextBytes)]
	media := wire.MediaType(contentType)
	if media == "" && bytes.IndexByte(body, 0) < 0 || strings.HasPrefix(media, "text/") || wire.IsJSON(media) {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(body), "")); text != "" {
			return text
		}
	}
	return unknownText
}
