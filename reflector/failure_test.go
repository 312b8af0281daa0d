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

// What kind of failure an error is, however it is wrapped.
func TestReasons(t *testing.T) {
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	pods := schema.GroupResource{Resource: "pods"}
	for _, c := range []struct {
		reason Reason
		err    error
	}{
		{Unauthorized, apierrors.NewUnauthorized("no")},
		{Forbidden, apierrors.NewForbidden(pods, "", errors.New("no"))},
		{NotFound, apierrors.NewNotFound(pods, "")},
		{Expired, apierrors.NewResourceExpired("too old")},
		{Expired, &apiStatus{410}},
		{TooLarge, tooLarge},
		{Timeout, apierrors.NewTimeoutError("slow", 1)},
		{Timeout, apierrors.NewServerTimeout(pods, "list", 1)},
		{Timeout, &apiStatus{504}},
		{Timeout, &apiStatus{408}},
		{Throttled, apierrors.NewTooManyRequests("slow down", 3)},
		{Refused, apierrors.NewBadRequest("what")},
		{Refused, apierrors.NewInvalid(schema.GroupKind{}, "", nil)},
		{Refused, &apiStatus{405}},
		{Refused, &apiStatus{406}},
		{Refused, &apiStatus{415}},
		{Refused, &apiStatus{422}},
		{Refused, &apiStatus{501}},
		{ServerError, apierrors.NewInternalError(errors.New("oh"))},
		{ServerError, apierrors.NewServiceUnavailable("oh")},
		{ServerError, &apiStatus{599}},
		{Other, &apiStatus{0}},
		{Other, apierrors.NewConflict(pods, "a", errors.New("who was first"))},
		{Unreachable, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}},
		{Unreachable, &net.OpError{Op: "dial", Err: &timesOut{}}},
		{Unreachable, &net.DNSError{Err: "no such host", Name: "x"}},
		{Timeout, context.DeadlineExceeded},
		{Timeout, &net.OpError{Op: "read", Err: &timesOut{}}},
		{Timeout, &silentError{time.Minute}},
		{Interrupted, io.ErrUnexpectedEOF},
		{Interrupted, &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}},
		{Interrupted, syscall.EPIPE},
		// Of HTTP/2 there are only the words.
		{Interrupted, errors.New("http2: client connection lost")},
		{Interrupted, errors.New("http2: client connection force closed via ClientConn.Close")},
		{Interrupted, errors.New("http2: client conn could not be established")},
		{Interrupted, errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=NO_ERROR")},
		{Interrupted, errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")},
		{Undecodable, &jsonobj.SyntaxError{}},
		{Undecodable, &jsonobj.ValueError{}},
		{Undecodable, &listwatch.ItemError{Err: errors.New("what")}},
		{Interrupted, errors.New("http2: client connection lost")},
		{Interrupted, errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")},
		{Unreachable, &unanswered{errors.New("the credential plugin is not installed")}},
		{Interrupted, &unanswered{io.ErrUnexpectedEOF}},
		{Other, errors.New("no idea")},
		{Other, context.Canceled},
	} {
		require.Equal(t, c.reason, failureOf(c.err).reason, "%T: %v", c.err, c.err)
		require.Equal(t, c.reason, failureOf(fmt.Errorf("list pods: %w", c.err)).reason, "%T: %v", c.err, c.err)
	}
	require.Equal(t, 3*time.Second, failureOf(apierrors.NewTooManyRequests("slow down", 3)).retryAfter)
	require.Zero(t, failureOf(io.EOF).retryAfter)
}

type unanswered struct{ error }

func (*unanswered) Unanswered() bool { return true }
func (u *unanswered) Unwrap() error  { return u.error }

type timesOut struct{}

func (*timesOut) Error() string { return "i/o timeout" }
func (*timesOut) Timeout() bool { return true }

// Promise: errors say what was being done, to what, and why, once.
func TestAnErrorSaysWhatAndWhy(t *testing.T) {
	cause := errors.New("watch pods: connection refused")
	err := &Error{Name: "pods", Verb: "watch", Version: "5", Reason: Unreachable, Err: cause}
	require.EqualError(t, err, "watch pods from version 5: connection refused")
	require.ErrorIs(t, err, cause)
	require.EqualError(t, &Error{Name: "pods", Verb: "list", Err: errors.New("no")}, "list pods: no")
}
