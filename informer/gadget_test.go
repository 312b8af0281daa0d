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
	colour string
	// fate is what a transform makes of it: "", drop, fail or blow.
	fate string
}

// aGadget makes one of "key@version/uid", of which the uid may be missing.
func aGadget(words string) *gadget {
	g := new(gadget)
	words, uid, _ := strings.Cut(words, "/")
	g.UID = types.UID(uid)
	g.Name, g.ResourceVersion, _ = strings.Cut(words, "@")
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
	if g.colour != "" {
		s += " " + g.colour
	}
	return s
}

// shown is a handler that calls for each callback.
func shown(call func(string)) ResourceEventHandler[*gadget] {
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

// stock is a source that a test plays by hand: what is listed, and the events
// that follow.
type stock struct {
	version string
	items   []*gadget
	events  chan listwatch.Event[*gadget]
}

func aStock(version string, items ...string) *stock {
	s := &stock{version: version, events: make(chan listwatch.Event[*gadget])}
	for _, words := range items {
		s.items = append(s.items, aGadget(words))
	}
	return s
}

func (s *stock) List(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
	return rest.ListOf(s.version, s.items...), nil
}

func (s *stock) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*gadget], error) {
		select {
		case event := <-s.events:
			return event, nil
		case <-ctx.Done():
			return listwatch.Event[*gadget]{}, ctx.Err()
		}
	}, nil), nil
}

// tell is an event of the watch that is open.
func (s *stock) tell(kind watch.EventType, words string) {
	g := aGadget(words)
	s.events <- listwatch.Event[*gadget]{Type: kind, Object: g, ResourceVersion: g.ResourceVersion}
}

// listed are options for sources that cannot stream their initial state.
func listed() Options[*gadget] { return Options[*gadget]{PreferList: true} }
