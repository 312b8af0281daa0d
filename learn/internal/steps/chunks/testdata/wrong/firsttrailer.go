// want: a cut is io.ErrUnexpectedEOF: between a trailer and the empty line

package chunks

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"
)

func (f *framed) next() {
	if f.last {
		f.err = io.EOF
		return
	}
	if f.begun && f.line() != "" {
		f.err = errors.New("the data of a chunk is longer than its size")
	}
	size, _, _ := strings.Cut(f.line(), ";")
	n, err := strconv.ParseUint(size, 16, 63)
	if err == nil && n == 0 {
		f.line() // the empty line, or the first trailer
	}
	f.left, f.begun, f.last, f.err = n, true, n == 0, cmp.Or(f.err, err)
}
