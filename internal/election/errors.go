package election

import "errors"

// ErrNoHeader is the error of a failure that no request has reported: a request
// got no response header in time.
var ErrNoHeader = errors.New("no response header received within 2s")
