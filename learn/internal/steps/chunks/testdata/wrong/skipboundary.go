// want: a malformed chunk is an error: longer than its size

package chunks

import (
	"cmp"
	"io"
	"strconv"
	"strings"
)

func (f *framed) next() {
	if f.last {
		f.err = io.EOF
		return
	}
	if f.begun {
		f.line() // whatever is in it
	}
	size, _, _ := strings.Cut(f.line(), ";")
	n, err := strconv.ParseUint(size, 16, 63)
	for err == nil && n == 0 && f.line() != "" {
	}
	f.left, f.begun, f.last, f.err = n, true, n == 0, cmp.Or(f.err, err)
}
