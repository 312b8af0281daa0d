package jsonobj

// Skip skips the value at the start of data, after any white space, and returns the
// offset after it. It makes the same checks as a [Framer]. A number at the end of the
// data may continue, so the error is ErrShort. maxDepth is as for a Decoder.
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
