// Command lines prints the number of lines of each package, beside the parts of client-go
// that do the same work. Lines with only a comment are counted separately, empty lines are
// not counted.
//
//	make lines
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// row has the folders of a package, and the files of client-go that do its work. A folder
// means the Go files in it, not those in its subfolders.
type row struct {
	name         string
	ours, theirs []string
}

var rows = []row{
	{"rest", []string{"rest", "internal/transport", "internal/wire"}, []string{"rest", "rest/watch", "transport", "plugin/pkg/client/auth/exec", "util/connrotation", "util/retry", "tools/pager", "dynamic", "metadata", "gentype", "scale"}},
	{"rest/kubeconfig", nil, []string{"tools/clientcmd", "tools/clientcmd/api", "tools/clientcmd/api/v1", "tools/clientcmd/api/latest"}},
	{"rest/discovery", nil, []string{"discovery", "restmapper"}},
	{"listwatch", nil, []string{"tools/cache/listwatch.go"}},
	{"reflector", []string{"reflector", "internal/election", "internal/attempt"}, []string{"tools/cache/reflector*.go", "tools/cache/retry_with_deadline*.go"}},
	{"indexer", nil, []string{"tools/cache/store*.go", "tools/cache/thread_safe_store*.go", "tools/cache/index*.go", "tools/cache/listers*.go", "tools/cache/object-names*.go"}},
	{"deltafifo", nil, []string{"tools/cache/delta_fifo*.go", "tools/cache/the_real_fifo*.go", "tools/cache/fifo*.go"}},
	{"informer", []string{"informer", "internal/deep"}, []string{"tools/cache/controller*.go", "tools/cache/shared_informer*.go", "tools/cache/processor_listener*.go", "tools/cache/mutation_detector*.go", "tools/cache/synctrack", "informers/factory.go"}},
	{"workqueue", nil, []string{"util/workqueue"}},
	{"controller/leader", nil, []string{"tools/leaderelection", "tools/leaderelection/resourcelock"}},
	{"cache", nil, nil}, // client-go's files above again
	{"informer/debug", nil, nil},
	{"controller", nil, nil},
	{"apitest", nil, nil},
}

// notCounted are folders without code of the library.
var notCounted = []string{"docs", "examples", "learn", "internal/sourcetree"}

func main() {
	theirs, err := folderOf("k8s.io/client-go")
	if err == nil {
		err = table(os.Stdout, "..", theirs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

// folderOf returns the folder of a module that this module requires. It downloads the
// module if the module cache lacks it: nothing here imports client-go, so building this
// command does not.
func folderOf(module string) (string, error) {
	download := exec.Command("go", "mod", "download", "-json", module)
	var log strings.Builder
	download.Stderr = &log
	out, err := download.Output()
	var found struct{ Dir, Error string }
	if parsed := json.Unmarshal(out, &found); parsed == nil && found.Error != "" {
		return "", fmt.Errorf("download %s: %s", module, found.Error)
	}
	if err == nil && found.Dir == "" {
		err = errors.New("the go command names no folder")
	}
	if err != nil {
		return "", fmt.Errorf("download %s: %w\n%s", module, err, log.String())
	}
	return found.Dir, nil
}

// table prints the lines of the packages in two folders and their sums.
func table(out io.Writer, ours, theirs string) error {
	packages, err := packagesBelow(ours)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "package\tcode\tcomments\ttests\t|\tclient-go's code\tcomments\ttests\t")
	var all, replacing, withCache, replaced count
	for _, r := range rows {
		a, err := countAll(ours, take(&packages, r))
		if err != nil {
			return err
		}
		all.add(a)
		if r.name == "cache" {
			withCache.add(a)
		}
		if r.theirs == nil {
			fmt.Fprintf(w, "%s\t%s\t|\t-\t-\t-\t\n", r.name, a)
			continue
		}
		b, err := countAll(theirs, r.theirs)
		if err != nil {
			return err
		}
		replacing.add(a)
		withCache.add(a)
		replaced.add(b)
		fmt.Fprintf(w, "%s\t%s\t|\t%s\t\n", r.name, a, b)
	}
	other, err := countAll(ours, packages)
	if err != nil {
		return err
	}
	all.add(other)
	fmt.Fprintf(w, "other packages\t%s\t|\t-\t-\t-\t\n", other)
	fmt.Fprintf(w, "packages with a counterpart\t%s\t|\t%s\t\n", replacing, replaced)
	fmt.Fprintf(w, "all packages\t%s\t|\t%s\t\n", all, replaced)
	generated, err := countBelow(theirs, "kubernetes", "informers", "listers", "applyconfigurations")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "generated for each kind\t-\t-\t-\t|\t%s\t\n", generated)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, `
thinformer has more code than the parts of client-go that it replaces: the packages with
a counterpart have %.1f times as much, with cache, which repeats client-go's API, %.1f times,
and all packages %.1f times. README.md, "Size of the code", has the reasons.
`, ratio(replacing, replaced), ratio(withCache, replaced), ratio(all, replaced))
	return nil
}

func ratio(ours, theirs count) float64 { return float64(ours.code) / float64(theirs.code) }

// take returns the folders of a row and removes them from all: the folders that it names,
// or the one of its name, and the internal folders below them. It leaves out folders that
// do not exist.
func take(all *[]string, r row) (taken []string) {
	if r.ours == nil {
		r.ours = []string{r.name}
	}
	*all = slices.DeleteFunc(*all, func(folder string) bool {
		for _, of := range r.ours {
			if folder == of || strings.HasPrefix(folder, of+"/internal/") {
				taken = append(taken, folder)
				return true
			}
		}
		return false
	})
	return taken
}

// packagesBelow returns the folders of the root module that have Go files, slash
// separated, without notCounted, nested modules and testdata.
func packagesBelow(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		folder, err := filepath.Rel(root, name)
		if err != nil || folder == "." {
			return err
		}
		folder = filepath.ToSlash(folder)
		_, noModule := os.Stat(filepath.Join(name, "go.mod"))
		if noModule == nil || slices.Contains(notCounted, folder) || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(name, "*.go")); len(files) > 0 {
			folders = append(folders, folder)
		}
		return nil
	})
	return folders, err
}
