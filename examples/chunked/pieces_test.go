package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// For any prefix of a response, the chunks are those that have begun, and their data is
// the body as net/http reads it.
func TestChunksOfAnyPrefix(t *testing.T) {
	var wire bytes.Buffer
	wire.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	body := ""
	writer := httputil.NewChunkedWriter(&wire)
	for _, part := range []string{"{\"a\":1}\n", strings.Repeat("x", 300), "\r\n\r\n", "{}\n{}\n"} {
		body += part
		io.WriteString(writer, part)
	}
	require.NoError(t, writer.Close())
	wire.WriteString("\r\n")
	for n := range wire.Len() + 1 {
		found, err := chunks(wire.Bytes()[:n])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(body, string(bodyOf(found))))
		for _, p := range found {
			require.Equal(t, fmt.Sprintf("%x\r\n", p.size), string(p.prefix))
			require.Equal(t, string(p.prefix), string(wire.Bytes()[p.at:p.at+len(p.prefix)]))
		}
	}
	found, err := chunks(wire.Bytes())
	require.NoError(t, err)
	require.Len(t, found, 5)
	require.True(t, found[4].last)
	require.Equal(t, body, string(bodyOf(found)))
}

func TestInvalidChunkIsAnError(t *testing.T) {
	for _, body := range []string{"xyz\r\n", "{\"kind\":\"Status\"}\r\n", "-1\r\n", "\r\n", "ffffffffff\r\n"} {
		_, err := chunks([]byte("HTTP/1.1 200 OK\r\n\r\n" + body))
		require.ErrorContains(t, err, "no chunk starts at byte 19")
	}
	found, err := chunks([]byte("HTTP/1.1 200 OK\r\n\r\n2;name=value\r\nab\r\n0\r\n\r\n"))
	require.NoError(t, err)
	require.Equal(t, "ab", string(bodyOf(found)))
}

// For any prefix of a connection, the DATA frames are found between the other frames.
func TestFramesOfAnyPrefix(t *testing.T) {
	frame := func(typ, flags byte, payload string) string {
		n := len(payload)
		return string([]byte{byte(n >> 16), byte(n >> 8), byte(n), typ, flags, 0, 0, 0, 1}) + payload
	}
	const data, headers, settings = 0, 1, 4
	wire := frame(settings, 0, "123456") + frame(headers, 4, "compressed") + frame(data, 0, "{}\n") +
		frame(8, 0, "wwww") + frame(data, 0, strings.Repeat("y", 70000)) + frame(data, 1, "")
	for n := 0; n <= len(wire); n += 1 + n/100 {
		_, err := frames([]byte(wire[:n]))
		require.NoError(t, err)
	}
	found, err := frames([]byte(wire))
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.Equal(t, "{}\n"+strings.Repeat("y", 70000), string(bodyOf(found)))
	require.True(t, found[2].last)
	_, err = frames([]byte(frame(data, 8, "padded")))
	require.ErrorContains(t, err, "padded")
}

// Credentials in the head of a request are not shown.
func TestHeadHidesCredentials(t *testing.T) {
	request := "GET / HTTP/1.1\r\nauthorization: Bearer secret\r\nAccept: */*\r\n\r\nbody"
	require.Equal(t, []string{"GET / HTTP/1.1", "authorization: (not shown)", "Accept: */*"}, head([]byte(request)))
}
