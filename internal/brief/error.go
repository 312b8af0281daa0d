package brief

// Error returns err if its text has at most n bytes. Otherwise it returns an error
// that wraps err and whose text is truncated as by [Text].
func Error(err error, n int) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if len(text) <= n {
		return err
	}
	return &cutError{Text(text, n), err}
}

type cutError struct {
	text string
	err  error
}

func (e *cutError) Error() string { return e.text }
func (e *cutError) Unwrap() error { return e.err }
