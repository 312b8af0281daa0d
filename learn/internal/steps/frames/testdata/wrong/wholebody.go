// want: an event does not wait for the next byte: when more data arrived

package frames

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewDecoder(body io.Reader) stack.Decoder { return &decoder{json.NewDecoder(&late{body: body})} }

// late reads the whole body before it returns the first byte.
type late struct {
	body    io.Reader
	content *bytes.Reader
	err     error
}

func (l *late) Read(p []byte) (int, error) {
	if l.content == nil {
		content, err := io.ReadAll(l.body)
		l.content, l.err = bytes.NewReader(content), err
	}
	n, err := l.content.Read(p)
	if err != nil && l.err != nil {
		err = l.err
	}
	return n, err
}
