package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/listwatch"
)

// The reason of an error does not depend on how it is wrapped.
func TestReasonDoesNotDependOnWrapping(t *testing.T) {
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	pods := schema.GroupResource{Resource: "pods"}
	for _, c := range []struct {
		reason Reason
		err    error
	}{
		{ReasonUnauthorized, apierrors.NewUnauthorized("no")},
		{ReasonForbidden, apierrors.NewForbidden(pods, "", errors.New("no"))},
		{ReasonNotFound, apierrors.NewNotFound(pods, "")},
		{ReasonExpired, apierrors.NewResourceExpired("too old")},
		{ReasonExpired, &apiStatus{410}},
		{ReasonTooLargeVersion, tooLarge},
		{ReasonTimeout, apierrors.NewTimeoutError("slow", 1)},
		{ReasonTimeout, apierrors.NewServerTimeout(pods, "list", 1)},
		{ReasonTimeout, &apiStatus{504}},
		{ReasonTimeout, &apiStatus{408}},
		{ReasonThrottled, apierrors.NewTooManyRequests("slow down", 3)},
		{ReasonRefused, apierrors.NewBadRequest("invalid")},
		{ReasonRefused, apierrors.NewInvalid(schema.GroupKind{}, "", nil)},
		{ReasonRefused, &apiStatus{405}},
		{ReasonRefused, &apiStatus{406}},
		{ReasonRefused, &apiStatus{415}},
		{ReasonRefused, &apiStatus{422}},
		{ReasonRefused, &apiStatus{501}},
		{ReasonServerError, apierrors.NewInternalError(errors.New("failed"))},
		{ReasonServerError, apierrors.NewServiceUnavailable("failed")},
		{ReasonServerError, &apiStatus{599}},
		{ReasonOther, &apiStatus{0}},
		{ReasonOther, apierrors.NewConflict(pods, "a", errors.New("modified"))},
		{ReasonUnreachable, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}},
		{ReasonUnreachable, &net.OpError{Op: "dial", Err: &timesOut{}}},
		{ReasonUnreachable, &net.DNSError{Err: "no such host", Name: "x"}},
		{ReasonTimeout, context.DeadlineExceeded},
		{ReasonTimeout, &net.OpError{Op: "read", Err: &timesOut{}}},
		{ReasonTimeout, &idleTimeoutError{time.Minute}},
		{ReasonInterrupted, io.ErrUnexpectedEOF},
		{ReasonInterrupted, &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}},
		{ReasonInterrupted, syscall.EPIPE},
		// Errors of HTTP/2 have no type, only a text.
		{ReasonInterrupted, errors.New("http2: client connection lost")},
		{ReasonInterrupted, errors.New("http2: client connection force closed via ClientConn.Close")},
		{ReasonInterrupted, errors.New("http2: client conn could not be established")},
		{ReasonInterrupted, errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=NO_ERROR")},
		{ReasonInterrupted, errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")},
		{ReasonUndecodable, &jsonobj.SyntaxError{}},
		{ReasonUndecodable, &jsonobj.ValueError{}},
		{ReasonUndecodable, &listwatch.ItemError{Err: errors.New("invalid")}},
		{ReasonInterrupted, errors.New("http2: client connection lost")},
		{ReasonInterrupted, errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")},
		{ReasonUnreachable, &unansweredError{errors.New("the credential plugin is not installed")}},
		{ReasonInterrupted, &unansweredError{io.ErrUnexpectedEOF}},
		{ReasonOther, errors.New("unknown")},
		{ReasonOther, context.Canceled},
	} {
		require.Equal(t, c.reason, failureOf(c.err).reason, "%T: %v", c.err, c.err)
		require.Equal(t, c.reason, failureOf(fmt.Errorf("list pods: %w", c.err)).reason, "%T: %v", c.err, c.err)
	}
	require.Equal(t, 3*time.Second, failureOf(apierrors.NewTooManyRequests("slow down", 3)).retryAfter)
	require.Zero(t, failureOf(io.EOF).retryAfter)
}

type unansweredError struct{ error }

func (*unansweredError) NoResponse() bool { return true }
func (u *unansweredError) Unwrap() error  { return u.error }

type timesOut struct{}

func (*timesOut) Error() string { return "i/o timeout" }
func (*timesOut) Timeout() bool { return true }

// Promise: errors name the operation, the resource and the cause, each once.
func TestErrorNamesOperationResourceAndCause(t *testing.T) {
	cause := errors.New("watch pods: connection refused")
	err := &Error{Name: "pods", Verb: "watch", Version: "5", Reason: ReasonUnreachable, Err: cause}
	require.EqualError(t, err, "watch pods from version 5: connection refused")
	require.ErrorIs(t, err, cause)
	require.EqualError(t, &Error{Name: "pods", Verb: "list", Err: errors.New("no")}, "list pods: no")
}
