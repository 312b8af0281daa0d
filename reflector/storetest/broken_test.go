package storetest

import (
	"errors"
	"iter"
	"maps"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/reflector"
)

// pile is a store that a test breaks. What hangs, hangs on released.
type pile struct {
	mu      lock
	now     map[string]int
	version string

	store    hand
	released chan struct{}
}

// lock is a mutex that fake time passes on, and that is open at the end.
type lock struct{ held, released chan struct{} }

func (l lock) Lock() {
	select {
	case l.held <- struct{}{}:
	case <-l.released:
	}
}

func (l lock) Unlock() {
	select {
	case <-l.held:
	case <-l.released:
	}
}

// hand is the methods of a store, each of which can be taken for another.
type hand struct {
	put, remove func(thing) error
	replace     func(iter.Seq2[thing, error], func() string) error
	bookmark    func(string)
	resync      func() error
}

func (h *hand) Add(o thing) error    { return h.put(o) }
func (h *hand) Update(o thing) error { return h.put(o) }
func (h *hand) Delete(o thing) error { return h.remove(o) }
func (h *hand) Replace(items iter.Seq2[thing, error], version func() string) error {
	return h.replace(items, version)
}
func (h *hand) Bookmark(version string) { h.bookmark(version) }
func (h *hand) Resync() error           { return h.resync() }

var _ reflector.Store[thing] = (*hand)(nil)

func newPile() *pile {
	p := &pile{now: map[string]int{}, released: make(chan struct{})}
	p.mu = lock{make(chan struct{}, 1), p.released}
	p.store = hand{
		put:    func(o thing) error { p.now[o.name] = o.n; return nil },
		remove: func(o thing) error { delete(p.now, o.name); return nil },
		replace: func(items iter.Seq2[thing, error], version func() string) error {
			all, err := collect(items)
			if err != nil {
				return err
			}
			p.become(all, version())
			return nil
		},
		bookmark: func(version string) { p.version = version },
		resync:   func() error { return nil },
	}
	put, remove := p.store.put, p.store.remove
	p.store.put = func(o thing) error { return p.locked(func() error { return put(o) }) }
	p.store.remove = func(o thing) error { return p.locked(func() error { return remove(o) }) }
	return p
}

func (p *pile) locked(f func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return f()
}

func (p *pile) become(all map[string]int, version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.version = all, version
}

func (p *pile) contents() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.now)
}

var errNoItems = errors.New("no items")

func collect(items iter.Seq2[thing, error]) (map[string]int, error) {
	if items == nil {
		return nil, errNoItems
	}
	all := map[string]int{}
	for o, err := range items {
		if err != nil {
			return nil, err
		}
		all[o.name] = o.n
	}
	return all, nil
}

func (p *pile) tested() Store[thing] {
	return Store[thing]{
		Store: &p.store, Object: func(name string, n int) thing { return thing{name, n} },
		Contents: p.contents,
		Version: func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.version
		},
	}
}

// failing are the names of the cases that a store fails, with their errors. It is
// tried in fake time, so that waiting for ever costs nothing.
func failing(t *testing.T, store func() *pile) (names []string, why map[string]string) {
	why = map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range casesOf[thing]() {
			p := store()
			if _, err := c.perform(p.tested()); err != nil {
				names = append(names, c.name)
				why[c.name] = err.Error()
			}
			close(p.released)
		}
	})
	return names, why
}

func TestASoundStorePasses(t *testing.T) {
	got, why := failing(t, newPile)
	require.Empty(t, got, why)
}

// A store need not show a version.
func TestAStoreWithoutVersions(t *testing.T) {
	for _, c := range casesOf[thing]() {
		p := newPile()
		p.store.bookmark = func(string) {}
		s := p.tested()
		s.Version = nil
		_, err := c.perform(s)
		require.NoError(t, err, c.name)
	}
}

// Each thing that can be wrong with a store fails the cases that are about it,
// and no others.
func TestBrokenStoresFail(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*pile)
		fails  string // the cases
		why    string // a part of what the first one says
	}{
		"an Add that takes no place": {func(p *pile) {
			p.store.put = func(o thing) error {
				return p.locked(func() error {
					if _, ok := p.now[o.name]; !ok {
						p.now[o.name] = o.n
					}
					return nil
				})
			}
		}, "add update events bookmark resync", "stored is [a@1 b@2], and should be [a@3 b@2]"},
		"an Update of what is there only": {func(p *pile) {
			first := true
			p.store.put = func(o thing) error {
				return p.locked(func() error {
					if _, ok := p.now[o.name]; ok || first {
						p.now[o.name], first = o.n, false
					}
					return nil
				})
			}
		}, "add update delete events replace-empty", "stored is [a@1], and should be [a@1 b@2]"},
		"an Update that is an error for what is not there": {func(p *pile) {
			put := p.store.put
			p.store.put = func(o thing) error {
				if _, ok := p.contents()[o.name]; !ok && o.name == "b" {
					return errors.New("not found")
				}
				return put(o)
			}
		}, "add update delete events", "b@2: not found"},
		"a Delete that does nothing": {func(p *pile) {
			p.store.remove = func(thing) error { return nil }
		}, "delete events resync", "stored is [a@1 b@2], and should be [b@2]"},
		"a Delete of one state only": {func(p *pile) {
			p.store.remove = func(o thing) error {
				return p.locked(func() error {
					if p.now[o.name] == o.n {
						delete(p.now, o.name)
					}
					return nil
				})
			}
		}, "delete events resync", "stored is [a@1 b@2], and should be [b@2]"},
		"a Delete that is an error for what is not there": {func(p *pile) {
			remove := p.store.remove
			p.store.remove = func(o thing) error {
				if _, ok := p.contents()[o.name]; !ok {
					return errors.New("not found")
				}
				return remove(o)
			}
		}, "delete events", "not found"},
		"a Replace that counts its items first": {func(p *pile) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items != nil {
					for range items {
					}
				}
				return replace(items, version)
			}
		}, "replace-once", "are read 2 times"},
		"a Replace that adds": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				all, err := collect(items)
				if err != nil {
					return err
				}
				before := p.contents()
				maps.Copy(before, all)
				p.become(before, version())
				return nil
			}
		}, "replace replace-empty replace-twice replace-error replace-hidden readers", "stored is [a@1 b@2 c@3 d@5 e@6], and should be [c@3 d@5 e@6]"},
		"a Replace that passes over empty lists": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				all, err := collect(items)
				if err == nil && len(all) > 0 {
					p.become(all, version())
				}
				return err
			}
		}, "replace-empty", "the store is at version"},
		"a Replace whose first item of a name counts": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					return errNoItems
				}
				all := map[string]int{}
				for o, err := range items {
					if err != nil {
						return err
					}
					if _, twice := all[o.name]; !twice {
						all[o.name] = o.n
					}
				}
				p.become(all, version())
				return nil
			}
		}, "replace-twice", "stored is [a@1 b@2], and should be [a@3 b@2]"},
		"a Replace that refuses what comes twice": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					return errNoItems
				}
				all := map[string]int{}
				for o, err := range items {
					if err != nil {
						return err
					}
					if _, twice := all[o.name]; twice {
						return errors.New("twice")
					}
					all[o.name] = o.n
				}
				p.become(all, version())
				return nil
			}
		}, "replace-twice", "twice"},
		"a Replace that takes nil for nothing": {func(p *pile) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					p.become(map[string]int{}, version())
					return nil
				}
				return replace(items, version)
			}
		}, "replace-nil", "taken for one without items"},
		"a Replace that ranges over nil": {func(p *pile) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					items(nil)
				}
				return replace(items, version)
			}
		}, "replace-nil", "a panic: "},
		"a Replace that stores what came before an error": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					return errNoItems
				}
				all := map[string]int{}
				for o, err := range items {
					if err != nil {
						p.become(all, "")
						return err
					}
					all[o.name] = o.n
				}
				p.become(all, version())
				return nil
			}
		}, "replace-error replace-version", "stored is [], and should be [a@2 b@3]"},
		"a Replace that passes over errors": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items == nil {
					return errNoItems
				}
				all := map[string]int{}
				for o, err := range items {
					if err == nil {
						all[o.name] = o.n
					}
				}
				p.become(all, version())
				return nil
			}
		}, "replace-error replace-version", "Replace returned none"},
		"a Replace with an error of its own": {func(p *pile) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if err := replace(items, version); err != nil {
					return errors.New("the list was bad")
				}
				return nil
			}
		}, "replace-error", "that is not in what Replace returned: the list was bad"},
		"a Replace that empties first": {func(p *pile) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				if items != nil {
					p.become(map[string]int{}, "")
				}
				return replace(items, version)
			}
		}, "replace-error replace-hidden replace-version readers", "stored is [], and should be [a@2 b@3]"},
		"a Replace of one after the other": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				all, err := collect(items)
				if err != nil {
					return err
				}
				v := version()
				for name := range p.contents() {
					if _, ok := all[name]; !ok {
						_ = p.store.remove(thing{name: name})
					}
				}
				for name, n := range all {
					runtime.Gosched()
					_ = p.store.put(thing{name, n})
				}
				_ = p.locked(func() error { p.version = v; return nil })
				return nil
			}
		}, "readers", "while lists took each other's place"},
		"a Replace that locks while it reads": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				p.mu.Lock()
				defer p.mu.Unlock()
				all, err := collect(items)
				if err == nil {
					p.now, p.version = all, version()
				}
				return err
			}
		}, "replace-hidden", "read the contents while a Replace waits for its items"},
		"a version that is asked for at once": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				v := version()
				all, err := collect(items)
				if err == nil {
					p.become(all, v)
				}
				return err
			}
		}, "replace-version", "before the items had ended"},
		"a version that is asked for after an error": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], version func() string) error {
				all, err := collect(items)
				if items == nil {
					return err
				}
				if v := version(); err == nil {
					p.become(all, v)
				}
				return err
			}
		}, "replace-version", "having asked 1 times"},
		"a version that nobody asks for": {func(p *pile) {
			p.store.replace = func(items iter.Seq2[thing, error], _ func() string) error {
				all, err := collect(items)
				if err == nil {
					p.become(all, "")
				}
				return err
			}
		}, "replace replace-empty replace-same replace-twice replace-nil replace-error replace-hidden replace-version bookmark resync readers", `at version ""`},
		"a Bookmark that is passed over": {func(p *pile) {
			p.store.bookmark = func(string) {}
		}, "bookmark", "the store is at version"},
		"a Bookmark that empties": {func(p *pile) {
			p.store.bookmark = func(version string) { p.become(map[string]int{}, version) }
		}, "bookmark", "stored is []"},
		"a Resync that fails": {func(p *pile) {
			p.store.resync = func() error { return errors.New("not now") }
		}, "resync", "Resync of an empty store: not now"},
		"a Resync that empties": {func(p *pile) {
			p.store.resync = func() error { p.become(map[string]int{}, ""); return nil }
		}, "resync", "stored is []"},
		"a write that hangs": {func(p *pile) {
			put := p.store.put
			p.store.put = func(o thing) error {
				if o.n > 3 {
					<-p.released
				}
				return put(o)
			}
		}, "delete events replace replace-empty replace-error bookmark", "after 10s it is not done with this: Add"},
		"objects that are lost when there are many": {func(p *pile) {
			put := p.store.put
			p.store.put = func(o thing) error {
				if len(p.contents()) > 4 {
					return nil
				}
				return put(o)
			}
		}, "events", "stored is [b@185 c@160"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := failing(t, func() *pile {
				p := newPile()
				c.breaks(p)
				return p
			})
			want := strings.Split(c.fails, " ")
			require.Equal(t, want, got, why)
			require.Contains(t, why[want[0]], c.why)
		})
	}
}
