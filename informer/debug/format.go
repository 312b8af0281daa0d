package debug

import (
	"mime"
	"strconv"
	"strings"
)

// A format is the format of an answer.
type format string

const (
	formatHTML format = "html"
	formatJSON format = "json"
	formatText format = "text"
)

func (f format) valid() bool { return f == "" || f.contentType() != "" }

func (f format) contentType() string {
	switch f {
	case formatHTML:
		return "text/html; charset=utf-8"
	case formatJSON:
		return "application/json"
	case formatText:
		return "text/plain; charset=utf-8"
	}
	return ""
}

// negotiate selects a format by an Accept header: the one with the highest quality,
// or the first of several. The default is text, as for curl.
func negotiate(accept string) format {
	best, quality := formatText, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := parameters["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if f, ok := formatOf(media); ok && q > quality {
			best, quality = f, q
		}
	}
	return best
}

func formatOf(media string) (format, bool) {
	switch media {
	case "text/html":
		return formatHTML, true
	case "application/json", "application/*":
		return formatJSON, true
	case "text/plain", "text/*", "*/*":
		return formatText, true
	}
	return "", false
}
