// want: a request has a head: the escapes of the URL remain

package chunks

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

func send(conn net.Conn, request *http.Request) error {
	writer := bufio.NewWriter(conn)
	target := request.URL.Path
	if request.URL.RawQuery != "" {
		target += "?" + request.URL.RawQuery
	}
	fmt.Fprintf(writer, "%s %s HTTP/1.1\r\nHost: %s\r\n", request.Method, target, request.URL.Host)
	fmt.Fprintf(writer, "Content-Length: %d\r\n", request.ContentLength)
	request.Header.Write(writer)
	writer.WriteString("\r\n")
	_, err := io.Copy(writer, cmp.Or[io.ReadCloser](request.Body, http.NoBody))
	return errors.Join(err, writer.Flush())
}
