package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufList reads an envelope whose content is a list: {1: ListMeta, 2: item, 2:
// item ...}. It decodes the items before the content is complete.
type protobufList struct {
	listState
	// remaining is the number of bytes of the content that are still to be read, in
	// inItems.
	remaining   int
	seenContent bool
	seenMeta    bool // present even in empty lists

	apiVersion, kind string
	meta             metav1.ListMeta
}

// The field numbers of a list of any kind.
const (
	listMetaField = 1
	itemsField    = 2
)

func newProtobufList(c *Codec, s *scratch, body io.Reader) *protobufList {
	l := &protobufList{listState: listState{c: c, s: s}}
	l.window.reset(body, make([]byte, listBufferLen), c.options)
	return l
}

func (l *protobufList) listMeta() ListMeta {
	return ListMeta{l.meta.ResourceVersion, l.meta.Continue, l.meta.RemainingItemCount}
}

func (l *protobufList) open() error {
	magic, err := l.window.peekN(len(pbobj.Magic))
	if err != nil {
		return err
	}
	if string(magic) != pbobj.Magic {
		return fmt.Errorf("the body is not Kubernetes protobuf: it begins with %s", excerpt(l.window.unread()))
	}
	l.window.skip(len(magic))
	l.stage = inList
	return nil
}

// header reads the header of a field. It returns io.EOF at the end of the body.
func (l *protobufList) header() (pbobj.Header, int, error) {
	for {
		h, n, err := pbobj.ParseHeader(l.window.unread())
		if !errors.Is(err, pbobj.ErrShort) {
			return h, n, err
		}
		partial := len(l.window.unread()) > 0
		if err := l.window.readMore(); err != nil {
			if partial {
				err = unexpectedEOF(err)
			}
			return h, 0, err
		}
	}
}

// field reads a field of the envelope. The content of the envelope is the list.
func (l *protobufList) field() error {
	h, n, err := l.header()
	if err == io.EOF {
		return l.end()
	}
	if err != nil {
		return err
	}
	if h.Number == pbobj.EnvelopeRaw && h.Wire == pbobj.Bytes {
		if l.seenContent {
			return errors.New("the list has its content twice")
		}
		l.seenContent = true
		l.window.skip(n)
		if l.kind == statusKind {
			return l.failure(h.Length)
		}
		l.stage, l.remaining = inItems, h.Length
		return nil
	}
	if h.Length > l.window.limit {
		return l.window.tooLong("a field of the envelope")
	}
	l.window.skip(n)
	if h.Number != pbobj.EnvelopeTypeMeta || h.Wire != pbobj.Bytes {
		return l.window.discard(h.Length)
	}
	content, err := l.window.peekN(h.Length)
	if err != nil {
		return err
	}
	apiVersion, kind, err := pbobj.TypeMeta(content)
	if err != nil {
		return err
	}
	l.apiVersion, l.kind = string(apiVersion), string(kind)
	l.window.skip(h.Length)
	return l.checkKind()
}

// checkKind rejects an object that is not a list, and a list of another kind: its
// items do not have their kind, and most messages can be decoded as any other.
func (l *protobufList) checkKind() error {
	if l.kind == "" || l.kind == statusKind && !l.seenContent {
		return nil
	}
	itemKind, isList := strings.CutSuffix(l.kind, "List")
	if !isList {
		return fmt.Errorf("the server sent a %s instead of a list", excerpt([]byte(l.kind)))
	}
	if l.c.expected == nil || itemKind == "" { // a v1 List does not name the kind of its items
		return nil
	}
	if err := l.c.expected.Refuse([]byte(l.apiVersion), []byte(itemKind)); err != nil {
		return fmt.Errorf("the server sent a list of another kind: %w", err)
	}
	return nil
}

func (l *protobufList) failure(length int) error {
	if length > l.window.limit {
		return l.window.tooLong("a Status")
	}
	raw, err := l.window.peekN(length)
	if err != nil {
		return err
	}
	return statusFromProtobuf(raw)
}

func (l *protobufList) end() error {
	if !l.seenContent {
		return fmt.Errorf("the envelope is empty: %w", io.ErrUnexpectedEOF)
	}
	if !l.seenMeta && l.items == 0 {
		return fmt.Errorf("the server sent a %s with neither metadata nor items", excerpt([]byte(l.kind)))
	}
	return io.EOF
}

// item reads a field of the list: an item, or its metadata.
func (l *protobufList) item() (object any, ok bool, err error) {
	if l.remaining == 0 {
		l.stage = inList
		return nil, false, nil
	}
	h, n, err := l.header()
	switch {
	case err != nil:
		return nil, false, unexpectedEOF(err)
	case n+h.Length > l.remaining || n+h.Length < 0:
		return nil, false, fmt.Errorf("field %d of the list has %d bytes, but only %d remain", h.Number, h.Length, l.remaining-n)
	case h.Length > l.window.limit:
		return nil, false, l.window.tooLong("an item")
	}
	l.remaining -= n + h.Length
	l.window.skip(n)
	if h.Wire != pbobj.Bytes || h.Number != listMetaField && h.Number != itemsField {
		return nil, false, l.window.discard(h.Length)
	}
	if h.Number == itemsField {
		l.items++
	}
	content, err := l.window.peekN(h.Length)
	if err != nil {
		return nil, false, err
	}
	defer l.window.skip(h.Length)
	if h.Number == listMetaField {
		l.seenMeta = true
		if err := unmarshal(&l.meta, content); err != nil {
			return nil, false, fmt.Errorf("the list's metadata: %w", err)
		}
		return nil, false, nil
	}
	object, err = l.c.decodeProtobuf(l.s, content, l.c.options.KeepManagedFields)
	return object, true, err
}
