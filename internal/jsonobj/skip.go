package jsonobj

// Skip passes the value at the start of data, white space before it included,
// and returns the place after it. It checks what a [Framer] checks. A number
// that is all there is ends nowhere: that is ErrShort, as there may be more of
// it. maxDepth is as a
// Decoder's.
func Skip(data []byte, maxDepth int) (n int, err error) {
	f := Framer{MaxDepth: maxDepth}
	n, done, err := f.Next(data)
	switch {
	case err != nil:
		return 0, err
	case !done:
		return 0, ErrShort
	}
	return n, nil
}
