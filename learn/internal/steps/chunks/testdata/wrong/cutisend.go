// want: a cut is io.ErrUnexpectedEOF: the body is not complete

package chunks

func unexpected(err error) error { return err }
