package rest

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// expects is what the items of a list or a watch may say that they are. A server
// that is asked for metadata alone and cannot do that sends the objects whole.
func (c *codec) expects() *jsonobj.Expected {
	if c.info.Kind == "" {
		return nil
	}
	e := &jsonobj.Expected{Kinds: []string{c.info.Kind}, Groups: []string{c.info.Group}}
	switch {
	case c.metadataOnly:
		e.Kinds, e.Groups = append(e.Kinds, c.typ.Name()), append(e.Groups, metav1.GroupName)
	case c.isStatus:
		e.Kinds, e.Groups = append(e.Kinds, statusKind), append(e.Groups, "")
	}
	return e
}

// checkKind refuses an object that says it is something else. Where it is not
// known what was asked for, it refuses what no single object is.
func (c *codec) checkKind(kind string) error {
	switch {
	case kind == "" || kind == c.info.Kind:
		return nil
	case c.metadataOnly && kind == c.typ.Name(), c.isStatus && kind == statusKind:
		return nil
	case c.info.Kind != "":
		return fmt.Errorf("the server sent a %s and no %s", excerpt([]byte(kind)), c.info.Kind)
	case kind == "Table" || strings.HasSuffix(kind, "List"):
		return fmt.Errorf("the server sent a %s and no object: if it is one, name its kind in ResourceInfo.Kind", excerpt([]byte(kind)))
	}
	return nil
}
