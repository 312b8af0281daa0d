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
	// A closed terminal or a broken output pipe also stops the program cleanly: the process
	// of the solution is killed, and its files are removed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	code := course.Here().Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
