package wire

import (
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// errReaderClosed is returned by Next after Close.
var errReaderClosed = errors.New("the reader has been closed")

// ListReader reads the response to a list request: its items one by one, and the
// metadata of the list.
type ListReader struct {
	source listSource
	err    error // final, once there is one
}

// listSource reads a list in one encoding.
type listSource interface {
	state() *listState
	// open reads what precedes the first field of the list.
	open() error
	// field reads one field of the list. It begins the items, and only that: it sets
	// the stage inItems. It returns io.EOF at the end of a complete list.
	field() error
	// item reads one item. ok is false if it read something else, such as the end of
	// the items, after which it sets the stage inList.
	item() (object any, ok bool, err error)
	listMeta() ListMeta
}

// listState is the part of a listSource that does not depend on the encoding.
type listState struct {
	c      *Codec
	s      *scratch // nil once closed
	window window
	stage  listStage
	// items counts the items that have begun.
	items int
}

type listStage int

const (
	beforeList listStage = iota
	inList
	inItems
)

func (l *listState) state() *listState { return l }

func (l *listState) close() {
	if l.s != nil {
		l.c.putScratch(l.s)
		l.s, l.window = nil, window{}
	}
}

// wrap adds to an error where in the list it occurred.
func (l *listState) wrap(err error) error {
	switch err.(type) {
	case *ItemError, *apierrors.StatusError:
		return err
	}
	if err == io.EOF {
		return err
	}
	path := ""
	if l.stage == inItems && l.items > 0 {
		path = fmt.Sprintf("items[%d]", l.items-1)
	}
	return l.window.wrap("decode the list", path, err)
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	ResourceVersion string
	// Continuation is the token for the next page, "" on the last one.
	Continuation string
	// Remaining is the number of items on later pages; nil if the server does not
	// send it.
	Remaining *int64
}

// ListReader returns a reader for a list. The caller closes the body.
func (c *Codec) ListReader(contentType string, body io.Reader) (*ListReader, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withExcerpt(err, body)
	}
	return c.listIn(format, body), nil
}

// listIn returns a reader for a list in a known encoding.
func (c *Codec) listIn(format encoding, body io.Reader) *ListReader {
	s := c.streamScratch(format)
	if format == encodingProtobuf {
		return &ListReader{source: newProtobufList(c, s, body)}
	}
	return &ListReader{source: newJSONList(c, s, body)}
}

// Next returns the next item, a pointer to the codec's type, which shares no memory
// with the reader. io.EOF is the end of a complete list. After an [*ItemError],
// Next may be called again. Every other error is final.
func (l *ListReader) Next() (any, error) {
	if l.err != nil {
		return nil, l.err
	}
	object, err := l.advance()
	if err != nil {
		err = l.source.state().wrap(err)
		if _, isItemErr := err.(*ItemError); !isItemErr {
			l.err = err
		}
		return nil, err
	}
	return object, nil
}

// advance reads up to the next item or the end.
func (l *ListReader) advance() (any, error) {
	s := l.source.state()
	if s.stage == beforeList {
		if err := l.source.open(); err != nil {
			return nil, err
		}
	}
	for {
		if s.stage != inItems {
			if err := l.source.field(); err != nil {
				return nil, err
			}
			continue
		}
		if object, ok, err := l.source.item(); ok || err != nil {
			return object, err
		}
	}
}

// Meta is complete after io.EOF: servers may write it before or after the items.
func (l *ListReader) Meta() ListMeta { return l.source.listMeta() }

// Close releases the resources of the reader. It may be called more than once, but
// not during Next.
func (l *ListReader) Close() {
	if l.err == nil {
		l.err = errReaderClosed
	}
	l.source.state().close()
}
