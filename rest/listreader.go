package rest

import (
	"errors"
	"io"
)

// errReaderClosed: next was called after close.
var errReaderClosed = errors.New("the reader has been closed")

// listReader is one response to a list request, as it arrives: its items one
// by one, and what the server says of the list as a whole.
type listReader struct {
	source listSource
	err    error // final, once there is one
}

// listSource is a list in one encoding.
type listSource interface {
	// next returns an item, io.EOF after the last one, or an error. After an
	// *ItemError it may be called again.
	next() (any, error)
	head() listMeta
	close()
}

// listMeta is what a server says of a list.
type listMeta struct {
	resourceVersion string
	// continuation is the token for the next page, "" on the last one.
	continuation string
	// remaining is how many items the pages after this one have; nil if the
	// server does not say.
	remaining *int64
}

// listReader begins to read a list. The body is the caller's to close.
func (c *codec) listReader(contentType string, body io.Reader) (*listReader, error) {
	format, err := c.encodingOf(contentType)
	if err != nil {
		return nil, withBeginning(err, body)
	}
	return c.listIn(format, body), nil
}

// listIn is the reader of a list in an encoding that is known.
func (c *codec) listIn(format encoding, body io.Reader) *listReader {
	s := c.forStream(format)
	if format == encodingProtobuf {
		return &listReader{source: newProtobufList(c, s, body)}
	}
	return &listReader{source: newJSONList(c, s, body)}
}

// next is the next item, a pointer to the codec's type, which owns all of its
// memory. io.EOF is the end of a list that has come whole. An [*ItemError] costs
// one item, and the next call goes on after it. Every other error is final.
func (l *listReader) next() (any, error) {
	if l.err != nil {
		return nil, l.err
	}
	object, err := l.source.next()
	if err != nil {
		if _, goesOn := err.(*ItemError); !goesOn {
			l.err = err
		}
		return nil, err
	}
	return object, nil
}

// meta is complete after io.EOF: a server may write it before the items or
// after them.
func (l *listReader) meta() listMeta { return l.source.head() }

// close gives back what the reader has worked with. It may be called at any
// time but while next runs, and more than once.
func (l *listReader) close() {
	if l.err == nil {
		l.err = errReaderClosed
	}
	l.source.close()
}
