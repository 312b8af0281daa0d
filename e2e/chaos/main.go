package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/e2e/plane"
)

// settings has the values of the flags.
type settings struct {
	duration  time.Duration
	seed      uint64
	informers int
	items     int
}

func main() {
	var s settings
	flag.DurationVar(&s.duration, "for", 10*time.Minute, "duration of the experiment")
	flag.Uint64Var(&s.seed, "seed", 0, "seed of the times of kills and restarts; 0 means a random one")
	flag.IntVar(&s.informers, "informers", 11, "number of informers of each program, at least 2")
	flag.IntVar(&s.items, "items", 40, "number of items")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings, out io.Writer) (err error) {
	if s.informers < 2 || s.items < 1 {
		return errors.New("-informers must be at least 2 and -items at least 1")
	}
	for s.seed == 0 {
		s.seed = rand.Uint64() >> 32
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // client-go logs each failure
	servers, err := plane.Start(ctx, plane.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close()) }()

	fmt.Fprintf(out, "seed %d, %d informers and a controller on each side, %d items\n", s.seed, s.informers, s.items)
	e, err := newExperiment(ctx, servers, s)
	if err != nil {
		return err
	}
	defer e.close()
	table := newTable(out)
	if err := e.run(ctx, table); err != nil {
		return err
	}
	table.end()
	return e.verify(ctx, out)
}
