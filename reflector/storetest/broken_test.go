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

// fakeStore is a correct store that a test breaks. A call that blocks waits for
// released.
type fakeStore struct {
	mu      lock
	now     map[string]int
	version string

	store    storeFuncs
	released chan struct{}
}

// lock is a mutex of channels. Waiting for it does not stop the fake clock, and it is
// open after released is closed.
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

// storeFuncs implements reflector.Store with functions that a test can replace.
type storeFuncs struct {
	put, remove func(testObject) error
	replace     func(iter.Seq2[testObject, error], func() string) error
	bookmark    func(string)
	resync      func() error
}

func (f *storeFuncs) Add(o testObject) error    { return f.put(o) }
func (f *storeFuncs) Update(o testObject) error { return f.put(o) }
func (f *storeFuncs) Delete(o testObject) error { return f.remove(o) }
func (f *storeFuncs) Replace(items iter.Seq2[testObject, error], version func() string) error {
	return f.replace(items, version)
}
func (f *storeFuncs) Bookmark(version string) { f.bookmark(version) }
func (f *storeFuncs) Resync() error           { return f.resync() }

var _ reflector.Store[testObject] = (*storeFuncs)(nil)

func newFakeStore() *fakeStore {
	p := &fakeStore{now: map[string]int{}, released: make(chan struct{})}
	p.mu = lock{make(chan struct{}, 1), p.released}
	p.store = storeFuncs{
		put:    func(o testObject) error { p.now[o.name] = o.n; return nil },
		remove: func(o testObject) error { delete(p.now, o.name); return nil },
		replace: func(items iter.Seq2[testObject, error], version func() string) error {
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
	p.store.put = func(o testObject) error { return p.locked(func() error { return put(o) }) }
	p.store.remove = func(o testObject) error { return p.locked(func() error { return remove(o) }) }
	return p
}

func (p *fakeStore) locked(f func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return f()
}

func (p *fakeStore) become(all map[string]int, version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.version = all, version
}

func (p *fakeStore) contents() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.now)
}

var errNoItems = errors.New("no items")

// collect returns the items, or an error. The last of several items for the same
// object counts.
func collect(items iter.Seq2[testObject, error]) (map[string]int, error) {
	return collectWith(items, func(all map[string]int, o testObject) error {
		all[o.name] = o.n
		return nil
	})
}

// collectWith calls add for each item.
func collectWith(items iter.Seq2[testObject, error], add func(all map[string]int, o testObject) error) (map[string]int, error) {
	if items == nil {
		return nil, errNoItems
	}
	all := map[string]int{}
	for o, err := range items {
		if err != nil {
			return nil, err
		}
		if err := add(all, o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (p *fakeStore) tested() Store[testObject] {
	return Store[testObject]{
		Store: &p.store, Object: func(name string, n int) testObject { return testObject{name, n} },
		Contents: p.contents,
		Version: func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.version
		},
	}
}

// failing returns the names of the cases that a store fails, with their errors. It
// uses fake time, so that a timeout takes no real time.
func failing(t *testing.T, store func() *fakeStore) (names []string, messages map[string]string) {
	messages = map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range casesOf[testObject]() {
			p := store()
			if _, err := c.perform(p.tested()); err != nil {
				names = append(names, c.name)
				messages[c.name] = err.Error()
			}
			close(p.released)
		}
	})
	return names, messages
}

func TestCorrectStorePasses(t *testing.T) {
	got, messages := failing(t, newFakeStore)
	require.Empty(t, got, messages)
}

// A store need not have a version.
func TestStoreWithoutVersionsPasses(t *testing.T) {
	for _, c := range casesOf[testObject]() {
		p := newFakeStore()
		p.store.bookmark = func(string) {}
		s := p.tested()
		s.Version = nil
		_, err := c.perform(s)
		require.NoError(t, err, c.name)
	}
}

// Each defect of a store fails the cases that test it, and no others.
func TestBrokenStoresFail(t *testing.T) {
	for name, c := range map[string]struct {
		breaks  func(*fakeStore)
		fails   string // the names of the cases
		message string // a part of the first error
	}{
		"Add ignores existing objects": {func(p *fakeStore) {
			p.store.put = func(o testObject) error {
				return p.locked(func() error {
					if _, ok := p.now[o.name]; !ok {
						p.now[o.name] = o.n
					}
					return nil
				})
			}
		}, "add update events bookmark resync", "the store has [a@1 b@2], want [a@3 b@2]"},
		"Update ignores missing objects": {func(p *fakeStore) {
			first := true
			p.store.put = func(o testObject) error {
				return p.locked(func() error {
					if _, ok := p.now[o.name]; ok || first {
						p.now[o.name], first = o.n, false
					}
					return nil
				})
			}
		}, "add update delete events replace-empty", "the store has [a@1], want [a@1 b@2]"},
		"Update of a missing object is an error": {func(p *fakeStore) {
			put := p.store.put
			p.store.put = func(o testObject) error {
				if _, ok := p.contents()[o.name]; !ok && o.name == "b" {
					return errors.New("not found")
				}
				return put(o)
			}
		}, "add update delete events", "b@2: not found"},
		"Delete does nothing": {func(p *fakeStore) {
			p.store.remove = func(testObject) error { return nil }
		}, "delete events resync", "the store has [a@1 b@2], want [b@2]"},
		"Delete ignores other states": {func(p *fakeStore) {
			p.store.remove = func(o testObject) error {
				return p.locked(func() error {
					if p.now[o.name] == o.n {
						delete(p.now, o.name)
					}
					return nil
				})
			}
		}, "delete events resync", "the store has [a@1 b@2], want [b@2]"},
		"Delete of a missing object is an error": {func(p *fakeStore) {
			remove := p.store.remove
			p.store.remove = func(o testObject) error {
				if _, ok := p.contents()[o.name]; !ok {
					return errors.New("not found")
				}
				return remove(o)
			}
		}, "delete events", "not found"},
		"Replace reads its items twice": {func(p *fakeStore) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				if items != nil {
					for range items {
					}
				}
				return replace(items, version)
			}
		}, "replace-once", "are read 2 times"},
		"Replace keeps old objects": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collect(items)
				if err != nil {
					return err
				}
				before := p.contents()
				maps.Copy(before, all)
				p.become(before, version())
				return nil
			}
		}, "replace replace-empty replace-twice replace-error replace-hidden readers", "the store has [a@1 b@2 c@3 d@5 e@6], want [c@3 d@5 e@6]"},
		"Replace ignores empty lists": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collect(items)
				if err == nil && len(all) > 0 {
					p.become(all, version())
				}
				return err
			}
		}, "replace-empty", "the version of the store is"},
		"Replace stores the first of two items": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collectWith(items, func(all map[string]int, o testObject) error {
					if _, stored := all[o.name]; !stored {
						all[o.name] = o.n
					}
					return nil
				})
				if err == nil {
					p.become(all, version())
				}
				return err
			}
		}, "replace-twice", "the store has [a@1 b@2], want [a@3 b@2]"},
		"Replace rejects duplicate items": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collectWith(items, func(all map[string]int, o testObject) error {
					if _, stored := all[o.name]; stored {
						return errors.New("twice")
					}
					all[o.name] = o.n
					return nil
				})
				if err == nil {
					p.become(all, version())
				}
				return err
			}
		}, "replace-twice", "twice"},
		"Replace accepts nil as an empty list": {func(p *fakeStore) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				if items == nil {
					p.become(map[string]int{}, version())
					return nil
				}
				return replace(items, version)
			}
		}, "replace-nil", "Replace accepts a nil iterator"},
		"Replace ranges over nil": {func(p *fakeStore) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				if items == nil {
					items(nil)
				}
				return replace(items, version)
			}
		}, "replace-nil", "panic: "},
		"Replace stores the items before an error": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
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
		}, "replace-error replace-version", "the store has [], want [a@2 b@3]"},
		"Replace ignores errors": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
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
		}, "replace-error replace-version", "Replace returned nil"},
		"Replace does not wrap errors": {func(p *fakeStore) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				if err := replace(items, version); err != nil {
					return errors.New("the list was bad")
				}
				return nil
			}
		}, "replace-error", "does not wrap the error of the items: the list was bad"},
		"Replace empties the store first": {func(p *fakeStore) {
			replace := p.store.replace
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				if items != nil {
					p.become(map[string]int{}, "")
				}
				return replace(items, version)
			}
		}, "replace-error replace-hidden replace-version readers", "the store has [], want [a@2 b@3]"},
		"Replace is not atomic": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collect(items)
				if err != nil {
					return err
				}
				v := version()
				for name := range p.contents() {
					if _, ok := all[name]; !ok {
						_ = p.store.remove(testObject{name: name})
					}
				}
				for name, n := range all {
					runtime.Gosched()
					_ = p.store.put(testObject{name, n})
				}
				_ = p.locked(func() error { p.version = v; return nil })
				return nil
			}
		}, "readers", "while lists replaced each other"},
		"Replace blocks readers": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				p.mu.Lock()
				defer p.mu.Unlock()
				all, err := collect(items)
				if err == nil {
					p.now, p.version = all, version()
				}
				return err
			}
		}, "replace-hidden", "read the contents while a Replace waits for its items"},
		"version is called first": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				v := version()
				all, err := collect(items)
				if err == nil {
					p.become(all, v)
				}
				return err
			}
		}, "replace-version", "Replace called version before the items had ended"},
		"version is called after an error": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], version func() string) error {
				all, err := collect(items)
				if items == nil {
					return err
				}
				if v := version(); err == nil {
					p.become(all, v)
				}
				return err
			}
		}, "replace-version", "called version 1 times"},
		"version is not called": {func(p *fakeStore) {
			p.store.replace = func(items iter.Seq2[testObject, error], _ func() string) error {
				all, err := collect(items)
				if err == nil {
					p.become(all, "")
				}
				return err
			}
		}, "replace replace-empty replace-same replace-twice replace-nil replace-error replace-hidden replace-version bookmark resync readers", `the version of the store is ""`},
		"Bookmark does nothing": {func(p *fakeStore) {
			p.store.bookmark = func(string) {}
		}, "bookmark", "the version of the store is"},
		"Bookmark empties the store": {func(p *fakeStore) {
			p.store.bookmark = func(version string) { p.become(map[string]int{}, version) }
		}, "bookmark", "the store has []"},
		"Resync fails": {func(p *fakeStore) {
			p.store.resync = func() error { return errors.New("not now") }
		}, "resync", "Resync of an empty store: not now"},
		"Resync empties the store": {func(p *fakeStore) {
			p.store.resync = func() error { p.become(map[string]int{}, ""); return nil }
		}, "resync", "the store has []"},
		"Add blocks": {func(p *fakeStore) {
			put := p.store.put
			p.store.put = func(o testObject) error {
				if o.n > 3 {
					<-p.released
				}
				return put(o)
			}
		}, "delete events replace replace-empty replace-error bookmark", "timed out after 10s: Add"},
		"Add ignores the sixth object": {func(p *fakeStore) {
			put := p.store.put
			p.store.put = func(o testObject) error {
				if len(p.contents()) > 4 {
					return nil
				}
				return put(o)
			}
		}, "events", "the store has [b@185 c@160"},
	} {
		t.Run(name, func(t *testing.T) {
			got, messages := failing(t, func() *fakeStore {
				p := newFakeStore()
				c.breaks(p)
				return p
			})
			want := strings.Split(c.fails, " ")
			require.Equal(t, want, got, messages)
			require.Contains(t, messages[want[0]], c.message)
		})
	}
}
