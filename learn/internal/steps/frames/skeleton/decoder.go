// Package frames is your step 3: the events of a watch.
package frames

import (
	"errors"
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewDecoder returns a decoder of the body of a watch. Next returns the event of the next
// frame as soon as the frame is complete, an ERROR event as a *errors.StatusError, and
// io.EOF at the end of the body. A frame may have any length, and may arrive in pieces.
func NewDecoder(body io.Reader) stack.Decoder { return &decoder{body} }

type decoder struct{ body io.Reader }

func (d *decoder) Next() (stack.Event, error) {
	return stack.Event{}, errors.New("step 3: Next is not written yet")
}
