// A fake store of a test, made of functions.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

func main() {
	read(&cache.FakeCustomStore{
		ListFunc:     func() []any { return []any{"a"} },
		GetByKeyFunc: func(key string) (any, bool, error) { return key, true, nil },
	})
}

func read(store cache.Store) {
	fmt.Println(store.List())
	fmt.Println(store.GetByKey("b"))
}
