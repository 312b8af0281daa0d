// Command endpoints keeps an nginx upstream file in step with the endpoints of a
// namespace: the heart of an ingress controller.
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
	set.StringVar(&f.namespace, "n", "", "`namespace` whose endpoints are watched; that of the kubeconfig if not given")
	set.StringVar(&f.file, "o", "", "`file` to write; upstreams.conf if not given, which is in the temporary directory, and removed at the end, where the server is one in this process")
	set.BoolVar(&f.slices, "slices", false, "watch EndpointSlices, and not Endpoints")
	if err := f.Parse(set, "endpoints writes the endpoints of a namespace as upstreams of nginx, until it is interrupted.", args, out); err != nil {
		return f, err
	}
	return f, nil
}

// run writes the file until ctx ends, or SIGINT or SIGTERM comes, or the story is
// told.
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
	if !label.MatchString(u.namespace) { // it goes into the file
		return fmt.Errorf("no namespace can be called %q", u.namespace)
	}
	factory := informer.NewFactory(informer.FactoryOptions{Namespace: u.namespace})
	c := controller.New("upstreams", u, controller.Options{})
	if f.slices {
		u.parts = follow(u, c, factory, rest.NewView[*EndpointSlice](server.Client, slicesInfo))
	} else {
		u.parts = follow(u, c, factory, rest.NewView[*Endpoints](server.Client, endpointsInfo))
	}
	// A namespace without endpoints brings no event, and is a file all the same.
	once := make(chan controller.Request, 1)
	once <- theFile
	controller.Channel(c, once)

	work := func(ctx context.Context) error {
		return controller.Run(ctx, controller.RunOptions{Factory: factory}, c)
	}
	if server.Embedded != nil {
		return u.withStory(ctx, server.Embedded, work)
	}
	return work(ctx)
}

// theFile is the only key that there is: however many endpoints change at once,
// the file is written once.
var theFile = controller.Request{Name: "upstreams"}

// follow has the controller look at the file whenever an object comes, goes, or
// names other backends. What it returns are the objects as they are when they
// are ranged over: a read of the informer, and not of the server.
func follow[T part](u *upstreams, c *controller.Controller, factory *informer.Factory, view *rest.View[T]) iter.Seq[part] {
	objects := informer.For(factory, view, informer.Options[T]{})
	always := func(T) []controller.Request { return []controller.Request{theFile} }
	controller.Watches(c, objects, always, func(old, new T) bool {
		worth := changed(old, new)
		if !worth && u.told != nil {
			u.told <- "ignored"
		}
		return worth
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
	// told takes what is said from out to a story; nil if there is none.
	told chan string
}

// Reconcile is not called before the first list is there: until then the file
// stays as a former process has left it. When the file cannot be written, it is
// called again, later each time.
func (u *upstreams) Reconcile(context.Context, controller.Request) (controller.Result, error) {
	text := render(u.namespace, u.parts)
	replaced, err := replace(u.file, text)
	if err != nil || !replaced {
		return controller.Result{}, err
	}
	said := fmt.Sprintf("wrote %s, %d bytes", u.file, len(text))
	if u.told != nil {
		u.told <- said
		return controller.Result{}, nil
	}
	_, err = fmt.Fprintln(u.out, said)
	return controller.Result{}, err
}
