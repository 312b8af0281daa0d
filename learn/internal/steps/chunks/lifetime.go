package chunks

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// waitingRead reads from a body that is silent, and returns a function that waits for
// the error of the read.
func waitingRead(t *judge.T, body io.Reader) (ended func() error) {
	result := make(chan error, 1)
	t.Go("Read of the body", func() {
		_, err := body.Read(make([]byte, 10))
		result <- err
	})
	synctest.Wait()
	select {
	case err := <-result:
		t.Fatalf("Read returns the error %v, although the server has sent nothing and the connection is open", err)
	default:
	}
	return func() error {
		select {
		case err := <-result:
			return err
		case <-time.After(time.Hour):
			return errWaits
		}
	}
}

var errWaits = errors.New("Read still waits")

func closeBody(t *judge.T, parts stack.Parts) {
	s := serve(t, chunkedHead)
	response := roundTrip(t, parts, s, newRequest(t.Context()))
	ended := waitingRead(t, response.Body)
	t.Unblocked("Close of the body", func() { response.Body.Close() })
	if err := ended(); err == errWaits {
		t.Fatalf("a Read that waits for data goes on waiting after Close: Close must close the connection, without a lock that Read holds")
	} else if err == nil || err == io.EOF {
		t.Fatalf("Close ended a Read with the error %v, want any other error: the body is not complete", err)
	}
	wantClosed(t, s, "the body has been closed")

	response = roundTrip(t, parts, serve(t, chunkedHead), newRequest(t.Context()))
	response.Body.Close()
	if read, err := readAll(t, response.Body, 10); err == io.EOF {
		t.Fatalf("Read after Close returns %s and EOF, want any other error: the body was not complete", judge.Short(read))
	}
}

func endOfContext(t *judge.T, parts stack.Parts) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, chunkedHead)
	response := roundTrip(t, parts, s, newRequest(ctx))
	ended := waitingRead(t, response.Body)
	cancel()
	if err := ended(); err == errWaits {
		t.Fatalf("the context of the request has ended, but a Read of the body still waits\nThe end of the context must close the connection: context.AfterFunc.")
	} else if err == nil || err == io.EOF {
		t.Fatalf("the end of the context ended a Read with the error %v, want any other error: the body is not complete", err)
	}
	wantClosed(t, s, "the context has ended")

	s = serve(t, time.Hour, chunkedHead) // the context ends before the head
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begun := time.Now()
	if _, err := tryRoundTrip(t, parts, s.dial, newRequest(ctx)); err == nil || time.Since(begun) > time.Minute {
		t.Fatalf("the context ended after 1m0s, before the head of the response\nRoundTrip returned after %v with the error %v", time.Since(begun), err)
	}
	wantClosed(t, s, "the context has ended")

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	passed := false
	dial := func(ctx context.Context) (net.Conn, error) {
		passed = ctx.Err() != nil
		return nil, context.Canceled
	}
	if tryRoundTrip(t, parts, dial, newRequest(ctx)); !passed {
		t.Fatalf("dial is not called with the context of the request")
	}
}

func ownConnections(t *judge.T, parts stack.Parts) {
	s := serve(t, chunkedHead, "2\r\nok\r\n", time.Hour, "0\r\n\r\n")
	transport := newTransport(t, parts, s.dial)
	begun := time.Now()
	var bodies []io.ReadCloser
	for i := range 3 {
		var response *http.Response
		var err error
		t.Unblocked("RoundTrip", func() { response, err = transport.RoundTrip(newRequest(t.Context())) })
		if err != nil || time.Since(begun) > 0 {
			t.Fatalf("request %d, while the bodies before it are open: RoundTrip returned after %v with the error %v", i+1, time.Since(begun), err)
		}
		bodies = append(bodies, response.Body)
	}
	if len(s.connections) != 3 {
		t.Fatalf("dial was called %d times for 3 requests, want a connection for each", len(s.connections))
	}
	bodies[0].Close()
	for _, body := range bodies[1:] {
		if read, err := readAll(t, body, 10); read != "ok" || err != io.EOF {
			t.Fatalf("another body has been closed, and this one delivers %s and %v, want %q and EOF", judge.Short(read), err, "ok")
		}
		body.Close()
	}
}

func withoutNetHTTP(t *judge.T, parts stack.Parts) {
	s := serve(t, chunkedHead, encode("hello"))
	response := roundTrip(t, parts, s, newRequest(t.Context()))
	readAll(t, response.Body, 64)
	if caller := s.last().netHTTPReader(); caller != "" {
		t.Fatalf("the response is read by %s\nIn this step your code reads the head and the chunks; net/textproto may read the lines.", caller)
	}
}

func watchOfServer(t *judge.T, parts stack.Parts) {
	apiServer := t.Server(apitest.Options{})
	base, dial := judge.Dial(apiServer)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", base.String()+"/api/v1/configmaps?watch=1", nil)
	if err != nil {
		panic(err)
	}
	response, err := tryRoundTrip(t, parts, dial, request)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("a watch of the API server: RoundTrip returns the error %v, want a response with status 200", err)
	}
	lines := bufio.NewReader(response.Body)
	for _, name := range []string{"api", "web"} {
		apitest.Create(t, apiServer, &stack.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Data:       map[string]string{"text": strings.Repeat("你好", 5000)},
		})
		var line string
		t.Unblocked("Read of the body", func() { line, err = lines.ReadString('\n') })
		if err != nil || !strings.HasPrefix(line, `{"type":"ADDED"`) || !strings.Contains(line, name) || len(line) < 30_000 {
			t.Fatalf("%q has been created in the API server: the watch delivers %s and %v, want an ADDED event with 30,000 bytes of data", name, judge.Short(line), err)
		}
	}
}
