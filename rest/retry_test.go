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
)

// refused is how package net says that nobody listens, lost how a connection
// ends that had been there.
var (
	refused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	lost    = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
)

type slowDial struct{}

func (slowDial) Error() string { return "i/o timeout" }
func (slowDial) Timeout() bool { return true }

// Every way in which an attempt can fail, and which requests are repeated then.
// docs/design/requests.md has the same table in words.
func TestWhatIsRepeated(t *testing.T) {
	const json = types.JSONPatchType
	asked := says(503, "busy", "Retry-After", "1")
	tooMany := says(429, "busy", "Retry-After", "1")
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
		{"429 that asks for nothing", get, says(429, "evicting would break the budget"), false},
		{"429 that asks for nonsense", get, says(429, "", "Retry-After", "soon"), false},
		{"429 that asks for less than nothing", get, says(429, "", "Retry-After", "-1"), false},
		{"429 that asks for too much", get, says(429, "", "Retry-After", "61"), false},
		{"429 that asks for ever", get, says(429, "", "Retry-After", "99999999999999999999"), false},
		{"503 GET", get, asked, true},
		{"503 HEAD", head, asked, true},
		{"503 OPTIONS", func(c *Client) *Request { return c.Verb("OPTIONS") }, asked, true},
		{"503 PUT", put(`{"metadata":{"name":"x"}}`), asked, false},
		{"503 PUT of no version", put(`{"metadata":{"resourceVersion":"0"}}`), asked, false},
		{"503 PUT of what is no object", put(`7`), asked, false},
		{"503 PUT of nothing", func(c *Client) *Request { return c.Put() }, asked, false},
		{"503 PUT of a version", put(`{"metadata":{"resourceVersion":"7"}}`), asked, true},
		{"503 PUT of a version in protobuf", put(inProtobuf(t, "v1", "Pod", ofVersion)), asked, true},
		{"503 PUT of no version in protobuf", put(inProtobuf(t, "v1", "Pod", &metav1.PartialObjectMetadata{})), asked, false},
		{"503 DELETE", func(c *Client) *Request { return c.Delete() }, asked, false},
		{"503 DELETE with options", remove(nil), asked, false},
		{"503 DELETE with empty preconditions", remove(&metav1.Preconditions{}), asked, false},
		{"503 DELETE of an uid", remove(&metav1.Preconditions{UID: &uid}), asked, true},
		{"503 DELETE of a version", remove(&metav1.Preconditions{ResourceVersion: &version}), asked, true},
		{"503 DELETE of an uid in protobuf", func(c *Client) *Request {
			options := &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
			return c.Delete().Body([]byte(inProtobuf(t, "v1", "DeleteOptions", options)))
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
		{"503 that asks for nothing", get, says(503, "busy"), false},
		{"500 that asks", get, says(500, "", "Retry-After", "1"), true},
		{"404 that asks", get, says(404, "", "Retry-After", "1"), false},
		{"409 that asks", put(`{}`), says(409, "", "Retry-After", "1"), false},
		{"refused GET", get, breaks(refused), true},
		{"refused POST", post, breaks(refused), true},
		{"proxy refused POST", post, breaks(&net.OpError{Op: "proxyconnect", Err: refused}), true},
		{"slow dial", get, breaks(&net.OpError{Op: "dial", Err: slowDial{}}), false},
		{"no such host", get, breaks(&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}), false},
		{"DNS is down", get, breaks(&net.OpError{Op: "dial", Err: &net.DNSError{IsTemporary: true}}), true},
		{"lost GET", get, breaks(lost), true},
		{"lost HEAD", head, breaks(lost), true},
		{"lost POST", post, breaks(lost), false},
		{"lost PUT", put(`{"metadata":{"resourceVersion":"7"}}`), breaks(lost), false},
		{"lost DELETE", remove(&metav1.Preconditions{UID: &uid}), breaks(lost), false},
		{"EOF", get, breaks(io.EOF), true},
		{"half an answer", get, breaks(fmt.Errorf("read: %w", io.ErrUnexpectedEOF)), true},
		{"broken pipe", get, breaks(syscall.EPIPE), true},
		{"GOAWAY", get, breaks(errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\"")), true},
		{"HTTP/2 ping unanswered", get, breaks(errors.New("http2: client connection lost")), true},
		{"HTTP/2 connection closed", get, breaks(errors.New("http2: client connection force closed via ClientConn.Close")), true},
		{"a certificate", get, breaks(errors.New("tls: failed to verify certificate")), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, c.fails, says(200, "fine"))
			body, err := c.request(client).AbsPath("/x").DoRaw(t.Context())
			if c.repeated {
				require.NoError(t, err, c.what)
				require.Equal(t, "fine", string(body), c.what)
				require.Len(t, sent.asked, 2, c.what)
				for _, body := range sent.bodies {
					require.Equal(t, sent.bodies[0], body, "%s: the whole body is sent again", c.what)
				}
			} else {
				require.Len(t, sent.asked, 1, c.what)
				require.NotContains(t, err.Error(), "the attempt before", c.what)
				_, why := c.fails(sent.asked[0])
				if why == nil {
					require.NotZero(t, apierrors.ReasonForError(err), "%s: %v is what the server said", c.what, err)
				} else {
					require.ErrorIs(t, err, why, c.what)
				}
			}
		})
	}
}

// A watch's owner knows better when to try again; only what the server asks for
// is done for it. And it is never an empty stream.
func TestAStreamThatCannotBeOpenedIsAnError(t *testing.T) {
	for _, c := range []struct {
		fails    answer
		repeated bool
	}{
		{breaks(refused), false},
		{breaks(lost), false},
		{breaks(io.EOF), false},
		{says(429, "", "Retry-After", "1"), true},
		{says(503, "", "Retry-After", "1"), true},
		{says(500, ""), false},
		{says(410, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, c.fails, says(200, "line"))
			stream, err := client.Get().AbsPath("/x").Stream(t.Context())
			if !c.repeated {
				require.Error(t, err)
				require.Nil(t, stream)
				require.Len(t, sent.asked, 1)
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

// 429 and 5xx with Retry-After are honoured up to a bound: never earlier than
// asked, and a minute in all.
func TestTheServersWaitIsHonouredUpToAMinute(t *testing.T) {
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
		// 50 ms, doubled ten times, minus jitter.
		{"0", 10, 11, 25 * time.Second, time.Minute},
		{"Sat, 01 Jan 2000 00:00:05 GMT", 1, 2, 4900 * time.Millisecond, 6250 * time.Millisecond},
		{"Sat, 01 Jan 1999 00:00:05 GMT", 1, 2, 25 * time.Millisecond, 63 * time.Millisecond},
		{"Sat, 01 Jan 2050 00:00:05 GMT", 1, 1, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var answers []answer
			for range 12 {
				answers = append(answers, says(429, "", "Retry-After", c.named))
			}
			client, sent := scripted(t, Config{}, answers...)
			begun := time.Now() // in a bubble: midnight of the year 2000
			_, err := client.Get().AbsPath("/x").MaxRetries(c.retries).DoRaw(t.Context())
			took := time.Since(begun)
			require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
			require.Len(t, sent.asked, c.requests, c.named)
			require.True(t, took > c.from || took == 0 && c.from == 0, "%s: %v, with something added by chance", c.named, took)
			require.LessOrEqual(t, took, c.to, c.named)
		})
	}
}

// A date means what it does by the clock of the server that names it.
func TestARetryDateIsReadByTheServersClock(t *testing.T) {
	header := http.Header{"Retry-After": {"Mon, 01 Jan 2024 00:00:07 GMT"}, "Date": {"Mon, 01 Jan 2024 00:00:00 GMT"}}
	require.Equal(t, 7*time.Second, retryAfter(header, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	header.Set("Date", "nonsense")
	require.Equal(t, 4*time.Second, retryAfter(header, time.Date(2024, 1, 1, 0, 0, 3, 0, time.UTC)))
	require.Negative(t, retryAfter(http.Header{}, time.Now()))
}

// A server that is down is told to the caller within two seconds.
func TestALostConnectionIsTriedForTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers []answer
		for range 20 {
			answers = append(answers, breaks(refused))
		}
		client, sent := scripted(t, Config{}, answers...)
		begun := time.Now()
		_, err := client.GroupVersion(coreV1).Get().Resource("pods").DoRaw(t.Context())
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.ErrorContains(t, err, "list pods: https://server:6443: dial tcp: connection refused")
		require.LessOrEqual(t, time.Since(begun), mostLost)
		require.GreaterOrEqual(t, len(sent.asked), 5)
		require.LessOrEqual(t, len(sent.asked), 7)
	})
	synctest.Test(t, func(t *testing.T) { // attempts that take their time count
		slow := func(*http.Request) (*http.Response, error) {
			time.Sleep(mostLost)
			return nil, lost
		}
		client, sent := scripted(t, Config{}, slow, slow, slow)
		_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		require.ErrorIs(t, err, syscall.ECONNRESET)
		require.Len(t, sent.asked, 2)
	})
}

// Every wait ends at once with the context.
func TestAWaitForAnotherAttemptEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, sent := scripted(t, Config{}, says(429, "", "Retry-After", "30"))
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		time.AfterFunc(time.Second, cancel)
		_, err := client.Get().AbsPath("/x").DoRaw(ctx)
		require.Equal(t, time.Second, time.Since(begun))
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, apierrors.IsTooManyRequests(err), "what it waited for is in the error: %v", err)
		require.Len(t, sent.asked, 1)
	})
}

// Who has no time for the wait is told at once why he would have waited.
func TestAWaitPastTheDeadlineIsNotBegun(t *testing.T) {
	for _, c := range []struct{ timeout, deadline time.Duration }{
		{0, 5 * time.Second},
		{5 * time.Second, 0},
		{5 * time.Second, time.Hour},
		{time.Hour, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := scripted(t, Config{Timeout: c.timeout}, says(429, "", "Retry-After", "5"))
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

// The error of the attempt before stays visible, and the last one counts.
func TestAnEarlierErrorStaysVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := scripted(t, Config{}, says(503, "", "Retry-After", "1"), says(404, ""))
		err := client.GroupVersion(coreV1).Delete().Resource("pods").Namespace("d").Name("x").
			Body(&metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("u1")}).Do(t.Context()).Error()
		require.True(t, apierrors.IsNotFound(err))
		require.ErrorContains(t, err, "the attempt before: the server is currently unable to handle the request (delete pods x)")
	})
}

// What the server has said of one attempt is not what became of the next: that
// one may have been carried out.
func TestAnAttemptWithoutAnAnswerIsNotJudgedByTheOneBefore(t *testing.T) {
	for _, lastly := range []error{lost, refused, io.EOF, context.DeadlineExceeded} {
		synctest.Test(t, func(t *testing.T) {
			client, sent := scripted(t, Config{}, says(429, "", "Retry-After", "1"), breaks(lastly))
			code := -1
			result := client.GroupVersion(coreV1).Post().Resource("pods").Namespace("d").MaxRetries(1).Do(t.Context())
			err := result.StatusCode(&code).Error()
			require.Len(t, sent.asked, 2)
			require.ErrorIs(t, err, lastly)
			require.False(t, apierrors.IsTooManyRequests(err), "%v", err)
			require.Equal(t, metav1.StatusReasonUnknown, apierrors.ReasonForError(err))
			require.Zero(t, code)
			require.ErrorContains(t, err, "; the attempt before: the server has received too many requests")
		})
	}
	synctest.Test(t, func(t *testing.T) { // and an attempt that was never begun judges nothing
		client, _ := scripted(t, Config{}, says(429, "", "Retry-After", "30"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		code := -1
		err := client.Post().AbsPath("/x").Do(ctx).StatusCode(&code).Error()
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 429, code)
	})
	synctest.Test(t, func(t *testing.T) { // nor one that the limiter has held back
		no, code := errors.New("not today"), -1
		client, _ := scripted(t, Config{}, says(429, "", "Retry-After", "1"))
		limiter := &counting{}
		trace := &Trace{Retry: func(RequestInfo, time.Duration, error) { limiter.err = no }}
		err := client.Post().AbsPath("/x").Throttle(limiter).Do(WithTrace(t.Context(), trace)).StatusCode(&code).Error()
		require.ErrorIs(t, err, no)
		require.True(t, apierrors.IsTooManyRequests(err))
		require.Equal(t, 429, code)
	})
}

// What the server says comes as it is: client code asserts the type.
func TestAStatusErrorIsNotWrappedWithoutNeed(t *testing.T) {
	client, _ := scripted(t, Config{}, says(404, ""))
	_, err := client.Get().AbsPath("/x").DoRaw(t.Context())
	_, bare := err.(*apierrors.StatusError)
	require.True(t, bare, "%T", err)
}

// A stream is sent once, and a request with bytes as often as one likes.
func TestARequestCanBeSentAgain(t *testing.T) {
	client, sent := scripted(t, Config{}, says(200, ""), says(200, ""), says(200, ""))
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
