package rest

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/pbobj"
)

const (
	// largestStatus bounds what is read of an answer that is an error.
	largestStatus = 1 << 20
	// longestText bounds what is quoted of one that is not a Status.
	longestText = 2048
	// mostText is how much of it stands in the message.
	mostText = 200
	// unknownText is what apimachinery takes for no text at all.
	unknownText = "unknown"
)

// protobufType is the content type of objects in protobuf.
const protobufType = "application/vnd.kubernetes.protobuf"

// statusError makes an error of an answer that is not a success, and reads as
// much of its body as that takes.
func (r *Request) statusError(response *http.Response) *apierrors.StatusError {
	body, _ := io.ReadAll(io.LimitReader(response.Body, largestStatus))
	contentType := response.Header.Get("Content-Type")
	wait := 0
	if named := retryAfter(response.Header, time.Now()); named > 0 {
		wait = int((named + time.Second - 1) / time.Second)
	}
	if status := statusIn(contentType, body); status != nil {
		return r.withCause(r.completed(status, response.StatusCode, wait))
	}
	generic := r.generic(response.StatusCode, textIn(contentType, body), wait)
	return r.withCause(&apierrors.StatusError{ErrStatus: generic})
}

// withCause adds what a server does not say of those whom it does not know: that
// their certificate has expired.
func (r *Request) withCause(err *apierrors.StatusError) *apierrors.StatusError {
	transports := r.client.conn.transports
	if err.ErrStatus.Code != http.StatusUnauthorized || transports == nil {
		return err
	}
	if expired := transports.files.expired(time.Now()); expired != "" {
		err.ErrStatus.Message += " (" + expired + ")"
	}
	return err
}

// completed fills in what a server's Status leaves out.
func (r *Request) completed(status *metav1.Status, code, wait int) *apierrors.StatusError {
	generic := r.generic(code, unknownText, wait)
	if status.Code == 0 {
		status.Code = generic.Code
	}
	if status.Reason == "" {
		status.Reason = generic.Reason
	}
	if status.Message == "" {
		status.Message = generic.Message
	}
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

// generic is the Status of an answer that did not bring one.
func (r *Request) generic(code int, text string, wait int) metav1.Status {
	resource := r.version.WithResource(r.target.resource).GroupResource()
	status := apierrors.NewGenericServerResponse(code, r.method, resource, r.target.name, text, wait, true).Status()
	if resource.Empty() {
		status.Message += " (" + r.what() + ")"
	}
	if text != unknownText && !strings.Contains(status.Message, text) {
		status.Message += ": " + truncated(strings.Join(strings.Fields(text), " "), mostText)
	}
	return status
}

// statusIn is the Status that a body is, nil if it is something else, be it
// something that only begins like one.
func statusIn(contentType string, body []byte) (status *metav1.Status) {
	object, notProtobuf := pbobj.Open(body)
	var err error
	switch {
	case notProtobuf == nil && isStatus(string(object.APIVersion), string(object.Kind)):
		status, err = decodeStatusProtobuf(object.Raw)
	case isStatusJSON(body, defaultMaxDepth) && mayBeStatus(mediaType(contentType)):
		status, err = decodeStatusJSON(&scratch{}, body)
	}
	if err != nil {
		return nil
	}
	return status
}

// mayBeStatus is whether a Status in JSON may come as that: servers before the
// API server write theirs as text.
func mayBeStatus(media string) bool { return media == "" || isJSON(media) || media == "text/plain" }

// failureIn is the error that a body of a successful answer carries, if it
// does.
func (r *Request) failureIn(contentType string, body []byte, code int) error {
	status := statusIn(contentType, body)
	if status == nil || status.Status != metav1.StatusFailure {
		return nil
	}
	return r.completed(status, code, 0)
}

// textIn is the beginning of a body that can be shown to a person.
func textIn(contentType string, body []byte) string {
	body = body[:min(len(body), longestText)]
	media := mediaType(contentType)
	if media == "" && bytes.IndexByte(body, 0) < 0 || strings.HasPrefix(media, "text/") || isJSON(media) {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(body), "")); text != "" {
			return text
		}
	}
	return unknownText
}

// mediaType is a content type without its parameters.
func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media
}

func isJSON(media string) bool { return media == jsonType || strings.HasSuffix(media, "+json") }

// truncated is s up to a number of bytes, cut between characters.
func truncated(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "..."
}
