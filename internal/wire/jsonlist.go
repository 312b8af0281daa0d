package wire

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// jsonList reads {"kind":"PodList","metadata":{...},"items":[...]}, with the keys
// in any order. It skips unknown keys.
type jsonList struct {
	listState
	// hadElement reports whether the current array or object had an element, so
	// that a comma must precede the next one.
	hadElement bool
	// seenItems is set by the key, even if its value is null. Without it the value is
	// not a list: an APIResourceList has no items, and would be taken for an empty list.
	seenItems bool
	// lastItemLen is the length of the last item. With fewer bytes, decoding would
	// likely fail for lack of data.
	lastItemLen int

	kind, apiVersion string
	// itemKind and itemVersion are the kind and apiVersion for items without them,
	// boxed once for all items.
	itemKind, itemVersion any
	meta                  ListMeta
	// status has the fields of a Status, in case the value is one.
	status []byte
}

func newJSONList(c *Codec, s *scratch, body io.Reader) *jsonList {
	l := &jsonList{listState: listState{c: c, s: s}}
	l.window.reset(body, make([]byte, listBufferLen), c.options)
	return l
}

func (l *jsonList) listMeta() ListMeta { return l.meta }

func (l *jsonList) open() error {
	c, err := l.window.peek()
	switch {
	case err == io.EOF:
		return fmt.Errorf("the body is empty: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return err
	case c != '{':
		return fmt.Errorf("the body is not a JSON object: it begins with %s", excerpt(l.window.unread()))
	}
	l.window.skip(1)
	l.stage = inList
	return nil
}

// element moves to the next element of the current array or object, or past its
// end.
func (l *jsonList) element(end byte) (more bool, err error) {
	c, err := l.window.peek()
	switch {
	case err != nil:
		return false, unexpectedEOF(err)
	case c == end:
		l.window.skip(1)
		l.hadElement = true
		return false, nil
	case !l.hadElement:
		l.hadElement = true
		return true, nil
	case c != ',':
		return false, &jsonobj.SyntaxError{Msg: fmt.Sprintf("%q where a comma or %q should be", c, end)}
	}
	l.window.skip(1)
	_, err = l.window.peek()
	return true, unexpectedEOF(err)
}

func (l *jsonList) field() error {
	switch more, err := l.element('}'); {
	case err != nil:
		return err
	case !more:
		return l.end()
	}
	key, err := l.key()
	if err != nil {
		return err
	}
	switch key {
	case "kind":
		l.kind, err = l.text(key)
		return err
	case "apiVersion":
		l.apiVersion, err = l.text(key)
		return err
	case "metadata":
		return l.metadata()
	case "items":
		return l.beginItems()
	case "status", "message", "reason", "details", "code":
		if l.kind == "" || l.kind == statusKind {
			return l.statusField(key)
		}
	}
	return l.window.skipValue()
}

func (l *jsonList) key() (string, error) {
	raw, err := l.window.value()
	if err != nil {
		return "", err
	}
	text, _, err := jsonobj.String(raw, nil)
	if err != nil {
		return "", err
	}
	key := string(text)
	l.window.skip(len(raw))
	c, err := l.window.peek()
	if err != nil {
		return "", unexpectedEOF(err)
	}
	if c != ':' {
		return "", &jsonobj.SyntaxError{Msg: fmt.Sprintf("%q where a colon should be", c)}
	}
	l.window.skip(1)
	_, err = l.window.peek()
	return key, unexpectedEOF(err)
}

// text reads a string or null.
func (l *jsonList) text(key string) (string, error) {
	raw, err := l.window.value()
	if err != nil {
		return "", err
	}
	defer l.window.skip(len(raw))
	if string(raw) == "null" {
		return "", nil
	}
	if jsonobj.KindOf(raw[0]) != jsonobj.Text {
		return "", fmt.Errorf("the list's %s is %v", key, jsonobj.KindOf(raw[0]))
	}
	text, _, err := jsonobj.String(raw, nil)
	return string(text), err
}

// listMetadata has the decoded fields of a list's metadata.
type listMetadata struct {
	ResourceVersion    string `json:"resourceVersion"`
	Continue           string `json:"continue"`
	RemainingItemCount *int64 `json:"remainingItemCount"`
}

func (l *jsonList) metadata() error {
	plan, err := jsonobj.PlanOf(reflect.TypeFor[listMetadata]())
	if err != nil {
		return err
	}
	raw, err := l.window.value()
	if err != nil {
		return err
	}
	var m listMetadata
	if _, err := decodeRecovering(&l.s.metaDecoder, plan, raw, &m); err != nil {
		return &prefixError{"the list's metadata", err}
	}
	l.meta = ListMeta{m.ResourceVersion, m.Continue, m.RemainingItemCount}
	l.window.skip(len(raw))
	return nil
}

// statusField keeps a field of a Status in its encoded form, so that the kind may
// precede or follow it.
func (l *jsonList) statusField(key string) error {
	raw, err := l.window.value()
	if err != nil {
		return err
	}
	l.status = fmt.Appendf(l.status, ",%q:%s", key, raw)
	if len(l.status) > l.window.limit {
		return l.window.tooLong("a Status")
	}
	l.window.skip(len(raw))
	return nil
}

func (l *jsonList) beginItems() error {
	if l.seenItems {
		return errors.New("the list has items twice")
	}
	l.seenItems = true
	switch c := l.window.unread()[0]; jsonobj.KindOf(c) {
	case jsonobj.Array:
		l.window.skip(1)
		l.stage, l.hadElement = inItems, false
		l.setItemKind()
		return nil
	case jsonobj.Null:
		return l.window.skipValue()
	default:
		return fmt.Errorf("the list's items are %v", jsonobj.KindOf(c))
	}
}

// end checks the list at the end of the outermost object. A list is recognized by
// its items: the list kind of a custom resource may have any name. Some servers
// omit empty items, but not the version.
func (l *jsonList) end() error {
	switch {
	case l.kind == statusKind:
		return statusFromJSON(l.s, fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1"%s}`, l.status))
	case l.kind == "" && !l.seenItems:
		return errors.New("the server sent neither a kind nor items: it is not a list")
	case !l.seenItems && !(strings.HasSuffix(l.kind, "List") && l.meta.ResourceVersion != ""):
		return fmt.Errorf("the server sent a %s without items", excerpt([]byte(l.kind)))
	}
	switch _, err := l.window.peek(); {
	case err == nil:
		return errors.New("unexpected data after the list")
	case err != io.EOF:
		return err
	}
	return io.EOF
}

func (l *jsonList) item() (object any, ok bool, err error) {
	more, err := l.element(']')
	switch {
	case err != nil:
		return nil, false, err
	case !more:
		l.stage = inList
		return nil, false, nil
	}
	l.items++
	object, err = l.decodeItem()
	return object, true, err
}

// decodeItem decodes the item at the start of the window: at once if it may be
// complete, and otherwise when it is.
func (l *jsonList) decodeItem() (any, error) {
	if c := l.window.unread()[0]; c != '{' {
		return nil, l.skipItem(&jsonobj.ValueError{Want: l.c.typ.String(), Got: jsonobj.KindOf(c).String()})
	}
	if len(l.window.unread()) >= l.lastItemLen {
		object, n, err := l.c.decodeJSON(l.s, l.window.unread())
		if !errors.Is(err, jsonobj.ErrShort) {
			return l.consume(object, n, err)
		}
	}
	raw, err := l.window.value()
	if err != nil {
		return nil, err
	}
	return l.consume(l.c.decodeJSON(l.s, raw))
}

func (l *jsonList) consume(object any, n int, err error) (any, error) {
	switch {
	case isObjectError(err):
		return nil, l.skipItem(err)
	case err != nil:
		return nil, err
	case n > l.window.limit:
		return nil, l.window.tooLong("a value")
	}
	l.window.skip(n)
	l.lastItemLen = n
	if l.c.isUnstructured {
		setMissingKind(object.(*unstructured.Unstructured), l.itemVersion, l.itemKind)
	}
	return object, nil
}

// skipItem consumes an item that could not be decoded and returns its error.
func (l *jsonList) skipItem(cause error) error {
	raw, err := l.window.value()
	if err != nil {
		return err
	}
	id := identityOf(raw, l.c.options.MaxDepth)
	id.Err = cause
	l.window.skip(len(raw))
	return &id
}

// setItemKind determines the kind of items that have none.
func (l *jsonList) setItemKind() {
	kind, version := strings.TrimSuffix(l.kind, "List"), l.apiVersion
	if kind == "" || version == "" {
		kind, version = l.c.kind.Kind, l.c.kind.GroupVersion().String()
	}
	if kind != "" {
		l.itemKind, l.itemVersion = kind, version
	}
}

// setMissingKind sets apiVersion and kind of an object that has neither, as the
// items of a typed list. kind is nil if it is not known.
func setMissingKind(u *unstructured.Unstructured, apiVersion, kind any) {
	if kind == nil {
		return
	}
	if u.Object == nil {
		u.Object = map[string]any{}
	}
	if v, _ := u.Object["apiVersion"].(string); v != "" {
		return
	}
	if k, _ := u.Object["kind"].(string); k != "" {
		return
	}
	u.Object["apiVersion"], u.Object["kind"] = apiVersion, kind
}
