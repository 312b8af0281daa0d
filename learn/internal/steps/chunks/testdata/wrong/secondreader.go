// want: a response has a status and fields: a second bufio.Reader

package chunks

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

func exchange(conn net.Conn, request *http.Request) (*http.Response, error) {
	if err := send(conn, request); err != nil {
		return nil, err
	}
	code, header, err := readHead(conn)
	if err != nil {
		return nil, err
	}
	lines := textproto.NewReader(bufio.NewReader(conn))
	content := io.Reader(lines.R)
	if header.Get("Transfer-Encoding") == "chunked" {
		content = &framed{lines: lines}
	}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(content), Request: request}, nil
}

func readHead(conn net.Conn) (int, http.Header, error) {
	lines := textproto.NewReader(bufio.NewReader(conn))
	line, err := lines.ReadLine()
	if err != nil {
		return 0, nil, err
	}
	code, err := strconv.Atoi(strings.Fields(line)[1])
	if err != nil {
		return 0, nil, err
	}
	header, err := lines.ReadMIMEHeader()
	return code, http.Header(header), err
}
