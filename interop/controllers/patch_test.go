package controllers

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The diffs in testdata are the patches of thinformer-migrate, without changes by hand.
func TestEachDiffIsThePatchOfTheTool(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "thinformer-migrate")
	_, err := command(t.Context(), "../../cmd/thinformer-migrate", "go", "build", "-o", tool, ".")
	require.NoError(t, err)
	for _, name := range []string{"workqueue", "factory", "custom", "dynamic"} {
		patch, err := command(t.Context(), moduleOf(t, name), tool, "-diff")
		require.NoError(t, err)
		patch = strings.NewReplacer(pathsOf(name, true)...).Replace(patch)
		file := filepath.Join("testdata", name+".diff")
		if *rewrite {
			require.NoError(t, os.WriteFile(file, []byte(patch), 0o600))
		}
		committed, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(committed), patch, "write the patches again: go test ./controllers -rewrite")
	}
}

// moduleOf copies a program to a module of its own, together with the kinds that program
// custom uses.
func moduleOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(name)))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "steps"), os.DirFS("steps")))
	if name == "custom" {
		for _, folder := range []string{"apis", "generated"} {
			require.NoError(t, os.CopyFS(filepath.Join(dir, "widgets", folder), os.DirFS(filepath.Join("../testdata/widgets", folder))))
		}
	}
	paths := strings.NewReplacer(pathsOf(name, false)...)
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return os.WriteFile(file, []byte(paths.Replace(string(text))), 0o600)
	}))
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
	}
	const module = "github.com/thinformer/thinformer"
	_, err := command(t.Context(), dir, "go", "mod", "edit", "-module=example.com/user", "-droprequire="+module, "-dropreplace="+module)
	require.NoError(t, err)
	return dir
}

// pathsOf returns pairs for a Replacer: the import paths in this module, and those in the
// module of the copy, or the reverse.
func pathsOf(name string, reverse bool) []string {
	pairs := [][2]string{
		{packages + "/steps", "example.com/user/steps"},
		{strings.TrimSuffix(packages, "controllers") + "testdata/widgets/", "example.com/user/widgets/"},
		{packages + "/" + name + "/", "example.com/user/"},
	}
	var list []string
	for _, pair := range pairs {
		if reverse {
			pair[0], pair[1] = pair[1], pair[0]
		}
		list = append(list, pair[:]...)
	}
	return list
}
