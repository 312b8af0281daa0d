package reflector

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/listwatch"
)

// A failure is an error and what kind of one it is.
type failure struct {
	reason Reason
	// retryAfter is how long the server has asked to be left alone.
	retryAfter time.Duration
	err        error
}

// because is the input of a failure that the machine itself has found.
func (in input) because(reason Reason, err error) input {
	in.failure = failure{reason: reason, err: err}
	return in
}

// failureOf finds out what kind of failure an error is.
func failureOf(err error) failure {
	f := failure{reason: reasonOf(err), err: err}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		f.retryAfter = time.Duration(seconds) * time.Second
	}
	return f
}

func reasonOf(err error) Reason {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return reasonOfStatus(err, status.Status())
	}
	var (
		timeout interface{ Timeout() bool }
		dial    *net.OpError
		lookup  *net.DNSError
		syntax  *jsonobj.SyntaxError
		value   *jsonobj.ValueError
		item    *listwatch.ItemError
		decode  interface{ Undecodable() bool }
		silent  interface{ Unanswered() bool }
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.As(err, &lookup), errors.As(err, &dial) && dial.Op == "dial":
		return Unreachable
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case errors.As(err, &syntax), errors.As(err, &value), errors.As(err, &item), errors.As(err, &decode) && decode.Undecodable():
		return Undecodable
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.As(err, &dial),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), brokeHTTP2(err):
		return Interrupted
	case errors.As(err, &silent) && silent.Unanswered():
		return Unreachable
	}
	return reasonInWords(err)
}

// reasonInWords is for what package net/http has no names for: the loss of an
// HTTP/2 connection, or of a stream in it.
func reasonInWords(err error) Reason {
	said := err.Error()
	for _, lost := range []string{"http2: ", "stream error: stream ID "} {
		if strings.Contains(said, lost) {
			return Interrupted
		}
	}
	return Other
}

// brokeHTTP2 reports whether an HTTP/2 connection was lost, or one stream of it
// reset. Package net/http has no names for what happens to those.
func brokeHTTP2(err error) bool {
	said := err.Error()
	for _, broke := range []string{"http2: client conn", "GOAWAY", "stream error: stream ID"} {
		if strings.Contains(said, broke) {
			return true
		}
	}
	return false
}

// reasonOfStatus reads what a server has said: its reason where that says more
// than the code.
func reasonOfStatus(err error, status metav1.Status) Reason {
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return Expired
	case apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		return TooLarge
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return Timeout
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case apierrors.IsForbidden(err):
		return Forbidden
	case apierrors.IsNotFound(err):
		return NotFound
	case apierrors.IsTooManyRequests(err):
		return Throttled
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsMethodNotSupported(err), apierrors.IsNotAcceptable(err), apierrors.IsUnsupportedMediaType(err):
		return Refused
	}
	switch code := status.Code; {
	case code == http.StatusNotImplemented:
		return Refused
	case code == http.StatusRequestTimeout, code == http.StatusGatewayTimeout:
		return Timeout
	case code >= 500, apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err):
		return ServerError
	}
	return Other
}
