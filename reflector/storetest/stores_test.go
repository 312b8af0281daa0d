package storetest_test

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector/storetest"
)

// book is an object: an edition of a title.
type book struct {
	title   string
	edition int
}

func newBook(title string, edition int) *book { return &book{title, edition} }

func titleOf(b *book) (string, error) { return b.title, nil }

// metaOf makes all editions of a title one object.
func metaOf(b *book) (types.UID, string) {
	if b.title == last {
		return "", ""
	}
	return types.UID(b.title), strconv.Itoa(b.edition)
}

func editions(ix *indexer.Indexer[*book]) map[string]int {
	all := map[string]int{}
	for b := range ix.Snapshot().All() {
		all[b.title] = b.edition
	}
	return all
}

func TestIndexer(t *testing.T) {
	for name, o := range map[string]indexer.Options[*book]{
		"by key":     {KeyFunc: titleOf},
		"by version": {KeyFunc: titleOf, MetaFunc: metaOf},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Store[*book] {
				ix := indexer.New(o)
				_, err := ix.AddIndex("edition", func(b *book) []string { return []string{strconv.Itoa(b.edition)} })
				require.NoError(t, err)
				return storetest.Store[*book]{
					Store: ix, Object: newBook, Version: ix.Version,
					Contents: func() map[string]int { return editions(ix) },
				}
			})
		})
	}
}

// last is the title of a book that drain adds to the end of the queue. The markers
// before it, which Len does not count, are then processed, too.
const last = ""

// drain applies all queued deltas, one batch at a time.
func drain(t *testing.T, q *deltafifo.DeltaFIFO[*book], apply func(deltas []deltafifo.Delta[*book], version string) error) {
	require.NoError(t, q.Add(newBook(last, 0)))
	for q.Len() > 0 {
		err := q.PopBatch(context.Background(), 0, func(deltas []deltafifo.Delta[*book], b deltafifo.Batch) error {
			books := slices.DeleteFunc(slices.Clone(deltas), func(d deltafifo.Delta[*book]) bool { return d.Key == last })
			return apply(books, b.Version)
		})
		require.NoError(t, err)
	}
}

// A queue in front of a store is a store: its contents are the objects that its
// consumer has stored.
func TestDeltaFIFOWithAnIndexer(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store[*book] {
		ix := indexer.New(indexer.Options[*book]{KeyFunc: titleOf})
		q := deltafifo.New(deltafifo.Options[*book]{KeyFunc: titleOf, MetaFunc: metaOf, KnownObjects: ix})
		t.Cleanup(q.Close)
		var consuming sync.Mutex
		contents := func() map[string]int {
			consuming.Lock()
			defer consuming.Unlock()
			drain(t, q, func(deltas []deltafifo.Delta[*book], version string) error {
				changes := make([]indexer.Change[*book], len(deltas))
				for i, d := range deltas {
					changes[i] = indexer.Change[*book]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted}
				}
				return ix.Apply(changes, version)
			})
			return editions(ix)
		}
		return storetest.Store[*book]{
			Store: q, Object: newBook, Contents: contents,
			Version: func() string {
				contents()
				return q.Version()
			},
		}
	})
}

// bookMap is a map that the consumer of a queue fills.
type bookMap struct {
	mu    sync.Mutex
	books map[string]*book
}

func (s *bookMap) Get(title string) (*book, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.books[title]
	return b, ok
}

func (s *bookMap) Keys() iter.Seq[string] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var titles []string
	for title := range s.books {
		titles = append(titles, title)
	}
	return func(yield func(string) bool) {
		for _, title := range titles {
			if !yield(title) {
				return
			}
		}
	}
}

func TestDeltaFIFOWithAMap(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store[*book] {
		s := &bookMap{books: map[string]*book{}}
		q := deltafifo.New(deltafifo.Options[*book]{KeyFunc: titleOf, KnownObjects: s})
		t.Cleanup(q.Close)
		var consuming sync.Mutex
		return storetest.Store[*book]{
			Store: q, Object: newBook,
			Contents: func() map[string]int {
				consuming.Lock()
				defer consuming.Unlock()
				drain(t, q, func(deltas []deltafifo.Delta[*book], _ string) error {
					s.mu.Lock()
					defer s.mu.Unlock()
					for _, d := range deltas {
						if s.books[d.Key] = d.Object; d.Type == deltafifo.Deleted {
							delete(s.books, d.Key)
						}
					}
					return nil
				})
				all := map[string]int{}
				for title := range s.Keys() {
					b, _ := s.Get(title)
					all[title] = b.edition
				}
				return all
			},
		}
	})
}
