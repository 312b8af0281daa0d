package listwatchtest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// colour is the object of a palette.
type colour struct {
	name  string
	shade int
}

type event = listwatch.Event[*colour]

// palette is a source of colours in memory. Its version is the length of the log.
type palette struct {
	mu      sync.Mutex
	colours map[string]*colour
	log     []event       // all changes
	expired int           // watches cannot begin before this index of log
	changed chan struct{} // closed and replaced by each change
}

func newPalette() *palette {
	return &palette{colours: map[string]*colour{}, changed: make(chan struct{})}
}

func (p *palette) version() string { return strconv.Itoa(len(p.log)) }

// change returns a function that creates, updates or deletes a colour.
func (p *palette) change(typ watch.EventType) func(name string) error {
	return func(name string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		before := p.colours[name]
		if exists := before != nil; exists == (typ == watch.Added) {
			return fmt.Errorf("%s %s: exists is %v", typ, name, exists)
		}
		now := &colour{name: name}
		if before != nil {
			now.shade = before.shade + 1
		}
		p.colours[name] = now
		if typ == watch.Deleted {
			delete(p.colours, name)
		}
		p.log = append(p.log, event{Type: typ, Object: now, ResourceVersion: strconv.Itoa(len(p.log) + 1)})
		close(p.changed)
		p.changed = make(chan struct{})
		return nil
	}
}

func (p *palette) expire() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expired = len(p.log)
	return nil
}

// List returns all colours in the order of their names.
func (p *palette) List(ctx context.Context, _ metav1.ListOptions) (*listwatch.List[*colour], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return rest.ListOf(p.version(), p.all()...), ctx.Err()
}

func (p *palette) all() []*colour {
	var all []*colour
	for _, c := range p.colours {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *colour) int { return strings.Compare(a.name, b.name) })
	return all
}

// paletteWatch is a watch of a palette.
type paletteWatch struct {
	p       *palette
	opener  context.Context
	at      int     // the index in the log of the next event
	first   []event // events to deliver before it
	marks   bool    // a bookmark follows each event
	stopped chan struct{}
	once    sync.Once
}

// Watch begins at the version of opts, or with all colours if opts requests the
// initial state.
func (p *palette) Watch(ctx context.Context, opts metav1.ListOptions) (*listwatch.Watch[*colour], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &paletteWatch{p: p, opener: ctx, marks: opts.AllowWatchBookmarks, stopped: make(chan struct{})}
	if opts.SendInitialEvents != nil && *opts.SendInitialEvents {
		for _, c := range p.all() {
			b.first = append(b.first, event{Type: watch.Added, Object: c, ResourceVersion: p.version()})
		}
		b.first = append(b.first, event{Type: watch.Bookmark, ResourceVersion: p.version(), InitialEventsEnd: true})
		b.at = len(p.log)
	} else {
		at, err := strconv.Atoi(opts.ResourceVersion)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if b.at = at; at < p.expired {
			return nil, apierrors.NewResourceExpired("too old")
		}
	}
	return rest.NewWatch(b.next, func() { b.once.Do(func() { close(b.stopped) }) }), ctx.Err()
}

func (b *paletteWatch) next(ctx context.Context) (event, error) {
	for {
		select {
		case <-b.stopped:
			return event{}, io.EOF
		default:
		}
		if err := b.opener.Err(); err != nil {
			return event{}, err
		}
		e, ok, changed := b.take()
		if ok {
			return e, nil
		}
		select {
		case <-changed:
		case <-b.stopped:
		case <-b.opener.Done():
		case <-ctx.Done():
			b.once.Do(func() { close(b.stopped) })
			return event{}, ctx.Err()
		}
	}
}

// take returns the next event, or a channel that is closed by the next change.
func (b *paletteWatch) take() (e event, ok bool, changed <-chan struct{}) {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	if len(b.first) == 0 && b.at < len(b.p.log) {
		b.first = []event{b.p.log[b.at]}
		if b.at++; b.marks {
			b.first = append(b.first, event{Type: watch.Bookmark, ResourceVersion: strconv.Itoa(b.at)})
		}
	}
	if len(b.first) == 0 {
		return event{}, false, b.p.changed
	}
	e, b.first = b.first[0], b.first[1:]
	return e, true, nil
}

// source returns the palette as a Source of Run.
func (p *palette) source() Source[*colour] {
	return Source[*colour]{
		ListerWatcher: p,
		Name:          func(c *colour) string { return c.name },
		Create:        p.change(watch.Added), Update: p.change(watch.Modified), Delete: p.change(watch.Deleted),
		Expire: p.expire, WatchList: true,
	}
}

func TestConformingSourcePasses(t *testing.T) {
	Run(t, func(*testing.T) Source[*colour] { return newPalette().source() })
}

// A ListWatch of two functions is a valid source.
func TestListWatchOfFunctionsPasses(t *testing.T) {
	Run(t, func(*testing.T) Source[*colour] {
		p := newPalette()
		s := p.source()
		s.ListerWatcher = &listwatch.ListWatch[*colour]{ListFunc: p.List, WatchFunc: p.Watch}
		return s
	})
}
