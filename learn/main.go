// Command learn is the course: it creates the folder of a step, judges the code in it, and
// gives hints. Without arguments it lists the steps. See README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/thinformer/thinformer/learn/internal/course"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := course.Here().Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
