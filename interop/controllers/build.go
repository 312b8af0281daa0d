package controllers

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed testdata
var testdata embed.FS

const packages = "github.com/thinformer/thinformer/interop/controllers"

// Program is one controller, built with both libraries.
type Program struct {
	Name string
	// ClientGo is the executable of the original program, and Switched that of the
	// program with its diff applied. Both have the flag -kubeconfig.
	ClientGo, Switched string
	// Prints is the expected output of both.
	Prints string
}

// Build builds all programs into dir.
func Build(ctx context.Context, dir string) ([]Program, error) {
	names, err := programs()
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := switchAll(ctx, names, filepath.Join(dir, "source"), overlay); err != nil {
		return nil, err
	}
	var built []Program
	var targets []string
	clientGo, switched := filepath.Join(dir, "client-go")+"/", filepath.Join(dir, "switched")+"/"
	for _, name := range names {
		text, err := testdata.ReadFile(path.Join("testdata", name+".txt"))
		if err != nil {
			return nil, err
		}
		targets = append(targets, path.Join(packages, name))
		built = append(built, Program{Name: name, ClientGo: clientGo + name, Switched: switched + name, Prints: string(text)})
	}
	for _, args := range [][]string{{"-o", clientGo}, {"-o", switched, "-overlay", overlay}} {
		if err := os.MkdirAll(args[1], 0o700); err != nil {
			return nil, err
		}
		if _, err := command(ctx, "", "go", append(append([]string{"build"}, args...), targets...)...); err != nil {
			return nil, err
		}
	}
	return built, nil
}

// programs returns the names of the programs that have a diff.
func programs() (names []string, err error) {
	files, err := testdata.ReadDir("testdata")
	for _, file := range files {
		if name, ok := strings.CutSuffix(file.Name(), ".diff"); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// switchAll writes the switched source of each program to a folder of its name in dir,
// and an overlay that replaces the original source by it.
func switchAll(ctx context.Context, names []string, dir, overlay string) error {
	replace := map[string]string{}
	for _, name := range names {
		out, err := command(ctx, "", "go", "list", "-f", "{{.Dir}}", path.Join(packages, name))
		if err != nil {
			return err
		}
		if err := switchOne(ctx, name, strings.TrimSpace(out), filepath.Join(dir, name), replace); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, text, 0o600)
}

// switchOne copies a program to another folder and applies its diff to the copy. A diff
// that does not apply is an error: git applies all of it, without fuzz, or nothing.
func switchOne(ctx context.Context, name, from, to string, replace map[string]string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	diff, err := testdata.ReadFile(path.Join("testdata", name+".diff"))
	if err != nil {
		return err
	}
	file := to + ".diff"
	if err := os.WriteFile(file, diff, 0o600); err != nil {
		return err
	}
	if _, err := command(ctx, to, "git", "apply", "--verbose", file); err != nil {
		return fmt.Errorf("the diff of program %s does not apply, generate it again: %w", name, err)
	}
	return filepath.WalkDir(to, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		name, err := filepath.Rel(to, file)
		replace[filepath.Join(from, name)] = file
		return err
	})
}

// command runs a command and waits for it. Its output is in the error.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if dir != "" { // so that git ignores an enclosing repository
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return string(out), nil
}
