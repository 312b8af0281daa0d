package cache

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var (
	firstLine    = regexp.MustCompile(`^// The work is done by .+\.\n\npackage cache\n`)
	namedPackage = regexp.MustCompile(`\b[Pp]ackage ([a-z/]+)`)
)

// undescribed returns the files in dir whose first line does not say which package
// does the work, or names a package that module does not have.
func undescribed(t *testing.T, dir, module fs.FS) (problems []string) {
	t.Helper()
	names, err := fs.Glob(dir, "*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		text, err := fs.ReadFile(dir, name)
		require.NoError(t, err)
		line := firstLine.FindString(string(text))
		if line == "" {
			problems = append(problems, name+`: the first line is not "// The work is done by ..."`)
		}
		line, _, _ = strings.Cut(line, "\n")
		for _, match := range namedPackage.FindAllStringSubmatch(line, -1) {
			if info, err := fs.Stat(module, match[1]); err != nil || !info.IsDir() {
				problems = append(problems, name+": the module has no package "+match[1])
			}
		}
	}
	return problems
}

// The first line of each file says which package does the work. The comment of the
// package itself, in doc.go, has the table of all of them.
func TestEachFileNamesThePackageThatDoesTheWork(t *testing.T) {
	require.Empty(t, undescribed(t, os.DirFS("."), os.DirFS("..")))
}

func TestMissingFirstLinesAreFound(t *testing.T) {
	module := fstest.MapFS{"indexer/indexer.go": {}}
	for text, want := range map[string][]string{
		"// The work is done by package indexer.\n\npackage cache\n": nil,
		"// The work is done by this file.\n\npackage cache\n":       nil,
		"package cache\n": {`store.go: the first line is not "// The work is done by ..."`},
		"// The work is done by package indexer.\npackage cache\n":               {`store.go: the first line is not "// The work is done by ..."`},
		"// The work is done by package index.\n\npackage cache\n":               {"store.go: the module has no package index"},
		"// The work is done by this file. Package x is not.\n\npackage cache\n": {"store.go: the module has no package x"},
	} {
		dir := fstest.MapFS{"store.go": {Data: []byte(text)}, "store_test.go": {}, "doc.go": {}}
		require.Equal(t, want, undescribed(t, dir, module), text)
	}
}
