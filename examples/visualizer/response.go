package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A part is a part of a response on the wire: of kind response (the header), chunk, end
// (the last chunk) or body (one without chunks).
type part struct {
	kind    string
	text    string
	size    int64
	chunked bool
}

const (
	maxText = 200      // bytes of a chunk
	maxLine = 16 << 10 // bytes of a line of a header
)

// responseParser finds the parts of the responses of a connection of HTTP/1.1. It keeps
// no data but the current line and the beginning of the current chunk.
type responseParser struct {
	in   parsing
	line []byte
	// of the current header
	status  string
	chunked bool
	length  int64
	// of the current chunk or body
	size, remaining int64
	text            []byte
	reported        bool
}

// parsing is the part of a response in which a responseParser is.
type parsing int

const (
	inStatus parsing = iota
	inHeader
	inSize
	inData
	inDataEnd
	inTrailer
	inUnknown // no response of HTTP/1.1, or one without a length
)

// feed returns the parts that become known with the next bytes.
func (p *responseParser) feed(data []byte) (found []part) {
	add := func(next part) { found = append(found, next) }
	for len(data) > 0 && p.in != inUnknown {
		if p.in == inData {
			data = p.feedData(data, add)
			continue
		}
		line, whole := p.nextLine(&data)
		if whole {
			p.feedLine(line, add)
		}
	}
	return found
}

// nextLine takes a line, or the rest, from data.
func (p *responseParser) nextLine(data *[]byte) (line string, whole bool) {
	end := bytes.IndexByte(*data, '\n')
	if end < 0 {
		p.line, *data = append(p.line, *data...), nil
		if len(p.line) > maxLine {
			p.in = inUnknown
		}
		return "", false
	}
	p.line = append(p.line, (*data)[:end]...)
	*data = (*data)[end+1:]
	line = strings.TrimSuffix(string(p.line), "\r")
	p.line = p.line[:0]
	return line, true
}

func (p *responseParser) feedLine(line string, add func(part)) {
	switch p.in {
	case inStatus:
		p.status, p.chunked, p.length = line, false, -1
		p.in = inHeader
		if !strings.HasPrefix(line, "HTTP/1.") {
			p.in = inUnknown
		}
	case inHeader:
		if line != "" {
			p.feedHeader(line)
			return
		}
		p.endHeader(add)
	case inSize:
		digits, _, _ := strings.Cut(line, ";") // without extensions
		size, err := strconv.ParseInt(strings.TrimSpace(digits), 16, 64)
		switch {
		case err != nil || size < 0:
			p.in = inUnknown
		case size == 0:
			p.in = inTrailer
			add(part{kind: "end"})
		default:
			p.begin(size)
		}
	case inDataEnd:
		p.in = inSize
	case inTrailer:
		if line == "" {
			p.in = inStatus
		}
	}
}

func (p *responseParser) feedHeader(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case strings.EqualFold(name, "Transfer-Encoding"):
		p.chunked = strings.EqualFold(value, "chunked")
	case strings.EqualFold(name, "Content-Length"):
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.length = n
		}
	}
}

func (p *responseParser) endHeader(add func(part)) {
	code := 0
	_, _ = fmt.Sscanf(p.status, "HTTP/1.%d %d", new(int), &code)
	if code >= 200 {
		add(part{kind: "response", text: p.status, chunked: p.chunked})
	}
	switch {
	case code < 200, code == 204, code == 304, !p.chunked && p.length == 0:
		p.in = inStatus
	case p.chunked:
		p.in = inSize
	case p.length > 0:
		p.begin(p.length)
	default:
		p.in = inUnknown // until the connection ends
	}
}

func (p *responseParser) begin(size int64) {
	p.in, p.size, p.remaining, p.text, p.reported = inData, size, size, p.text[:0], false
}

// feedData reads a part of a chunk or body, and returns the rest. A chunk is added when
// its text is known, before its end.
func (p *responseParser) feedData(data []byte, add func(part)) []byte {
	n := min(p.remaining, int64(len(data)))
	p.text = append(p.text, data[:min(n, int64(maxText-len(p.text)))]...)
	p.remaining -= n
	if !p.reported && (len(p.text) == maxText || p.remaining == 0) {
		p.reported = true
		kind := "body"
		if p.chunked {
			kind = "chunk"
		}
		add(part{kind: kind, text: strings.ToValidUTF8(string(p.text), "\uFFFD"), size: p.size})
	}
	if p.remaining == 0 {
		p.in = inStatus
		if p.chunked {
			p.in = inDataEnd
		}
	}
	return data[n:]
}
