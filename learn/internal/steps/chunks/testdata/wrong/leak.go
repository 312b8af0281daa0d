// want: a cut is io.ErrUnexpectedEOF: the connection is still open: it leaks

package chunks

import (
	"cmp"
	"context"
	"io"
	"net/http"
)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	defer cmp.Or[io.ReadCloser](request.Body, http.NoBody).Close()
	conn, err := t.dial(request.Context())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(request.Context(), func() { conn.Close() })
	response, err := exchange(conn, request)
	if err != nil {
		return nil, unexpected(err)
	}
	response.Body = body{response.Body, conn, stop}
	return response, nil
}
