package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// chunkedReader is a body that returns one of these parts for each Read.
type chunkedReader []string

func (p *chunkedReader) Read(b []byte) (int, error) {
	for len(*p) > 0 && (*p)[0] == "" {
		*p = (*p)[1:]
	}
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	return n, nil
}

// generatedBody is a body that consists of head, body repeated times over (without end if
// times is negative), and tail. It is generated while it is read.
type generatedBody struct {
	head, body, tail string
	times            int
	at               string
}

func (r *generatedBody) Read(b []byte) (n int, err error) {
	if r.head != "" {
		r.at, r.head = r.head, ""
	}
	for n < len(b) {
		switch {
		case r.at != "":
			copied := copy(b[n:], r.at)
			r.at = r.at[copied:]
			n += copied
		case r.times != 0:
			r.times--
			r.at = r.body
		case r.tail != "":
			r.at, r.tail = r.tail, ""
		default:
			return n, io.EOF
		}
	}
	return n, nil
}

func windowOver(body io.Reader, small, limit int) *window {
	w := &window{}
	w.reset(body, make([]byte, small), Options{MaxObjectBytes: int64(limit)})
	return w
}

func TestAWindowFindsValuesThatArriveInParts(t *testing.T) {
	values := []string{`{"a":"}]\"{"}`, `[]`, `"x"`, `{"b":[1,2,{"c":null}]}`, `true`, `[[[[]]]]`}
	body := strings.Join(values, " \n")
	for cut := range len(body) + 1 {
		w := windowOver(&chunkedReader{body[:cut], body[cut:]}, 16, 1<<10)
		for i, want := range values {
			_, err := w.peek()
			require.NoError(t, err)
			require.Equal(t, int64(strings.Index(body, want)), w.offset(), "cut at %d", cut)
			got, err := w.value()
			require.NoError(t, err, "value %d, cut at %d", i, cut)
			require.Equal(t, want, string(got), "cut at %d", cut)
			w.skip(len(got))
		}
		_, err := w.peek()
		require.Equal(t, io.EOF, err)
	}
}

// A value that arrives byte by byte is scanned and moved a bounded number of times.
// The test would take minutes if each byte moved all bytes before it.
func TestReadingByteByByteIsLinear(t *testing.T) {
	const size = 1 << 20
	for what, read := range map[string]func(*window) error{
		"value": func(w *window) error { _, err := w.value(); return err },
		"skip":  func(w *window) error { return w.skipValue() },
		"fill":  func(w *window) error { _, err := w.peekN(size); return err },
	} {
		body := &generatedBody{head: `["`, body: "x", times: size, tail: `"]`}
		w := windowOver(iotest.OneByteReader(body), 64<<10, 2*size)
		require.NoError(t, read(w), what)
	}
}

func TestAWindowGrowsForALongValueAndShrinksAgain(t *testing.T) {
	long := `"` + strings.Repeat("x", 300_000) + `"`
	body := "[" + long + "]" + strings.Repeat(" [1]", 100)
	w := windowOver(strings.NewReader(body), 8<<10, 1<<20)
	got, err := w.value()
	require.NoError(t, err)
	require.Len(t, got, len(long)+2)
	require.LessOrEqual(t, len(w.buf), 2*len(long))
	w.skip(len(got))
	for range 100 {
		_, err := w.peek()
		require.NoError(t, err)
		got, err := w.value()
		require.NoError(t, err)
		w.skip(len(got))
	}
	_, err = w.peek()
	require.Equal(t, io.EOF, err)
	_ = w.readMore()
	w.makeSpace()
	require.Len(t, w.buf, 8<<10, "an empty window uses its small buffer")

	// In a list the window is never empty.
	w = windowOver(&generatedBody{head: "[" + long + "]", body: "[1,2,3" + strings.Repeat(" ", 200) + "]", times: -1}, 8<<10, 1<<20)
	got, err = w.value()
	require.NoError(t, err)
	w.skip(len(got))
	large := len(w.buf)
	for i := 0; len(w.buf) == large; i++ {
		require.Less(t, i, 20*large, "the window keeps its large buffer without need")
		got, err := w.value()
		require.NoError(t, err)
		w.skip(len(got))
	}
	require.Len(t, w.buf, 8<<10)
	got, err = w.value()
	require.NoError(t, err)
	require.Regexp(t, `^\[1,2,3 {200}\]$`, string(got))
}

// A watch whose events do not fit into the initial buffer allocates a larger one twice,
// and not for each event. A watch that needs it once, for its initial state, has a small
// buffer afterwards. No watch keeps more than maxInitial.
func TestABufferThatIsNeededAgainIsKept(t *testing.T) {
	for _, c := range []struct{ length, lengthAfterwards int }{{6 << 10, 8 << 10}, {12 << 10, 16 << 10}, {40 << 10, maxInitial}} {
		event := `"` + strings.Repeat("x", c.length) + `"`
		body := make(chunkedReader, 0, 10)
		w := windowOver(&body, 4<<10, 1<<20)
		allocated := map[*byte]bool{}
		for i := range 10 {
			body = append(body, event)
			value, err := w.value()
			require.NoError(t, err)
			require.Equal(t, len(event), len(value))
			allocated[&w.buf[0]] = true
			w.skip(len(value))
			body = append(body, "\n")
			require.NoError(t, w.readMore()) // the watch is idle before
			w.skip(1)
			if i == 0 {
				require.Len(t, w.initial, 4<<10)
			}
		}
		w.makeSpace()
		require.Equal(t, c.lengthAfterwards, len(w.buf))
		if c.length < maxInitial {
			require.Equal(t, 2, len(allocated))
		}
	}
}

// DecodeOptions.MaxObjectBytes: a value of exactly that size is accepted and a value
// of one byte more is rejected, whatever the size of the buffer is.
func TestMaxObjectBytesIsExact(t *testing.T) {
	for _, limit := range []int{10, 5000, 8192, 20_000} {
		for _, small := range []int{16, 8 << 10} {
			fits := `"` + strings.Repeat("x", limit-2) + `"`
			for what, read := range map[string]func(*window) error{
				"value": func(w *window) error { _, err := w.value(); return err },
				"skip":  func(w *window) error { return w.skipValue() },
			} {
				require.NoError(t, read(windowOver(strings.NewReader(fits+" "), small, limit)), "%s %d", what, limit)
				err := read(windowOver(strings.NewReader(`"`+fits[1:len(fits)-1]+`x"`), small, limit))
				require.ErrorContains(t, err, fmt.Sprintf("more than %d bytes (DecodeOptions.MaxObjectBytes)", limit), what)
			}
		}
	}
}

func TestAReadErrorOfTheBodyIsReturned(t *testing.T) {
	broken := errors.New("connection reset")
	w := windowOver(io.MultiReader(strings.NewReader(`{"a"`), iotest.ErrReader(broken)), 64, 1<<10)
	_, err := w.value()
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, w.readMore(), broken, "a failure is permanent")

	w = windowOver(emptyReader{}, 64, 1<<10)
	_, err = w.value()
	require.ErrorIs(t, err, io.ErrNoProgress)

	w = windowOver(iotest.DataErrReader(strings.NewReader(`{"a":1}`)), 64, 1<<10)
	got, err := w.value()
	require.NoError(t, err, "bytes returned together with the end are used")
	require.Equal(t, `{"a":1}`, string(got))
}

// emptyReader is a body that returns no bytes and no error.
type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestAWindowDiscardsBytesThatItDoesNotHold(t *testing.T) {
	w := windowOver(&generatedBody{body: "0123456789", times: 10_000}, 64, 1<<10)
	require.NoError(t, w.discard(99_995))
	rest, err := w.peekN(5)
	require.NoError(t, err)
	require.Equal(t, "56789", string(rest))
	require.Equal(t, int64(99_995), w.offset())
	require.ErrorIs(t, w.discard(6), io.ErrUnexpectedEOF)
	require.LessOrEqual(t, len(w.buf), minRead+1<<10)

	w = windowOver(bytes.NewReader([]byte("0123")), 64, 1<<10)
	_, err = w.peekN(5)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
