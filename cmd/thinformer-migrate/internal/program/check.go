package program

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// exportReader reads the types of packages of other modules.
type exportReader struct {
	files  map[string]string
	fset   *token.FileSet
	loaded map[string]*types.Package
}

func newExportReader(files map[string]string) *exportReader {
	return &exportReader{files: files, fset: token.NewFileSet(), loaded: map[string]*types.Package{}}
}

// External returns the types of a package of another module.
func (p *Program) External(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	r := p.read
	if r == nil {
		return nil, fmt.Errorf("the package %s has not been loaded", path)
	}
	if pkg := r.loaded[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	name := r.files[path]
	if name == "" {
		return nil, fmt.Errorf("the package %s cannot be compiled or is not required by the module", path)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open the types of package %s: %w", path, err)
	}
	defer file.Close()
	//lint:ignore SA1019 The files of go list -export are archives up to Go 1.28.
	data, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read the types of package %s: %w", path, err)
	}
	pkg, err := gcexportdata.Read(data, r.fset, r.loaded, path)
	if err != nil {
		return nil, fmt.Errorf("read the types of package %s: %w", path, err)
	}
	return pkg, nil
}

// HasExternal reports whether the module has a package of another module.
func (p *Program) HasExternal(path string) bool { return p.exports[path] != "" }

// ImportsBelow reports whether the program imports a package of another module whose path is
// a module's or below it, and that can be compiled.
func (p *Program) ImportsBelow(module string) bool {
	for path, file := range p.exports {
		if file != "" && (path == module || strings.HasPrefix(path, module+"/")) {
			return true
		}
	}
	return false
}

// An importer returns the package behind an import path of a file.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// Check type-checks a package with the given syntax of its files. Find returns the packages
// behind the imports.
func (p *Program) Check(path string, files []*ast.File, find func(path string) (*types.Package, error)) *Result {
	result := &Result{Files: files, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}}
	config := types.Config{
		Importer: importer(find), FakeImportC: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				result.Errors = append(result.Errors, e)
			}
		},
	}
	if p.Main != nil && p.Main.GoVersion != "" {
		config.GoVersion = "go" + p.Main.GoVersion
	}
	// The error is the first of those in result.Errors.
	result.Types, _ = config.Check(path, p.Fset, files, result.Info)
	return result
}

// Declarations type-checks a package without function bodies.
func (p *Program) Declarations(path string, file *ast.File, find func(path string) (*types.Package, error)) (*types.Package, error) {
	config := types.Config{Importer: importer(find), IgnoreFuncBodies: true}
	pkg, err := config.Check(path, p.Fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, fmt.Errorf("check the declarations of package %s: %w", path, err)
	}
	return pkg, nil
}

// Declare returns the declarations of a package of the module. Its errors are ignored: the
// uses of what cannot be checked are errors as well.
func (p *Program) Declare(path string, files []*ast.File, find func(path string) (*types.Package, error)) *types.Package {
	config := types.Config{Importer: importer(find), IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	pkg, _ := config.Check(path, p.Fset, files, nil)
	return pkg
}
