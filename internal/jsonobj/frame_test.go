package jsonobj

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// framed has values, each followed by more data.
var framed = []string{
	`{} `, ` {}{}`, `[]]`, `{"a":1},`, "\n\t {\"a\":[1,{\"b\":\"}\"}]}\n{", `"text"x`, `"a\"b\\"]`, `"\\\\\\"""`, `"\u0022\ud83d\ude00"`, `true,`, `false `, `null}`, `-12.5e+3,`, `0 `,
	`{"a":"\\","b":"\\\"","c":["x","y\\\\"],"d":{"e":{"f":[[[[]]]]}},"g":"1234567\"8","h":"12345678\"","i":"123456\\"}x`,
	`{"a" "b" 1 2,,::}x`, strings.Repeat("[", 200) + strings.Repeat("]", 200) + "]", strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100) + "}",
	"{\"bytes\":\"\xff\xfe\x80 and more of them\"}", "\"\x22",
}

func pod(t testing.TB) []byte {
	document, err := os.ReadFile("testdata/pod.json")
	require.NoError(t, err)
	return document
}

// Promise: "a Framer finds the end, which looks at each byte once however small
// the parts are", and its result equals that of Skip.
func TestFramerFindsTheEndForAnyParts(t *testing.T) {
	for _, data := range append(framed, string(pod(t))+"{") {
		end, err := Skip([]byte(data), 0)
		require.NoError(t, err, data)
		for cut := range len(data) {
			require.Equal(t, end, frame(t, []byte(data), cut, len(data)), "%s\ncut at %d", data, cut)
		}
		for _, size := range []int{1, 2, 3, 7, 8, 9} {
			require.Equal(t, end, frame(t, []byte(data), size, size), "%s\nin parts of %d", data, size)
		}
	}
}

// frame feeds data in parts, the first of one size and the others of another,
// and returns where the value ends.
func frame(t testing.TB, data []byte, first, others int) int {
	f := Framer{MaxDepth: 400}
	for at, size := 0, first; ; size = others {
		part := data[at:min(at+size, len(data))]
		n, done, err := f.Next(part)
		require.NoError(t, err)
		if at += n; done {
			again, stillDone, err := f.Next(data[at:])
			require.NoError(t, err)
			require.True(t, stillDone, "Next after the end reports the end again")
			require.Zero(t, again)
			return at
		}
		require.Equal(t, len(part), n, "all bytes belong to an incomplete value")
	}
}

// Promise: "ErrShort and nothing else", for every incomplete prefix of a value.
func TestSkipIsShortForEveryPrefix(t *testing.T) {
	for _, data := range append(framed, string(pod(t))+"{") {
		end, err := Skip([]byte(data), 0)
		require.NoError(t, err, data)
		for cut := range end {
			_, err := Skip([]byte(data[:cut]), 0)
			require.ErrorIs(t, err, ErrShort, data[:cut])
		}
	}
	_, err := Skip([]byte("12"), 0)
	require.ErrorIs(t, err, ErrShort, "more digits may follow")
}

// Promise: skipped values are checked as documented in doc.go.
func TestSkipErrors(t *testing.T) {
	for data, offset := range map[string]int{
		`x`: 0, `  }`: 2, `]`: 0, `,`: 0, `{]`: 1, `[}`: 1, `{"a":[}`: 6, `[{"a":1]]`: 7, `{"a":<html>}`: 5, `{z`: 1, "[\x00": 1, "[\xff": 1, `tru `: 3, `truE`: 3, `nul`: -1, `falsy`: 4,
		strings.Repeat("[", 64) + "}": 64, `[` + strings.Repeat(`{"a":`, 70) + "]": 351,
	} {
		for cut := range len(data) + 1 {
			f := Framer{}
			n, _, err := f.Next([]byte(data[:cut]))
			if err == nil {
				_, _, err = f.Next([]byte(data[n:]))
			}
			if offset < 0 {
				require.NoError(t, err)
				continue
			}
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax, data)
			require.Equal(t, offset, syntax.Offset, data)
		}
	}
}

// Promise: "its depth is bounded".
func TestDepthIsBounded(t *testing.T) {
	for _, bound := range []int{1, 2, 63, 64, 65, 128, 129, 0, 700, 1 << 30} {
		levels := depthOf(bound)
		fits := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		_, err := Skip([]byte(fits), bound)
		require.NoError(t, err)
		_, err = Skip([]byte("["+fits+"]"), bound)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax)
		require.Contains(t, err.Error(), "nested deeper than")
	}
	_, err := Skip([]byte(strings.Repeat("[", 1<<20)), 0)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrShort, "a reader must not wait for more data")
}

func TestFramerCanBeReused(t *testing.T) {
	f := Framer{MaxDepth: 100}
	_, done, err := f.Next([]byte(strings.Repeat("[", 80)))
	require.NoError(t, err)
	require.False(t, done)
	f.Reset()
	deep := []byte(strings.Repeat(`{"a":[`, 50) + "1" + strings.Repeat("]}", 50))
	n, done, err := f.Next(deep)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, len(deep), n)
}

// For any data in any parts, a Framer and Skip agree.
func FuzzFramer(f *testing.F) {
	for _, data := range framed {
		f.Add([]byte(data), 3)
	}
	f.Add(pod(f), 100)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size)
		end, err := Skip(data, 0)
		framer := Framer{}
		at := 0
		for {
			part := data[at:min(at+size, len(data))]
			n, done, ferr := framer.Next(part)
			at += n
			switch {
			case ferr != nil:
				require.Equal(t, err, ferr)
				return
			case done:
				require.NoError(t, err)
				require.Equal(t, end, at)
				return
			case at == len(data):
				require.ErrorIs(t, err, ErrShort)
				return
			}
		}
	})
}

// The functions used by readers of lists and watch events.
func TestTokens(t *testing.T) {
	require.Equal(t, 4, Space([]byte(" \t\r\nx ")))
	require.Equal(t, 2, Space([]byte("  ")))
	for data, want := range map[string]string{`"a":1`: "a", `"a" : 1`: "a", `"":1`: "", `"\u0041\n":1`: "A\n", "\"\xff\":1": "\ufffd", `"a key that is rather long":1`: "a key that is rather long"} {
		key, n, err := Key([]byte(data), nil)
		require.NoError(t, err)
		require.Equal(t, want, string(key))
		require.Equal(t, "1", data[n:])
		for cut := range n - 1 {
			if _, _, err := Key([]byte(data[:cut]), nil); !errors.Is(err, ErrShort) && !strings.HasSuffix(data[:cut], ":") {
				require.Failf(t, "not short", "%q: %v", data[:cut], err)
			}
		}
	}
	for data, msg := range map[string]string{`a`: "instead of a string", `"a" 1`: "instead of a colon", `"a` + "\n": "control character", `"\x"`: "instead of an escape", `"\u00g0"`: "hexadecimal"} {
		_, _, err := Key([]byte(data), nil)
		require.ErrorContains(t, err, msg)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax)
	}
	require.Equal(t, []Kind{Text, Object, Array, Bool, Bool, Null, Number, Number, Invalid}, []Kind{
		KindOf('"'), KindOf('{'), KindOf('['), KindOf('t'), KindOf('f'), KindOf('n'), KindOf('-'), KindOf('7'), KindOf('}'),
	})
}
