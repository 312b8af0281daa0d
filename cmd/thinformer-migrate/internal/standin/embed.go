package standin

import (
	"embed"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

//go:embed packages/*.txt
var files embed.FS

// Has reports whether there are declarations of the package with the path.
func Has(importPath string) bool {
	_, err := fs.Stat(files, path.Join("packages", fileOf(importPath)))
	return err == nil
}

// Source returns the declarations of the package with the path, and nil if there are none.
func Source(importPath string) []byte {
	text, err := files.ReadFile(path.Join("packages", fileOf(importPath)))
	if err != nil {
		return nil // no such package
	}
	return text
}

func fileOf(importPath string) string {
	inModule := strings.TrimPrefix(importPath, Module+"/")
	return strings.ReplaceAll(inModule, "/", "-") + ".txt"
}

// Imports returns the packages that the declarations of a package import.
func Imports(importPath string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), importPath, Source(importPath), parser.ImportsOnly)
	if err != nil {
		return nil // a test parses all of them
	}
	var paths []string
	for _, spec := range file.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}
