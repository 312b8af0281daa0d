package wire

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// metadataKind is the kind of the response to a metadata-only request.
const metadataKind = "PartialObjectMetadata"

// expectedKinds returns the valid kinds of the items of a list or a watch. A server
// that does not support metadata-only requests sends whole objects.
func (c *Codec) expectedKinds() *jsonobj.Expected {
	if c.kind.Kind == "" {
		return nil
	}
	e := &jsonobj.Expected{Kinds: []string{c.kind.Kind}, Groups: []string{c.kind.Group}}
	switch {
	case c.metadataOnly:
		e.Kinds, e.Groups = append(e.Kinds, metadataKind), append(e.Groups, metav1.GroupName)
	case c.isStatus:
		e.Kinds, e.Groups = append(e.Kinds, statusKind), append(e.Groups, "")
	}
	return e
}

// checkKind rejects an object of another kind. If the expected kind is not known,
// it rejects lists and tables.
func (c *Codec) checkKind(kind string) error {
	switch {
	case kind == "" || kind == c.kind.Kind:
		return nil
	case c.metadataOnly && kind == metadataKind, c.isStatus && kind == statusKind:
		return nil
	case c.kind.Kind != "":
		return fmt.Errorf("the server sent a %s instead of a %s", excerpt([]byte(kind)), c.kind.Kind)
	case kind == "Table" || strings.HasSuffix(kind, "List"):
		return fmt.Errorf("the server sent a %s instead of an object: if the kind is correct, set ResourceInfo.Kind", excerpt([]byte(kind)))
	}
	return nil
}
