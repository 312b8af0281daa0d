package reflector

import (
	"context"
	"crypto/tls"
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

// A failure is an error with its classification.
type failure struct {
	reason Reason
	// retryAfter is the wait that the server has asked for.
	retryAfter time.Duration
	// code is the HTTP status, 0 if no server has answered.
	code int32
	// sharedWait is set if the reflector waits for its next attempt together
	// with the other reflectors of the server. ownBackoff adds a backoff of its
	// own.
	sharedWait, ownBackoff bool
	// askedIn is set for a resource that was not found: the source is asked after this
	// time whether it serves the resource. It is 0 if the source cannot tell.
	askedIn time.Duration
	err     error
}

// connectionLost reports whether the failure is one of the connection, not a
// response of the server.
func (f failure) connectionLost() bool {
	return f.code == 0 && (f.reason == ReasonInterrupted || f.reason == ReasonUnreachable || f.reason == ReasonTimeout)
}

// cutShort reports whether the response ended within a value. Other content that
// cannot be decoded was received completely, and says nothing about the server.
func (f failure) cutShort() bool {
	return f.code == 0 && f.reason == ReasonUndecodable && errors.Is(f.err, io.ErrUnexpectedEOF)
}

// isLocal reports whether the failure says nothing about the availability of the
// server: no request was sent, or the server is not trusted.
func (f failure) isLocal() bool {
	var (
		untrusted *tls.CertificateVerificationError
		unsent    listwatch.NotSentError
	)
	return errors.Is(f.err, listwatch.ErrClosed) || errors.As(f.err, &untrusted) || errors.As(f.err, &unsent) && unsent.NotSent()
}

// isOutage reports whether the failure indicates an outage of the server or a
// part of it.
func (f failure) isOutage() bool {
	return f.connectionLost() || f.reason == ReasonServerError || f.reason == ReasonTimeout
}

// withFailure returns in with a failure that the machine itself has detected.
func (in input) withFailure(reason Reason, err error) input {
	in.failure = failure{reason: reason, err: err}
	return in
}

// failureOf classifies an error.
func failureOf(err error) failure {
	f := failure{reason: reasonOf(err), err: err}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		f.retryAfter = time.Duration(seconds) * time.Second
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		f.code = status.Status().Code
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
		decode  listwatch.UndecodableError
		silent  listwatch.NoResponseError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.As(err, &lookup), errors.As(err, &dial) && dial.Op == "dial":
		return ReasonUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	case errors.As(err, &syntax), errors.As(err, &value), errors.As(err, &item), errors.As(err, &decode) && decode.Undecodable():
		return ReasonUndecodable
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.As(err, &dial),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), isHTTP2Broken(err):
		return ReasonInterrupted
	case errors.As(err, &silent) && silent.NoResponse():
		return ReasonUnreachable
	}
	return reasonFromText(err)
}

// reasonFromText recognizes by their text the errors for which package net/http
// has no types: a lost HTTP/2 connection or stream.
func reasonFromText(err error) Reason {
	text := err.Error()
	for _, lost := range []string{"http2: ", "stream error: stream ID "} {
		if strings.Contains(text, lost) {
			return ReasonInterrupted
		}
	}
	return ReasonOther
}

// isHTTP2Broken reports whether an HTTP/2 connection was lost, or one of its
// streams was reset. Package net/http has no types for these errors.
func isHTTP2Broken(err error) bool {
	text := err.Error()
	for _, broke := range []string{"http2: client conn", "GOAWAY", "stream error: stream ID"} {
		if strings.Contains(text, broke) {
			return true
		}
	}
	return false
}

// reasonOfStatus classifies a Status of a server. Its reason takes precedence
// over its code.
func reasonOfStatus(err error, status metav1.Status) Reason {
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return ReasonExpired
	case apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		return ReasonTooLargeVersion
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return ReasonTimeout
	case apierrors.IsUnauthorized(err):
		return ReasonUnauthorized
	case apierrors.IsForbidden(err):
		return ReasonForbidden
	case apierrors.IsNotFound(err):
		return ReasonNotFound
	case apierrors.IsTooManyRequests(err):
		return ReasonThrottled
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsMethodNotSupported(err), apierrors.IsNotAcceptable(err), apierrors.IsUnsupportedMediaType(err):
		return ReasonRefused
	}
	switch code := status.Code; {
	case code == http.StatusNotImplemented:
		return ReasonRefused
	case code == http.StatusRequestTimeout, code == http.StatusGatewayTimeout:
		return ReasonTimeout
	case code >= 500, apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err):
		return ReasonServerError
	}
	return ReasonOther
}
