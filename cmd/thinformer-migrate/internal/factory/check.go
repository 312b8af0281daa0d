package factory

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// check returns the errors in the types of the file, as far as they depend only on the
// generated factory and on what that imports. Other packages are not loaded: the module
// may not even require them yet.
func check(loaded *packages.Package, text []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "factory.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	known := importer{loaded.PkgPath: loaded.Types}
	for _, imported := range loaded.Types.Imports() {
		if imported.Complete() {
			known[imported.Path()] = imported
		}
	}
	var problems []error
	config := types.Config{Importer: known, Error: func(err error) {
		if !isUnknown(err) {
			problems = append(problems, err)
		}
	}}
	_, _ = config.Check(file.Name.Name, files, []*ast.File{file}, nil) // its error is the first of the problems
	return errors.Join(problems...)
}

// isUnknown reports whether an error is due to a package that is not loaded: it cannot be
// imported, and the methods of an embedded type of it are missing. The methods of the
// groups are not: the file has one for each that the interface has.
func isUnknown(err error) bool {
	return strings.Contains(err.Error(), "could not import ") || strings.Contains(err.Error(), "missing method ")
}

type importer map[string]*types.Package

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if found := i[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}
