// want: the context closes the connection: context.AfterFunc

package chunks

import (
	"cmp"
	"io"
	"net/http"
)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	defer cmp.Or[io.ReadCloser](request.Body, http.NoBody).Close()
	conn, err := t.dial(request.Context())
	if err != nil {
		return nil, err
	}
	response, err := exchange(conn, request)
	if err != nil {
		conn.Close()
		return nil, unexpected(err)
	}
	response.Body = body{response.Body, conn, func() bool { return true }}
	return response, nil
}
