package docs_test

import (
	"os"
	"testing"
)

// The tests run in the folder of the root module, so that they name files as the
// documents do.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
