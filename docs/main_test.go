package docs_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// repository has the files of this repository. Tests do not read files by a relative name:
// the test cache does not notice that TestMain changes the folder, and so takes the name
// for another file, whose changes do not invalidate a result.
func repository(t *testing.T) fs.FS {
	t.Helper()
	return os.DirFS(sourcetree.Root(t))
}

// The go commands of the tests run in the folder of the root module, as in the documents.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
