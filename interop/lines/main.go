// Command lines prints how many lines each room has, beside the parts of
// client-go that do the same work. Lines that hold a comment and nothing else
// are counted apart, empty ones not at all.
//
//	make lines
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// beside says which files of client-go do the work of a room. A folder stands
// for the Go files in it, and not for those below it.
var beside = []struct {
	room   string
	theirs []string
}{
	{"rest", []string{"rest", "rest/watch", "transport", "plugin/pkg/client/auth/exec", "util/connrotation", "util/retry", "tools/pager", "dynamic", "metadata", "gentype", "scale"}},
	{"rest/kubeconfig", []string{"tools/clientcmd", "tools/clientcmd/api", "tools/clientcmd/api/v1", "tools/clientcmd/api/latest"}},
	{"rest/discovery", []string{"discovery", "restmapper"}},
	{"listwatch", []string{"tools/cache/listwatch.go"}},
	{"reflector", []string{"tools/cache/reflector*.go", "tools/cache/retry_with_deadline*.go"}},
	{"indexer", []string{"tools/cache/store*.go", "tools/cache/thread_safe_store*.go", "tools/cache/index*.go", "tools/cache/listers*.go", "tools/cache/object-names*.go"}},
	{"deltafifo", []string{"tools/cache/delta_fifo*.go", "tools/cache/the_real_fifo*.go", "tools/cache/fifo*.go"}},
	{"informer", []string{"tools/cache/controller*.go", "tools/cache/shared_informer*.go", "tools/cache/processor_listener*.go", "tools/cache/mutation_detector*.go", "tools/cache/synctrack", "informers/factory.go"}},
	{"cache", nil}, // the names of those above, once more
	{"workqueue", []string{"util/workqueue"}},
	{"controller", nil},
	{"controller/leader", []string{"tools/leaderelection", "tools/leaderelection/resourcelock"}},
	{"apitest", nil}, // client-go has a fake client, which is no server
	{"internal/intern", nil},
	{"internal/jsonobj", nil},
	{"internal/pbobj", nil},
}

func main() {
	module := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go")
	module.Stderr = os.Stderr
	theirs, err := module.Output()
	if err == nil {
		err = table(os.Stdout, "..", strings.TrimSpace(string(theirs)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

// table compares what lies in two folders.
func table(out io.Writer, ours, theirs string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "room\tcode\tcomments\ttests\t|\tclient-go's code\tcomments\ttests\t")
	var sum, sumBeside, sumTheirs count
	for _, line := range beside {
		if _, err := os.Stat(filepath.Join(ours, line.room)); os.IsNotExist(err) {
			continue
		}
		a, err := countAll(ours, []string{line.room})
		if err != nil {
			return err
		}
		sum.add(a)
		if line.theirs == nil {
			fmt.Fprintf(w, "%s\t%s\t|\t-\t-\t-\t\n", line.room, a)
			continue
		}
		b, err := countAll(theirs, line.theirs)
		if err != nil {
			return err
		}
		sumBeside.add(a)
		sumTheirs.add(b)
		fmt.Fprintf(w, "%s\t%s\t|\t%s\t\n", line.room, a, b)
	}
	fmt.Fprintf(w, "those with a counterpart\t%s\t|\t%s\t\n", sumBeside, sumTheirs)
	generated, err := countBelow(theirs, "kubernetes", "informers", "listers", "applyconfigurations")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "generated for each kind\t-\t-\t-\t|\t%s\t\n", generated)
	fmt.Fprintf(w, "all\t%s\t|\t\t\t\t\n", sum)
	return w.Flush()
}
