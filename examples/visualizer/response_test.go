package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// partsOf feeds text in pieces of a size, and returns the parts as lines.
func partsOf(text string, size int) (lines []string) {
	var p responseParser
	for len(text) > 0 {
		n := min(size, len(text))
		for _, part := range p.feed([]byte(text[:n])) {
			lines = append(lines, fmt.Sprintf("%s %q %d %v", part.kind, part.text, part.size, part.chunked))
		}
		text = text[n:]
	}
	return lines
}

// The parts of a connection do not depend on where its reads end.
func TestPartsOfResponses(t *testing.T) {
	long := strings.Repeat("é", 150) // 300 bytes: the text ends after a rune
	wire := "HTTP/1.1 100 Continue\r\n\r\n" +
		"HTTP/1.1 200 OK\r\nContent-Type: x\r\ntransfer-encoding: Chunked\r\n\r\n5\r\nabcde\r\nA;ext=1\r\n0123456789\r\n" +
		"12c\r\n" + long + "\r\n0\r\nTrailer: x\r\n\r\n" +
		"HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nbody" +
		"HTTP/1.1 204 No Content\r\n\r\n" +
		"HTTP/1.1 404 Not Found\nContent-Length: 0\n\n" +
		"HTTP/1.0 200 OK\r\n\r\nuntil the end 5\r\n"
	want := []string{
		`response "HTTP/1.1 200 OK" 0 true`,
		`chunk "abcde" 5 false`,
		`chunk "0123456789" 10 false`,
		fmt.Sprintf("chunk %q 300 false", strings.Repeat("é", 100)),
		`end "" 0 false`,
		`response "HTTP/1.1 201 Created" 0 false`,
		`body "body" 4 false`,
		`response "HTTP/1.1 204 No Content" 0 false`,
		`response "HTTP/1.1 404 Not Found" 0 false`,
		`response "HTTP/1.0 200 OK" 0 false`,
	}
	for size := 1; size <= len(wire); size++ {
		require.Equal(t, want, partsOf(wire, size), "in pieces of %d bytes", size)
	}
}

// A chunk is a part as soon as its text is known, and what is no response is ignored.
func TestPartsOfIncompleteAndInvalidResponses(t *testing.T) {
	var p responseParser
	found := p.feed([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + strings.Repeat("x", maxText)))
	require.Len(t, found, 2)
	require.Equal(t, part{kind: "chunk", text: strings.Repeat("x", maxText), size: 0x1000}, found[1])

	for _, wire := range []string{
		"PRI * HTTP/2.0\r\n\r\n", strings.Repeat("x", 2*maxLine), "\x00\x01\x02\n\n\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n5\r\nabcde\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabcde\r\n",
	} {
		require.LessOrEqual(t, len(partsOf(wire, 7)), 1, "%.60q", wire)
	}
	invalid := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\xc3\x28\r\n"
	require.Equal(t, `chunk "a�(" 3 false`, partsOf(invalid, 100)[1])
}
