// Command chunked shows what is on the wire while a client watches: the chunks
// of the answer, with their places, beside the events that are decoded from
// them.
//
//	go run ./examples/chunked
//	go run ./examples/chunked -http2
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/rest"
)

//go:embed rbac.yaml
var rbac []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "chunked:", err)
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (at cluster.Flags, http2 bool, err error) {
	set := flag.NewFlagSet("chunked", flag.ContinueOnError)
	set.BoolVar(&http2, "http2", false, "speak HTTP/2, which has no chunks, and show its DATA frames")
	err = at.Parse(set, "chunked shows what is on the wire of a watch, beside the events that are made of it.", args, out)
	return at, http2, err
}

// run watches a few changes, and ends with the watch.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	at, http2, err := parse(args, out)
	if err != nil {
		return err
	}
	c, err := cluster.Open(ctx, at, cluster.Options{RBAC: rbac, Out: out, Server: apitest.Options{Plain: !http2}})
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Embedded != nil { // there the watch need not run into its timeout to end
		c.Embedded.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.AfterEvents(events, apitest.Cut())})
	}
	config, transport, tape, err := open(c.Config, http2)
	if err != nil {
		return err
	}
	config.UserAgent = "chunked"
	defer transport.CloseIdleConnections()
	watcher, err := rest.New(config) // has the taped connection for itself
	if err != nil {
		return err
	}
	defer watcher.Close()

	play := newScene(c.Client, c.Namespace)
	if err := play.begin(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, play.end(ctx)) }()
	show := &screen{out: out, tape: tape, http2: http2}
	return show.watch(ctx, play.watched(watcher), play)
}
