// A heap of jobs in the order of their start.
package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/tools/cache"
)

type job struct {
	name  string
	start time.Time
}

func main() {
	heap := cache.NewHeap(func(obj any) (string, error) { return obj.(job).name, nil },
		func(a, b any) bool { return a.(job).start.Before(b.(job).start) })
	if err := heap.Add(job{"first", time.Now()}); err != nil {
		panic(err)
	}
	next, err := heap.Pop()
	fmt.Println(next, err)
}
