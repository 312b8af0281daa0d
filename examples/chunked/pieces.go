package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// piece is a part of a body on the wire: a chunk of HTTP/1.1, or a DATA frame of
// HTTP/2.
type piece struct {
	// at is its offset in the bytes of the connection; prefix is what precedes the
	// data.
	at     int
	prefix []byte
	// size is its number of bytes of the body, and data the part of them received so
	// far.
	size int
	data []byte
	last bool
}

// chunks returns the chunks of a response received so far. After its header:
//
//	1a5\r\n            the size of the data, in hexadecimal digits
//	{"type":...}\n\r\n the data, and a line end that belongs to neither
//	0\r\n\r\n          no data: the end
func chunks(received []byte) (found []piece, err error) {
	at := bytes.Index(received, []byte("\r\n\r\n"))
	if at < 0 {
		return nil, nil
	}
	for at += 4; ; {
		line, _, whole := bytes.Cut(received[at:], []byte("\r\n"))
		if !whole {
			return found, nil
		}
		digits, _, _ := bytes.Cut(line, []byte(";")) // without extensions
		size, err := strconv.ParseUint(string(digits), 16, 31)
		if err != nil {
			return found, fmt.Errorf("no chunk starts at byte %d, but %.20q", at, line)
		}
		next := piece{at: at, prefix: received[at : at+len(line)+2], size: int(size), last: size == 0}
		data := at + len(next.prefix)
		next.data = received[data:min(data+next.size, len(received))]
		found = append(found, next)
		at = data + next.size + 2
		if next.last || at > len(received) {
			return found, nil
		}
	}
}

// frameHeader is the length of the header of an HTTP/2 frame.
const frameHeader = 9

// frames returns the DATA frames in the bytes received over a connection with one
// request. Each frame begins with
//
//	length (3 bytes) | type (1) | flags (1) | stream (4)
//
// Nothing marks where the data of one frame continues in the next.
func frames(received []byte) (found []piece, err error) {
	const data, endOfStream, padded = 0x0, 0x1, 0x8
	for at := 0; len(received) >= at+frameHeader; {
		header := received[at : at+frameHeader]
		size := int(binary.BigEndian.Uint32(header) >> 8)
		typ, flags := header[3], header[4]
		if typ == data {
			if flags&padded != 0 {
				return found, fmt.Errorf("the DATA frame at byte %d is padded, which is not supported", at)
			}
			from := at + frameHeader
			found = append(found, piece{
				at: at, prefix: header, size: size, last: flags&endOfStream != 0,
				data: received[min(from, len(received)):min(from+size, len(received))],
			})
		}
		at += frameHeader + size
	}
	return found, nil
}

// bodyOf returns the concatenated data of the pieces.
func bodyOf(pieces []piece) (body []byte) {
	for _, p := range pieces {
		body = append(body, p.data...)
	}
	return body
}
