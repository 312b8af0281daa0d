// want: RoundTrip does not wait for the body: a watch has no end

package chunks

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	conn, err := t.dial(request.Context())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(request.Context(), func() { conn.Close() })
	defer stop()
	defer conn.Close()
	response, err := exchange(conn, request)
	if err != nil {
		return nil, unexpected(err)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}
