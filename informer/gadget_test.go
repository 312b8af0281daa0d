package informer

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// gadget is an object for tests.
type gadget struct {
	rest.SlimMeta
	color string
	// transform selects what transformGadget does: "", drop, fail or panic.
	transform string
}

// newGadget parses "name@version/uid"; "/uid" may be missing.
func newGadget(text string) *gadget {
	g := new(gadget)
	text, uid, _ := strings.Cut(text, "/")
	g.UID = types.UID(uid)
	g.Name, g.ResourceVersion, _ = strings.Cut(text, "@")
	return g
}

func (g *gadget) String() string {
	if g == nil {
		return "nil"
	}
	s := g.Name + "@" + g.ResourceVersion
	if g.UID != "" {
		s += "/" + string(g.UID)
	}
	if g.color != "" {
		s += " " + g.color
	}
	return s
}

// textHandler returns a handler that passes a description of each callback to call.
func textHandler(call func(string)) ResourceEventHandler[*gadget] {
	return ResourceEventHandlerFuncs[*gadget]{
		AddFunc: func(g *gadget, isInInitialList bool) {
			if isInInitialList {
				call(fmt.Sprintf("add %v (initial)", g))
			} else {
				call(fmt.Sprintf("add %v", g))
			}
		},
		UpdateFunc: func(old, g *gadget) { call(fmt.Sprintf("update %v -> %v", old, g)) },
		DeleteFunc: func(g *gadget, finalStateUnknown bool) {
			if finalStateUnknown {
				call(fmt.Sprintf("delete %v (unknown)", g))
			} else {
				call(fmt.Sprintf("delete %v", g))
			}
		},
	}
}

// gadgetNamespace is the namespace of gadgets of which an informer of several namespaces
// is tested.
const gadgetNamespace = "n"

// newGadgetsOfNamespaces returns an informer of several namespaces. One of them has the
// source, the other one is empty.
func newGadgetsOfNamespaces(source listwatch.ListerWatcher[*gadget], o Options[*gadget]) *shared[*gadget] {
	s := newScoped(source, o, func(namespace string) (listwatch.ListerWatcher[*gadget], error) {
		if namespace == gadgetNamespace {
			return source, nil
		}
		return newScriptedSource("1"), nil
	})
	s.err = s.feeds.setNamespaces([]string{gadgetNamespace, "other"})
	return s
}

// scriptedSource is a source with a fixed list. Its events are sent by the test.
type scriptedSource struct {
	version string
	// namespace is that of the objects of events.
	namespace string
	items     []*gadget
	events    chan listwatch.Event[*gadget]
}

func newScriptedSource(version string, items ...string) *scriptedSource {
	s := &scriptedSource{version: version, events: make(chan listwatch.Event[*gadget])}
	for _, text := range items {
		s.items = append(s.items, newGadget(text))
	}
	return s
}

func (s *scriptedSource) List(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
	return rest.ListOf(s.version, s.items...), nil
}

func (s *scriptedSource) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*gadget], error) {
		select {
		case event := <-s.events:
			return event, nil
		case <-ctx.Done():
			return listwatch.Event[*gadget]{}, ctx.Err()
		}
	}, nil), nil
}

// send sends an event on the open watch.
func (s *scriptedSource) send(kind watch.EventType, text string) {
	g := newGadget(text)
	g.Namespace = s.namespace
	s.events <- listwatch.Event[*gadget]{Type: kind, Object: g, ResourceVersion: g.ResourceVersion}
}

// preferList returns options for sources that cannot stream their initial state.
func preferList() Options[*gadget] { return Options[*gadget]{PreferList: true} }
