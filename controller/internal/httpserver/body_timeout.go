package httpserver

import (
	"io"
	"net/http"
	"time"
)

// bodyTimeout is the time limit for receiving a request body. Without it a client that
// sends less than announced would hold its connection forever, because the server
// reads what a handler has not read.
const bodyTimeout = 10 * time.Second

// limitBodyTime limits the time for receiving a request body. A ReadTimeout of the
// server would also end the context of handlers that run longer.
func limitBodyTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			control := http.NewResponseController(w)
			if control.SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
				r.Body = &timedBody{r.Body, control}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody removes the deadline when the body is complete.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
