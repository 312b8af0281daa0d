// Pieces of work in parallel.
package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
)

func main() {
	workqueue.ParallelizeUntil(context.Background(), 4, 10, func(piece int) { fmt.Println(piece) }, workqueue.WithChunkSize(2))
}
