package reflector

import "io"

func show(io.Writer) error { return nil }
