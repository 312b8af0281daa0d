package sourcetree_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// mayRequire lists the modules that the root module may require directly. Every
// user downloads them: docs/design/dependencies.md has the reasons.
var mayRequire = []string{
	"github.com/json-iterator/go",
	"go.yaml.in/yaml/v2",
	"gopkg.in/evanphx/json-patch.v4",
	"golang.org/x/time",
	"k8s.io/apimachinery",
	// klog requires logr, which adapts one logger to another.
	"github.com/go-logr/logr",
	"k8s.io/klog/v2",
	"k8s.io/utils",
	"sigs.k8s.io/structured-merge-diff/v6",
	"sigs.k8s.io/yaml",

	// For tests only.
	"github.com/cockroachdb/datadriven",
	"github.com/stretchr/testify",
	"go.uber.org/goleak",
}

// mayFollow lists the modules that these require. The list is explicit so that an
// addition is noticed in review.
var mayFollow = []string{
	"github.com/davecgh/go-spew",
	"github.com/fxamacker/cbor/v2",
	"github.com/go-openapi/jsonpointer",
	"github.com/go-openapi/jsonreference",
	"github.com/go-openapi/swag",
	"github.com/go-openapi/swag/cmdutils",
	"github.com/go-openapi/swag/conv",
	"github.com/go-openapi/swag/fileutils",
	"github.com/go-openapi/swag/jsonutils",
	"github.com/go-openapi/swag/loading",
	"github.com/go-openapi/swag/mangling",
	"github.com/go-openapi/swag/netutils",
	"github.com/go-openapi/swag/pools",
	"github.com/go-openapi/swag/stringutils",
	"github.com/go-openapi/swag/typeutils",
	"github.com/go-openapi/swag/yamlutils",
	"github.com/google/gnostic-models",
	"github.com/modern-go/concurrent",
	"github.com/modern-go/reflect2",
	"github.com/pmezard/go-difflib",
	"github.com/x448/float16",
	"go.yaml.in/yaml/v3",
	"golang.org/x/net",
	"golang.org/x/text",
	"google.golang.org/protobuf",
	"gopkg.in/inf.v0",
	"gopkg.in/yaml.v3",
	"k8s.io/kube-openapi",
	"sigs.k8s.io/json",
	"sigs.k8s.io/randfill",
}

// goMod is the part of the output of `go mod edit -json` that the rules read.
type goMod struct {
	Module  struct{ Path string }
	Require []struct {
		Path     string
		Indirect bool
	}
	Replace []struct{ Old, New struct{ Path string } }
}

func (m goMod) requires(path string) bool {
	for _, required := range m.Require {
		if required.Path == path {
			return true
		}
	}
	return false
}

func (m goMod) replacement(path string) string {
	for _, replaced := range m.Replace {
		if replaced.Old.Path == path {
			return replaced.New.Path
		}
	}
	return ""
}

// readGoMod reads a go.mod with the go command, which needs no dependency.
func readGoMod(t *testing.T, tree fs.FS, name string) goMod {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "mod", "edit", "-json", copied).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	var mod goMod
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return mod
}

// moduleList: the root module requires only modules on the lists.
func moduleList(t *testing.T, tree fs.FS) (violations []string) {
	for _, required := range readGoMod(t, tree, "go.mod").Require {
		switch {
		case slices.Contains(mayRequire, required.Path):
		case !required.Indirect:
			violations = append(violations, fmt.Sprintf("go.mod requires %s, which is not on mayRequire in modules_test.go; can a nested module require it instead?", required.Path))
		case !slices.Contains(mayFollow, required.Path):
			violations = append(violations, fmt.Sprintf("go.mod requires %s indirectly, which is not on mayFollow in modules_test.go; which module requires it?", required.Path))
		}
	}
	return violations
}

// nestedModules: each nested module builds against its own checkout by a relative
// replace, without a go.work.
func nestedModules(t *testing.T, tree fs.FS) (violations []string) {
	sourcetree.Walk(t, tree, true, func(name string, _ []byte) {
		switch path.Base(name) {
		case "go.work", "go.work.sum":
			violations = append(violations, name+": the modules build without a workspace; use a replace in the nested go.mod")
		case "go.mod":
			violations = append(violations, replacesRoot(t, tree, name)...)
		}
	})
	return violations
}

func replacesRoot(t *testing.T, tree fs.FS, name string) []string {
	folder := path.Dir(name)
	mod := readGoMod(t, tree, name)
	if folder == "." {
		return nil
	}
	if want := path.Join(sourcetree.Module, folder); mod.Module.Path != want {
		return []string{fmt.Sprintf("%s: the module path is %s; want %s, from its folder", name, mod.Module.Path, want)}
	}
	if !mod.requires(sourcetree.Module) {
		return nil // the pinned tools do not import this module
	}
	up := strings.Repeat("../", strings.Count(folder, "/")+1)
	if got := mod.replacement(sourcetree.Module); strings.TrimSuffix(got, "/")+"/" != up {
		return []string{fmt.Sprintf("%s: replace %s => %q, want %q: the module must build against its own checkout", name, sourcetree.Module, got, up)}
	}
	return nil
}

func TestTheRootRequiresOnlyListedModules(t *testing.T) {
	sourcetree.Rule(moduleList).Holds(t)
}

func TestNestedModulesBuildAgainstTheirCheckout(t *testing.T) {
	sourcetree.Rule(nestedModules).Holds(t)
}

// The libraries that this one is compared with are required by nested modules only.
func TestComparedLibrariesAreNotOnTheLists(t *testing.T) {
	for _, library := range []string{"k8s.io/client-go", "k8s.io/api", "sigs.k8s.io/controller-runtime", "github.com/prometheus/client_golang"} {
		if slices.Contains(mayRequire, library) || slices.Contains(mayFollow, library) {
			t.Errorf("%s may not be required by the root module", library)
		}
	}
}

func TestTheModuleListCanFail(t *testing.T) {
	requiring := func(lines string) fstest.MapFS {
		return fstest.MapFS{"go.mod": sourcetree.Text("module " + sourcetree.Module + "\n\ngo 1.26.0\n\n" + lines + "\n")}
	}
	list := sourcetree.Rule(moduleList)
	list.Breaks(t, requiring("require k8s.io/client-go v0.37.2"), "k8s.io/client-go", "mayRequire")
	list.Breaks(t, requiring("require github.com/google/uuid v1.6.0 // indirect"), "github.com/google/uuid", "mayFollow")
	list.Breaks(t, requiring("require gopkg.in/inf.v0 v0.9.1"), "gopkg.in/inf.v0", "mayRequire")
	list.Passes(t, requiring("require k8s.io/apimachinery v0.37.2\nrequire gopkg.in/inf.v0 v0.9.1 // indirect"))
}

func TestTheNestedModuleRuleCanFail(t *testing.T) {
	nested := func(folder, text string) fstest.MapFS {
		return fstest.MapFS{folder + "/go.mod": sourcetree.Text("module " + path.Join(sourcetree.Module, folder) + "\n\ngo 1.26.0\n\n" + text + "\n")}
	}
	needsRoot := "require " + sourcetree.Module + " v0.0.0\n"
	modules := sourcetree.Rule(nestedModules)
	modules.Breaks(t, fstest.MapFS{"go.work": sourcetree.Text("go 1.26.0\n")}, "go.work")
	modules.Breaks(t, nested("bench", needsRoot), "bench/go.mod", `want "../"`)
	modules.Breaks(t, nested("e2e/controlplane", needsRoot+"replace "+sourcetree.Module+" => ../"), `want "../../"`)
	modules.Breaks(t, nested("bench", needsRoot+"replace "+sourcetree.Module+" => /somewhere/else"), "/somewhere/else")
	modules.Breaks(t, fstest.MapFS{"bench/go.mod": sourcetree.Text("module example.com/bench\n")}, "example.com/bench")
	modules.Passes(t, nested("bench", needsRoot+"replace "+sourcetree.Module+" => ../"))
	modules.Passes(t, nested("bench", needsRoot+"replace "+sourcetree.Module+" => .."))
	modules.Passes(t, nested("tools", ""))
}
