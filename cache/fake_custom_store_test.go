package cache

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyMethod calls each method of a store once and returns their results.
func everyMethod(s Store) []string {
	item, exists, err := s.Get("a")
	byKey, known, errByKey := s.GetByKey("k")
	s.Bookmark("7")
	return []string{
		fmt.Sprint("Add ", s.Add("a")), fmt.Sprint("Update ", s.Update("b")), fmt.Sprint("Delete ", s.Delete("c")),
		fmt.Sprint("List ", s.List()), fmt.Sprint("ListKeys ", s.ListKeys()), fmt.Sprintf("Get %v %v %v", item, exists, err),
		fmt.Sprintf("GetByKey %v %v %v", byKey, known, errByKey), fmt.Sprint("Replace ", s.Replace([]any{"a"}, "3")),
		fmt.Sprint("Resync ", s.Resync()), fmt.Sprint("Version ", s.LastStoreSyncResourceVersion()),
	}
}

func TestFakeCustomStoreWithoutFunctions(t *testing.T) {
	require.Equal(t, []string{
		"Add <nil>", "Update <nil>", "Delete <nil>", "List []", "ListKeys []", "Get <nil> false <nil>",
		"GetByKey <nil> false <nil>", "Replace <nil>", "Resync <nil>", "Version ",
	}, everyMethod(&FakeCustomStore{}))
}

func TestFakeCustomStoreCallsFunctions(t *testing.T) {
	var bookmarks []string
	fails := func(message string) func(any) error {
		return func(obj any) error { return fmt.Errorf("%s %v", message, obj) }
	}
	fake := &FakeCustomStore{
		AddFunc:      fails("added"),
		UpdateFunc:   fails("updated"),
		DeleteFunc:   fails("deleted"),
		ListFunc:     func() []any { return []any{1, 2} },
		ListKeysFunc: func() []string { return []string{"x"} },
		GetFunc:      func(obj any) (any, bool, error) { return obj, true, errors.New("got") },
		GetByKeyFunc: func(key string) (any, bool, error) { return key, true, errors.New("found") },
		ReplaceFunc: func(list []any, resourceVersion string) error {
			return fmt.Errorf("replaced by %v at %s", list, resourceVersion)
		},
		ResyncFunc:                       func() error { return errors.New("resynced") },
		BookmarkFunc:                     func(rv string) { bookmarks = append(bookmarks, rv) },
		LastStoreSyncResourceVersionFunc: func() string { return "9" },
	}
	require.Equal(t, []string{
		"Add added a", "Update updated b", "Delete deleted c", "List [1 2]", "ListKeys [x]", "Get a true got",
		"GetByKey k true found", "Replace replaced by [a] at 3", "Resync resynced", "Version 9",
	}, everyMethod(fake))
	require.Equal(t, []string{"7"}, bookmarks)
}
