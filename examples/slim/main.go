// Command slim fills a cache with the pods of a cluster, once for each of several types,
// and prints how much memory each cache takes.
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
	set.IntVar(&f.pods, "pods", 5000, "`number` of pods of the server that the program starts")
	set.BoolVar(&f.serve, "serve", false, "run as the server of these pods; the program starts itself with this flag")
	if err := f.Parse(set, "slim prints the memory of a cache of all pods, by the Go type of the objects.", args, out); err != nil {
		return f, err
	}
	if f.pods < 1 {
		return f, fmt.Errorf("-pods %d: at least one is required", f.pods)
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
	fmt.Fprintf(out, "server: %d pods in another process; -kubeconfig selects a real one\n", f.pods)
	return compare(ctx, client, out)
}

// fewPods is the number of pods below which most of the memory of a slim cache is the
// fixed cost of the informer.
const fewPods = 500

// compare measures one cache after the other, and prints the table.
func compare(ctx context.Context, client *rest.Client, out io.Writer) error {
	caches := []struct {
		name, goType string
		measure      func(context.Context, *rest.Client) (cacheSize, error)
	}{
		{"maps", "*unstructured.Unstructured", measure[*unstructured.Unstructured]},
		{"full", "*Pod", measure[*Pod]},
		{"metadata", "*metav1.PartialObjectMetadata", measure[*metav1.PartialObjectMetadata]},
		{"slim", "*SlimPod", measure[*SlimPod]},
	}
	sizes := make([]cacheSize, len(caches))
	for i, cache := range caches {
		var err error
		if sizes[i], err = cache.measure(ctx, client); err != nil {
			return fmt.Errorf("fill the cache of %s: %w", cache.goType, err)
		}
		if sizes[i].objects == 0 {
			return errors.New("there are no pods to measure")
		}
	}
	full := sizes[1]
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\ncache\tpods\theap\tper pod\tof full\t  type")
	for i, w := range sizes {
		fmt.Fprintf(table, "%s\t%d\t%.1f MB\t%d B\t%.0f %%\t  %s\n", caches[i].name, w.objects, float64(w.heap)/1e6,
			w.heap/int64(w.objects), 100*w.perPod()/full.perPod(), caches[i].goType)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if full.objects < fewPods {
		fmt.Fprintln(out, "\nWith so few pods, much of the heap is the fixed cost of an informer. See the README.")
	}
	return nil
}

func (s cacheSize) perPod() float64 { return float64(s.heap) / float64(s.objects) }
