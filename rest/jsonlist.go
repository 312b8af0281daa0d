package rest

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// jsonList reads {"kind":"PodList","metadata":{...},"items":[...]}, the keys in
// any order, ones that it does not know passed over.
type jsonList struct {
	c      *codec
	s      *scratch // nil once closed
	window window

	stage listStage
	// begun is whether the array or object that is being read has had an
	// element, so that a comma must stand before the next.
	begun bool
	// items counts those that have begun; hadItems is set by the key, even
	// where it has null. Without it what has come is no list: an APIResourceList
	// has none, and would be taken for an empty one.
	items    int
	hadItems bool
	// usual is how long the item before was. When less than that is at hand,
	// trying to decode it would be in vain.
	usual int

	kind, apiVersion string
	// itemKind and itemVersion are kind and apiVersion of the items that do not
	// have them, boxed once for all.
	itemKind, itemVersion any
	meta                  listMeta
	// status are those fields that a Status has, in case that this is one.
	status []byte
}

type listStage int

const (
	beforeList listStage = iota
	inList
	inItems
)

func newJSONList(c *codec, s *scratch, body io.Reader) *jsonList {
	l := &jsonList{c: c, s: s}
	l.window.begin(body, make([]byte, listBufferLen), c.options)
	return l
}

func (l *jsonList) head() listMeta { return l.meta }

func (l *jsonList) close() {
	if l.s != nil {
		l.c.giveBack(l.s)
		l.s, l.window = nil, window{}
	}
}

func (l *jsonList) next() (any, error) {
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
func (l *jsonList) advance() (any, error) {
	if l.stage == beforeList {
		if err := l.open(); err != nil {
			return nil, err
		}
	}
	for {
		if l.stage == inItems {
			more, err := l.element(']')
			switch {
			case err != nil:
				return nil, err
			case more:
				l.items++
				return l.item()
			}
			l.stage = inList
			continue
		}
		switch more, err := l.element('}'); {
		case err != nil:
			return nil, err
		case !more:
			return nil, l.end()
		}
		if err := l.field(); err != nil {
			return nil, err
		}
	}
}

func (l *jsonList) open() error {
	c, err := l.window.peek()
	switch {
	case err == io.EOF:
		return fmt.Errorf("the body is empty: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return err
	case c != '{':
		return fmt.Errorf("the body is no JSON object: it begins with %s", excerpt(l.window.unread()))
	}
	l.window.use(1)
	l.stage = inList
	return nil
}

// element goes to the next element of the array or object that is being read,
// or past its end.
func (l *jsonList) element(end byte) (more bool, err error) {
	c, err := l.window.peek()
	switch {
	case err != nil:
		return false, inside(err)
	case c == end:
		l.window.use(1)
		l.begun = true
		return false, nil
	case !l.begun:
		l.begun = true
		return true, nil
	case c != ',':
		return false, &jsonobj.SyntaxError{Msg: fmt.Sprintf("%q where a comma or %q should be", c, end)}
	}
	l.window.use(1)
	_, err = l.window.peek()
	return true, inside(err)
}

// field reads one field of the list itself. Of items it only begins to.
func (l *jsonList) field() error {
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
		return l.begin()
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
	l.window.use(len(raw))
	c, err := l.window.peek()
	if err != nil {
		return "", inside(err)
	}
	if c != ':' {
		return "", &jsonobj.SyntaxError{Msg: fmt.Sprintf("%q where a colon should be", c)}
	}
	l.window.use(1)
	_, err = l.window.peek()
	return key, inside(err)
}

// text is the value of a field that is a string or null.
func (l *jsonList) text(key string) (string, error) {
	raw, err := l.window.value()
	if err != nil {
		return "", err
	}
	defer l.window.use(len(raw))
	if string(raw) == "null" {
		return "", nil
	}
	if jsonobj.KindOf(raw[0]) != jsonobj.Text {
		return "", fmt.Errorf("the list's %s is %v", key, jsonobj.KindOf(raw[0]))
	}
	text, _, err := jsonobj.String(raw, nil)
	return string(text), err
}

// listMetadata is what is read of a list's metadata.
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
	if _, err := guarded(&l.s.heads, plan, raw, &m); err != nil {
		return &aboutError{"the list's metadata", err}
	}
	l.meta = listMeta{m.ResourceVersion, m.Continue, m.RemainingItemCount}
	l.window.use(len(raw))
	return nil
}

// statusField keeps a field that only a Status has on top. It is kept as it is
// written, so that it does not matter whether the kind comes before or after.
func (l *jsonList) statusField(key string) error {
	raw, err := l.window.value()
	if err != nil {
		return err
	}
	l.status = fmt.Appendf(l.status, ",%q:%s", key, raw)
	if len(l.status) > l.window.limit {
		return l.window.tooLong("a Status")
	}
	l.window.use(len(raw))
	return nil
}

func (l *jsonList) begin() error {
	if l.hadItems {
		return errors.New("the list has items twice")
	}
	l.hadItems = true
	switch c := l.window.unread()[0]; jsonobj.KindOf(c) {
	case jsonobj.Array:
		l.window.use(1)
		l.stage, l.begun = inItems, false
		l.nameItems()
		return nil
	case jsonobj.Null:
		return l.window.skipValue()
	default:
		return fmt.Errorf("the list's items are %v", jsonobj.KindOf(c))
	}
}

// end is what the end of the outermost object means. What makes a list is that
// it has items: a custom resource may call its list anything. Some servers leave
// out items where there are none, but not the version.
func (l *jsonList) end() error {
	switch {
	case l.kind == statusKind:
		return statusFromJSON(l.s, fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1"%s}`, l.status))
	case l.kind == "" && !l.hadItems:
		return errors.New("the server sent neither a kind nor items: it is no list")
	case !l.hadItems && !(strings.HasSuffix(l.kind, "List") && l.meta.resourceVersion != ""):
		return fmt.Errorf("the server sent a %s without items", excerpt([]byte(l.kind)))
	}
	switch _, err := l.window.peek(); {
	case err == nil:
		return errors.New("after the list there is more")
	case err != io.EOF:
		return err
	}
	return io.EOF
}

// item decodes the item that begins the window: at once if all of it may be
// there, and else when all of it is.
func (l *jsonList) item() (any, error) {
	if c := l.window.unread()[0]; c != '{' {
		return nil, l.lost(&jsonobj.ValueError{Want: l.c.typ.String(), Got: jsonobj.KindOf(c).String()})
	}
	if len(l.window.unread()) >= l.usual {
		object, n, err := l.c.decodeJSON(l.s, l.window.unread())
		if !errors.Is(err, jsonobj.ErrShort) {
			return l.took(object, n, err)
		}
	}
	raw, err := l.window.value()
	if err != nil {
		return nil, err
	}
	return l.took(l.c.decodeJSON(l.s, raw))
}

func (l *jsonList) took(object any, n int, err error) (any, error) {
	switch {
	case costsOneItem(err):
		return nil, l.lost(err)
	case err != nil:
		return nil, err
	case n > l.window.limit:
		return nil, l.window.tooLong("a value")
	}
	l.window.use(n)
	l.usual = n
	if l.c.isUnstructured {
		giveKind(object.(*unstructured.Unstructured), l.itemVersion, l.itemKind)
	}
	return object, nil
}

// lost passes an item that could not be decoded.
func (l *jsonList) lost(why error) error {
	raw, err := l.window.value()
	if err != nil {
		return err
	}
	id := identityOf(raw, l.c.options.MaxDepth)
	id.Err = why
	l.window.use(len(raw))
	return &id
}

// nameItems finds out what the items are, for those that do not say.
func (l *jsonList) nameItems() {
	kind, version := strings.TrimSuffix(l.kind, "List"), l.apiVersion
	if kind == "" || version == "" {
		kind, version = l.c.info.Kind, l.c.info.GroupVersion().String()
	}
	if kind != "" {
		l.itemKind, l.itemVersion = kind, version
	}
}

// giveKind gives an object its apiVersion and kind if it has neither: the items
// of a typed list do not. kind is nil where it is not known.
func giveKind(u *unstructured.Unstructured, apiVersion, kind any) {
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
