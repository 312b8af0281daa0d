// A cache of answers whose entries expire by a policy of the program.
package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/tools/cache"
)

type credential struct {
	account string
	until   time.Time
}

type policy struct{}

func (policy) IsExpired(entry *cache.TimestampedEntry) bool {
	return time.Now().After(entry.Obj.(*credential).until)
}

func main() {
	byAccount := func(obj any) (string, error) { return obj.(*credential).account, nil }
	store := cache.NewExpirationStore(byAccount, policy{})
	if err := store.Add(&credential{"shop", time.Now().Add(time.Hour)}); err != nil {
		panic(err)
	}
	fmt.Println(store.GetByKey("shop"))
	fmt.Println(cache.NewExpirationStore(byAccount, &cache.TTLPolicy{TTL: time.Minute}).List())
}
