// want: data is delivered as it arrives: Typical causes: io.ReadFull

package chunks

import "io"

func (f *framed) Read(p []byte) (int, error) {
	for f.left == 0 && f.err == nil {
		f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := io.ReadFull(f.lines.R, p[:min(uint64(len(p)), f.left)])
	f.left, f.err = f.left-uint64(n), unexpected(err)
	return n, f.err
}
