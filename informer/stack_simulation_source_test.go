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

// simObject is a config map of the simulation. Each write puts a unique number into
// its data, which distinguishes contents.
type simObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

func simKey(namespace, name string) string { return namespace + "/" + name }

func (o *simObject) key() string { return simKey(o.Namespace, o.Name) }
func (o *simObject) state() objectState {
	return objectState{string(o.UID), o.ResourceVersion, o.number()}
}
func (o *simObject) number() string { return o.Data["write"] }

// simVersion parses a version of the server; 0 means none.
func simVersion(text string) uint64 {
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// simLog is the history of a run, for the analysis of failures.
type simLog struct {
	start time.Time
	mu    sync.Mutex
	lines []string
}

func (l *simLog) since() time.Duration { return time.Since(l.start) }

func (l *simLog) add(origin, format string, args ...any) {
	line := fmt.Sprintf("%12s  %-8s %s", l.since(), origin, fmt.Sprintf(format, args...))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *simLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// simSource is a view that records what it returns.
type simSource struct {
	*rest.View[*simObject]
	log *simLog

	mu sync.Mutex
	// returned are all objects in order; states is the number of initial states that
	// were read to the end.
	returned []keyedState
	states   int
	// accepted is the number of initial states that the informer accepts: those that
	// are not older than the known state, or that follow an older one. olderSeen is set
	// after an older one.
	accepted  int
	olderSeen bool
	// reading: an initial state is being read. Its first object is returned[readFrom].
	reading  bool
	readFrom int
	// mixed: the server was set back while the initial state was being read, and has
	// reached the version of its continue token again. The pages before and after can
	// belong to two histories, which no client can detect.
	mixed bool
	// seen is the newest version that was returned since the last initial state.
	seen uint64
	// hidden are the keys whose last event could not be decoded. hiddenInState are those
	// of the initial state that is being read.
	hidden, hiddenInState map[string]bool
	// unreadable are all keys with an event or item that could not be decoded.
	unreadable map[string]bool
}

var _ listwatch.ListerWatcher[*simObject] = (*simSource)(nil)

// List implements listwatch.Lister.
func (s *simSource) List(ctx context.Context, opts metav1.ListOptions) (*listwatch.List[*simObject], error) {
	s.log.add("source", "list")
	list, err := s.View.List(ctx, opts)
	if err != nil {
		s.log.add("source", "list: %v", err)
		return nil, err
	}
	if opts.Limit == 1 {
		return list, nil // this list only checks whether the server was set back
	}
	s.begin()
	items := func(yield func(*simObject, error) bool) {
		n := 0
		for obj, err := range list.Items() {
			if err != nil {
				s.log.add("source", "list, after %d items: %v", n, err)
			}
			n++
			s.item(obj, err, true)
			if !yield(obj, err) {
				s.log.add("source", "list abandoned after %d items", n)
				return
			}
			if err != nil && !errors.As(err, new(*rest.ItemError)) && !errors.Is(err, rest.ErrRestarted) {
				return
			}
		}
		s.log.add("source", "list of %d items at %s", n, list.ResourceVersion())
		s.complete(list.ResourceVersion())
	}
	return rest.NewList(items, list.ResourceVersion), nil
}

// Watch implements listwatch.Watcher.
func (s *simSource) Watch(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*simObject], error) {
	initial := opts.SendInitialEvents != nil && *opts.SendInitialEvents
	how := "watch from " + opts.ResourceVersion
	if initial {
		how = "watch with initial state"
		s.begin()
	}
	s.log.add("source", "%s", how)
	w, err := s.View.Watch(ctx, opts)
	if err != nil {
		s.log.add("source", "%s: %v", how, err)
		return nil, err
	}
	// An event is recorded when the informer requests the next one, since an event that
	// was read before the check of the version may be dropped.
	record := func() {}
	next := func(ctx context.Context) (listwatch.Event[*simObject], error) {
		record()
		record = func() {}
		event, err := w.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			s.log.add("source", "the watch has ended")
		case err != nil:
			s.log.add("source", "watch: %v", err)
			record = func() { s.item(nil, err, initial) }
		case event.Type == watch.Bookmark:
			s.log.add("source", "BOOKMARK %s initial end %t", event.ResourceVersion, event.InitialEventsEnd)
			if event.InitialEventsEnd {
				initial = false
				s.bookmark(event.ResourceVersion)
				s.complete(event.ResourceVersion)
			} else {
				record = func() { s.bookmark(event.ResourceVersion) }
			}
		default:
			s.log.add("source", "%s %s %s", event.Type, event.Object.key(), event.Object.state())
			if initial {
				s.item(event.Object, nil, true)
			} else {
				record = func() { s.item(event.Object, nil, false) }
			}
		}
		return event, err
	}
	return rest.NewWatch(next, w.Stop), nil
}

// begin records that an initial state is being read.
func (s *simSource) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hiddenInState = map[string]bool{}
	s.reading, s.readFrom, s.mixed = true, len(s.returned), false
}

// mix records that the initial state that is being read is of two histories, so that
// it does not count.
func (s *simSource) mix() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mixed = s.reading
}

// complete records that an initial state has been read to its end.
func (s *simSource) complete(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	older := simVersion(version) < s.seen
	if !s.mixed {
		s.states++
		if !older || s.olderSeen {
			s.accepted++
		}
	}
	s.reading, s.mixed, s.olderSeen = false, false, older && !s.olderSeen
	if older { // the informer may reject it, and keep its store
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
	case errors.Is(err, rest.ErrRestarted):
		s.mixed = false // all pages are read again
	case err != nil:
	case initial:
		s.returned = append(s.returned, keyedState{obj.key(), obj.state()})
	default:
		s.returned = append(s.returned, keyedState{obj.key(), obj.state()})
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

// at returns how many of the returned objects the informer can have stored, and how
// many initial states were read. No object of an initial state that is being read is
// stored yet.
func (s *simSource) at() (returned, states int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading {
		return s.readFrom, s.states
	}
	return len(s.returned), s.states
}

// acceptedStates returns the number of initial states that the informer has accepted.
// withCurrent includes the one that is being read, if any.
func (s *simSource) acceptedStates() (accepted, withCurrent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading {
		return s.accepted, s.accepted + 1
	}
	return s.accepted, s.accepted
}

// after returns the objects from that position on.
func (s *simSource) after(from int) []keyedState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]keyedState{}, s.returned[from:]...)
}

// newest returns the newest version since the last initial state.
func (s *simSource) newest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// isHidden reports whether the last state of a key could not be decoded.
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
