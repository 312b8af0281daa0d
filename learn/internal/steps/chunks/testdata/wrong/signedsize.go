// want: a malformed chunk is an error: the size is negative

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
	n, err := strconv.ParseInt(size, 16, 64)
	if n <= 0 && err == nil {
		n = 0
		for f.line() != "" {
		}
	}
	f.left, f.begun, f.last, f.err = uint64(n), true, n == 0, cmp.Or(f.err, err)
}
