package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// chunkServer responds with the bytes of the test: the chunks of a body, valid or
// not. It does not use net/http, which would rewrite the chunks.
type chunkServer struct {
	address string
	client  *http.Client
}

// serveChunks responds to a request for /n with body(n). Each string is one write.
func serveChunks(t *testing.T, contentType string, body func(n int) []string) *chunkServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { answerChunks(conn, contentType, body) })
		}
	})
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = listener.Close()
		serving.Wait()
	})
	return &chunkServer{"http://" + listener.Addr().String(), &http.Client{Transport: transport}}
}

func answerChunks(conn net.Conn, contentType string, body func(n int) []string) {
	defer conn.Close()
	requests := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(strings.TrimPrefix(request.URL.Path, "/"))
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n", contentType)
		for _, part := range body(n) {
			if part == hangUp {
				return
			}
			if _, err := io.WriteString(conn, part); err != nil {
				return
			}
		}
	}
}

// hangUp closes the connection when it is used as a part.
const hangUp = "\x00hang up"

func chunk(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("%x\r\n%s\r\n", len(s), s)
}

const lastChunk = "0\r\n\r\n"

func (s *chunkServer) get(t *testing.T, n int) *http.Response {
	t.Helper()
	response, err := s.client.Get(fmt.Sprintf("%s/%d", s.address, n))
	require.NoError(t, err)
	return response
}

// Promise: a watch is the same when its chunks are cut at any offset.
func TestAWatchDoesNotDependOnItsChunks(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	inJSON, inProtobuf, want, _ := twoFrames(t)
	for contentType, body := range map[string]string{JSONType: inJSON, protobufWatchType: string(inProtobuf)} {
		server := serveChunks(t, contentType, func(n int) []string {
			return []string{chunk(body[:n]), chunk(body[n:]), lastChunk}
		})
		for cut := range len(body) + 1 {
			response := server.get(t, cut)
			events, lost, err := readWatch(t, c, response.Header.Get("Content-Type"), response.Body)
			require.NoError(t, err, "%s cut at %d", contentType, cut)
			require.Empty(t, lost)
			require.Equal(t, want, events, "%s cut at %d", contentType, cut)
			require.NoError(t, response.Body.Close())
		}
	}
}

func TestAListDoesNotDependOnItsChunks(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	body := listWithItems("[" + wiretest.JSON(t, wiretest.NewWidget("a")) + "," + wiretest.JSON(t, wiretest.NewWidget("b")) + "]")
	server := serveChunks(t, JSONType, func(n int) []string {
		return []string{chunk(body[:n]), chunk(body[n:]), lastChunk}
	})
	for cut := range len(body) + 1 {
		response := server.get(t, cut)
		items, _, meta, err := readList(t, c, JSONType, response.Body)
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, []any{wiretest.NewWidget("a"), wiretest.NewWidget("b")}, items, "cut at %d", cut)
		require.Equal(t, "9", meta.ResourceVersion)
		require.NoError(t, response.Body.Close())
	}
}

// Promise: a truncated chunk or an invalid chunk size is an error. An incomplete
// list is an error even if all of its JSON has arrived; a watch that ends between
// two events has ended without an error.
func TestInvalidChunksAreErrors(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	list := listWithItems("[" + wiretest.JSON(t, wiretest.NewWidget("a")) + "," + wiretest.JSON(t, wiretest.NewWidget("b")) + "]")
	frame := wiretest.JSONFrame(t, "ADDED", wiretest.NewWidget("a"))
	half := len(frame) / 2
	bodies := [][]string{
		{chunk(list[:50]), hangUp},
		{fmt.Sprintf("%x\r\n", len(list)), list[:50], hangUp},
		{chunk(list[:50]), "xyz\r\n", hangUp},
		{chunk(list[:50]), "fffffffffffffffffff\r\n", hangUp},
		{chunk(list[:50]), "-1\r\n", hangUp},
		{chunk(list), hangUp}, // the last chunk is missing
		{chunk(frame), chunk(frame[:half]), hangUp},
		{chunk(frame), fmt.Sprintf("%x\r\n", len(frame)), frame[:half], hangUp},
		{chunk(frame), chunk(frame[:half]), "xyz\r\n", hangUp},
		{chunk(frame), "xyz\r\n", hangUp},
		{chunk(frame), hangUp}, // as above, for a watch
		{chunk(frame), lastChunk},
	}
	server := serveChunks(t, JSONType, func(n int) []string { return bodies[n] })
	for n := range 6 {
		response := server.get(t, n)
		_, lost, _, err := readList(t, c, JSONType, response.Body)
		require.ErrorContains(t, err, "decode the list: ", "body %d", n)
		require.ErrorContains(t, err, "at byte", "body %d", n)
		require.Empty(t, lost, "body %d", n)
		require.NoError(t, response.Body.Close())
	}
	for n := 6; n < len(bodies); n++ {
		response := server.get(t, n)
		events, lost, err := readWatch(t, c, JSONType, response.Body)
		require.Len(t, events, 1, "body %d", n)
		require.Empty(t, lost, "body %d", n)
		if n < len(bodies)-2 {
			require.ErrorContains(t, err, "decode event 2 of the watch", "body %d", n)
		} else {
			require.NoError(t, err, "body %d", n)
		}
		_ = response.Body.Close()
	}
}
