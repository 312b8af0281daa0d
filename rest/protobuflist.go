package rest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// protobufList reads an envelope whose content is a list: {1: ListMeta, 2: item,
// 2: item ...}. The content says how long it is; it is not waited for.
type protobufList struct {
	c      *codec
	s      *scratch // nil once closed
	window window

	stage listStage
	// left is how many bytes of the content are still to come, in inItems.
	left       int
	hadContent bool
	hadMeta    bool // which lists have even if they are empty
	items      int

	apiVersion, kind string
	meta             metav1.ListMeta
}

// The fields of a list, of whatever kind.
const (
	listMetaField = 1
	itemsField    = 2
)

func newProtobufList(c *codec, s *scratch, body io.Reader) *protobufList {
	l := &protobufList{c: c, s: s}
	l.window.begin(body, make([]byte, listBufferLen), c.options)
	return l
}

func (l *protobufList) head() listMeta {
	return listMeta{l.meta.ResourceVersion, l.meta.Continue, l.meta.RemainingItemCount}
}

func (l *protobufList) close() {
	if l.s != nil {
		l.c.giveBack(l.s)
		l.s, l.window = nil, window{}
	}
}

func (l *protobufList) next() (any, error) {
	object, err := l.advance()
	switch err.(type) {
	case nil, *ItemError, *apierrors.StatusError:
		return object, err
	}
	if err == io.EOF {
		return nil, err
	}
	path := ""
	if l.stage == inItems && l.items > 0 {
		path = fmt.Sprintf("items[%d]", l.items-1)
	}
	return nil, l.window.failed("decode the list", path, err)
}

// advance reads on to the next item, or to the end.
func (l *protobufList) advance() (any, error) {
	if l.stage == beforeList {
		if err := l.open(); err != nil {
			return nil, err
		}
	}
	for {
		if l.stage == inList {
			if err := l.envelopeField(); err != nil {
				return nil, err
			}
			continue
		}
		if l.left == 0 {
			l.stage = inList
			continue
		}
		object, isItem, err := l.listField()
		if isItem || err != nil {
			return object, err
		}
	}
}

func (l *protobufList) open() error {
	magic, err := l.window.fill(len(pbobj.Magic))
	if err != nil {
		return err
	}
	if string(magic) != pbobj.Magic {
		return fmt.Errorf("the body is not the protobuf of Kubernetes: it begins with %s", excerpt(l.window.unread()))
	}
	l.window.use(len(magic))
	l.stage = inList
	return nil
}

// header reads the header of a field. io.EOF says that there is none.
func (l *protobufList) header() (pbobj.Header, int, error) {
	for {
		h, n, err := pbobj.ParseHeader(l.window.unread())
		if !errors.Is(err, pbobj.ErrShort) {
			return h, n, err
		}
		begun := len(l.window.unread()) > 0
		if err := l.window.more(); err != nil {
			if begun {
				err = inside(err)
			}
			return h, 0, err
		}
	}
}

// envelopeField reads a field of the envelope. Of the content it only begins
// to. At the end of the envelope it returns io.EOF.
func (l *protobufList) envelopeField() error {
	h, n, err := l.header()
	if err == io.EOF {
		return l.end()
	}
	if err != nil {
		return err
	}
	if h.Number == pbobj.EnvelopeRaw && h.Wire == pbobj.Bytes {
		if l.hadContent {
			return errors.New("the list has its content twice")
		}
		l.hadContent = true
		l.window.use(n)
		if l.kind == statusKind {
			return l.failure(h.Length)
		}
		l.stage, l.left = inItems, h.Length
		return nil
	}
	if h.Length > l.window.limit {
		return l.window.tooLong("a field of the envelope")
	}
	l.window.use(n)
	if h.Number != pbobj.EnvelopeTypeMeta || h.Wire != pbobj.Bytes {
		return l.window.discard(h.Length)
	}
	content, err := l.window.fill(h.Length)
	if err != nil {
		return err
	}
	apiVersion, kind, err := pbobj.TypeMeta(content)
	if err != nil {
		return err
	}
	l.apiVersion, l.kind = string(apiVersion), string(kind)
	l.window.use(h.Length)
	return l.checkKind()
}

// checkKind refuses what is no list, and a list of another kind: its items do not
// say what they are, and most messages can be read as any other.
func (l *protobufList) checkKind() error {
	if l.kind == "" || l.kind == statusKind && !l.hadContent {
		return nil
	}
	of, isList := strings.CutSuffix(l.kind, "List")
	if !isList {
		return fmt.Errorf("the server sent a %s and no list", excerpt([]byte(l.kind)))
	}
	if l.c.expected == nil || of == "" { // a v1 List says nothing of what is in it
		return nil
	}
	if err := l.c.expected.Refuse([]byte(l.apiVersion), []byte(of)); err != nil {
		return fmt.Errorf("the server sent a list of others: %w", err)
	}
	return nil
}

func (l *protobufList) failure(length int) error {
	if length > l.window.limit {
		return l.window.tooLong("a Status")
	}
	raw, err := l.window.fill(length)
	if err != nil {
		return err
	}
	return statusFromProtobuf(raw)
}

func (l *protobufList) end() error {
	if !l.hadContent {
		return fmt.Errorf("the envelope is empty: %w", io.ErrUnexpectedEOF)
	}
	if !l.hadMeta && l.items == 0 {
		return fmt.Errorf("the server sent a %s with neither metadata nor items", excerpt([]byte(l.kind)))
	}
	return io.EOF
}

// listField reads a field of the list: an item, or something about it.
func (l *protobufList) listField() (object any, isItem bool, err error) {
	h, n, err := l.header()
	switch {
	case err != nil:
		return nil, false, inside(err)
	case n+h.Length > l.left || n+h.Length < 0:
		return nil, false, fmt.Errorf("field %d of the list says it has %d bytes, and %d are left of the list", h.Number, h.Length, l.left-n)
	case h.Length > l.window.limit:
		return nil, false, l.window.tooLong("an item")
	}
	l.left -= n + h.Length
	l.window.use(n)
	if h.Wire != pbobj.Bytes || h.Number != listMetaField && h.Number != itemsField {
		return nil, false, l.window.discard(h.Length)
	}
	if h.Number == itemsField {
		l.items++
	}
	content, err := l.window.fill(h.Length)
	if err != nil {
		return nil, false, err
	}
	defer l.window.use(h.Length)
	if h.Number == listMetaField {
		l.hadMeta = true
		if err := unmarshal(&l.meta, content); err != nil {
			return nil, false, fmt.Errorf("the list's metadata: %w", err)
		}
		return nil, false, nil
	}
	object, err = l.c.decodeProtobuf(l.s, content, l.c.options.KeepManagedFields)
	return object, true, err
}
