package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// errRefused is the error of package net if no process listens. errReset is its error
// if an established connection is reset.
var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
)

type slowDial struct{}

func (slowDial) Error() string { return "i/o timeout" }
func (slowDial) Timeout() bool { return true }

// Every way in which an attempt can fail, and which requests are retried then.
// docs/design/requests.md has the same table in words.
func TestWhichFailuresAreRetried(t *testing.T) {
	const json = types.JSONPatchType
	asked := respondsWith(503, "busy", "Retry-After", "1")
	tooMany := respondsWith(429, "busy", "Retry-After", "1")
	get := func(c *Client) *Request { return c.Get() }
	post := func(c *Client) *Request { return c.Post().Body([]byte(`{}`)) }
	put := func(body string) func(*Client) *Request {
		return func(c *Client) *Request { return c.Put().Body([]byte(body)) }
	}
	remove := func(only *metav1.Preconditions) func(*Client) *Request {
		return func(c *Client) *Request { return c.Delete().Body(&metav1.DeleteOptions{Preconditions: only}) }
	}
	uid, version := types.UID("u1"), "7"
	ofVersion := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}}
	head := func(c *Client) *Request { return c.Verb("HEAD") }
	patch := func(form types.PatchType, body string) func(*Client) *Request {
		return func(c *Client) *Request { return c.Patch(form).Body([]byte(body)) }
	}
	for _, c := range []struct {
		what     string
		request  func(*Client) *Request
		fails    answer
		repeated bool
	}{
		{"429 GET", get, tooMany, true},
		{"429 POST", post, tooMany, true},
		{"429 JSON patch", patch(json, `[]`), tooMany, true},
		{"429 stream", func(c *Client) *Request { return c.Post().Body(io.MultiReader(strings.NewReader("x"))) }, tooMany, false},
		{"429 buffer", func(c *Client) *Request { return c.Post().Body(bytes.NewBufferString("x")) }, tooMany, true},
		{"429 that asks for nothing", get, respondsWith(429, "evicting would break the budget"), false},
		{"429 that asks for nonsense", get, respondsWith(429, "", "Retry-After", "soon"), false},
		{"429 that asks for less than nothing", get, respondsWith(429, "", "Retry-After", "-1"), false},
		{"429 that asks for too much", get, respondsWith(429, "", "Retry-After", "61"), false},
		{"429 that asks for ever", get, respondsWith(429, "", "Retry-After", "99999999999999999999"), false},
		{"503 GET", get, asked, true},
		{"503 HEAD", head, asked, true},
		{"503 OPTIONS", func(c *Client) *Request { return c.Verb("OPTIONS") }, asked, true},
		{"503 PUT", put(`{"metadata":{"name":"x"}}`), asked, false},
		{"503 PUT of no version", put(`{"metadata":{"resourceVersion":"0"}}`), asked, false},
		{"503 PUT of what is no object", put(`7`), asked, false},
		{"503 PUT of nothing", func(c *Client) *Request { return c.Put() }, asked, false},
		{"503 PUT of a version", put(`{"metadata":{"resourceVersion":"7"}}`), asked, true},
		{"503 PUT of a version in protobuf", put(string(wiretest.ProtobufEnvelope(t, "v1", "Pod", ofVersion))), asked, true},
		{"503 PUT of no version in protobuf", put(string(wiretest.ProtobufEnvelope(t, "v1", "Pod", &metav1.PartialObjectMetadata{}))), asked, false},
		{"503 DELETE", func(c *Client) *Request { return c.Delete() }, asked, false},
		{"503 DELETE with options", remove(nil), asked, false},
		{"503 DELETE with empty preconditions", remove(&metav1.Preconditions{}), asked, false},
		{"503 DELETE of an uid", remove(&metav1.Preconditions{UID: &uid}), asked, true},
		{"503 DELETE of a version", remove(&metav1.Preconditions{ResourceVersion: &version}), asked, true},
		{"503 DELETE of an uid in protobuf", func(c *Client) *Request {
			options := &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
			return c.Delete().Body(wiretest.ProtobufEnvelope(t, "v1", "DeleteOptions", options))
		}, asked, true},
		{"503 POST", post, asked, false},
		{"503 JSON patch", patch(json, `[]`), asked, false},
		{"503 apply", patch(types.ApplyPatchType, `a: b`), asked, true},
		{"503 forced apply", func(c *Client) *Request { return patch(types.ApplyPatchType, `{}`)(c).Param("force", "true") }, asked, false},
		{"503 forced apply of a version", func(c *Client) *Request {
			return patch(types.ApplyPatchType, `{"metadata":{"resourceVersion":"7"}}`)(c).Param("force", "true")
		}, asked, true},
		{"503 merge patch", patch(types.MergePatchType, `{"metadata":{"labels":{"a":"b"}}}`), asked, false},
		{"503 merge patch of a version", patch(types.MergePatchType, `{"metadata":{"resourceVersion":"7"}}`), asked, true},
		{"503 strategic patch of a version", patch(types.StrategicMergePatchType, `{"metadata":{"resourceVersion":"7"}}`), asked, true},
		{"503 strategic patch", patch(types.StrategicMergePatchType, `{}`), asked, false},
		{"503 that asks for nothing", get, respondsWith(503, "busy"), false},
		{"500 that asks", get, respondsWith(500, "", "Retry-After", "1"), true},
		{"404 that asks", get, respondsWith(404, "", "Retry-After", "1"), false},
		{"409 that asks", put(`{}`), respondsWith(409, "", "Retry-After", "1"), false},
		{"refused GET", get, failsWith(errRefused), true},
		{"refused POST", post, failsWith(errRefused), true},
		{"proxy refused POST", post, failsWith(&net.OpError{Op: "proxyconnect", Err: errRefused}), true},
		{"slow dial", get, failsWith(&net.OpError{Op: "dial", Err: slowDial{}}), false},
		{"no such host", get, failsWith(&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}), false},
		{"DNS is down", get, failsWith(&net.OpError{Op: "dial", Err: &net.DNSError{IsTemporary: true}}), true},
		{"lost GET", get, failsWith(errReset), true},
		{"lost HEAD", head, failsWith(errReset), true},
		{"lost POST", post, failsWith(errReset), false},
		{"lost PUT", put(`{"metadata":{"resourceVersion":"7"}}`), failsWith(errReset), false},
		{"lost DELETE", remove(&metav1.Preconditions{UID: &uid}), failsWith(errReset), false},
		{"EOF", get, failsWith(io.EOF), true},
		{"a truncated response", get, failsWith(fmt.Errorf("read: %w", io.ErrUnexpectedEOF)), true},
		{"broken pipe", get, failsWith(syscall.EPIPE), true},
		{"GOAWAY", get, failsWith(errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\"")), true},
		{"HTTP/2 ping unanswered", get, failsWith(errors.New("http2: client connection lost")), true},
		{"HTTP/2 connection closed", get, failsWith(errors.New("http2: client connection force closed via ClientConn.Close")), true},
		{"a certificate", get, failsWith(errors.New("tls: failed to verify certificate")), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, c.fails, respondsWith(200, "fine"))
			body, err := c.request(client).AbsPath("/x").DoRaw(t.Context())
			if c.repeated {
				require.NoError(t, err, c.what)
				require.Equal(t, "fine", string(body), c.what)
				require.Len(t, sent.requests, 2, c.what)
				for _, body := range sent.bodies {
					require.Equal(t, sent.bodies[0], body, "%s: the whole body is sent again", c.what)
				}
			} else {
				require.Len(t, sent.requests, 1, c.what)
				require.NotContains(t, err.Error(), "the earlier attempt", c.what)
				_, why := c.fails(sent.requests[0])
				if why == nil {
					require.NotZero(t, apierrors.ReasonForError(err), "%s: %v is the error of the server", c.what, err)
				} else {
					require.ErrorIs(t, err, why, c.what)
				}
			}
		})
	}
}

// The caller of a watch schedules its own retries; only a Retry-After of the server is
// handled here. A watch that cannot be opened is never an empty stream.
func TestAStreamThatCannotBeOpenedIsAnError(t *testing.T) {
	for _, c := range []struct {
		fails    answer
		repeated bool
	}{
		{failsWith(errRefused), false},
		{failsWith(errReset), false},
		{failsWith(io.EOF), false},
		{respondsWith(429, "", "Retry-After", "1"), true},
		{respondsWith(503, "", "Retry-After", "1"), true},
		{respondsWith(500, ""), false},
		{respondsWith(410, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, c.fails, respondsWith(200, "line"))
			stream, err := client.Get().AbsPath("/x").Stream(t.Context())
			if !c.repeated {
				require.Error(t, err)
				require.Nil(t, stream)
				require.Len(t, sent.requests, 1)
				return
			}
			require.NoError(t, err)
			body, err := io.ReadAll(stream)
			require.NoError(t, err)
			require.Equal(t, "line", string(body))
			require.NoError(t, stream.Close())
		})
	}
}

// The Retry-After of a 429 or 5xx is honored up to a limit: a retry is never earlier
// than requested, and all waits together take at most a minute.
func TestRetryAfterIsHonoredUpToAMinute(t *testing.T) {
	for _, c := range []struct {
		named    string
		retries  int
		requests int
		from, to time.Duration
	}{
		{"1", 10, 11, 10 * time.Second, 12500 * time.Millisecond},
		{"1", 3, 4, 3 * time.Second, 3750 * time.Millisecond},
		{"1", 0, 1, 0, 0},
		{"1", -1, 1, 0, 0},
		{"25", 10, 3, 50 * time.Second, 52 * time.Second},
		{"60", 10, 2, time.Minute, 61 * time.Second},
		{"61", 10, 1, 0, 0},
		{"0", 10, 11, 10 * time.Second, 12500 * time.Millisecond},
		{"Sat, 01 Jan 2000 00:00:05 GMT", 1, 2, 4900 * time.Millisecond, 6250 * time.Millisecond},
		{"Sat, 01 Jan 1999 00:00:05 GMT", 1, 2, time.Second, 1250 * time.Millisecond},
		{"Sat, 01 Jan 2050 00:00:05 GMT", 1, 1, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var answers []answer
			for range 12 {
				answers = append(answers, respondsWith(429, "", "Retry-After", c.named))
			}
			client, sent := scripted(t, Config{}, answers...)
			begun := time.Now() // in a synctest bubble: midnight, January 1, 2000
			_, err := client.Get().AbsPath("/x").MaxRetries(c.retries).DoRaw(t.Context())
			took := time.Since(begun)
			require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
			require.Len(t, sent.requests, c.requests, c.named)
			require.True(t, took > c.from || took == 0 && c.from == 0, "%s: %v, with jitter", c.named, took)
			require.LessOrEqual(t, took, c.to, c.named)
		})
	}
}

// A date in Retry-After is relative to the clock of the server.
func TestARetryAfterDateIsRelativeToTheClockOfTheServer(t *testing.T) {
	header := http.Header{"Retry-After": {"Mon, 01 Jan 2024 00:00:07 GMT"}, "Date": {"Mon, 01 Jan 2024 00:00:00 GMT"}}
	require.Equal(t, 7*time.Second, retryAfter(header, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	header.Set("Date", "nonsense")
	require.Equal(t, 4*time.Second, retryAfter(header, time.Date(2024, 1, 1, 0, 0, 3, 0, time.UTC)))
	require.Negative(t, retryAfter(http.Header{}, time.Now()))
}

// The error of a server that is down is returned within two seconds.
func TestALostConnectionIsRetriedForTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers []answer
		for range 20 {
			answers = append(answers, failsWith(errRefused))
		}
		client, sent := scripted(t, Config{}, answers...)
		begun := time.Now()
		_, err := client.GroupVersion(coreV1).Get().Resource("pods").DoRaw(t.Context())
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.ErrorContains(t, err, "list pods: https://server:6443: dial tcp: connection refused")
		require.LessOrEqual(t, time.Since(begun), maxConnectionLossWait)
		require.GreaterOrEqual(t, len(sent.requests), 5)
		require.LessOrEqual(t, len(sent.requests), 7)
	})
	synctest.Test(t, func(t *testing.T) { // slow attempts count
		slow := func(*http.Request) (*http.Response, error) {
			time.Sleep(maxConnectionLossWait)
			return nil, errReset
		}
		client, sent := scripted(t, Config{}, slow, slow, slow)
		_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		require.ErrorIs(t, err, syscall.ECONNRESET)
		require.Len(t, sent.requests, 2)
	})
}

// Every wait ends as soon as the context is done.
func TestTheWaitForARetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, sent := scripted(t, Config{}, respondsWith(429, "", "Retry-After", "30"))
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		time.AfterFunc(time.Second, cancel)
		_, err := client.Get().AbsPath("/x").DoRaw(ctx)
		require.Equal(t, time.Second, time.Since(begun))
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, apierrors.IsTooManyRequests(err), "the error contains the reason of the wait: %v", err)
		require.Len(t, sent.requests, 1)
	})
}

// If the deadline of the context is before the end of a wait, the error is returned at
// once, with the reason of the wait.
func TestNoWaitStartsThatEndsAfterTheDeadline(t *testing.T) {
	for _, c := range []struct{ timeout, deadline time.Duration }{
		{0, 5 * time.Second},
		{5 * time.Second, 0},
		{5 * time.Second, time.Hour},
		{time.Hour, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := scripted(t, Config{Timeout: c.timeout}, respondsWith(429, "", "Retry-After", "5"))
			ctx := t.Context()
			if c.deadline > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.deadline)
				defer cancel()
			}
			begun := time.Now()
			_, err := client.Get().AbsPath("/x").DoRaw(ctx)
			require.Zero(t, time.Since(begun))
			require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

// The error of an earlier attempt is kept in the message; the last error counts.
func TestTheMessageContainsTheErrorOfAnEarlierAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := scripted(t, Config{}, respondsWith(503, "", "Retry-After", "1"), respondsWith(404, ""))
		err := client.GroupVersion(coreV1).Delete().Resource("pods").Namespace("d").Name("x").
			Body(&metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("u1")}).Do(t.Context()).Error()
		require.True(t, apierrors.IsNotFound(err))
		require.ErrorContains(t, err, "previous attempt: the server is currently unable to handle the request (delete pods d/x)")
	})
}

// The response to one attempt says nothing about the next one, which may have been
// executed.
func TestAnAttemptWithoutAResponseIsNotClassifiedByTheOneBefore(t *testing.T) {
	for _, lastly := range []error{errReset, errRefused, io.EOF, context.DeadlineExceeded} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, respondsWith(429, "", "Retry-After", "1"), failsWith(lastly))
			code := -1
			result := client.GroupVersion(coreV1).Post().Resource("pods").Namespace("d").MaxRetries(1).Do(t.Context())
			err := result.StatusCode(&code).Error()
			require.Len(t, sent.requests, 2)
			require.ErrorIs(t, err, lastly)
			require.False(t, apierrors.IsTooManyRequests(err), "%v", err)
			require.Equal(t, metav1.StatusReasonUnknown, apierrors.ReasonForError(err))
			require.Zero(t, code)
			require.ErrorContains(t, err, "; previous attempt: the server has received too many requests")
		})
	}
	synctest.Test(t, func(t *testing.T) { // an attempt that was not started has no effect
		client, _ := scripted(t, Config{}, respondsWith(429, "", "Retry-After", "30"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		code := -1
		err := client.Post().AbsPath("/x").Do(ctx).StatusCode(&code).Error()
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 429, code)
	})
	synctest.Test(t, func(t *testing.T) { // neither has one that the limiter has delayed
		no, code := errors.New("not today"), -1
		client, _ := scripted(t, Config{}, respondsWith(429, "", "Retry-After", "1"))
		limiter := &counting{}
		trace := &Trace{Retry: func(RequestInfo, time.Duration, error) { limiter.err = no }}
		err := client.Post().AbsPath("/x").Throttle(limiter).Do(WithTrace(t.Context(), trace)).StatusCode(&code).Error()
		require.ErrorIs(t, err, no)
		require.True(t, apierrors.IsTooManyRequests(err))
		require.Equal(t, 429, code)
	})
}

// A StatusError of the server is returned without wrapping, since clients assert the
// type.
func TestAStatusErrorIsNotWrappedWithoutNeed(t *testing.T) {
	client, _ := scripted(t, Config{}, respondsWith(404, ""))
	_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	_, bare := err.(*apierrors.StatusError)
	require.True(t, bare, "%T", err)
}

// A stream is sent once; a request with a byte body may be sent any number of times.
func TestWhichRequestsCanBeSentAgain(t *testing.T) {
	client, sent := scripted(t, Config{}, respondsWith(200, ""), respondsWith(200, ""), respondsWith(200, ""))
	bytes := client.Post().AbsPath("/x").Body(strings.NewReader("body"))
	for range 2 {
		_, err := bytes.DoRaw(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, []string{"body", "body"}, sent.bodies)

	stream := client.Post().AbsPath("/x").Body(io.MultiReader(strings.NewReader("once")))
	_, err := stream.DoRaw(t.Context())
	require.NoError(t, err)
	_, err = stream.DoRaw(t.Context())
	require.EqualError(t, err, "POST /x: the body is a stream, which can be sent once")
}

// A Retry-After of zero has the same limits on attempts and time as one of a second.
func TestRetryAfterZeroHasTheSameLimits(t *testing.T) {
	for _, seconds := range []string{"0", "1"} {
		synctest.Test(t, func(t *testing.T) {
			answers := make([]answer, 100)
			for i := range answers {
				answers[i] = respondsWith(429, "busy", "Retry-After", seconds)
			}
			client, sent := scripted(t, Config{}, answers...)
			begun := time.Now()
			err := client.Get().AbsPath("/x").Do(t.Context()).Error()
			require.True(t, apierrors.IsTooManyRequests(err), err)
			require.Len(t, sent.requests, 1+defaultMaxRetries, "Retry-After: %s", seconds)
			require.GreaterOrEqual(t, time.Since(begun), 10*time.Second, "Retry-After: %s", seconds)
			require.LessOrEqual(t, time.Since(begun), 12500*time.Millisecond, "Retry-After: %s", seconds)
		})
	}
}
