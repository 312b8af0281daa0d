package versions

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
)

var record = flag.Bool("record", false, "write the copies of the go.mod files")

// The embedded versions are those of the repository.
func TestVersionsAreThoseOfTheModules(t *testing.T) {
	for name, embedded := range map[string][]byte{"../../../../go.mod": rootFile, "../../../../interop/go.mod": interopFile} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if *record {
			copied := map[bool]string{true: "root.txt", false: "interop.txt"}[name == "../../../../go.mod"]
			if err := os.WriteFile(copied, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(text, embedded) {
			t.Errorf("%s has changed: run go test ./internal/versions -args -record", name)
		}
	}
}

// Older versions are raised to those that the modules require; newer ones stay.
func TestRaises(t *testing.T) {
	p := &program.Program{
		Dir:  t.TempDir(), // no module, so that the modules below are used
		Main: &packages.Module{Path: "example.com/user", GoVersion: "1.21"},
		Modules: map[string]*packages.Module{
			"k8s.io/apimachinery": {Version: "v0.30.1"},
			"k8s.io/client-go":    {Version: "v0.30.1", Replace: &packages.Module{Path: "../fork"}},
			"k8s.io/klog/v2":      {Version: "v2.999.0"},
		},
	}
	t.Setenv("GOWORK", "off")
	for _, c := range []struct {
		interop bool
		paths   []string
	}{{false, []string{"go", "k8s.io/apimachinery"}}, {true, []string{"go", "k8s.io/apimachinery", "k8s.io/client-go"}}} {
		raises, err := Raises(p, c.interop)
		if err != nil {
			t.Fatal(err)
		}
		if len(raises) != len(c.paths) {
			t.Fatalf("%v are raised and not %v", raises, c.paths)
		}
		for i, r := range raises {
			if r.Path != c.paths[i] || r.To == "" || r.From == r.To {
				t.Errorf("%v is not a raise of %s", r, c.paths[i])
			}
		}
	}
	if !IsOld("v0.34.9") || IsOld("v0.35.0") || IsOld("") {
		t.Error("the oldest version is not v0.35.0")
	}
}

// A client-go that is too old has the commands that update it; a replacement by a version
// would undo them.
func TestUpdate(t *testing.T) {
	const get = "go get k8s.io/client-go@v0.37.2 k8s.io/api@v0.37.2 k8s.io/apimachinery@v0.37.2"
	version := func(v string) *packages.Module { return &packages.Module{Version: v} }
	for _, c := range []struct {
		clientGo *packages.Module
		version  string
		want     []string
	}{
		{nil, "", nil},
		{version("v0.35.0"), "v0.35.0", nil},
		{version("v0.34.9"), "v0.34.9", []string{get}},
		{&packages.Module{Version: "v0.37.2", Replace: &packages.Module{Version: "v0.30.1"}}, "v0.30.1", []string{"go mod edit -dropreplace=k8s.io/client-go", get}},
		{&packages.Module{Version: "v0.30.1", Replace: version("v0.37.2")}, "v0.37.2", nil},
		{&packages.Module{Version: "v0.30.1", Replace: &packages.Module{Path: "../fork"}}, "v0.30.1", []string{get}},
	} {
		p := &program.Program{Modules: map[string]*packages.Module{"k8s.io/client-go": c.clientGo}}
		if got := Update(p); !slices.Equal(got, c.want) || ClientGo(p) != c.version {
			t.Errorf("%s is updated by %q and not %q", ClientGo(p), got, c.want)
		}
	}
}
