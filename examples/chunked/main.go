// Command chunked shows the bytes on the wire of a watch: the chunks of the response
// and their offsets, beside the events that are decoded from them.
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
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/examples/internal/wire"
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
	set.BoolVar(&http2, "http2", false, "use HTTP/2, which has no chunks, and show its DATA frames")
	err = at.Parse(set, "chunked shows the bytes of a watch on the wire beside the decoded events.", args, out)
	return at, http2, err
}

// run watches a few changes, and returns at the end of the watch.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	at, http2, err := parse(args, out)
	if err != nil {
		return err
	}
	c, err := cluster.Open(ctx, at, cluster.Options{RBAC: rbac, Out: out, Server: apitest.Options{PlainHTTP: !http2}})
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Embedded != nil { // the watch can be ended before its timeout
		c.Embedded.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.AfterEvents(events, apitest.Cut())})
	}
	recorded := new(recording)
	config, transport, err := wire.Open(c.Config, http2, func(conn net.Conn) net.Conn { return recordedConn{conn, recorded} })
	if err != nil {
		return err
	}
	config.UserAgent = "chunked"
	defer transport.CloseIdleConnections()
	watcher, err := rest.New(config) // the only user of the recorded connection
	if err != nil {
		return err
	}
	defer watcher.Close()

	objects := newDemoObjects(c.Client, c.Namespace)
	if err := objects.create(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.cleanUp(ctx)) }()
	show := &printer{out: out, recording: recorded, http2: http2}
	return show.watch(ctx, objects.view(watcher), objects)
}
