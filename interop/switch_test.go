package interop_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The commands in docs/migration.md switch a program: the patch, and its go.mod. The last
// command, go vet, compiles the result.
func TestCommandsOfTheMigrationPageSwitchAProgram(t *testing.T) {
	for name, imported := range map[string]string{
		"workqueue": `"github.com/thinformer/thinformer/cache"`,
		"factory":   `"github.com/thinformer/thinformer/interop/informers"`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := moduleOfController(t, name)
			runBlock(t, "../docs/migration.md", dir, "thinformer-migrate -diff")
			var all strings.Builder
			for _, file := range goFiles(t, dir) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				all.Write(text)
			}
			require.Contains(t, all.String(), imported)
			require.Contains(t, all.String(), `"github.com/thinformer/thinformer/workqueue"`)
			require.NotContains(t, all.String(), `"k8s.io/client-go/util/workqueue"`)
			require.NotContains(t, all.String(), `"k8s.io/client-go/informers"`)
			require.Empty(t, shell(t, dir, "gofmt -l ."))
		})
	}
}

// The report in docs/migration.md is that of the controller with two factories.
func TestReportOfTheMigrationPageIsCurrent(t *testing.T) {
	dir := moduleOfController(t, "factory")
	report := strings.ReplaceAll(migrate(t, dir), dir, "/home/user/program")
	page, err := os.ReadFile("../docs/migration.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?ms)^```text\n(module example.com/user in .*?)^```$").FindSubmatch(page)
	require.NotNil(t, shown)
	require.Equal(t, string(shown[1]), report)

	// The commands at its end are those of the page.
	_, commands, found := strings.Cut(report, "\nCommands that switch it")
	require.True(t, found)
	_, commands, _ = strings.Cut(commands, "\n")
	require.Contains(t, string(page), "\n"+strings.ReplaceAll(commands, "  ", "")+"```\n")
}

// The commands in the README add the requirement of the adapters, so that a program that
// imports them compiles.
func TestCommandsInREADMERequireTheAdapters(t *testing.T) {
	dir := moduleOfAUser(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"github.com/thinformer/thinformer/interop\"\n\nvar _ = interop.Indexer\n\nfunc main() {}\n"), 0o600))
	runBlock(t, "../README.md", dir, "/interop@")
	shell(t, dir, "go mod tidy && go vet ./...")
}

// moduleOfAUser creates a folder with a module that has interop's requirements, except for
// this module and the root module.
func moduleOfAUser(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	shell(t, dir, "go mod edit -module=example.com/user -droprequire=github.com/thinformer/thinformer -dropreplace=github.com/thinformer/thinformer")
	return dir
}

// moduleOfController creates a module of a user with a copy of one of the controllers.
func moduleOfController(t *testing.T, name string) string {
	t.Helper()
	dir := moduleOfAUser(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS("controllers/"+name)))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "steps"), os.DirFS("controllers/steps")))
	replaceIn(t, dir, "github.com/thinformer/thinformer/interop/controllers/steps", "example.com/user/steps")
	return dir
}

func replaceIn(t *testing.T, dir, old, new string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, new)), 0o600))
	}
}

// runBlock runs the block of a page that contains a word, with this checkout instead of the
// clone. Commands are installed in a temporary folder.
func runBlock(t *testing.T, page, dir, word string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(block[1], word) {
			continue
		}
		commands := regexp.MustCompile(`(?m)^git clone .*\n`).ReplaceAllString(block[1], "")
		bin := t.TempDir()
		t.Setenv("GOBIN", bin)
		t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir)) // so that git ignores an enclosing repository
		shell(t, dir, strings.ReplaceAll(commands, "../thinformer", root))
		return
	}
	t.Fatalf("%s has no commands with %q", page, word)
}

// shell runs commands up to the first one that fails, and returns their output. Modules in
// the module cache are not downloaded again.
func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	command := exec.Command("sh", "-ec", commands)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s\n%s", commands, out)
	return string(out)
}

func goFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	}))
	return files
}
