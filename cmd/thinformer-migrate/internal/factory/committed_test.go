package factory_test

import (
	"os"
	"testing"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/factory"
)

// The committed factory of client-go's kinds is what the command writes for the client-go
// that module interop requires.
func TestTheFactoryOfClientGoIsCurrent(t *testing.T) {
	const module = "../../../../interop"
	text, err := factory.Generate(module, "k8s.io/client-go/informers", "informers")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(module + "/informers/factory.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(committed) {
		t.Error("interop/informers/factory.go differs from what the command writes; run: go generate ./informers in interop")
	}
}
