package rest

import "context"

// Warning is a warning that the server has sent with an answer: a deprecated
// API, a field it does not know.
type Warning struct {
	Code  int
	Agent string
	Text  string
}

// WarningHandler is given each warning, on the goroutine of the request.
type WarningHandler interface {
	HandleWarning(ctx context.Context, w Warning)
}
