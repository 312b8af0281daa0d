// Command endpoints keeps an nginx upstream file up to date with the endpoints of a
// namespace, which is the core of an ingress controller.
//
//	go run ./examples/endpoints
//	go run ./examples/endpoints -kubeconfig ~/.kube/config -n default -o upstreams.conf
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

//go:embed rbac.yaml
var rbac []byte

func main() {
	switch err := run(context.Background(), os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "endpoints:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster.Flags
	namespace, file string
	slices          bool
}

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("endpoints", flag.ContinueOnError)
	set.StringVar(&f.namespace, "n", "", "`namespace` of the endpoints; default: the namespace of the kubeconfig")
	set.StringVar(&f.file, "o", "", "`file` to write; default: upstreams.conf, or a temporary file with the embedded server")
	set.BoolVar(&f.slices, "slices", false, "watch EndpointSlices instead of Endpoints")
	if err := f.Parse(set, "endpoints writes the endpoints of a namespace to an nginx upstream file until it is interrupted.", args, out); err != nil {
		return f, err
	}
	return f, nil
}

// run writes the file until ctx ends, or SIGINT or SIGTERM arrives, or the
// demonstration is over.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	server, err := cluster.Open(ctx, f.Flags, cluster.Options{RBAC: rbac, Out: out})
	if err != nil {
		return err
	}
	defer server.Close()
	if f.file == "" && server.Embedded != nil {
		dir, err := os.MkdirTemp("", "endpoints-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.file = filepath.Join(dir, "upstreams.conf")
	}
	u := &upstreams{file: cmp.Or(f.file, "upstreams.conf"), namespace: cmp.Or(f.namespace, server.Namespace), out: out}
	if !label.MatchString(u.namespace) { // it is written to the file
		return fmt.Errorf("%q is not a valid namespace", u.namespace)
	}
	factory := informer.NewFactory(informer.FactoryOptions{Namespace: u.namespace})
	c := controller.New("upstreams", u, controller.Options{})
	if f.slices {
		u.parts = watchParts(u, c, factory, rest.NewView[*EndpointSlice](server.Client, slicesInfo))
	} else {
		u.parts = watchParts(u, c, factory, rest.NewView[*Endpoints](server.Client, endpointsInfo))
	}
	// A namespace without endpoints causes no event, but needs a file, too.
	once := make(chan controller.Request, 1)
	once <- fileKey
	controller.Channel(c, once)

	work := func(ctx context.Context) error {
		return controller.Run(ctx, controller.RunOptions{Factory: factory}, c)
	}
	if server.Embedded != nil {
		return u.runDemo(ctx, server.Embedded, work)
	}
	return work(ctx)
}

// fileKey is the only key: any number of simultaneous changes writes the file once.
var fileKey = controller.Request{Name: "upstreams"}

// watchParts makes the controller reconcile the file whenever an object is created or
// deleted, or its backends change. The result iterates over the current objects in the
// informer, without a request.
func watchParts[T part](u *upstreams, c *controller.Controller, factory *informer.Factory, view *rest.View[T]) iter.Seq[part] {
	objects := informer.For(factory, view, informer.Options[T]{})
	always := func(T) []controller.Request { return []controller.Request{fileKey} }
	controller.Watches(c, objects, always, func(old, new T) bool {
		isChange := changed(old, new)
		if !isChange && u.events != nil {
			u.events <- "ignored"
		}
		return isChange
	})
	return func(yield func(part) bool) {
		for obj := range objects.All() {
			if !yield(obj) {
				return
			}
		}
	}
}

// upstreams writes the file.
type upstreams struct {
	file, namespace string
	parts           iter.Seq[part]
	out             io.Writer
	// events receives the output for the demonstration; nil if there is none.
	events chan string
}

// Reconcile is first called after the first list; until then the file of an earlier
// process is kept. If the file cannot be written, Reconcile is retried with backoff.
func (u *upstreams) Reconcile(context.Context, controller.Request) (controller.Result, error) {
	text := render(u.namespace, u.parts)
	replaced, err := replace(u.file, text)
	if err != nil || !replaced {
		return controller.Result{}, err
	}
	message := fmt.Sprintf("wrote %s, %d bytes", u.file, len(text))
	if u.events != nil {
		u.events <- message
		return controller.Result{}, nil
	}
	_, err = fmt.Fprintln(u.out, message)
	return controller.Result{}, err
}
