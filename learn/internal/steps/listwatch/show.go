package listwatch

import "io"

func show(io.Writer) error { return nil }
