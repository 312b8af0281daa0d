package chunks

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// encode returns the chunks of a body.
func encode(pieces ...string) (encoded string) {
	for _, piece := range pieces {
		encoded += fmt.Sprintf("%x\r\n%s\r\n", len(piece), piece)
	}
	return encoded + "0\r\n\r\n"
}

func hexadecimalSizes(t *judge.T, parts stack.Parts) {
	frame := `{"type":"ADDED","x":"y"}` // 24 bytes
	for _, size := range []string{"18", "018", "18;extension=1"} {
		text := size + "\r\n" + frame + "\r\n0\r\n\r\n"
		wantBody(t, parts, "\nThe size 18 is hexadecimal: 24 bytes.", frame, chunkedHead+text)
	}
	letters := strings.Repeat("x", 0x1a)
	for _, size := range []string{"1a", "1A"} {
		text := size + "\r\n" + letters + "\r\n0\r\n\r\n"
		wantBody(t, parts, "\nThe size "+size+" is hexadecimal: 26 bytes.", letters, chunkedHead+text)
	}
	long := strings.Repeat("0123456789", 10_000)
	if got, err := body(t, parts, 4096, chunkedHead, encode(long)); got != long || err != io.EOF {
		t.Fatalf("a chunk of 186a0 (100,000) bytes: read %d bytes that differ from them, and %v", len(got), err)
	}
}

func runesInChunks(t *judge.T, parts stack.Parts) {
	text := "名前: 你好, 世界"
	for at := 1; at < len(text); at++ {
		wantBody(t, parts, "\nThe first chunk ends inside the data: chunks consist of bytes.", text, chunkedHead, encode(text[:at], text[at:]))
	}
}

func partsOfChunks(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		name   string
		script []any
	}{
		{"half of the data of a chunk", []any{"a\r\nhello", time.Minute, "world\r\n0\r\n\r\n"}},
		{"the data of a chunk, without the \\r\\n after it,", []any{"5\r\nhello", time.Minute, "\r\n0\r\n\r\n"}},
		{"a whole chunk", []any{"5\r\nhello\r\n", time.Minute, "0\r\n\r\n"}},
		{"a chunk and the size of the next one", []any{"5\r\nhello\r\n5\r\n", time.Minute, "world\r\n0\r\n\r\n"}},
	} {
		response := roundTrip(t, parts, serve(t, append([]any{chunkedHead}, test.script...)...), newRequest(t.Context()))
		begun := time.Now()
		buffer, read := make([]byte, 100), ""
		for len(read) < len("hello") {
			n, err := 0, error(nil)
			t.Unblocked("Read of the body", func() { n, err = response.Body.Read(buffer) })
			read += string(buffer[:n])
			if waited := time.Since(begun); waited > 0 {
				t.Fatalf("%s had arrived (5 bytes), but Read returned only %v later, when the rest arrived\nAn event must not wait for the next one. Typical causes: io.ReadFull, or reading the next line too early.", test.name, waited)
			}
			if err != nil {
				t.Fatalf("%s has arrived: Read returns %s and %v, want the 5 bytes %q", test.name, judge.Short(read), err, "hello")
			}
		}
		if read != "hello" {
			t.Fatalf("%s has arrived: Read returns %s, want %q", test.name, judge.Short(read), "hello")
		}
	}
	// The bytes in pieces of one.
	script := []any{chunkedHead}
	for _, b := range []byte(encode("hello", "world")) {
		script = append(script, string([]byte{b}), time.Second)
	}
	wantBody(t, parts, "\nEach byte was sent alone.", "helloworld", script...)
}

func lastChunk(t *judge.T, parts stack.Parts) {
	for _, end := range []string{"0\r\n\r\n", "000\r\n\r\n", "0\r\nChecksum: 1\r\nExpires: never\r\n\r\n"} {
		response := roundTrip(t, parts, serve(t, chunkedHead, "5\r\nhello\r\n"+end), newRequest(t.Context()))
		got, err := readAll(t, response.Body, 64)
		if got != "hello" || err != io.EOF {
			t.Fatalf("sent: %s\nread: %s and %v, want %q and EOF; lines after the last size are trailers", judge.Short("5\r\nhello\r\n"+end), judge.Short(got), err, "hello")
		}
		if got, err := readAll(t, response.Body, 64); got != "" || err != io.EOF {
			t.Fatalf("Read after io.EOF returns %s and %v, want io.EOF again", judge.Short(got), err)
		}
	}
}

func malformedChunks(t *judge.T, parts stack.Parts) {
	for _, test := range []struct{ cause, chunks string }{
		{"the data of the first chunk is longer than its size, 3", "3\r\nhello\r\n0\r\n\r\n"},
		{"the data of the first chunk is longer than its size, 3, by two bytes", "3\r\nhel00\r\n\r\n0\r\n\r\n"},
		{"the size is not a number", "xyz\r\nhello\r\n0\r\n\r\n"},
		{"the size begins with 0x, and x is not a digit", "0x5\r\nhello\r\n0\r\n\r\n"},
		{"the size is negative", "-5\r\nhello\r\n0\r\n\r\n"},
		{"the size is missing", "\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"the size has more than 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"},
	} {
		read, err := body(t, parts, 64, chunkedHead, test.chunks, closing{})
		if err == io.EOF {
			t.Fatalf("sent: %s\n%s: the body ends like a complete one, with %s and io.EOF, want an error", judge.Short(test.chunks), test.cause, judge.Short(read))
		}
		if len(read) > 3 {
			t.Fatalf("sent: %s\n%s: Read returns %s before the error", judge.Short(test.chunks), test.cause, judge.Short(read))
		}
	}
}
