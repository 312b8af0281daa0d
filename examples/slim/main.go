// Command slim fills a cache with the pods of a cluster, again and again, each
// time with another type, and says how much memory each takes.
//
//	go run ./examples/slim
//	go run ./examples/slim -kubeconfig ~/.kube/config
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
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

// flags of the program.
type flags struct {
	cluster.Flags
	pods  int
	serve bool
}

func parse(args []string, out io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("slim", flag.ContinueOnError)
	set.IntVar(&f.pods, "pods", 5000, "`number` of pods, where there is no real server that has some")
	set.BoolVar(&f.serve, "serve", false, "be the server of so many pods; the program starts itself so")
	if err := f.Parse(set, "slim says how much memory a cache of all pods takes, by the type that they have.", args, out); err != nil {
		return f, err
	}
	if f.pods < 1 {
		return f, fmt.Errorf("-pods %d: there has to be one at least", f.pods)
	}
	return f, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	f, err := parse(args, out)
	if err != nil {
		return err
	}
	if f.serve {
		return serve(ctx, f.pods, out)
	}
	if f.Flags != (cluster.Flags{}) {
		c, err := cluster.Open(ctx, f.Flags, cluster.Options{RBAC: rbac, Out: out})
		if err != nil {
			return err
		}
		defer c.Close()
		return compare(ctx, c.Client, out)
	}
	config, stop, err := startServer(ctx, f.pods)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	client, err := rest.New(config)
	if err != nil {
		return err
	}
	defer client.Close()
	fmt.Fprintf(out, "server: %d pods in a process beside this one; -kubeconfig takes a real one\n", f.pods)
	return compare(ctx, client, out)
}

// fewPods have figures that say little of pods: below it, most of what a slim one
// is said to take is what the informer needs by itself.
const fewPods = 500

// compare weighs one cache after the other, and prints the table.
func compare(ctx context.Context, client *rest.Client, out io.Writer) error {
	caches := []struct {
		name, of string
		weigh    func(context.Context, *rest.Client) (weight, error)
	}{
		{"maps", "*unstructured.Unstructured", weigh[*unstructured.Unstructured]},
		{"full", "*Pod", weigh[*Pod]},
		{"metadata", "*metav1.PartialObjectMetadata", weigh[*metav1.PartialObjectMetadata]},
		{"slim", "*SlimPod", weigh[*SlimPod]},
	}
	weights := make([]weight, len(caches))
	for i, cache := range caches {
		var err error
		if weights[i], err = cache.weigh(ctx, client); err != nil {
			return fmt.Errorf("fill the cache of %s: %w", cache.of, err)
		}
		if weights[i].objects == 0 {
			return errors.New("there are no pods, and so nothing to weigh")
		}
	}
	full := weights[1]
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\ncache\tpods\theap\ta pod\tof full\t  type")
	for i, w := range weights {
		fmt.Fprintf(table, "%s\t%d\t%.1f MB\t%d B\t%.0f %%\t  %s\n", caches[i].name, w.objects, float64(w.heap)/1e6,
			w.heap/int64(w.objects), 100*w.perPod()/full.perPod(), caches[i].of)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if full.objects < fewPods {
		fmt.Fprintln(out, "\nThese are few pods: much of the heap is what an informer needs with none. See the README.")
	}
	return nil
}

func (w weight) perPod() float64 { return float64(w.heap) / float64(w.objects) }
