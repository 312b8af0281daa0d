package apirecord

import (
	"bufio"
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Load returns the packages of the module in folder that other modules can import, by
// import path: neither internal packages nor commands. It runs the go command, which
// compiles what is not in the build cache.
func Load(folder, module string) (map[string]*types.Package, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Export}}\t{{len .GoFiles}}", "./...")
	list.Dir = folder
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", folder, err, stderr.Bytes())
	}
	exports := map[string]string{}
	var public []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("go list in %s: unexpected line %q", folder, lines.Text())
		}
		path, name, file, onlyTests := fields[0], fields[1], fields[2], fields[3] == "0"
		exports[path] = file
		if importable(path, module) && name != "main" && !onlyTests {
			public = append(public, path)
		}
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("go list has no export data of %s", path)
		}
		return os.Open(file)
	})
	packages := map[string]*types.Package{}
	for _, path := range public {
		if packages[path], err = imports.Import(path); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// importable reports whether a package is in the module, and not below a folder named
// internal.
func importable(path, module string) bool {
	if path != module && !strings.HasPrefix(path, module+"/") {
		return false
	}
	return !strings.Contains(path+"/", "/internal/")
}
