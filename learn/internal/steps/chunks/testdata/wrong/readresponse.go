// want: net/http does not read the response: net/http.ReadResponse

package chunks

import (
	"bufio"
	"net"
	"net/http"
)

func exchange(conn net.Conn, request *http.Request) (*http.Response, error) {
	if err := send(conn, request); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(conn), request)
}
