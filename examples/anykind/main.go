// Command anykind shows the objects of any resource and their changes, as
// kubectl get -w does.
//
//	go run ./examples/anykind
//	go run ./examples/anykind -kubeconfig ~/.kube/config -A deploy
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

var (
	//go:embed crd.yaml
	crd []byte
	//go:embed rbac.yaml
	rbac []byte
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "anykind:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster.Flags
	namespace, name     string
	selector            labels.Selector
	all, once, progress bool
}

// real reports whether the server is not the one in this process.
func (f *flags) real() bool { return f.Kubeconfig != "" || f.Context != "" || f.InCluster }

func parse(args []string, out, diagnostics io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("anykind", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.namespace, "n", "", "`namespace` of the objects; default: the namespace of the kubeconfig")
	set.BoolVar(&f.all, "A", false, "show all namespaces")
	selector := set.String("l", "", "label `selector`, such as app=web,tier!=cache")
	set.BoolVar(&f.once, "once", false, "print the existing objects and exit")
	set.BoolVar(&f.progress, "progress", isTerminal(diagnostics), "count the objects of the first list on standard error; default: only in a terminal")
	f.Register(set)
	set.Usage = func() {
		fmt.Fprint(out, "anykind shows the objects of a resource and their changes until it is interrupted.\n\n\tanykind [flags] RESOURCE\n\n"+
			"RESOURCE is a plural, singular, short name or kind, optionally with its group: deploy, deployments.apps, deployments.v1.apps.\n\n")
		set.PrintDefaults()
	}
	var names []string
	for { // flags may be on both sides of the resource
		if err := set.Parse(args); err != nil {
			return f, err
		}
		if set.NArg() == 0 {
			break
		}
		names, args = append(names, set.Arg(0)), set.Args()[1:]
	}
	switch {
	case len(names) > 1:
		return f, fmt.Errorf("unexpected argument %q: only one resource is allowed", names[1])
	case len(names) == 0 && f.real():
		return f, errors.New("no resource: name one, such as pods; see -h")
	case f.all && f.namespace != "":
		return f, errors.New("-A and -n cannot be used together")
	case f.namespace != "" && len(validation.IsDNS1123Label(f.namespace)) > 0:
		return f, fmt.Errorf("-n %q: not a valid namespace", f.namespace)
	}
	f.name = append(names, "widgets")[0]
	if f.selector, err = labels.Parse(*selector); err != nil {
		return f, fmt.Errorf("-l %q: %w", *selector, err)
	}
	return f, nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// run shows the changes until ctx ends, or until the demonstration is over.
func run(ctx context.Context, args []string, out, diagnostics io.Writer) error {
	f, err := parse(args, out, diagnostics)
	if err != nil {
		return err
	}
	options := cluster.Options{RBAC: rbac, Out: diagnostics}
	if !f.real() || f.Install {
		options.CRD = crd // the embedded server has it; a real one need not
	}
	server, err := cluster.Open(ctx, f.Flags, options)
	if err != nil {
		return err
	}
	defer server.Close()
	found, err := find(ctx, discovery.NewMapper(discovery.NewClient(server.Client)), f.name)
	if err != nil {
		return err
	}
	w := &watching{flags: f, resource: found, out: diagnostics, failed: make(chan error, 1)}
	if found.Namespaced && !f.all {
		w.namespace = cmp.Or(f.namespace, server.Namespace)
	}
	w.table = newTable(out, columnsOf(ctx, server.Client, found.ResourceInfo), found.Namespaced && f.all)
	w.source = rest.NewView[*unstructured.Unstructured](server.Client, found.ResourceInfo)
	if server.Embedded == nil {
		return w.run(ctx, func() { <-ctx.Done() })
	}
	s := newDemo(server.Embedded, w)
	s.createInitial()
	return w.run(ctx, func() { s.makeChanges(ctx) })
}

// watching is the watch of one resource.
type watching struct {
	flags
	namespace string // "" means all
	resource  discovery.Resource
	source    *rest.View[*unstructured.Unstructured]
	table     *table
	out       io.Writer // for messages
	// failed receives the error that prevents the first list for good.
	failed chan error
	// last and at are the last reported failure of the informer, and its time.
	last reflector.Reason
	at   time.Time
}

// run shows the first list, and then each change until during returns.
func (w *watching) run(ctx context.Context, during func()) error {
	count := newProgress(w.out, w.progress)
	inf := informer.New(w.source.Namespace(w.namespace), informer.Options[*unstructured.Unstructured]{
		TweakListOptions:  func(o *metav1.ListOptions) { o.LabelSelector = w.selector.String() },
		Transform:         count.object, // called for each object as it arrives
		PreferList:        w.once,       // needs only the permission to list
		WatchErrorHandler: w.handleError,
	})
	registration, err := inf.AddEventHandler(w.table, informer.HandlerOptions{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	err = w.first(ctx, count, registration)
	if err == nil && !w.once {
		during()
	}
	stop()
	return errors.Join(err, <-ended)
}

// first waits for the first list and shows it.
func (w *watching) first(ctx context.Context, count *progress, registration *informer.Registration) error {
	stop := count.show()
	select {
	case <-registration.Synced():
		stop()
	case err := <-w.failed:
		stop()
		return err
	case <-ctx.Done():
		stop()
		return nil
	}
	if w.table.begin() == 0 {
		where := ""
		if w.namespace != "" {
			where = " in namespace " + w.namespace
		}
		fmt.Fprintf(w.out, "there are no %s%s\n", fullName(w.resource), where)
	}
	return nil
}
