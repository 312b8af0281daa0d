// want: data is delivered as it arrives: without the \r\n after it, had arrived

package chunks

func (f *framed) Read(p []byte) (int, error) {
	for f.left == 0 && f.err == nil {
		f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.lines.R.Read(p[:min(uint64(len(p)), f.left)])
	f.left, f.err = f.left-uint64(n), unexpected(err)
	if f.left == 0 && !f.last && f.err == nil {
		f.next()
	}
	if n > 0 {
		return n, nil
	}
	return 0, f.err
}
