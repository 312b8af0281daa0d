// want: a request has a head: the field Host of the request is ""

package chunks

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
)

func send(conn net.Conn, request *http.Request) error {
	writer := bufio.NewWriter(conn)
	fmt.Fprintf(writer, "%s %s HTTP/1.1\r\n", request.Method, request.URL.RequestURI())
	request.Header.Write(writer)
	writer.WriteString("\r\n")
	return writer.Flush()
}
