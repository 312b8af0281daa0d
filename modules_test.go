package thinformer_test

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
)

// mayRequire is what the root module may ask for by name. Each line is paid by
// every user: docs/design/dependencies.md says with what, and for what.
var mayRequire = []string{
	"github.com/json-iterator/go",
	"go.yaml.in/yaml/v2",
	"gopkg.in/evanphx/json-patch.v4",
	"golang.org/x/time",
	"k8s.io/apimachinery",
	// klog brings logr: what turns one logger into the other.
	"github.com/go-logr/logr",
	"k8s.io/klog/v2",
	"k8s.io/utils",
	"sigs.k8s.io/structured-merge-diff/v6",
	"sigs.k8s.io/yaml",

	// For tests: they reach no user's binary.
	"github.com/cockroachdb/datadriven",
	"github.com/stretchr/testify",
	"go.uber.org/goleak",
}

// mayFollow is what these bring along. It is written out so that the day it
// grows is a day somebody looks.
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

// goMod is the part of `go mod edit -json` that the rules read.
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

// readGoMod has the go command read a go.mod, so that no dependency does.
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

// moduleList: the root module requires what is on the lists, and nothing else.
func moduleList(t *testing.T, tree fs.FS) (complaints []string) {
	for _, required := range readGoMod(t, tree, "go.mod").Require {
		switch {
		case slices.Contains(mayRequire, required.Path):
		case !required.Indirect:
			complaints = append(complaints, fmt.Sprintf("go.mod requires %s, which is not on mayRequire in modules_test.go; can a nested module require it instead?", required.Path))
		case !slices.Contains(mayFollow, required.Path):
			complaints = append(complaints, fmt.Sprintf("go.mod requires %s indirectly, which is not on mayFollow in modules_test.go; what brought it?", required.Path))
		}
	}
	return complaints
}

// nestedModules: each builds against the checkout it lies in, by a relative
// replace of its own, and none needs a go.work.
func nestedModules(t *testing.T, tree fs.FS) (complaints []string) {
	walk(t, tree, true, func(name string, _ []byte) {
		switch path.Base(name) {
		case "go.work", "go.work.sum":
			complaints = append(complaints, name+": the modules build without a workspace; use a replace in the nested go.mod")
		case "go.mod":
			complaints = append(complaints, replacesRoot(t, tree, name)...)
		}
	})
	return complaints
}

func replacesRoot(t *testing.T, tree fs.FS, name string) []string {
	folder := path.Dir(name)
	mod := readGoMod(t, tree, name)
	if folder == "." {
		return nil
	}
	if want := path.Join(module, folder); mod.Module.Path != want {
		return []string{fmt.Sprintf("%s: the module is called %s, and its folder says %s", name, mod.Module.Path, want)}
	}
	if !mod.requires(module) {
		return nil // the pinned tools import nothing of ours
	}
	up := strings.Repeat("../", strings.Count(folder, "/")+1)
	if got := mod.replacement(module); strings.TrimSuffix(got, "/")+"/" != up {
		return []string{fmt.Sprintf("%s: replace %s => %q, want %q: the module must build against its own checkout", name, module, got, up)}
	}
	return nil
}

func TestTheRootRequiresOnlyWhatIsListed(t *testing.T) {
	rule(moduleList).holds(t)
}

func TestNestedModulesBuildAgainstTheirCheckout(t *testing.T) {
	rule(nestedModules).holds(t)
}

// The rivals are measured from nested modules, and may be on no list here.
func TestNoRivalIsOnTheLists(t *testing.T) {
	for _, rival := range []string{"k8s.io/client-go", "k8s.io/api", "sigs.k8s.io/controller-runtime", "github.com/prometheus/client_golang"} {
		if slices.Contains(mayRequire, rival) || slices.Contains(mayFollow, rival) {
			t.Errorf("%s may not be required by the root module", rival)
		}
	}
}

func TestTheModuleListCanFail(t *testing.T) {
	requiring := func(lines string) fstest.MapFS {
		return fstest.MapFS{"go.mod": goFile("module " + module + "\n\ngo 1.26.0\n\n" + lines + "\n")}
	}
	list := rule(moduleList)
	list.breaks(t, requiring("require k8s.io/client-go v0.37.2"), "k8s.io/client-go", "mayRequire")
	list.breaks(t, requiring("require github.com/google/uuid v1.6.0 // indirect"), "github.com/google/uuid", "mayFollow")
	list.breaks(t, requiring("require gopkg.in/inf.v0 v0.9.1"), "gopkg.in/inf.v0", "mayRequire")
	list.passes(t, requiring("require k8s.io/apimachinery v0.37.2\nrequire gopkg.in/inf.v0 v0.9.1 // indirect"))
}

func TestTheNestedModuleRuleCanFail(t *testing.T) {
	nested := func(folder, text string) fstest.MapFS {
		return fstest.MapFS{folder + "/go.mod": goFile("module " + path.Join(module, folder) + "\n\ngo 1.26.0\n\n" + text + "\n")}
	}
	needsRoot := "require " + module + " v0.0.0\n"
	modules := rule(nestedModules)
	modules.breaks(t, fstest.MapFS{"go.work": goFile("go 1.26.0\n")}, "go.work")
	modules.breaks(t, nested("bench", needsRoot), "bench/go.mod", `want "../"`)
	modules.breaks(t, nested("e2e/controlplane", needsRoot+"replace "+module+" => ../"), `want "../../"`)
	modules.breaks(t, nested("bench", needsRoot+"replace "+module+" => /somewhere/else"), "/somewhere/else")
	modules.breaks(t, fstest.MapFS{"bench/go.mod": goFile("module example.com/bench\n")}, "example.com/bench")
	modules.passes(t, nested("bench", needsRoot+"replace "+module+" => ../"))
	modules.passes(t, nested("bench", needsRoot+"replace "+module+" => .."))
	modules.passes(t, nested("tools", ""))
}
