package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// simObject is a config map as the simulation sees it. Each write puts a number
// of its own into its data, by which contents are told apart.
type simObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

func simKey(namespace, name string) string { return namespace + "/" + name }

func (o *simObject) key() string    { return simKey(o.Namespace, o.Name) }
func (o *simObject) sight() sight   { return sight{string(o.UID), o.ResourceVersion, o.number()} }
func (o *simObject) number() string { return o.Data["write"] }

// version of the server; 0 is none.
func simVersion(text string) uint64 {
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// simLog is what has happened, for whoever has to find out why.
type simLog struct {
	start time.Time
	mu    sync.Mutex
	lines []string
}

func (l *simLog) since() time.Duration { return time.Since(l.start) }

func (l *simLog) add(who, format string, args ...any) {
	line := fmt.Sprintf("%12s  %-8s %s", l.since(), who, fmt.Sprintf(format, args...))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *simLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// simSource is a view that takes down what it hands out.
type simSource struct {
	*rest.View[*simObject]
	log *simLog

	mu sync.Mutex
	// handedOut is all objects in their order; states counts the initial states
	// that were read to the end.
	handedOut []sighting
	states    int
	// reading: an initial state is being read, and began at readFrom.
	reading  bool
	readFrom int
	// seen is the newest version that was handed out since the last initial
	// state.
	seen uint64
	// hidden are the keys whose last event could not be decoded: what they are
	// was not told. hiddenInState are those of an initial state under way.
	hidden, hiddenInState map[string]bool
	// unreadable are all keys of which something could ever not be decoded.
	unreadable map[string]bool
}

var _ listwatch.ListerWatcher[*simObject] = (*simSource)(nil)

// List is of listwatch.Lister.
func (s *simSource) List(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*simObject], error) {
	s.log.add("source", "list")
	list, err := s.View.List(ctx, opts)
	if err != nil {
		s.log.add("source", "list: %v", err)
		return nil, err
	}
	if opts.Limit != 1 { // that one only asks whether the server was set back
		s.begin()
	}
	items := func(yield func(*simObject, error) bool) {
		n := 0
		for obj, err := range list.Items() {
			if err != nil {
				s.log.add("source", "list, after %d items: %v", n, err)
			}
			n++
			s.item(obj, err, true)
			if !yield(obj, err) {
				s.log.add("source", "list left after %d items", n)
				return
			}
			if err != nil && !errors.As(err, new(*rest.ItemError)) && !errors.Is(err, rest.ErrRestarted) {
				return
			}
		}
		s.log.add("source", "list of %d items at %s", n, list.ResourceVersion())
		s.whole(list.ResourceVersion())
	}
	return rest.NewList(items, list.ResourceVersion), nil
}

// Watch is of listwatch.Watcher.
func (s *simSource) Watch(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*simObject], error) {
	initial := opts.SendInitialEvents != nil && *opts.SendInitialEvents
	how := "watch from " + opts.ResourceVersion
	if initial {
		how = "watch with its initial state"
		s.begin()
	}
	s.log.add("source", "%s", how)
	w, err := s.View.Watch(ctx, opts)
	if err != nil {
		s.log.add("source", "%s: %v", how, err)
		return nil, err
	}
	next := func(ctx context.Context) (listwatch.Event[*simObject], error) {
		event, err := w.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			s.log.add("source", "the watch has ended")
		case err != nil:
			s.log.add("source", "watch: %v", err)
			s.item(nil, err, initial)
		case event.Type == watch.Bookmark:
			s.log.add("source", "BOOKMARK %s initial end %t", event.ResourceVersion, event.InitialEventsEnd)
			s.bookmark(event.ResourceVersion)
			if event.InitialEventsEnd {
				initial = false
				s.whole(event.ResourceVersion)
			}
		default:
			s.log.add("source", "%s %s %s", event.Type, event.Object.key(), event.Object.sight())
			s.item(event.Object, nil, initial)
		}
		return event, err
	}
	return rest.NewWatch(next, w.Stop), nil
}

// begin is of an initial state.
func (s *simSource) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hiddenInState = map[string]bool{}
	s.reading, s.readFrom = true, len(s.handedOut)
}

// whole: an initial state has been read to its end.
func (s *simSource) whole(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states++
	s.reading = false
	if simVersion(version) < s.seen { // it may not be believed: then the store stays as it is
		maps.Copy(s.hiddenInState, s.hidden)
	}
	s.seen = simVersion(version)
	s.hidden = s.hiddenInState
	s.hiddenInState = map[string]bool{}
}

func (s *simSource) bookmark(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = max(s.seen, simVersion(version))
}

func (s *simSource) item(obj *simObject, err error, initial bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var undecodable *rest.ItemError
	switch {
	case errors.As(err, &undecodable):
		key := simKey(undecodable.Namespace, undecodable.Name)
		if s.unreadable == nil {
			s.unreadable = map[string]bool{}
		}
		s.unreadable[key] = true
		if initial {
			s.hiddenInState[key] = true
		} else {
			s.hide(key)
		}
		s.seen = max(s.seen, simVersion(undecodable.ResourceVersion))
	case err != nil:
	case initial:
		s.handedOut = append(s.handedOut, sighting{obj.key(), obj.sight()})
	default:
		s.handedOut = append(s.handedOut, sighting{obj.key(), obj.sight()})
		s.seen = max(s.seen, simVersion(obj.ResourceVersion))
		delete(s.hidden, obj.key())
	}
}

func (s *simSource) hide(key string) {
	if s.hidden == nil {
		s.hidden = map[string]bool{}
	}
	s.hidden[key] = true
}

// at is how much of what has been handed out the informer can have stored by
// now, and how many initial states were read: of one that is being read nothing
// is stored yet.
func (s *simSource) at() (handedOut, states int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading {
		return s.readFrom, s.states
	}
	return len(s.handedOut), s.states
}

// after is what was handed out from there on.
func (s *simSource) after(from int) []sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]sighting{}, s.handedOut[from:]...)
}

func (s *simSource) newest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// isHidden is whether nobody could tell the last state of a key.
func (s *simSource) isHidden(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden[key]
}

func (s *simSource) unreadableSoFar() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.unreadable)
}
