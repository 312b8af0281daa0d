// Command anykind shows the objects of any resource, and what happens to them, as
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
	namespace, word     string
	selector            labels.Selector
	all, once, progress bool
}

// real is whether the server is not one in this process.
func (f *flags) real() bool { return f.Kubeconfig != "" || f.Context != "" || f.InCluster }

func parse(args []string, out, diagnostics io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("anykind", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.namespace, "n", "", "`namespace` to look at; that of the kubeconfig if not given")
	set.BoolVar(&f.all, "A", false, "look at all namespaces")
	selector := set.String("l", "", "label `selector`, such as app=web,tier!=cache")
	set.BoolVar(&f.once, "once", false, "show what is there, and end")
	set.BoolVar(&f.progress, "progress", isTerminal(diagnostics), "while the first list comes in, say on standard error how far it is; as a rule in a terminal only")
	f.Register(set)
	set.Usage = func() {
		fmt.Fprint(out, "anykind shows the objects of a resource, and what happens to them, until it is interrupted.\n\n\tanykind [flags] RESOURCE\n\n"+
			"RESOURCE is a plural, singular, short name or kind, alone or with its group: deploy, deployments.apps, deployments.v1.apps.\n\n")
		set.PrintDefaults()
	}
	var words []string
	for { // flags may stand on both sides of the resource
		if err := set.Parse(args); err != nil {
			return f, err
		}
		if set.NArg() == 0 {
			break
		}
		words, args = append(words, set.Arg(0)), set.Args()[1:]
	}
	switch {
	case len(words) > 1:
		return f, fmt.Errorf("unexpected argument %q: one resource at a time", words[1])
	case len(words) == 0 && f.real():
		return f, errors.New("which resource? Name one, such as pods: see -h")
	case f.all && f.namespace != "":
		return f, errors.New("-A goes without -n: it is all namespaces, or one")
	case f.namespace != "" && len(validation.IsDNS1123Label(f.namespace)) > 0:
		return f, fmt.Errorf("-n %q: no namespace has such a name", f.namespace)
	}
	f.word = append(words, "widgets")[0]
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

// run shows what happens until ctx ends, or the story is told.
func run(ctx context.Context, args []string, out, diagnostics io.Writer) error {
	f, err := parse(args, out, diagnostics)
	if err != nil {
		return err
	}
	options := cluster.Options{RBAC: rbac, Out: diagnostics}
	if !f.real() || f.Install {
		options.CRD = crd // something to look at; a server may do without it
	}
	server, err := cluster.Open(ctx, f.Flags, options)
	if err != nil {
		return err
	}
	defer server.Close()
	found, err := find(ctx, discovery.NewMapper(discovery.New(server.Client)), f.word)
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
	s := newStory(server.Embedded, w)
	s.begin()
	return w.run(ctx, func() { s.tell(ctx) })
}

// watching is a resource that is being watched.
type watching struct {
	flags
	namespace string // "" is all
	resource  discovery.Resource
	source    *rest.View[*unstructured.Unstructured]
	table     *table
	out       io.Writer // for what is no object
	// failed has the error for which there is no first list, and will not be.
	failed chan error
	// last and at are what was told of the informer's trouble, and when.
	last reflector.Reason
	at   time.Time
}

// run shows the first list, and then each change until during returns.
func (w *watching) run(ctx context.Context, during func()) error {
	count := newProgress(w.out, w.progress)
	inf := informer.New(w.source.Namespace(w.namespace), informer.Options[*unstructured.Unstructured]{
		Tweak:             func(o *metav1.ListOptions) { o.LabelSelector = w.selector.String() },
		Transform:         count.object, // it sees each object as it arrives
		PreferList:        w.once,       // for which the right to list is enough
		WatchErrorHandler: w.trouble,
	})
	told, err := inf.AddEventHandler(w.table, informer.HandlerOptions{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	err = w.first(ctx, count, told)
	if err == nil && !w.once {
		during()
	}
	stop()
	return errors.Join(err, <-ended)
}

// first waits for the first list, and shows it.
func (w *watching) first(ctx context.Context, count *progress, told *informer.Registration) error {
	stop := count.show()
	select {
	case <-told.Synced():
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
