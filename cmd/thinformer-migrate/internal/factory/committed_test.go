package factory_test

import (
	"os"
	"path"
	"testing"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/factory"
)

const (
	interop = "../../../../interop"
	widgets = "github.com/thinformer/thinformer/interop/testdata/widgets"
)

// The committed factories are what the command writes: that of client-go's kinds for the
// client-go that module interop requires, and those of the factories of three versions of
// code-generator.
func TestCommittedFactoriesAreCurrent(t *testing.T) {
	for folder, importPath := range map[string]string{
		"informers":                     "k8s.io/client-go/informers",
		"testdata/widgets/informers":    widgets + "/generated/informers/externalversions",
		"testdata/widgets/informers035": widgets + "/generated/informers035/externalversions",
		"testdata/widgets/informers036": widgets + "/generated/informers036/externalversions",
	} {
		text, err := factory.Generate(interop, importPath, path.Base(folder))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(path.Join(interop, folder, "factory.go"))
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != string(committed) {
			t.Errorf("interop/%s/factory.go differs from what the command writes; run go generate in interop/informers and in interop/testdata/widgets/apis/shop/v1", folder)
		}
	}
}
